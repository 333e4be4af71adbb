"""Long messages are tried in a child process within a CPU budget; past it they are skipped, and others go on."""

import asyncio
import gc
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from patience import PATIENCE_S
from sample_chats import slots, texts, user
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import ReadingOverrunError
from toldonce.formation import reader as module
from toldonce.formation.reader import MAX_INLINE_CHARACTERS, RuleReader
from toldonce.types import Action

pytestmark = pytest.mark.process

LONG = "The old mill by the river turns slowly. " * 200
HOSTILE = "I am allergic to nuts. " + LONG
TINY_S = 0.000_001


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def _own_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share the child with no engine of another test."""
    monkeypatch.setattr(module, "_CHILD", module._Child())


@pytest.fixture
def reader() -> Iterator[RuleReader]:
    made = RuleReader(budget_s=0.3)
    yield made
    made.close()


def with_budget(parts: Components, budget_s: float) -> AsyncToldOnce:
    """Open another engine over the same store, whose readings may take so long."""
    return AsyncToldOnce(replace(parts, settings=parts.settings.model_copy(update={"form_budget_s": budget_s})))


def endless(name: str = "endless") -> tuple[str, int, Callable[..., object], str, str]:
    """Match a pattern that takes exponential time."""
    return name, 10_000, re.match, r"(a|a)*b", "a" * 60


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def reasons(engine: AsyncToldOnce) -> list[tuple[int | None, str]]:
    lines = await engine.history.decisions(user="ana")
    return [(line.seq, line.reason) for line in lines if line.action is Action.IGNORE]


# ---- the reader


async def test_a_pattern_that_never_ends_is_ended_at_its_budget(
    reader: RuleReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MIN_PATIENCE_S", 600.0)  # a busy machine takes long over its CPU time
    with pytest.raises(ReadingOverrunError, match=r"0\.3 s of CPU time"):
        await reader.check(*endless())
    pid = reader.pid
    await reader.check("y", 10_000, len, "fine")
    assert reader.pid == pid is not None, "the process answered, and goes on"


async def test_the_loop_goes_on_meanwhile(reader: RuleReader) -> None:
    await reader.check("start", 10_000, len, "x")
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    with pytest.raises(ReadingOverrunError):
        await reader.check(*endless())
    counting.cancel()
    assert turns > 100, "the interpreter was not held"


async def test_a_short_text_starts_no_process(reader: RuleReader) -> None:
    await reader.check("x", MAX_INLINE_CHARACTERS, int, "never called")
    assert reader.pid is None


async def test_each_text_is_tried_once(reader: RuleReader) -> None:
    for _ in range(2):
        with pytest.raises(ReadingOverrunError):
            await reader.check(*endless())
    await reader.check("y", 10_000, len, "fine")
    await reader.check("y", 10_000, int, "not called again")


async def test_an_error_of_the_reading_is_told_without_its_words(reader: RuleReader) -> None:
    with pytest.raises(RuntimeError) as caught:
        await reader.check("x", 10_000, int, "a secret")
    assert str(caught.value) == "ValueError in int"


async def test_a_process_that_was_killed_is_started_again(reader: RuleReader) -> None:
    await reader.check("x", 10_000, len, "x")
    first = reader.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    await reader.check("y", 10_000, len, "y")
    assert reader.pid not in (None, first)


async def test_a_process_that_answers_nothing_is_killed(reader: RuleReader, monkeypatch: pytest.MonkeyPatch) -> None:
    await reader.check("x", 10_000, len, "x")
    stopped = reader.pid
    assert stopped is not None
    monkeypatch.setattr(module, "_PATIENCE", 1.0)
    monkeypatch.setattr(module, "_MIN_PATIENCE_S", 0.1)
    os.kill(stopped, signal.SIGSTOP)
    with pytest.raises(ReadingOverrunError):
        await reader.check("y", 10_000, len, "y")
    assert not is_alive(stopped)


# Runs the child as a system without timers of CPU time would: Windows has neither the signal nor the call.
_WITHOUT_TIMER = """
import signal, runpy
del signal.SIGVTALRM, signal.setitimer, signal.ITIMER_VIRTUAL
runpy.run_module("toldonce.extraction.process", run_name="__main__")
"""


async def test_without_a_timer_the_process_is_killed(reader: RuleReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_COMMAND", (sys.executable, "-c", _WITHOUT_TIMER))
    assert await reader.read(len, "three") == 5
    first = reader.pid
    assert first is not None
    monkeypatch.setattr(module, "_PATIENCE", 1.0)
    monkeypatch.setattr(module, "_MIN_PATIENCE_S", 0.1)
    with pytest.raises(ReadingOverrunError):
        await reader.check(*endless())
    assert not is_alive(first)
    monkeypatch.setattr(module, "_MIN_PATIENCE_S", 60.0)
    assert await reader.read(len, "three") == 5
    assert reader.pid not in (None, first)


async def test_a_forgotten_reader_needs_no_process_any_more() -> None:
    reader = RuleReader(budget_s=1)
    await reader.check("x", 10_000, len, "x")
    pid = reader.pid
    assert pid is not None
    del reader
    gc.collect()
    assert not is_alive(pid)


async def test_a_text_that_ends_its_process_is_left_out(reader: RuleReader) -> None:
    with pytest.raises(ReadingOverrunError):
        await reader.check("x", 10_000, signal.raise_signal, signal.SIGKILL)
    await reader.check("y", 10_000, len, "y")


async def test_the_process_ends_with_the_last_reader() -> None:
    one, two = RuleReader(budget_s=1), RuleReader(budget_s=1)
    await one.check("x", 10_000, len, "x")
    await two.check("x", 10_000, len, "x")
    pid = one.pid
    assert pid is not None
    assert two.pid == pid
    one.close()
    assert is_alive(pid)
    two.close()
    assert not is_alive(pid)
    assert two.pid is None


def test_the_process_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import asyncio, os, signal\n"
        "from toldonce.formation.reader import RuleReader\n"
        "reader = RuleReader(budget_s=1)\n"
        "asyncio.run(reader.check('x', 10_000, len, 'x'))\n"
        "print(reader.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n",
        "utf-8",
    )
    parent = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert parent.returncode == -signal.SIGKILL
    pid = int(parent.stdout)
    deadline = time.monotonic() + PATIENCE_S
    while is_running(pid) and time.monotonic() < deadline:
        os.sched_yield()
    assert not is_running(pid)


def is_running(pid: int) -> bool:
    """Tell a process from one that is gone, or has ended and waits for the machine's first process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


