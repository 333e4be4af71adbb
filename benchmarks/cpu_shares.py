"""`python -m benchmarks.cpu_shares`: where the CPU time of usual calls goes, by package. Writes databases of its own.

The time of a call is taken without a profiler. The shares come from later calls under one, which makes calls of Python
look dearer than they are: they say where to look, and not how much there is to gain.
"""

import argparse
import asyncio
import pstats
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from cProfile import Profile
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import Filler, parts_in, settings_for
from benchmarks.made_up import Writer
from benchmarks.progress import steps
from benchmarks.recall import QUERY_WORDS
from benchmarks.report import measure
from benchmarks.rows import Row
from benchmarks.throughput import Noter
from toldonce.engine import AsyncToldOnce
from toldonce.types import Subject

USER = Subject("user", "bench")
# Packages that take less are not listed.
_MIN_PERCENT = 3.0
# Heaviest functions named in the note of a package.
_NAMED = 4
_BATCH = 100
# From Python 3.12 on a profiler sees what every thread calls, before it only its own one.
_SEES_ALL_THREADS = sys.version_info >= (3, 12)
# Functions in C whose time is not their caller's: what they do is the work itself.
_IN_C = {"apsw": "SQLite", "numpy": "numpy", "psycopg": "psycopg", "hashlib": "hashing", "blake2": "hashing"}

Function = tuple[str, int, str]
"""File, line and name, as the profiler has them."""
Call = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    memories: int
    """Of the user, before anything is measured."""
    calls: int
    """Of each kind, once without a profiler and twice with one."""


FULL = Sizes(memories=100, calls=200)
QUICK = Sizes(memories=20, calls=5)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a profiler saw in one thread."""

    calls: int
    seconds: dict[Function, float]
    """Own time of each function in Python, with that of functions in C that it called."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure all calls."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cpu_shares", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few calls, to see that it runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write (default: bench-results/TIME.json)")
    asked = parser.parse_args(arguments)
    measure({"cpu shares": run}, quick=asked.quick, file=asked.json)
    return 0


def run(quick: bool) -> list[Row]:
    """Measure a user with some memories, by the rules, then the forming with a model."""
    sizes = QUICK if quick else FULL
    rows = []
    for model in (None, Noter()):
        with TemporaryDirectory(prefix="toldonce-bench-") as folder:
            rows += asyncio.run(measured(Path(folder), sizes, model))
    return rows


async def measured(folder: Path, sizes: Sizes, model: Noter | None) -> list[Row]:
    """Measure each call for one user; with a model only what asks it."""
    writer = Writer()
    async with parts_in(settings_for(folder)) as parts:
        await Filler(parts=parts).notes(USER, writer.sentences(sizes.memories))
    rows = []
    async with await AsyncToldOnce.open(settings_for(folder), model=model) as engine:
        calls = _calls(engine, writer)
        wanted = {"a formed turn, with a model": calls["a formed turn"]} if model else calls
        for name, call in steps("cpu shares", list(wanted.items())):
            rows += await _call(engine, name, call, sizes.calls)
    return rows


def _calls(engine: AsyncToldOnce, writer: Writer) -> dict[str, Call]:
    turns = count()

    async def formed() -> None:
        # In every third turn something lasting is stated, as in the other benchmarks.
        turn = writer.conversation(1) if next(turns) % 3 == 0 else writer.conversation(2)[2:]
        await engine.record(turn, user=USER, conversation="chat")
        await engine.form()

    def search() -> Awaitable[object]:
        return engine.search(" ".join(writer.words(QUERY_WORDS)), user=USER)

    async def search_after_an_add() -> None:
        await engine.add(writer.sentences(1)[0], user=USER)
        await search()

    return {
        "a cached search": search,
        "an add": lambda: engine.add(writer.sentences(1)[0], user=USER),
        "an add and a search": search_after_an_add,
        f"an add of {_BATCH} at once": lambda: engine.bulk.add(writer.sentences(_BATCH), user=USER),
        "a formed turn": formed,
    }


