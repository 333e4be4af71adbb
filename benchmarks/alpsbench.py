"""How well memories are formed of real chats in many languages, against AlpsBench's verified ones. Reads a file.

Scored is each utterance of the user: whether a memory rests on it, and whether it is evidence for a verified one. The
rows are what is formed without a model (facts and kept quotations), the models whose extractions the file records, and
these extractions given to the engine by a stand-in model; of the latter also what the engine kept and why it refused
the rest. The file is described in `benchmarks/alps_chats.py`; the command fails if it cannot be read.

The heads were trained on the open half of this data. To score it on that half, give `--heads` the folder that
`python -m tools.train_reader DATA --folds 5 --out FOLDER` writes: each chat is read with heads trained without it.
"""

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from benchmarks.alps_chats import AlpsChat, models_of, read_chats, sampled
from benchmarks.alps_engine import RecordedModel, engine_run
from benchmarks.alps_heads import heads_for, heads_in_use, read_heads
from benchmarks.alps_outcomes import ItemOutcome, ReplayedChat, replay
from benchmarks.alps_scores import Sources, language_rows, recorded_sources, score_rows
from benchmarks.alps_tables import data_rows, kept_rows, lost_rows, skip_rows
from benchmarks.progress import steps
from benchmarks.quiet import errors_only
from benchmarks.report import Benchmark, measure
from toldonce.errors import BadRequestError, SetupError
from toldonce.reading.heads import Heads

QUICK_CHATS = 100
WITHOUT_MODEL = "without a model"


class AlpsBench:
    """The tables of a file; what several of them need is formed once."""

    def __init__(self, chats: Sequence[AlpsChat], models: Sequence[str], heads: Sequence[Heads] = ()) -> None:
        """Measure chats, with the extractions of these models; `heads` by fold, none: the heads of the package."""
        self._chats = chats
        self._models = models
        self._heads = heads

    def tables(self) -> Mapping[str, Benchmark]:
        """Return the tables by name."""
        return {
            "data": lambda quick: data_rows(self._chats, self._models),
            "utterances": lambda quick: score_rows(self._chats, self._systems),
            "languages": lambda quick: language_rows(self._chats, self._systems),
            "skipped": lambda quick: skip_rows(self._chats, self._heads),
            "replayed": lambda quick: score_rows(self._chats, self._replayed_sources),
            "kept": lambda quick: kept_rows(self._chats, self._outcomes),
            "lost": lambda quick: lost_rows(self._outcomes),
        }

    @cached_property
    def _systems(self) -> Mapping[str, Sequence[Sources]]:
        """What memories formed without a model rest on, and the items of the models, as they were recorded."""
        recorded = {model: [recorded_sources(chat, model) for chat in self._chats] for model in self._models}
        return {WITHOUT_MODEL: asyncio.run(self._without_model()), **recorded}

    async def _without_model(self) -> list[Sources]:
        async with engine_run() as run:
            found: list[Sources] = []
            for chat in steps(WITHOUT_MODEL, self._chats):
                with heads_in_use(heads_for(chat, self._heads)):
                    found.append((await run.form(chat)).sources)
            return found

    @cached_property
    def _replays(self) -> Mapping[str, Sequence[ReplayedChat]]:
        return {model: asyncio.run(self._replay(model)) for model in self._models}

    async def _replay(self, model: str) -> list[ReplayedChat]:
        stand_in = RecordedModel()
        async with engine_run(stand_in) as run:
            replays: list[ReplayedChat] = []
            for chat in steps(f"{model}, replayed", self._chats):
                with heads_in_use(heads_for(chat, self._heads)):
                    replays.append(await replay(chat, model, run, stand_in))
            return replays

    @property
    def _replayed_sources(self) -> Mapping[str, Sequence[Sources]]:
        return {model: [chat.formed.sources for chat in chats] for model, chats in self._replays.items()}

    @property
    def _outcomes(self) -> Mapping[str, Sequence[Sequence[ItemOutcome]]]:
        return {model: [chat.outcomes for chat in chats] for model, chats in self._replays.items()}


@errors_only()
def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments, measure, print."""
    names = tuple(AlpsBench((), ()).tables())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.alpsbench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="chats with verified and recorded memories, one a line; may be .gz")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_CHATS} chats, chosen by the hash of their ids")
    parser.add_argument("--only", nargs="+", choices=names, metavar="TABLE", help=", ".join(names))
    parser.add_argument("--models", nargs="*", metavar="MODEL", help="models of the file (default: all)")
    parser.add_argument("--heads", type=Path, metavar="FOLDER", help="heads of a cross-validation, one for each fold")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write (default: bench-results/TIME.json)")
    given = parser.parse_args(arguments)
    try:
        chats = read_chats(given.file)
        heads = read_heads(given.heads) if given.heads else ()
    except (BadRequestError, SetupError) as error:
        parser.error(str(error))
    known = models_of(chats)
    unknown = sorted(set(given.models or ()) - set(known))
    if unknown:
        parser.error(f"the file has no model {unknown[0]!r}; there are: {', '.join(known)}")
    chosen = sampled(chats, QUICK_CHATS) if given.quick else chats
    tables = AlpsBench(chosen, known if given.models is None else given.models, heads).tables()
    measure({name: tables[name] for name in given.only or names}, quick=given.quick, file=given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
