"""What erasing promises of the store: caches, versions, leases, sources, the ledger."""

from dataclasses import replace

import apsw
import pytest

from factories import ANA, BEN, SPACE, add, decision, due, evidence, memory, turn
from toldonce.errors import LeaseLostError, StaleSubjectError, UnknownConversationError, UnknownMemoryError
from toldonce.store.factory import open_store
from toldonce.store.store import Store
from toldonce.testing import NEW_YEAR, FakeClock
from toldonce.types import (
    Action,
    CloseMemory,
    EraseRequest,
    FormationResult,
    Memory,
    MemoryId,
    MemoryKind,
    RecordedTurn,
    StorageKind,
    StrengthenMemory,
    Subject,
)


def one(known: Memory) -> EraseRequest:
    return EraseRequest(subject=known.subject, memories=(known.id,))


def everything(subject: Subject) -> EraseRequest:
    return EraseRequest(subject=subject, everything=True)


async def recorded(store: Store, *texts: str, subject: Subject = ANA) -> RecordedTurn:
    return await store.conversations.record(
        turn(*texts, subject=subject, formations=[due(subject), due(subject, stage="index")])
    )


async def test_i13_a_large_cache_of_another_process_drops_what_was_erased(url: str, clock: FakeClock) -> None:
    """Caches are updated from changed rows; an erased row leaves its id, or they would keep the row."""
    ours, theirs = [await open_store(url, clock=clock) for _ in range(2)]
    many = [memory(f"memory {number}", clock=clock) for number in range(600)]
    await ours.memories.apply(ANA, [add(each) for each in many], [])
    assert len(await theirs.snapshots.snapshot(ANA, SPACE)) == len(await ours.snapshots.snapshot(ANA, SPACE)) == 600
    await ours.erasures.erase(one(many[7]))
    for store in (ours, theirs):
        snapshot = await store.snapshots.snapshot(ANA, SPACE)
        assert len(snapshot) == 599
        assert len(snapshot.vectors) == 599
    await ours.erasures.erase(everything(ANA))
    await ours.memories.apply(ANA, [add(memory("a new one", clock=clock))], [])
    for store in (ours, theirs):
        assert len(await store.snapshots.snapshot(ANA, SPACE)) == 1
        await store.close()


async def test_i13_versions_continue_when_an_erased_subject_starts_again(store: Store, clock: FakeClock) -> None:
    for number in range(3):
        version = await store.memories.apply(ANA, [add(memory(f"{number}", clock=clock))], [])
    await store.erasures.erase(everything(ANA))
    assert await store.admin.subjects() == []
    with pytest.raises(StaleSubjectError):
        await store.memories.apply(ANA, [add(memory("late", clock=clock))], [], subject_version=version)
    assert await store.memories.apply(ANA, [add(memory("anew", clock=clock))], []) > version + 1


@pytest.mark.parametrize("everything_of", [False, True])
async def test_i13_a_formation_under_way_loses_its_lease_and_that_costs_no_attempt(
    store: Store, clock: FakeClock, everything_of: bool
) -> None:
    found = await recorded(store, "I like tea.", "Noted.")
    [first, *_] = await store.formations.due(clock.now())
    lease = await store.formations.lease(first, now=clock.now(), lease_s=60)
    assert lease is not None
    known = memory("Ana likes tea.", clock=clock, sources=[evidence(found.conversation, 1)])
    order = everything(ANA) if everything_of else EraseRequest(subject=ANA, conversation=found.conversation)
    await store.erasures.erase(order)
    with pytest.raises(LeaseLostError):
        await store.formations.commit(lease, FormationResult(formed_seq=2, changes=(add(known),)), now=clock.now())
    assert {status.attempts for status in await store.formations.list()} == (set() if everything_of else {0})


async def test_i13_a_memory_that_rests_on_an_erased_message_is_not_stored(store: Store, clock: FakeClock) -> None:
    found = await recorded(store, "I like tea.", "Noted.", "I like cake.", "Noted, too.")
    await store.erasures.erase(EraseRequest(subject=ANA, conversation=found.conversation, seqs=(1,)))
    late = memory("Ana likes tea.", clock=clock, sources=[evidence(found.conversation, 1)])
    fine = memory("Ana likes cake.", clock=clock, sources=[evidence(found.conversation, 3)])
    with pytest.raises(StaleSubjectError, match=r"message 1 of conversation .* was erased meanwhile"):
        await store.memories.apply(ANA, [add(late)], [])
    line = replace(decision(fine, Action.IGNORE, clock=clock), conversation=found.conversation, seq=1, memory_id=None)
    with pytest.raises(StaleSubjectError):
        await store.memories.apply(ANA, [], [line])
    await store.memories.apply(ANA, [add(fine)], [replace(line, seq=3)])
    strengthen = StrengthenMemory(id=fine.id, importance=1, evidence=late.evidence)
    with pytest.raises(StaleSubjectError):
        await store.memories.apply(ANA, [strengthen], [])


