"""An acknowledged insertion outlives its process, and other processes see it at once."""

import os
import signal
from pathlib import Path

import pytest

from factories import ANA, add, memory
from forked_processes import run_python
from patience import PATIENCE_S
from stores import DURABLE, url_of
from toldonce.ids import new_id
from toldonce.store.factory import open_store
from toldonce.store.failpoint import VARIABLE
from toldonce.testing import FakeClock
from toldonce.types import EraseRequest, PromptInsertion

TESTS = Path(__file__).parent.parent
SCRIPT = TESTS / "store" / "insertion_process.py"


def killed_at(url: str, failpoint: str) -> list[int]:
    """Run the process until it dies; return the chains that it was told are stored."""
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}", VARIABLE: failpoint}
    process = run_python(str(SCRIPT), url, env=environment, timeout=PATIENCE_S)
    assert process.returncode == -signal.SIGKILL, process.stderr
    return [int(chain) for chain in process.stdout.split()]


@pytest.fixture(params=DURABLE)
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return url_of(request.param, tmp_path)


# Commits take turns: an insertion, then its turn.
@pytest.mark.process
@pytest.mark.parametrize("failpoint", ["before-commit:7", "after-commit:7", "before-commit:8", "after-commit:8"])
async def test_an_acknowledged_insertion_outlives_a_kill_before_its_turn_is_recorded(
    where: str, failpoint: str, clock: FakeClock
) -> None:
    told = killed_at(where, failpoint)
    store = await open_store(where, clock=clock)
    found = (await store.insertions.find(ANA, range(100))).insertions
    recorded = await store.conversations.list(ANA, limit=1000)
    problems = (await store.admin.stats(check=True)).problems
    await store.close()

    chains = [row.chain for row in found]
    assert sorted(chains) in (told, [*told, len(told)]), "at most one that was not acknowledged"
    assert {row.recalled for row in found} == {f"text {chain}" for chain in chains}
    assert len(recorded) <= len(told)
    assert problems == ()


async def test_two_stores_on_one_database_share_the_ledger(where: str, clock: FakeClock) -> None:
    ours, theirs = [await open_store(where, clock=clock) for _ in range(2)]
    tea = memory("Ana likes tea.", clock=clock)
    await ours.memories.apply(ANA, [add(tea)], [])
    row = PromptInsertion(
        thread=1, chain=1, depth=1, id=new_id(clock), at=clock.now(), recalled="Tea.", items=((ANA, tea.id),)
    )
    await ours.insertions.add(ANA, [row])
    assert (await theirs.insertions.find(ANA, [1])).insertions == (row,)

    clock.advance(seconds=1)
    await theirs.erasures.erase(EraseRequest(subject=ANA, memories=(tea.id,)))
    [found] = (await ours.insertions.find(ANA, [1])).insertions
    assert found.erased
    for store in (ours, theirs):
        await store.close()