# ---- the engine


async def test_a_message_past_its_budget_is_skipped_with_a_decision_and_others_go_on(parts: Components) -> None:
    engine = with_budget(parts, TINY_S)
    await engine.record([user("I play the cello.")], user="ana", conversation="c")
    await engine.record([user(HOSTILE)], user="ana", conversation="c")
    await engine.record([user("My cat is called Momo.")], user="ana", conversation="c")
    await engine.record([user("I live in Lima.")], user="ben")
    await engine.form()
    [(seq, reason)] = [line for line in await reasons(engine) if line[1].startswith("not read: ")]
    assert (seq, reason) == (
        2,
        f"not read: reading it took more than {TINY_S:g} s of CPU time (TOLDONCE_FORM_BUDGET_S)",
    )
    known = await texts(engine)
    assert any("cello" in text for text in known)
    assert any("Momo" in text for text in known)
    assert not any("nuts" in text for text in known)
    assert await slots(engine, "ben") == {"location": "Lima"}
    assert await engine.admin.formations(parked=True) == []
    assert {status.due_at for status in await engine.admin.formations()} == {None}
    await engine.close()


async def test_a_long_message_within_its_budget_is_read(parts: Components) -> None:
    async with with_budget(parts, 60) as engine:
        await engine.record([user(HOSTILE)], user="ana")
        await engine.form()
        assert (await slots(engine))["allergy:nuts"] == "nuts"


async def test_closing_the_engine_leaves_no_process(parts: Components) -> None:
    engine = with_budget(parts, 60)
    await engine.record([user(HOSTILE)], user="ana")
    await engine.form()
    pid = RuleReader(budget_s=1).pid
    assert pid is not None
    await engine.close()
    assert not is_alive(pid)


_COUNT_STEMS = "__import__('toldonce.text').text.stem.cache_info().currsize"
_FILL = "__import__('toldonce.text').text.terms('wandering zyzzyvas')"


async def test_the_child_empties_its_caches_without_ending(reader: RuleReader) -> None:
    await reader.read(eval, _FILL)
    assert await reader.read(eval, _COUNT_STEMS) > 0
    pid = reader.pid
    module._CHILD.cache_clear()
    module._CHILD.cache_clear()
    assert await reader.read(eval, _COUNT_STEMS) == 0
    assert reader.pid == pid


@pytest.mark.timing
async def test_a_reading_child_empties_its_caches_afterwards(reader: RuleReader) -> None:
    await reader.read(eval, _FILL)
    busy = asyncio.create_task(reader.read(time.sleep, 0.5))
    await asyncio.sleep(0.1)
    before = time.perf_counter()
    module._CHILD.cache_clear()
    assert time.perf_counter() - before < 0.3
    assert not busy.done()
    await busy
    assert await reader.read(eval, _COUNT_STEMS) == 0
