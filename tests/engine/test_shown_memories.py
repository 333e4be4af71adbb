"""What became of many memories since prompts showed them is found with few statements, and for all of them."""

from pathlib import Path

import pytest

from statement_counter import StatementCounter
from stores import DIALECTS, new_store, url_of
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.shown_memories import MAX_ENDED, ShownMemories
from toldonce.ids import new_id
from toldonce.prompt.replay import PromptReplay
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import Action, CloseMemory, Decision, MemoryId, PromptInsertion, Subject

ANA = Subject("user", "ana")


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def _replaced_notes(engine: AsyncToldOnce, parts: Components, clock: FakeClock, count: int) -> list[MemoryId]:
    """Store notes, each replaced by another."""
    now, ids = clock.now(), list[MemoryId]()
    for number in range(count):
        old, new = [await engine.add(f"The user has {pet} number {number}.", user="ana") for pet in ("dog", "cat")]
        line = Decision.of(new, Action.REPLACE, "for a test", clock=clock, target=old.id)
        await parts.store.memories.apply(ANA, [CloseMemory(id=old.id, valid_to=now, closed_at=now)], [line])
        ids.append(old.id)
    return ids


def _showing(ids: list[MemoryId], clock: FakeClock) -> PromptReplay:
    row = PromptInsertion(
        thread=1,
        chain=2,
        depth=1,
        id=new_id(clock),
        at=clock.now(),
        recalled="x",
        items=tuple((ANA, id_) for id_ in ids),
    )
    return PromptReplay(1, (row,))


async def test_many_replaced_memories_in_read_rows_stay_in_the_prompt(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    ids = await _replaced_notes(engine, parts, clock, MAX_ENDED + 5)
    shown = ShownMemories(parts.store)

    became = await shown.closed(_showing(ids, clock), set(ids))

    assert became.removed == frozenset()
    assert len(await shown.ended(became)) == MAX_ENDED


async def test_a_prompt_reads_what_ended_in_few_statements(
    kind: str, tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = StatementCounter(monkeypatch)
    store = await new_store(kind, tmp_path, clock)
    parts = Components(
        settings=Settings(database_url=url_of(kind, tmp_path)),
        clock=clock,
        store=store,
        embedder=WordEmbedder(64),
        model=None,
        counter=token_counter(),
    )
    sent: list[tuple[int, int]] = []
    async with AsyncToldOnce(parts) as engine:
        for count in (2, 40):
            ids = await _replaced_notes(engine, parts, clock, count)
            shown, replay = ShownMemories(store), _showing(ids, clock)
            with counter.counted() as every_request:
                became = await shown.closed(replay, frozenset())
            with counter.counted() as new_turn:
                assert await shown.ended(became)
            sent.append((len(every_request), len(new_turn)))

    assert sent[0] == sent[1]
    assert sent[0][0] <= 4
