"""`python -m benchmarks.bulk`: many memories at once: imported, copied, replayed, added. Uses databases of its own."""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.crowd import new_database
from benchmarks.far_embedder import CALL_S, FarEmbedder
from benchmarks.filler import Filler, parts_in
from benchmarks.made_up import Writer
from benchmarks.many_users import serving
from benchmarks.progress import steps
from benchmarks.report import measure
from benchmarks.rows import Row
from toldonce.cli.replay_run import Replay, read_plan
from toldonce.clock import SystemClock
from toldonce.datasets.recordings import Format
from toldonce.engine import AsyncToldOnce
from toldonce.engine.components import open_components
from toldonce.engine.databases import copy_database
from toldonce.settings import Settings
from toldonce.types import Subject

_numbers = count(1)
PARTS = ("import", "copy", "replay", "add")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    memories: int
    """Imported and copied."""
    per_user: int
    far: int
    """Memories imported with a remote embedder."""
    replayed: int
    """Conversations."""
    added: int
    """Memories added to one user."""


FULL = Sizes(memories=50_000, per_user=20, far=5_000, replayed=200, added=1_000)
QUICK = Sizes(memories=400, per_user=20, far=200, replayed=4, added=40)
# Messages of a conversation that is replayed, two a turn; and conversations of a user.
_TURNS, _TALKS = 10, 10
# Added in one call.
_AT_ONCE = 100


