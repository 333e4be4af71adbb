"""What is known: adding, closing, strengthening, listing, and the decisions behind it."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from factories import ANA, BEN, SPACE, add, decision, due, evidence, memory, recall_record, turn
from toldonce.errors import BadRequestError, StaleSubjectError, UnknownMemoryError, VectorSizeError
from toldonce.ids import id_text, new_id
from toldonce.store.sql.recall.snapshot import MIN_MERGED
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import (
    Action,
    AddMemory,
    CloseMemory,
    ConversationId,
    FormationResult,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    StrengthenMemory,
    Subject,
)

APP = Subject("app", "calendar")


def close(known: Memory, clock: FakeClock) -> CloseMemory:
    return CloseMemory(id=known.id, valid_to=clock.now(), closed_at=clock.now())


async def test_a_memory_reads_back_as_it_was_stored(store: Store, clock: FakeClock) -> None:
    source = evidence(ConversationId(new_id(clock)), 3, quote="I eat no peanuts")
    known = replace(
        memory("peanuts", slot="constraint/allergy:peanuts", sources=[source], clock=clock),
        type="fact",
        importance=0.9,
        confidence=0.8,
        speaker="Ana",
        valid_from=clock.now() - timedelta(days=400, microseconds=1),
        valid_to=clock.now() + timedelta(days=10),
        profile="user",
        version="rules-1",
    )
    version = await store.memories.apply(ANA, [add(known, vector=None)], [])

    assert version == 1
    assert await store.memories.get_many(ANA, [known.id]) == [known]
    assert await store.memories.facts(ANA) == [known]


async def test_memories_come_in_the_order_asked_and_unknown_ones_are_left_out(store: Store, clock: FakeClock) -> None:
    one, two = memory("one", clock=clock), memory("two", clock=clock)
    await store.memories.apply(ANA, [add(one), add(two)], [])
    asked = [two.id, MemoryId("nonsense"), MemoryId(new_id(clock)), one.id]

    assert await store.memories.get_many(ANA, asked) == [two, one]


async def test_a_quotation_has_its_words_from_the_log(store: Store, clock: FakeClock) -> None:
    recorded = await store.conversations.record(turn("I moved to Oslo in May.", "Nice!"))
    quoted = memory("ignored", kind=MemoryKind.TURN, sources=[evidence(recorded.conversation, 1)], clock=clock)
    await store.memories.apply(ANA, [add(quoted)], [])

    (found,) = await store.memories.get_many(ANA, [quoted.id])
    assert found == replace(quoted, text="I moved to Oslo in May.")


async def test_a_quotation_in_another_subject_has_its_words_from_the_home_log(store: Store, clock: FakeClock) -> None:
    recorded = await store.conversations.record(turn("Lunch at noon.", "Ok.", formations=[due(APP)]))
    (key,) = await store.formations.due(clock.now())
    lease = await store.formations.lease(key, now=clock.now(), lease_s=60)
    assert lease is not None
    quoted = memory("", subject=APP, kind=MemoryKind.TURN, sources=[evidence(recorded.conversation, 1)], clock=clock)
    await store.formations.commit(lease, FormationResult(formed_seq=2, changes=(add(quoted),)), now=clock.now())

    (found,) = await store.memories.get_many(APP, [quoted.id])
    assert found.text == "Lunch at noon."
    assert await store.memories.get_many(ANA, [quoted.id]) == []


async def test_a_closed_memory_leaves_recall_and_listings_but_stays_in_history(store: Store, clock: FakeClock) -> None:
    known = memory("Ana lives in Rome.", slot="identity/location", clock=clock)
    await store.memories.apply(ANA, [add(known)], [])
    clock.advance(days=30)
    version = await store.memories.apply(ANA, [close(known, clock)], [])

    assert version == 2
    assert len(await store.snapshots.snapshot(ANA, SPACE)) == 0
    assert await store.memories.facts(ANA) == []
    assert await store.memories.list(ANA) == []
    gone = replace(known, state=MemoryState.CLOSED, valid_to=clock.now(), closed_at=clock.now())
    assert await store.memories.list(ANA, closed=True) == [gone]
    assert (await store.admin.stats(check=True)).problems == ()


async def test_closing_twice_keeps_the_first_ending(store: Store, clock: FakeClock) -> None:
    known = memory("a", clock=clock)
    await store.memories.apply(ANA, [add(known)], [])
    first = clock.now()
    await store.memories.apply(ANA, [close(known, clock)], [])
    clock.advance(days=1)
    await store.memories.apply(ANA, [close(known, clock)], [])

    (found,) = await store.memories.get_many(ANA, [known.id])
    assert found.closed_at == first


async def test_an_interval_never_ends_before_it_begins(store: Store, clock: FakeClock) -> None:
    known = memory("a", clock=clock)
    await store.memories.apply(ANA, [add(known)], [])
    early = replace(close(known, clock), valid_to=known.valid_from - timedelta(days=1))
    await store.memories.apply(ANA, [early], [])

    (found,) = await store.memories.get_many(ANA, [known.id])
    assert found.valid_to == found.valid_from


@pytest.mark.parametrize("state", [MemoryState.HELD, MemoryState.CLOSED])
async def test_memories_held_or_stored_closed_are_never_recalled(
    store: Store, clock: FakeClock, state: MemoryState
) -> None:
    known = replace(memory("a", slot="identity/name", clock=clock), state=state)
    await store.memories.apply(ANA, [add(known)], [])

    assert len(await store.snapshots.snapshot(ANA, SPACE)) == 0
    assert await store.memories.facts(ANA) == []
    assert [m.state for m in await store.memories.list(ANA, closed=True)] == [state]
    assert len(await store.memories.list(ANA)) == (state is MemoryState.HELD)


async def test_t4_a_slot_holds_one_value(store: Store, clock: FakeClock) -> None:
    rome, oslo = (memory(text, slot="identity/location", clock=clock) for text in ("Rome", "Oslo"))
    await store.memories.apply(ANA, [add(rome, vector=None)], [])
    with pytest.raises(StaleSubjectError, match="identity/location"):
        await store.memories.apply(ANA, [add(oslo, vector=None)], [decision(oslo)])

    assert await store.memories.facts(ANA) == [rome]
    assert await store.decisions.list(ANA) == []
    assert (await store.snapshots.snapshot(ANA, SPACE)).version == 1


@pytest.mark.parametrize("closing_first", [True, False])
async def test_a_slot_is_freed_before_it_is_filled_whatever_the_order(
    store: Store, clock: FakeClock, closing_first: bool
) -> None:
    rome, oslo = (memory(text, slot="identity/location", clock=clock) for text in ("Rome", "Oslo"))
    await store.memories.apply(ANA, [add(rome)], [])
    both = (close(rome, clock), add(oslo))
    await store.memories.apply(ANA, both if closing_first else both[::-1], [])

    assert await store.memories.facts(ANA) == [oslo]


async def test_two_subjects_fill_the_same_slot_and_hold_the_same_id(store: Store, clock: FakeClock) -> None:
    ana = memory("Ana", slot="identity/name", clock=clock)
    ben = replace(ana, subject=BEN, value="Ben", text="Ben")
    await store.memories.apply(ANA, [add(ana)], [decision(ana)])
    await store.memories.apply(BEN, [add(ben)], [decision(ben)])
    await store.memories.apply(BEN, [close(ben, clock)], [])

    assert await store.memories.facts(ANA) == [ana]
    assert [d.text for d in await store.decisions.list(ANA, memory=ana.id)] == ["Ana"]
    assert len(await store.snapshots.snapshot(BEN, SPACE)) == 0
    assert await store.admin.subjects() == [ANA, BEN]


async def furnish(store: Store, clock: FakeClock, subject: Subject) -> tuple[list[Memory], ConversationId]:
    """Give a subject a conversation, its work, a recall, and a decided memory of every kind; newest first."""
    clock.advance(seconds=1)
    asked = replace(recall_record((subject, MemoryId(new_id(clock)), 1.0)), id=new_id(clock), at=clock.now())
    said = turn("I moved.", "Nice!", subject=subject, external_id="same", formations=[due(subject)], recall=asked)
    conversation = (await store.conversations.record(said)).conversation
    known = [memory(f"of {subject.text}", subject=subject, slot="identity/name", clock=clock)]
    for kind in (MemoryKind.NOTE, MemoryKind.EPISODE, MemoryKind.TURN):
        clock.advance(seconds=1)
        sources = [evidence(conversation, 1)]
        known.append(memory("I moved.", subject=subject, kind=kind, sources=sources, clock=clock))
    await store.memories.apply(subject, [add(row) for row in known], [decision(row, clock=clock) for row in known])
    return known[::-1], conversation


async def test_nothing_of_another_subject_comes_back(store: Store, clock: FakeClock) -> None:
    subjects = (ANA, BEN, Subject("session", "ana"), Subject("global", ""))
    owned = {subject: await furnish(store, clock, subject) for subject in subjects}
    everything = [row.id for known, _ in owned.values() for row in known]
    for subject, (known, conversation) in owned.items():
        ids = {row.id for row in known}
        assert await store.memories.get_many(subject, everything) == known
        assert await store.memories.list(subject, kinds=tuple(MemoryKind), closed=True) == known
        assert await store.memories.list(subject, kinds=tuple(MemoryKind), limit=1) == known[:1]
        assert await store.memories.list(subject, limit=1) == known[1:2], "quotations are not asked for"
        assert await store.memories.facts(subject) == [row for row in known if row.kind is MemoryKind.FACT]
        assert {line.memory_id for line in await store.decisions.list(subject)} == ids
        snapshot = await store.snapshots.snapshot(subject, SPACE)
        assert sorted(map(id_text, snapshot.ids)) == sorted(ids)
        assert [chat.id for chat in await store.conversations.list(subject)] == [conversation]
        assert [status.key.subject for status in await store.formations.list(subject=subject)] == [subject]
        assert [injection.items[0][0] for injection in await store.conversations.injections(subject)] == [subject]
        for other, (theirs, their_conversation) in owned.items():
            if other != subject:
                await nothing_is_known_of(store, subject, theirs[0], their_conversation, clock)
    for subject, (known, _) in owned.items():
        assert await store.memories.get_many(subject, everything) == known


async def nothing_is_known_of(
    store: Store, subject: Subject, theirs: Memory, conversation: ConversationId, clock: FakeClock
) -> None:
    """Read and change another subject's memories by their ids."""
    assert await store.decisions.list(subject, memory=theirs.id) == []
    assert await store.conversations.messages(subject, conversation) == []
    assert await store.conversations.abandoned(subject, conversation) == set()
    assert await store.conversations.injections(subject, conversation=conversation) == []
    for change in (close(theirs, clock), StrengthenMemory(id=theirs.id, importance=1.0)):
        with pytest.raises(UnknownMemoryError):
            await store.memories.apply(subject, [change], [])


