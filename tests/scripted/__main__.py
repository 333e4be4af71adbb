"""Play the scripted conversations and print what is right. `python -m tests.scripted [-v] [NAME …]`.

With names only those whose name holds one of them; `-v` says what is wrong and what is held. `--write` puts the table
into `docs/scripted.md` and the rules' misses into `misses.toml`. The exit status is 1 if a memory is false, or one is
wrong with the scripted model.
"""

import asyncio
import sys

from toldonce.providers.multilingual_embedder import MultilingualEmbedder

from .cases import Case, cases, line_of
from .known import MISSES, written
from .playback import Played, play
from .table import PAGE, Row, table, with_table
from .verdict import Flaw, findings


def main(arguments: list[str]) -> int:
    """Run the requested conversations."""
    names = [argument for argument in arguments if not argument.startswith("-")]
    chosen = [case for case in cases() if not names or any(name in case.name for name in names)]
    rows = asyncio.run(_rows(chosen, verbose="-v" in arguments))
    sys.stdout.write(table(rows) + "\n")
    if "--write" in arguments and not names:
        PAGE.write_text(with_table(PAGE.read_text("utf-8"), table(rows)), "utf-8")
        MISSES.write_text(written(rows, MISSES.read_text("utf-8")), "utf-8")
    bad = [row for row in rows if row.model or any(finding.flaw is Flaw.FALSE for finding in row.rules)]
    return 1 if bad else 0


async def _rows(chosen: list[Case], *, verbose: bool) -> list[Row]:
    embedder = MultilingualEmbedder()
    rows: list[Row] = []
    for case in chosen:
        by_rules = await play(case, embedder, scripted=False)
        by_model = await play(case, embedder, scripted=True)
        rows.append(Row(case=case, rules=findings(by_rules), model=findings(by_model)))
        if verbose:
            _tell("rules", by_rules)
            _tell("model", by_model)
    return rows


def _tell(how: str, played: Played) -> None:
    wrong = findings(played)
    sys.stdout.write(f"\n{played.case.name} by {how}: {'right' if not wrong else ''}\n")
    for row in wrong:
        sys.stdout.write(f"  {row}\n")
    for memory in played.active:
        sys.stdout.write(f"    {memory.kind}: {line_of(memory)} {sorted(played.rests_on(memory))}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