class NoBar:
    """Shows nothing."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Show nothing."""

    def reach(self, done: int) -> None:
        """Show nothing."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few of each, to see that it runs")
    parser.add_argument("--memories", type=int, metavar="N", help=f"how many (default: {FULL.memories:,})")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument(
        "--url", help="a PostgreSQL server with pgvector; databases toldonce_bench_… are created again there"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write (default: bench-results/TIME.json)")
    asked = parser.parse_args(arguments)

    def run(quick: bool) -> list[Row]:
        sizes = QUICK if quick else FULL
        with serving(asked.url) as url, TemporaryDirectory(prefix="toldonce-bench-") as folder:
            return Bulk(url, Path(folder), replace(sizes, memories=asked.memories or sizes.memories)).run(asked.only)

    measure({"bulk": run}, quick=asked.quick, file=asked.json)
    return 0


class Bulk:
    """One run."""

    def __init__(self, server: str, folder: Path, sizes: Sizes) -> None:
        """Take a PostgreSQL server, a folder for files, and how much is measured."""
        self._server = server
        self._folder = folder
        self._sizes = sizes
        self._stores: dict[str, Callable[[], str]] = {"SQLite": self._file, "PostgreSQL": self._database}

    def run(self, parts: Sequence[str]) -> list[Row]:
        """Measure each part."""
        ways = {"import": self._import, "copy": self._copy, "replay": self._replay, "add": self._add}
        return [row for part in steps("bulk", parts) for row in ways[part]()]

    def _file(self) -> str:
        return f"sqlite:///{self._folder / f'{next(_numbers)}.sqlite3'}"

    def _database(self) -> str:
        return new_database(self._server, f"bulk_{next(_numbers)}")

    def _import(self) -> Iterator[Row]:
        near, far = self._folder / "near.jsonl", self._folder / "far.jsonl"
        asyncio.run(_export(self._filled(self._sizes.memories), near))
        asyncio.run(_export(self._filled(self._sizes.far), far))
        for store, new in self._stores.items():
            yield _rate(f"import, {store}", asyncio.run(_import(new(), near)), self._sizes.memories)
            embedder = FarEmbedder()
            took = asyncio.run(_import(new(), far, embedder))
            yield _rate(f"import, {store}, embedder far away", took, self._sizes.far, embedder)

    def _copy(self) -> Iterator[Row]:
        source = self._filled(self._sizes.memories)
        for store, new in (*self._stores.items(), ("SQLite again", self._file)):
            there = new()
            start = time.perf_counter()
            copy_database(source, there, progress=NoBar())
            yield _rate(f"copy to {store}", time.perf_counter() - start, self._sizes.memories)
            source = there

    def _replay(self) -> Iterator[Row]:
        file = self._folder / "talks.jsonl"
        file.write_text("".join(_talk(number) for number in range(self._sizes.replayed)), "utf-8")
        messages = 2 * _TURNS * self._sizes.replayed
        for store, new in self._stores.items():
            yield _rate(f"replay, {store}", asyncio.run(_replay(new(), file)), messages, unit="messages/s")
            embedder = FarEmbedder()
            took = asyncio.run(_replay(new(), file, embedder))
            yield _rate(f"replay, {store}, embedder far away", took, messages, embedder, unit="messages/s")

    def _add(self) -> Iterator[Row]:
        texts = Writer(3).sentences(self._sizes.added)
        for store, new in self._stores.items():
            for where, few in (("", texts), (", embedder far away", texts[: len(texts) // 5])):
                name, took = f"add, {store}{where}", []
                for at_once in (1, _AT_ONCE):
                    embedder = FarEmbedder() if where else None
                    took.append(asyncio.run(_added(new(), few, at_once, embedder)))
                    yield _rate(f"{name}, {at_once} a call", took[-1], len(few), embedder)
                yield Row(name=f"{name}, gained", value=took[0] / took[1], unit="times", count=len(few))

    def _filled(self, memories: int) -> str:
        """Make a database of users with so many memories in all, half of them quotations."""
        url = self._file()
        asyncio.run(_fill(url, memories // self._sizes.per_user, self._sizes.per_user // 2))
        return url


async def _fill(url: str, users: int, half: int) -> None:
    async with parts_in(Settings.load(database_url=url)) as parts:
        engine, filler = AsyncToldOnce(parts), Filler(parts=parts)
        texts = Writer(1).sentences(users * half * 2)
        for number in range(users):
            mine = texts[number * half * 2 : (number + 1) * half * 2]
            said = [{"role": "user", "content": text} for text in mine[:half]]
            who = Subject("user", f"bulk-{number}")
            recorded = await engine.record(said, user=who, conversation=f"talk-{number}")
            messages = await parts.store.conversations.messages(who, recorded.conversation)
            await filler.turns(who, messages)
            await filler.notes(who, mine[half:], messages=messages)


def _talk(number: int) -> str:
    return json.dumps({"id": f"talk-{number}", "messages": Writer(number).conversation(_TURNS)}) + "\n"


async def _export(url: str, file: Path) -> None:
    async with _engine(url) as engine:
        with file.open("wb") as out:
            await engine.transfer.export_to(out, everybody=True)


async def _import(url: str, file: Path, embedder: FarEmbedder | None = None) -> float:
    async with _engine(url, embedder) as engine:
        with file.open("rb") as lines:
            start = time.perf_counter()
            await engine.transfer.import_from(lines, progress=NoBar())
            return time.perf_counter() - start


async def _replay(url: str, file: Path, embedder: FarEmbedder | None = None) -> float:
    """Replay conversations, ten of a user."""
    async with _engine(url, embedder) as engine:
        plan = read_plan(file, Format.OPENAI, as_speaker=None, limit=None, zone=UTC)
        users = {recording.id: Subject("user", f"user-{at // _TALKS}") for at, recording in enumerate(plan.recordings)}
        start = time.perf_counter()
        await Replay(engine, plan, whose=lambda recording: users[recording.id], bar=NoBar()).run()
        return time.perf_counter() - start


async def _added(url: str, texts: Sequence[str], at_once: int, embedder: FarEmbedder | None) -> float:
    async with _engine(url, embedder) as engine:
        start = time.perf_counter()
        for at in range(0, len(texts), at_once):
            if at_once == 1:
                await engine.add(texts[at], user="bench")
            else:
                await engine.bulk.add(texts[at : at + at_once], user="bench")
        return time.perf_counter() - start


@asynccontextmanager
async def _engine(url: str, embedder: FarEmbedder | None = None) -> AsyncIterator[AsyncToldOnce]:
    parts = await open_components(Settings.load(database_url=url), SystemClock())
    async with AsyncToldOnce(parts if embedder is None else replace(parts, embedder=embedder)) as engine:
        yield engine


def _rate(name: str, took: float, many: int, embedder: FarEmbedder | None = None, *, unit: str = "memories/s") -> Row:
    note = "" if embedder is None else f"{embedder.calls:,} calls of {CALL_S * 1000:.0f} ms"
    return Row(name=name, value=many / took, unit=unit, note=note, count=many)


if __name__ == "__main__":
    sys.exit(main())