async def test_one_id_in_two_subjects_is_a_memory_of_each(store: Store, clock: FakeClock) -> None:
    ours = memory("Ana", slot="identity/name", sources=[evidence(ConversationId(new_id(clock)), 1)], clock=clock)
    theirs = replace(ours, subject=BEN, text="Ben", value="Ben", importance=0.25, evidence=())
    for row in (ours, theirs):
        await store.memories.apply(row.subject, [add(row)], [decision(row)])
        assert len(await store.snapshots.snapshot(row.subject, SPACE)) == 1
    for row in (ours, theirs):
        assert await store.memories.get_many(row.subject, [row.id]) == [row]
        assert await store.memories.facts(row.subject) == [row]
        assert await store.memories.list(row.subject) == [row]
        assert await store.memories.list(row.subject, kinds=tuple(MemoryKind)) == [row]
        assert [line.text for line in await store.decisions.list(row.subject, memory=row.id)] == [row.text]
    await store.memories.apply(BEN, [close(theirs, clock)], [])
    assert await store.memories.facts(BEN) == []
    assert len(await store.snapshots.snapshot(BEN, SPACE)) == 0
    assert await store.memories.facts(ANA) == [ours]
    assert len(await store.snapshots.snapshot(ANA, SPACE)) == 1


async def test_what_changed_since_the_cache_is_the_subjects_own(store: Store, clock: FakeClock) -> None:
    old = [memory(f"memory {number}", clock=clock) for number in range(MIN_MERGED * 2)]
    new = memory("new", clock=clock)
    beside = [memory(f"other {number}", clock=clock) for number in range(MIN_MERGED)]
    for subject, vector in ((ANA, [1, 0, 0, 0]), (BEN, [0, 1, 0, 0])):
        known = [replace(row, subject=subject) for row in old]
        await store.memories.apply(subject, [add(row, vector=vector) for row in known], [])
        assert len(await store.snapshots.snapshot(subject, SPACE)) == len(old)
    # Ben's versions run ahead of Ana's, with rows that Ana has not and rows of ids that she has.
    for row in (*beside, new):
        await store.memories.apply(BEN, [add(replace(row, subject=BEN), vector=[0, 1, 0, 0])], [])
    await store.memories.apply(ANA, [add(new, vector=[1, 0, 0, 0])], [])
    snapshot = await store.snapshots.snapshot(ANA, SPACE)
    assert sorted(map(id_text, snapshot.ids)) == sorted(row.id for row in (*old, new))
    assert np.asarray(snapshot.vectors).tolist() == [[1, 0, 0, 0]] * (len(old) + 1)


