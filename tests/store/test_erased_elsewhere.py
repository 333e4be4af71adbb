"""What another process erased is in no cached snapshot, even if it was closed first."""

import pytest

from factories import ANA, SPACE, add, memory
from stores import DURABLE, url_of
from subject_life import opened
from toldonce.store.sql.erase import repository
from toldonce.testing import FakeClock
from toldonce.types import CloseMemory, EraseRequest


@pytest.mark.parametrize("kind", DURABLE)
@pytest.mark.parametrize("portion", [1, 500])
async def test_a_memory_closed_and_then_erased_elsewhere_is_not_recalled(
    kind: str, portion: int, tmp_path_factory: pytest.TempPathFactory, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository, "MAX_MEMORIES", portion)
    async with opened(url_of(kind, tmp_path_factory.mktemp("erased")), clock) as (ours, theirs, _):
        secret = memory("The safe opens with 4711.", clock=clock)
        await ours.memories.apply(ANA, [add(secret)], [])
        assert len(await theirs.snapshots.snapshot(ANA, SPACE)) == 1
        await ours.memories.apply(ANA, [CloseMemory(id=secret.id, valid_to=clock.now(), closed_at=clock.now())], [])
        await ours.erasures.erase(EraseRequest(subject=ANA, everything=True))
        later = memory("I like tea.", clock=clock)
        await ours.memories.apply(ANA, [add(later)], [])
        snapshot = await theirs.snapshots.snapshot(ANA, SPACE)

    assert len(snapshot) == 1
