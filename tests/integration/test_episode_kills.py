"""Killed at any commit around an episode: no turn is lost between window and episode, and none is in two.

Long runs: `make soak COUNT=200`, a fifth of them at each failpoint, twenty at least.
"""

import os
import random
import signal
from pathlib import Path

import pytest

from forked_processes import run_python
from patience import PATIENCE_S
from toldonce.engine import AsyncToldOnce, Components
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.store.factory import open_store
from toldonce.store.failpoint import VARIABLE
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import MemoryKind

SCRIPT = Path(__file__).parent / "episode_process.py"
TESTS = Path(__file__).parent.parent
# Recordings of ten turns that a process makes before it would end by itself; it dies at one of its first commits.
RECORDINGS = 6
FIRST_COMMIT, LAST_COMMIT = 2, 12
FAILPOINTS = ("before-commit", "after-commit")
KILLS, MIN_KILLS_IN_A_LONG_RUN = 1, 20


def talk(url: str, first: int, failpoint: str = "", count: int = RECORDINGS) -> tuple[int, list[str]]:
    """Run the process; return how it ended and what it acknowledged."""
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}", VARIABLE: failpoint}
    done = run_python(str(SCRIPT), url, str(first), str(count), env=environment, timeout=PATIENCE_S)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode, done.stdout.split("\n")[:-1]


async def told(url: str) -> tuple[list[int], list[int], bool]:
    """Read back the turns that were recorded, and those summed up or in the window, in order; and if all rests."""
    clock = FakeClock()
    parts = Components(
        settings=Settings(database_url=url, profile="tiered"),
        clock=clock,
        store=await open_store(url, clock=clock),
        embedder=WordEmbedder(),
        model=None,
        counter=token_counter(),
    )
    async with AsyncToldOnce(parts) as engine:
        chats = await engine.conversations.list(user="ana")
        if not chats:
            return [], [], True
        logged = await engine.conversations.messages(chats[0].id, user="ana", limit=10_000)
        listed = await engine.list(user="ana", kinds=(MemoryKind.EPISODE,), limit=1000)
        made = sorted(listed, key=lambda one: one.detail.first_turn)
        places = [source.seq for episode in made for source in episode.evidence]
        places += [message.seq for message in await engine.conversations.window("chat", user="ana")]
        [work] = [formation for formation in await engine.admin.formations() if formation.key.stage == "episodes"]
        assert (await engine.admin.stats(check=True)).problems == ()
        return [message.seq for message in logged], places, work.due_at is None


@pytest.mark.soak
async def test_t3_kills_around_the_commit_of_an_episode_lose_no_turn_and_double_none(
    tmp_path: Path, soak: int | None
) -> None:
    url = f"sqlite:///{tmp_path / 'memory.sqlite3'}"
    luck = random.Random(seed := random.randrange(1_000_000))
    kills = max(MIN_KILLS_IN_A_LONG_RUN, soak // 5) if soak else KILLS
    acknowledged = 0
    for number, name in enumerate(FAILPOINTS * kills, start=1):
        failpoint = f"{name}:{luck.randint(FIRST_COMMIT, LAST_COMMIT)}"
        ended, said = talk(url, 10 * number, failpoint)
        assert ended == -signal.SIGKILL, f"{failpoint} was never reached (seed {seed})"
        acknowledged += len(said)
        logged, placed, _ = await told(url)
        assert placed == logged, f"after kill {number} at {failpoint}, seed {seed}"
        assert len(logged) >= 20 * acknowledged
    ended, said = talk(url, 10 * (len(FAILPOINTS) * kills + 1), count=1)
    assert (ended, said[-1]) == (0, "summed up")
    logged, placed, rests = await told(url)
    assert placed == logged
    assert rests
