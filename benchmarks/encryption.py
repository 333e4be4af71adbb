"""`python -m benchmarks.encryption`: encrypted SQLite files beside a plain one. Writes databases of its own.

One is encrypted as a whole, in another each subject has a key of its own. All have the same content and are measured in
turns: the ways to be compared share each moment of the machine.
"""

import argparse
import asyncio
import shutil
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import Filler, parts_in, settings_for
from benchmarks.made_up import Writer
from benchmarks.progress import steps
from benchmarks.recall import QUERY_WORDS
from benchmarks.report import measure
from benchmarks.rows import Row, percentile
from toldonce.engine import AsyncToldOnce
from toldonce.engine.databases import DatabaseKey, KeyringPlace, encrypt_database, encrypt_subjects
from toldonce.types import Subject

KEY = "5ec2e7" * 10 + "5ec2"
PLAIN, ENCRYPTED, SUBJECTS = "plain", "encrypted", "a key for each subject"
SHOWN = ("p50", "p99")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    users: int
    per_user: int
    rounds: int
    erased: int
    """Users erased from each file."""


FULL = Sizes(users=1_000, per_user=100, rounds=400, erased=3)
QUICK = Sizes(users=20, per_user=20, rounds=20, erased=1)


def run(quick: bool) -> list[Row]:
    """Fill a file, encrypt copies of it, and measure all."""
    with TemporaryDirectory(prefix="toldonce-bench-") as folder:
        return asyncio.run(compare(Path(folder), QUICK if quick else FULL))


async def compare(folder: Path, sizes: Sizes) -> list[Row]:
    """Measure a plain file, one that is encrypted, and one whose subjects are."""
    folders = {name: folder / f"file-{number}" for number, name in enumerate((PLAIN, ENCRYPTED, SUBJECTS))}
    for each in folders.values():
        each.mkdir()
    writer = Writer()
    async with parts_in(settings_for(folders[PLAIN])) as parts:
        filler = Filler(parts=parts)
        for user in steps("encryption: filling", range(sizes.users)):
            await filler.notes(_user(user), writer.sentences(sizes.per_user))
    file = folders[PLAIN] / "toldonce.sqlite3"
    rows = _encrypt_copies(file, folders, sizes)
    async with AsyncExitStack() as opened:
        more = {PLAIN: {}, ENCRYPTED: {"database_key": KEY}, SUBJECTS: {"master_key": KEY}}
        engines = {
            name: await opened.enter_async_context(
                await AsyncToldOnce.open(settings_for(folders[name], cache_bytes=0, **keys))
            )
            for name, keys in more.items()
        }
        return rows + await _measure(engines, writer, sizes)


def _encrypt_copies(file: Path, folders: Mapping[str, Path], sizes: Sizes) -> list[Row]:
    for name in (ENCRYPTED, SUBJECTS):
        shutil.copy(file, folders[name])
    start = time.perf_counter()
    done = encrypt_database(f"sqlite:///{folders[ENCRYPTED] / file.name}", DatabaseKey(KEY))
    rate = done.bytes / 1e6 / (time.perf_counter() - start)
    sealed = folders[SUBJECTS] / file.name
    keyring = KeyringPlace(url=None, master=DatabaseKey(KEY))
    start = time.perf_counter()
    encrypt_subjects(f"sqlite:///{sealed}", keyring, rewrite=True)
    pace = sizes.users * sizes.per_user / (time.perf_counter() - start)
    return [
        Row(name="size of the file, plain", value=file.stat().st_size / 1e6, unit="MB"),
        Row(name="size of the file, encrypted", value=done.bytes / 1e6, unit="MB"),
        Row(name=f"size of the file, {SUBJECTS}", value=sealed.stat().st_size / 1e6, unit="MB"),
        Row(name="db encrypt", value=rate, unit="MB/s", note="copied, compared and synced"),
        Row(name="db encrypt-subjects", value=pace, unit="memories/s", note="with --rewrite"),
    ]


async def _measure(engines: Mapping[str, AsyncToldOnce], writer: Writer, sizes: Sizes) -> list[Row]:
    users = writer.shuffled(sizes.rounds, sizes.users)
    queries = [" ".join(writer.words(QUERY_WORDS)) for _ in range(sizes.rounds)]
    notes = writer.sentences(sizes.rounds)

    async def recall(engine: AsyncToldOnce, at: int) -> None:
        await engine.search(queries[at], user=_user(users[at]))

    async def add(engine: AsyncToldOnce, at: int) -> None:
        await engine.add(notes[at], user=_user(users[at]))

    async def erase(engine: AsyncToldOnce, at: int) -> None:
        await engine.erasure.subject(_user(at))

    for engine in engines.values():
        await engine.search("warm the models and the statements", user=_user(0))
        await engine.add("Warm the writer.", user=_user(0))
    rows = []
    for name, work, count, note in (
        ("recall", recall, sizes.rounds, "cache off: each recall reads the file"),
        ("add", add, sizes.rounds, "a note, on the disk"),
        ("erase a user", erase, sizes.erased, "an encrypted file is rewritten"),
    ):
        rows += _rows(name, await _in_turns(engines, work, range(count), name), note)
    return rows


async def _in_turns(
    engines: Mapping[str, AsyncToldOnce],
    work: Callable[[AsyncToldOnce, int], Awaitable[None]],
    rounds: range,
    name: str,
) -> Mapping[str, Sequence[float]]:
    """Do the same with all, each first in its turn; return milliseconds."""
    taken: dict[str, list[float]] = {each: [] for each in engines}
    for at in steps(f"encryption: {name}", rounds):
        names = list(engines)
        for each in names[at % len(names) :] + names[: at % len(names)]:
            start = time.perf_counter()
            await work(engines[each], at)
            taken[each].append((time.perf_counter() - start) * 1000)
    return taken


def _rows(name: str, taken: Mapping[str, Sequence[float]], note: str) -> list[Row]:
    rows = []
    for shown in SHOWN:
        count = len(taken[PLAIN])
        plain = percentile(taken[PLAIN], float(shown[1:]))
        rows.append(Row(name=f"{name}, plain, {shown}", value=plain, unit="ms", note=note, count=count))
        for each in (ENCRYPTED, SUBJECTS):
            value = percentile(taken[each], float(shown[1:]))
            rows += [
                Row(name=f"{name}, {each}, {shown}", value=value, unit="ms", count=count),
                Row(name=f"{name}, {each} beside plain, {shown}", value=value / plain, unit="times", count=count),
            ]
    return rows


def _user(number: int) -> Subject:
    return Subject("user", f"bench-{number}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.encryption", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small counts, to see that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write (default: bench-results/TIME.json)")
    asked = parser.parse_args(arguments)
    measure({"encryption": run}, quick=asked.quick, file=asked.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