async def test_changes_of_another_subjects_memory_are_refused(store: Store, clock: FakeClock) -> None:
    known = memory("a", clock=clock)
    with pytest.raises(BadRequestError):
        await store.memories.apply(BEN, [add(known)], [])
    with pytest.raises(BadRequestError):
        await store.memories.apply(BEN, [], [decision(known)])
    assert await store.admin.subjects() == []


async def test_a_memory_said_again_gains_evidence_and_weight_once(store: Store, clock: FakeClock) -> None:
    conversation = ConversationId(new_id(clock))
    first, second = evidence(conversation, 1), evidence(conversation, 5)
    known = replace(memory("a", sources=[first], clock=clock), importance=0.5)
    await store.memories.apply(ANA, [add(known)], [])
    await store.memories.apply(ANA, [StrengthenMemory(id=known.id, importance=0.75, evidence=(second,))], [])
    await store.memories.apply(ANA, [StrengthenMemory(id=known.id, importance=0.25, evidence=(first, second))], [])

    (found,) = await store.memories.get_many(ANA, [known.id])
    assert (found.importance, found.evidence) == (0.75, (first, second))
    snapshot = await store.snapshots.snapshot(ANA, SPACE)
    assert list(snapshot.importance) == [0.75]
    assert list(snapshot.source_hash) == [first.hash, second.hash]


