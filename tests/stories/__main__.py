"""Run the stories, print the results: `python -m tests.stories [-v] [--run NAME] [--write] [--folder PATH] [STORY …]`.

STORY selects stories whose name contains one of the words; `--run` chooses among rules, perfect, sloppy and refusing.
`-v` shows what is wrong, every follow-up's prompt and the memories. `--write` puts the table into `docs/scripted.md`,
and what is false into `misses.toml`. `--folder corpora/held_out/stories` has those that only measure. The exit status
is 1 if a prompt holds something false.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from toldonce.providers.multilingual_embedder import MultilingualEmbedder

from .misses import MISSES, written
from .report import PAGE, details, table, with_table
from .runs import RUNS, SuiteRun, run_suite
from .story import FOLDER, Story, stories
from .verdict import Outcome


def main(arguments: Sequence[str]) -> int:
    """Run the requested stories."""
    parser = argparse.ArgumentParser(prog="python -m tests.stories")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--run", choices=RUNS, action="append")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("story", nargs="*")
    asked = parser.parse_args(arguments)
    chosen = [
        story for story in stories(asked.folder) if not asked.story or any(name in story.name for name in asked.story)
    ]
    runs = asyncio.run(_all(asked.run or list(RUNS), chosen))
    for run in runs if asked.verbose else ():
        sys.stdout.write(details(run) + "\n")
    sys.stdout.write(table(runs) + "\n")
    if asked.write and asked.folder == FOLDER and not asked.story and not asked.run:
        PAGE.write_text(with_table(PAGE.read_text("utf-8"), table(runs)), "utf-8")
        MISSES.write_text(written(runs, MISSES.read_text("utf-8")), "utf-8")
    return 1 if any(run.count(Outcome.FALSE_IN_PROMPT) for run in runs) else 0


async def _all(names: Sequence[str], chosen: Sequence[Story]) -> list[SuiteRun]:
    embedder = MultilingualEmbedder()
    return [await run_suite(name, chosen, embedder) for name in names]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
