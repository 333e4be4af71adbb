"""Answers from a fresh read, from the cache, and from an updated cache must be equal. Writes databases.

A warm engine answers before and while memories are added, said again and forgotten, so that its arrays are updated
by merging; then it is asked again from its cache. A second engine reads everything into a cache of its own; a third has
no cache and reads for every question. All must give the same memories with the same scores, to the last
digit. The clock is fixed, because a memory's age is part of its score.
"""

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import Filler, parts_in
from benchmarks.made_up import SEED, Writer
from benchmarks.quiet import errors_only
from benchmarks.recall import QUERY_WORDS
from toldonce.engine import AsyncToldOnce
from toldonce.settings import Settings
from toldonce.testing import FakeClock
from toldonce.types import MemoryId, Subject

SIZES = (100, 1_000, 10_000, 200_000)
WHO = Subject("user", "bench-0")
_LIMIT = 50
# Enough for the largest.
_CACHE = 2**31
# So often something changes between two questions, and so much each time.
_ROUNDS, _ADDED, _CHANGED = 3, 5, 2

Answer = tuple[tuple[MemoryId, float, float, float], ...]
"""For each result, best first: which memory, its score, its similarity in meaning, its share of the words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The answers to each question."""

    memories: int
    whole: Sequence[Answer]
    """Read for every question."""
    ways: dict[str, Sequence[Answer]]
    """The others by their names."""

    @property
    def differing(self) -> list[str]:
        """The ways that gave another answer to any question, each with how many."""
        return [
            f"{name}: {count} of {len(self.whole)}"
            for name, answers in self.ways.items()
            if (count := sum(answer != other for answer, other in zip(answers, self.whole, strict=True)))
        ]


async def compare(url: str, count: int, *, questions: int = 20) -> Compared:
    """Give a user so many memories in an empty database, change some, and ask in every way."""
    writer, clock = Writer(SEED + count), FakeClock()
    asked = [" ".join(writer.words(QUERY_WORDS)) for _ in range(questions)]
    async with AsyncExitStack() as opened:
        warm = await opened.enter_async_context(parts_in(_settings(url, _CACHE), clock))
        engine, filler = AsyncToldOnce(warm), Filler(parts=warm)
        texts = writer.sentences(count - _ROUNDS * (_ADDED - _CHANGED))
        await filler.notes(WHO, texts)
        await _answers(engine, asked[:1])
        for number in range(_ROUNDS):
            await _change(engine, filler, writer.sentences(_ADDED), texts[number])
            merged = await _answers(engine, asked if number == _ROUNDS - 1 else asked[:1])
        cached = await _answers(engine, asked)
        other = AsyncToldOnce(await opened.enter_async_context(parts_in(_settings(url, _CACHE), clock)))
        reread, reread_cached = await _answers(other, asked), await _answers(other, asked)
        bare = AsyncToldOnce(await opened.enter_async_context(parts_in(_settings(url, 0), clock)))
        whole = await _answers(bare, asked)
        stats = await engine.admin.stats()
    ways: dict[str, Sequence[Answer]] = {"brought forward": merged, "then cached": cached}
    ways |= {"read again": reread, "read again, then cached": reread_cached}
    return Compared(memories=stats.memories, whole=whole, ways=ways)


async def _change(engine: AsyncToldOnce, filler: Filler, new: Sequence[str], known: str) -> None:
    """Add notes, say one again, forget one for good and one for now."""
    await filler.notes(WHO, new)
    await engine.add(known, user=WHO)
    for memory in (await engine.list(user=WHO, limit=_CHANGED))[:_CHANGED]:
        await engine.forget(memory.id, user=WHO)


async def _answers(engine: AsyncToldOnce, asked: Sequence[str]) -> list[Answer]:
    found = [await engine.search(question, user=WHO, limit=_LIMIT) for question in asked]
    return [
        tuple((item.memory.id, item.score, item.similarity, item.word_share) for item in each.items) for each in found
    ]


def _settings(url: str, cache: int) -> Settings:
    return Settings.load(database_url=url, cache_bytes=cache, worker="off")


@errors_only()
def main() -> None:
    """Read the arguments, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="memories of the user")
    given = parser.parse_args()
    for count in given.sizes:
        with TemporaryDirectory(prefix="toldonce-bench-") as folder:
            compared = asyncio.run(compare(f"sqlite:///{Path(folder) / 'same.sqlite3'}", count))
        results = sum(map(len, compared.whole))
        said = "; ".join(compared.differing) or "the same memories with the same scores in every way"
        print(f"{compared.memories:>9,} memories, {len(compared.whole)} questions, {results} results: {said}")


if __name__ == "__main__":
    main()