async def _call(engine: AsyncToldOnce, name: str, call: Call, times: int) -> list[Row]:
    if name.startswith("an add of"):
        times = max(2, times // 10)
    await call()
    whole, own = time.process_time(), time.thread_time()
    for _ in range(times):
        await call()
    whole, own = (time.process_time() - whole) / times, (time.thread_time() - own) / times
    loop = await _profiled(call, times)
    writing = Spent(0, {}) if _SEES_ALL_THREADS else await _profiled(call, times, engine)
    note = f"{1000 * own:.2f} ms on the event loop; the rest in the threads that read and write"
    calls = (loop.calls + writing.calls) / times
    told = "of Python and C"
    if not _SEES_ALL_THREADS:
        told += f", {loop.calls / times:,.0f} of them on the event loop"
    return [
        Row(name=f"{name}, CPU", value=1000 * whole, unit="ms", note=note, count=times),
        Row(name=f"{name}, calls", value=calls, unit="", note=told, count=times),
        *_shares(name, loop, writing),
    ]


async def _profiled(call: Call, times: int, engine: AsyncToldOnce | None = None) -> Spent:
    """Profile calls on the event loop's thread; with an engine, on the thread that writes its database."""
    profile = Profile(time.thread_time)
    if engine is None:
        profile.enable()
    else:
        await engine._components.store.memories._executor.write(lambda _db: profile.enable())
    for _ in range(times):
        await call()
    if engine is None:
        profile.disable()
    else:
        await engine._components.store.memories._executor.write(lambda _db: profile.disable())
    return _spent(profile)


def _spent(profile: Profile) -> Spent:
    calls, seconds = 0, defaultdict[Function, float](float)
    for function, (_, called, own, _, callers) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        calls += called
        if function[0] != "~" or _package(function) or not callers:
            seconds[function] += own
            continue
        for caller, (_, _, share, _) in callers.items():
            seconds[caller] += share
    return Spent(calls, dict(seconds))


def _shares(name: str, *spent: Spent) -> list[Row]:
    """Add up the time of threads by package."""
    functions: Counter[Function] = Counter()
    for thread in spent:
        functions.update(thread.seconds)
    packages: Counter[str] = Counter()
    for function, seconds in functions.items():
        packages[_package(function) or "Python"] += seconds
    whole = sum(packages.values())
    rows = []
    for package, seconds in packages.most_common():
        share = 100 * seconds / whole
        if share < _MIN_PERCENT:
            break
        own = [item for item in functions.most_common() if (_package(item[0]) or "Python") == package]
        note = ", ".join(f"{_name(function)} {100 * took / whole:.1f}" for function, took in own[:_NAMED])
        rows.append(Row(name=f"{name}, of it {package}", value=share, unit="%", note=note))
    return rows


def _package(function: Function) -> str:
    """Name the package that a function belongs to; empty for built-in functions, whose time is their callers'.

    >>> _package(("/x/toldonce/store/sql/rows.py", 1, "fetch")), _package(("/x/toldonce/ids.py", 1, "new_id"))
    ('toldonce.store', 'toldonce')
    >>> _package(("~", 0, "<method 'execute' of 'apsw.Cursor' objects>")), _package(("~", 0, "<built-in method len>"))
    ('SQLite', '')
    """
    file, _, name = function
    for word, package in _IN_C.items():
        if word in (name if file == "~" else file):
            return package
    if inside := re.search(r"/toldonce/(?:(\w+)/)?[\w/]+\.py$", file):
        return f"toldonce.{inside[1]}" if inside[1] else "toldonce"
    if installed := re.search(r"/site-packages/(\w+)", file):
        return installed[1]
    return "" if file == "~" else "Python"


def _name(function: Function) -> str:
    file, _, name = function
    if file == "~":
        return name.strip("<>").removeprefix("built-in method ")
    return f"{Path(file).stem}.{name}"


if __name__ == "__main__":
    sys.exit(main())
