"""A copy is killed anywhere: started again it goes on, and in the end everything is there once."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from database_contents import QuietBar
from factories import add, decision, memory, turn
from forked_processes import ForkedProcess
from patience import PATIENCE_S
from postgres_server import programs
from soak import SOAK
from store.copy_process import BATCH_SIZE
from stores import url_of
from toldonce.engine.databases import copy_database
from toldonce.store.factory import open_store
from toldonce.store.failpoint import VARIABLE
from toldonce.testing import FakeClock
from toldonce.types import Subject

pytestmark = pytest.mark.process

SCRIPT = Path(__file__).parent / "copy_process.py"
TESTS = Path(__file__).parent.parent
WAYS = [("file", "postgres"), ("postgres", "file")] if programs() else [("file", "file")]
SUBJECTS = 3 * BATCH_SIZE + 5
KILLS = max(2, SOAK // 2)


def start(source: str, destination: str, failpoint: str = "") -> ForkedProcess:
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}", VARIABLE: failpoint}
    return ForkedProcess(str(SCRIPT), source, destination, env=environment)


async def fill(url: str) -> None:
    clock = FakeClock()
    store = await open_store(url, clock=clock)
    for number in range(SUBJECTS):
        who = Subject("user", f"user-{number}")
        await store.conversations.record(turn(f"I keep {number} bees.", "Ok.", subject=who))
        known = memory(f"Keeps {number} bees.", clock=clock, subject=who)
        await store.memories.apply(
            who, [add(known, vector=(*[0.5] * 4, 1, 0, 0, 0), space="test-8")], [decision(known)]
        )
    await store.close()


@pytest.fixture(params=WAYS, ids=["-to-".join(way) for way in WAYS])
def ends(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    return url_of(request.param[0], here), url_of(request.param[1], there)


@pytest.mark.parametrize("failpoint", ["before-commit:1", "after-commit:1", "before-commit:3", "after-commit:3"])
async def test_a_copy_killed_around_a_commit_resumes_after_it(ends: tuple[str, str], failpoint: str) -> None:
    source, destination = ends
    await fill(source)
    killed = start(source, destination, failpoint)
    _, err = killed.communicate(timeout=PATIENCE_S)
    assert killed.returncode == -signal.SIGKILL, err
    copied = copy_database(source, destination, progress=QuietBar())
    assert copied.resumed == (failpoint != "before-commit:1")
    assert (copied.copied_anew, copied.subjects) == (0, SUBJECTS)
    assert copied.rows["message"] == 2 * SUBJECTS
    assert copied.rows["vector"] == SUBJECTS


def kill_within(process: ForkedProcess, seconds: float) -> int:
    """Kill it so long after it began to copy; return how it ended."""
    if process.wait_for_output("copying\n", within_s=PATIENCE_S):
        time.sleep(seconds)
    return process.kill()


@pytest.mark.soak
async def test_a_copy_killed_repeatedly_is_complete_in_the_end(ends: tuple[str, str]) -> None:
    source, destination = ends
    await fill(source)
    seed = random.randrange(1_000_000)
    luck = random.Random(seed)
    for _ in range(KILLS):
        kill_within(start(source, destination), luck.random() * 0.3)
    copied = copy_database(source, destination, progress=QuietBar())
    assert copied.rows["message"] == 2 * SUBJECTS
    for url in ends:
        store = await open_store(url, clock=FakeClock())
        stats = await store.admin.stats(check=True)
        assert (stats.problems, stats.subjects, stats.messages) == ((), SUBJECTS, 2 * SUBJECTS), f"seed {seed}"
        await store.close()