async def test_a_memory_of_several_messages_keeps_the_others_and_takes_new_ones(store: Store, clock: FakeClock) -> None:
    found = await recorded(store, "one", "ok", "two", "ok", "three", "ok")
    sources = [evidence(found.conversation, seq, quote=f"quote {seq}") for seq in (1, 3, 5)]
    known = memory("Said thrice.", clock=clock, sources=sources[:2])
    await store.memories.apply(ANA, [add(known)], [])
    await store.erasures.erase(EraseRequest(subject=ANA, conversation=found.conversation, seqs=(1,)))
    assert [said.seq for said in (await store.memories.get_many(ANA, [known.id]))[0].evidence] == [3]
    strengthen = StrengthenMemory(id=known.id, importance=1, evidence=(sources[2],))
    await store.memories.apply(ANA, [strengthen], [])
    [kept] = await store.memories.get_many(ANA, [known.id])
    assert [said.seq for said in kept.evidence] == [3, 5]
    snapshot = await store.snapshots.snapshot(ANA, SPACE)
    assert snapshot.source_hash.tolist() == [said.hash for said in kept.evidence]


async def test_an_episode_goes_with_any_of_its_messages_and_its_range_is_due_again(
    store: Store, clock: FakeClock
) -> None:
    formations = [due(stage="episodes")]
    found = await store.conversations.record(turn("one", "ok", "two", "ok", "three", "ok", formations=formations))
    first = memory(
        "They counted.",
        clock=clock,
        kind=MemoryKind.EPISODE,
        sources=[evidence(found.conversation, 1), evidence(found.conversation, 4)],
    )
    second = replace(
        memory("They counted on.", clock=clock, kind=MemoryKind.EPISODE),
        evidence=(evidence(found.conversation, 5), evidence(found.conversation, 6)),
    )
    [key] = await store.formations.due(clock.now())
    lease = await store.formations.lease(key, now=clock.now(), lease_s=60)
    assert lease is not None
    result = FormationResult(formed_seq=6, changes=(add(first), add(second)))
    await store.formations.commit(lease, result, now=clock.now())
    assert await store.formations.due(clock.now()) == []
    await store.erasures.erase(EraseRequest(subject=ANA, conversation=found.conversation, seqs=(2,)))
    assert [kept.id for kept in await store.memories.list(ANA)] == [second.id]
    assert await store.formations.due(clock.now()) == [key]


async def test_an_active_memory_is_not_an_earlier_version(store: Store, clock: FakeClock) -> None:
    old, new = (memory(text, clock=clock) for text in ("Ana likes tea.", "Ana likes cake."))
    await store.memories.apply(ANA, [add(old), add(new)], [decision(new, Action.REPLACE, clock=clock, target=old.id)])
    await store.erasures.erase(one(new))
    assert [kept.id for kept in await store.memories.list(ANA)] == [old.id]


@pytest.mark.parametrize("which", [0, 1])
async def test_a_memory_and_the_one_it_was_folded_into_are_erased_together(
    url: str, clock: FakeClock, which: int
) -> None:
    store = await open_store(url, clock=clock)
    old, folded = (memory(text, clock=clock) for text in ("Ana likes tea.", "Ana likes tea and cake."))
    gone = CloseMemory(id=old.id, valid_to=clock.now(), closed_at=clock.now())
    await store.memories.apply(ANA, [add(old), add(folded), gone], [decision(folded, clock=clock, target=old.id)])
    db = apsw.Connection(url.removeprefix("sqlite:///"))
    db.execute(
        "INSERT INTO decision (subject, at, id, action, memory, target, reason, text, profile)"
        " SELECT subject, at + 1, id, 'fold', memory, target, reason, text, profile FROM decision"
    )
    db.close()
    await store.erasures.erase(one((old, folded)[which]))
    assert await store.memories.list(ANA, closed=True) == []
    await store.close()


async def test_an_unknown_memory_or_conversation_erases_nothing(store: Store, clock: FakeClock) -> None:
    found = await recorded(store, "a", "b")
    theirs = memory("Ben's", subject=BEN, clock=clock)
    await store.memories.apply(BEN, [add(theirs)], [])
    for unknown in (theirs.id, MemoryId("nonsense")):
        with pytest.raises(UnknownMemoryError):
            await store.erasures.erase(EraseRequest(subject=ANA, memories=(unknown,)))
    with pytest.raises(UnknownConversationError):
        await store.erasures.erase(EraseRequest(subject=BEN, conversation=found.conversation))
    assert await store.erasures.list(ANA) == await store.erasures.list(BEN) == []
    assert len(await store.memories.get_many(BEN, [theirs.id])) == 1


async def test_an_erasure_is_noted_in_numbers_until_and_after_it_is_clean(store: Store, clock: FakeClock) -> None:
    known = memory("secret words", clock=clock)
    await store.memories.apply(ANA, [add(known)], [decision(known, clock=clock)])
    done = await store.erasures.erase(one(known))
    assert done.counts == {"memories": 1, "vectors": 1, "terms": 1, "decisions": 1}
    assert await store.erasures.pending() == 1
    clock.advance(seconds=5)
    assert await store.database.scrub(wait_ms=50) is (store.database.storage_kind is StorageKind.FILE)
    assert await store.database.scrub(wait_ms=50, rewrite=True)
    [noted] = await store.erasures.list(ANA)
    assert (noted.id, noted.counts, noted.cleaned_at) == (done.id, done.counts, clock.now())
    assert await store.erasures.pending() == 0
    assert (done.at, done.cleaned_at) == (NEW_YEAR, None)
