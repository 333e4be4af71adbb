"""Notes that say the same are kept once; those that differ where it matters are never merged."""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from factories import ANA, add, evidence, memory
from own_profile import decided, held_texts, unexplained
from toldonce.engine import AsyncToldOnce, Components
from toldonce.maintenance.near_duplicates import plan_merge
from toldonce.maintenance.near_pairs import NEAR, NearPair, NearPairs
from toldonce.profiles.policies import ResolvePolicy
from toldonce.testing import FakeClock
from toldonce.types import Action, AddMemory, ConversationId, Memory, MemoryId, MemoryKind

CONVERSATION = ConversationId("0198c0de-0000-7000-8000-00000000000a")
POLICY = ResolvePolicy()
CLOCK = FakeClock()


def pair(one: str, other: str) -> tuple[Memory, Memory]:
    older = memory(one, clock=CLOCK)
    CLOCK.advance(hours=1)
    return older, memory(other, clock=CLOCK)


def kept(one: str, other: str, similarity: float = 1.0) -> str | None:
    """Return which of two notes stays; None where both do."""
    older, newer = pair(one, other)
    found = plan_merge(newer, older, similarity, POLICY)
    return found.kept.text if found else None


def test_the_older_of_two_spellings_stays_whatever_order_they_come_in() -> None:
    assert kept("The user loves hiking.", "The user loves hikking!", 0.1) == "The user loves hiking."
    assert kept("The user loves hiking.", "the user loves  hiking", 0.0) == "The user loves hiking."
    assert kept("The user really loves hiking.", "The user loves hiking a lot.") == "The user really loves hiking."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user has two dogs.", "The user has three dogs."),
        ("Room 1 on floor 1 has bed 2", "Room 2 on floor 1 has bed 2"),
        ("Ana takes 5 mg at 10 and 10 mg at 5 with water", "Ana takes 5 mg at 10 and 5 mg at 5 with water"),
        ("The user likes tea.", "The user does not like tea."),
        ("The user met Kira in May.", "The user met Kira in June."),
        ("The user met Kira in Oslo.", "The user met Marcus in Oslo."),
        ("The user likes hot tea.", "The user likes cold tea."),
        ("The user owns a dog.", "The user owns a cat."),
        ("The user loves hiking.", "The user loves hiking alone."),
        ("The user writes C.", "The user writes C++."),
    ],
)
def test_what_differs_in_what_matters_is_never_merged(one: str, other: str) -> None:
    assert kept(one, other) is None
    assert kept(other, one) is None


def test_two_speakers_and_facts_stay_apart() -> None:
    older, newer = pair("Kira likes tea.", "Kira likes tea.")
    assert plan_merge(older, newer, 1.0, POLICY) is not None
    assert plan_merge(older, replace(newer, speaker="Kira"), 1.0, POLICY) is None
    assert plan_merge(replace(older, kind=MemoryKind.FACT), older, 1.0, POLICY) is None


async def keep(parts: Components, *memories: Memory) -> None:
    """Store notes past resolution, as they may have come in long ago."""
    vectors = await parts.embedder.embed([memory.text for memory in memories])
    adds = [
        AddMemory(memory=memory, space=parts.embedder.space, vectors=(vector,))
        for memory, vector in zip(memories, vectors, strict=True)
    ]
    await parts.store.memories.apply(ANA, adds, [])


async def test_c10_near_duplicates_are_kept_once_with_the_evidence_of_all(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    texts = ["The user loves hiking.", "The user loves hiking!", "The user loves hikking.", "The user loves skiing."]
    notes = []
    for seq, text in enumerate(texts, start=1):
        notes.append(replace(memory(text, clock=clock, sources=[evidence(CONVERSATION, seq, quote="loves")])))
        clock.advance(days=1)
    notes[2] = replace(notes[2], importance=0.9)
    await keep(parts, *notes)
    would = await engine.admin.maintain(user=ANA, dry_run=True)
    assert await held_texts(engine, ANA) == texts
    report = await engine.admin.maintain(user=ANA)
    assert {(line.action, line.memory_id, line.target_id) for line in report.decisions} == {
        (Action.MERGE, notes[0].id, notes[1].id),
        (Action.MERGE, notes[0].id, notes[2].id),
    }
    assert {line.target_id for line in would.decisions} == {line.target_id for line in report.decisions}
    assert await held_texts(engine, ANA) == [texts[0], texts[3]]
    stays = await engine.get(notes[0].id, user=ANA)
    assert [source.seq for source in stays.evidence] == [1, 2, 3]
    assert stays.importance == 0.9
    assert (await engine.admin.maintain(user=ANA)).decisions == ()
    assert await unexplained(engine, ANA) == []


async def test_a_merged_note_is_recalled_once_and_its_history_tells_of_it(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    notes = [memory("The user loves hiking.", clock=clock), memory("The user loves hiking!", clock=clock)]
    await keep(parts, *notes)
    await engine.admin.maintain(user=ANA)
    found = await engine.search("hiking", user=ANA)
    assert [item.memory.id for item in found.items] == [notes[0].id]
    history = await engine.history.get(notes[1].id, user=ANA)
    assert [(line.memory_id, line.reason) for line in history.decisions] == [
        (notes[0].id, "says the same (the same words)")
    ]


async def test_only_what_came_since_is_compared_again(parts: Components, clock: FakeClock) -> None:
    def made(text: str, at: datetime) -> Memory:
        """Make a note with an id of that time; ids of the process never go back to an earlier test's time."""
        millis = int(at.timestamp() * 1000)
        return replace(memory(text), id=MemoryId(str(UUID(int=millis << 80 | 7 << 76 | 2 << 62 | len(text)))))

    since = clock.now() + timedelta(days=1)
    notes = [made("The user loves hiking.", clock.now()), made("The user loves hiking!!", clock.now())]
    notes.append(made("The user loves skiing and hiking.", since + timedelta(hours=1)))
    await keep(parts, *notes)
    snapshot = await parts.store.snapshots.snapshot(ANA, parts.embedder.space)

    def pairs(since: datetime | None) -> list[tuple[int, int]]:
        near, found = NearPairs(snapshot, since=since, limit=10), list[NearPair]()
        while not near.done:
            found += near.next_block()
        assert all(NEAR <= pair.cosine <= 1.001 for pair in found)
        return sorted((pair.older, pair.newer) for pair in found)

    assert pairs(None) == [(0, 1), (0, 2), (1, 2)]
    assert pairs(since) == [(0, 2), (1, 2)]
    assert pairs(since + timedelta(days=1)) == []


async def test_a_subject_without_vectors_has_nothing_to_merge(engine: AsyncToldOnce, parts: Components) -> None:
    await parts.store.memories.apply(ANA, [add(memory("👍"), vector=None), add(memory("👍"), vector=None)], [])
    assert (await engine.admin.maintain(user=ANA)).decisions == ()
    assert await decided(engine, ANA, Action.MERGE) == []