async def test_all_changes_are_stored_or_none(store: Store, clock: FakeClock) -> None:
    known = memory("a", clock=clock)
    with pytest.raises(UnknownMemoryError):
        await store.memories.apply(ANA, [add(known), close(memory("b", clock=clock), clock)], [decision(known)])

    assert await store.memories.list(ANA, closed=True) == []
    assert await store.decisions.list(ANA) == []


async def test_the_same_id_is_stored_once(store: Store, clock: FakeClock) -> None:
    known = memory("a", clock=clock)
    await store.memories.apply(ANA, [add(known)], [])
    with pytest.raises(StaleSubjectError):
        await store.memories.apply(ANA, [add(known)], [])


async def test_a_vector_of_another_length_is_refused_and_names_both(store: Store, clock: FakeClock) -> None:
    await store.memories.apply(ANA, [add(memory("a", clock=clock))], [])
    with pytest.raises(VectorSizeError) as caught:
        await store.memories.apply(BEN, [add(memory("b", subject=BEN, clock=clock), vector=[1, 0, 0])], [])
    assert (caught.value.got, caught.value.stored) == (3, 4)
    two = AddMemory(memory=memory("c", clock=clock), space="x", vectors=(np.ones(2, "f4"), np.ones(3, "f4")))
    with pytest.raises(VectorSizeError):
        await store.memories.apply(ANA, [two], [])
    with pytest.raises(BadRequestError):
        await store.memories.apply(ANA, [replace(two, space="", vectors=two.vectors[:1])], [])


async def test_a_stale_reader_cannot_decide(store: Store, clock: FakeClock) -> None:
    one, two = memory("one", clock=clock), memory("two", clock=clock)
    assert await store.memories.apply(ANA, [add(one)], [], subject_version=0) == 1
    with pytest.raises(StaleSubjectError):
        await store.memories.apply(ANA, [add(two)], [], subject_version=0)
    assert await store.memories.apply(ANA, [add(two)], [], subject_version=1) == 2


