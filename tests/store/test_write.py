"""Many memories in one commit: the result is that of one commit each, on every store."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import psycopg
import pytest

from factories import ANA, SPACE, add, decision, evidence, memory, turn
from postgres_server import NEEDS_POSTGRES
from stores import url_of
from toldonce.errors import BadRequestError, StaleSubjectError, VectorSizeError
from toldonce.ids import new_id
from toldonce.store.factory import open_store
from toldonce.store.postgres.dialect import MIN_COPIED_ROWS
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import (
    AddMemory,
    CloseMemory,
    ConversationId,
    MemoryDetail,
    MemoryId,
    MemoryKind,
    MemoryState,
    StrengthenMemory,
    Subject,
)

MANY = 5 * MIN_COPIED_ROWS
APP = Subject("app", "calendar")


def made(clock: FakeClock, count: int = MANY) -> list[AddMemory]:
    """Memories with sources, tags and one or two vectors each; every fifth waits for review."""
    conversation = ConversationId(new_id(clock))
    found = []
    for number in range(count):
        sources = [evidence(conversation, number + place, quote=f"quote {place}") for place in range(1, 3)]
        known = memory(f"Memory {number}, 蜜蜂.", sources=sources, clock=clock)
        known = replace(known, detail=MemoryDetail(tags=("all", f"tag {number}", "all")))
        if number % 5 == 0:
            known = replace(known, state=MemoryState.HELD)
        rows = np.eye(4, dtype=np.float32)[: 1 + number % 2]
        found.append(replace(add(known), vectors=tuple(rows)))
    return found


async def test_many_memories_of_one_commit_are_there_as_those_of_many(store: Store, clock: FakeClock) -> None:
    changes = made(clock)
    await store.memories.apply(ANA, changes, [decision(change.memory) for change in changes])

    ids = [change.memory.id for change in changes]
    kept = await store.memories.get_many(ANA, ids)
    assert [row.text for row in kept] == [change.memory.text for change in changes]
    assert [row.evidence for row in kept] == [change.memory.evidence for change in changes]
    assert [set(row.detail.tags) for row in kept] == [set(change.memory.detail.tags) for change in changes]
    assert [row.state for row in kept] == [change.memory.state for change in changes]
    snapshot = await store.snapshots.snapshot(ANA, SPACE)
    active = [change for change in changes if change.memory.state is MemoryState.ACTIVE]
    assert len(snapshot) == len(active)
    assert len(snapshot.vectors) == sum(len(change.vectors) for change in active)
    assert np.array_equal(snapshot.vectors, np.concatenate([change.vectors for change in active]))
    assert len(await store.decisions.list(ANA)) == len(changes)
    assert (await store.admin.stats(check=True)).problems == ()


async def test_a_change_sees_the_changes_before_it_in_the_same_commit(store: Store, clock: FakeClock) -> None:
    one, two, *others = made(clock)
    source = one.memory.evidence[0]
    heir = replace(add(memory("Both together.", clock=clock)), inherits=(one.memory.id, two.memory.id))
    await store.memories.apply(
        ANA,
        [
            one,
            two,
            *others,
            StrengthenMemory(id=two.memory.id, importance=0.95, evidence=(replace(source, quote="again"),)),
            heir,
            CloseMemory(id=others[-1].memory.id, valid_to=clock.now(), closed_at=clock.now()),
        ],
        [],
    )

    [stronger, both, gone] = await store.memories.get_many(ANA, [two.memory.id, heir.memory.id, others[-1].memory.id])
    assert (stronger.importance, stronger.evidence[-1].quote) == (0.95, "again")
    assert len(both.evidence) == 5
    assert gone.state is MemoryState.CLOSED
    assert (await store.admin.stats(check=True)).problems == ()


async def test_two_facts_of_one_slot_cannot_come_together(store: Store, clock: FakeClock) -> None:
    facts = [add(memory(text, slot="identity/name", clock=clock), vector=None) for text in ("Ana", "Anna")]
    with pytest.raises(StaleSubjectError, match="identity/name was filled meanwhile"):
        await store.memories.apply(ANA, [*made(clock), *facts], [])
    assert await store.memories.list(ANA) == []

    first, second = facts
    closing = CloseMemory(id=first.memory.id, valid_to=clock.now(), closed_at=clock.now())
    await store.memories.apply(ANA, [first, second, closing], [])
    assert [fact.text for fact in await store.memories.facts(ANA)] == ["Anna"]


async def test_memories_of_an_app_are_numbered_in_their_order(store: Store, clock: FakeClock) -> None:
    changes = [add(memory(f"{number}", subject=APP, clock=clock), vector=None) for number in range(MANY)]
    await store.memories.apply(APP, changes, [])
    kept = await store.memories.get_many(APP, [change.memory.id for change in changes])
    assert [row.number for row in kept] == list(range(1, MANY + 1))


@pytest.mark.parametrize("place", [0, MANY - 1])
async def test_one_change_that_cannot_be_stored_keeps_out_all(store: Store, clock: FakeClock, place: int) -> None:
    before = made(clock, 1)
    await store.memories.apply(ANA, before, [])
    taken, foreign, long = made(clock), made(clock), made(clock)
    taken[place] = before[0]
    foreign[place] = add(memory("Ben's", subject=Subject("user", "ben"), clock=clock))
    long[place] = replace(long[place], vectors=(np.ones(5, dtype=np.float32),))
    for changes, error in ((taken, StaleSubjectError), (foreign, BadRequestError), (long, VectorSizeError)):
        with pytest.raises(error):
            await store.memories.apply(ANA, changes, [])
    assert [row.id for row in await store.memories.held(ANA)] == [before[0].memory.id]
    assert await store.memories.list(ANA, kinds=tuple(MemoryKind)) == await store.memories.held(ANA)


@NEEDS_POSTGRES
async def test_on_postgresql_many_rows_go_in_by_copy(
    tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    copy = psycopg.Cursor.copy

    def told(cursor: object, statement: bytes, *more: object) -> object:
        copied.append(statement.decode().split()[1])
        return copy(cursor, statement, *more)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(psycopg.Cursor, "copy", told)
    store = await open_store(url_of("postgres", tmp_path), clock=clock)
    changes = made(clock)
    await store.memories.apply(ANA, changes, [decision(change.memory) for change in changes])
    assert copied == ["memory", "evidence", "hot", "vector", "decision"]
    copied.clear()
    await store.conversations.record(turn(*(f"Sentence {number}." for number in range(MIN_COPIED_ROWS + 1))))
    assert copied == ["message"]
    copied.clear()
    await store.memories.apply(ANA, made(clock, 1), [])
    assert copied == []
    messages = await store.conversations.messages(ANA, (await store.conversations.list(ANA))[0].id)
    assert [(message.text, message.complete) for message in messages] == [
        (f"Sentence {number}.", True) for number in range(MIN_COPIED_ROWS + 1)
    ]
    assert await store.memories.get_many(ANA, [MemoryId(changes[1].memory.id)])
    await store.close()