async def test_decisions_alone_move_no_version(store: Store, clock: FakeClock) -> None:
    known = memory("a", clock=clock)
    await store.memories.apply(ANA, [add(known)], [])
    assert await store.memories.apply(ANA, [], [decision(known, Action.IGNORE)]) == 1


async def test_decisions_are_read_oldest_first_and_by_memory(store: Store, clock: FakeClock) -> None:
    one, two = memory("one", clock=clock), memory("two", clock=clock)
    made = decision(one, clock=clock)
    clock.advance(seconds=1)
    replaced = decision(two, Action.REPLACE, clock=clock, target=one.id)
    clock.advance(seconds=1)
    other = replace(decision(two, clock=clock), conversation=ConversationId(new_id(clock)), seq=7)
    await store.memories.apply(ANA, [], [other, replaced])
    await store.memories.apply(ANA, [], [made])

    assert await store.decisions.list(ANA) == [made, replaced, other]
    assert await store.decisions.list(ANA, limit=1) == [made]
    assert await store.decisions.list(ANA, memory=one.id) == [made, replaced]
    assert await store.decisions.list(ANA, memory=MemoryId("nonsense")) == []


async def test_listings_page_newest_first_and_choose_kinds(store: Store, clock: FakeClock) -> None:
    known = [memory(f"note {number}", clock=clock) for number in range(5)]
    quoted = memory("", kind=MemoryKind.TURN, clock=clock)
    fact = memory("Ana", slot="identity/name", clock=clock)
    await store.memories.apply(ANA, [add(row) for row in (*known, quoted, fact)], [])

    assert await store.memories.list(ANA) == [fact, *known[::-1]]
    page = await store.memories.list(ANA, limit=2)
    assert await store.memories.list(ANA, after=page[-1].id, limit=2) == [known[3], known[2]]
    assert await store.memories.list(ANA, kinds=[MemoryKind.FACT]) == [fact]
    assert await store.memories.list(ANA, kinds=[MemoryKind.TURN]) == [quoted]
    assert len(await store.memories.list(ANA, kinds=list(MemoryKind))) == 7
    with pytest.raises(BadRequestError):
        await store.memories.list(ANA, after=MemoryId("nonsense"))


async def test_a_page_counts_memories_not_sources(store: Store, clock: FakeClock) -> None:
    conversation = ConversationId(new_id(clock))
    known = [
        memory(f"note {number}", sources=[evidence(conversation, seq) for seq in (1, 2, 3)], clock=clock)
        for number in range(3)
    ]
    await store.memories.apply(ANA, [add(row) for row in known], [])

    assert await store.memories.list(ANA, limit=2) == [known[2], known[1]]


async def test_facts_come_most_important_first(store: Store, clock: FakeClock) -> None:
    weights = {"a": 0.2, "b": 0.9, "c": 0.9}
    known = {
        key: replace(memory(key, slot=f"identity/{key}", clock=clock), importance=weight)
        for key, weight in weights.items()
    }
    await store.memories.apply(ANA, [add(row, vector=None) for row in known.values()], [])
    assert [row.key for row in await store.memories.facts(ANA)] == ["b", "c", "a"]


async def test_words_are_kept_storable(store: Store, clock: FakeClock) -> None:
    source = evidence(ConversationId(new_id(clock)), 1, quote="nul \x00")
    known = memory("a \ud83d b", sources=[source], clock=clock)
    await store.memories.apply(ANA, [add(known)], [])
    (found,) = await store.memories.get_many(ANA, [known.id])
    assert (found.text, found.evidence[0].quote) == ("a \ufffd b", "nul \ufffd")


async def test_u7_identical_adds_at_once_fill_a_slot_once(store: Store, clock: FakeClock) -> None:
    known = [memory(f"v{number}", slot="identity/name", clock=clock) for number in range(20)]
    outcomes = await asyncio.gather(
        *(store.memories.apply(ANA, [add(row)], []) for row in known), return_exceptions=True
    )

    assert sum(isinstance(outcome, StaleSubjectError) for outcome in outcomes) == 19
    assert len(await store.memories.facts(ANA)) == 1
