"""The arrays that recall computes on, and the cache before them."""

import asyncio
from dataclasses import fields, replace
from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import ANA, BEN, SPACE, add, evidence, memory
from soak import fuzzed
from toldonce.clock import to_micros
from toldonce.ids import id_bytes, new_id
from toldonce.store.factory import open_store
from toldonce.store.sql.recall.rank_and_fetch import ExactSnapshotReader
from toldonce.store.sql.recall.snapshot import MIN_MERGED
from toldonce.store.sql.recall.snapshot_cache import SnapshotCache
from toldonce.store.sql.snapshot_codec import pack_fixed, unpack
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.text import source_key, term_key, terms
from toldonce.types import (
    AddMemory,
    Change,
    CloseMemory,
    ConversationId,
    Memory,
    MemoryKind,
    StrengthenMemory,
    Subject,
    SubjectSnapshot,
)


def terms_of(snapshot: SubjectSnapshot, place: int) -> dict[int, int]:
    span = slice(int(snapshot.term_start[place]), int(snapshot.term_start[place + 1]))
    return dict(zip(snapshot.terms[span].tolist(), snapshot.counts[span].tolist(), strict=True))


async def test_a_subject_without_memories_is_empty_arrays(store: Store) -> None:
    snapshot = await store.snapshots.snapshot(ANA, SPACE)

    assert (len(snapshot), snapshot.version, len(snapshot.vectors), len(snapshot.terms)) == (0, 0, 0, 0)
    assert list(snapshot.term_start) == [0]
    assert list(snapshot.source_start) == [0]


async def test_each_memory_has_its_numbers_at_its_place(store: Store, clock: FakeClock) -> None:
    conversation = ConversationId(new_id(clock))
    sources = [evidence(conversation, 1, role="assistant"), evidence(conversation, 2)]
    note = replace(memory("peanuts, peanuts and Oslo", sources=sources, clock=clock), importance=0.75, confidence=0.5)
    fact = memory("Ana", slot="identity/name", clock=clock)
    quoted = memory("", kind=MemoryKind.TURN, sources=[evidence(conversation, 2)], clock=clock)
    chunks = (np.array([1, 0, 0, 0], "f4"), np.array([0, 1, 0, 0], "f4"))
    two_chunks = AddMemory(memory=quoted, space=SPACE, vectors=chunks, terms={"peanut": 70_000})
    await store.memories.apply(ANA, [two_chunks, add(fact, vector=None), add(note, vector=[0, 0, 0, 1])], [])
    snapshot = await store.snapshots.snapshot(ANA, SPACE)

    assert snapshot.ids == [id_bytes(row.id) for row in (note, fact, quoted)]
    assert list(snapshot.kinds) == [0, 1, 3]
    assert list(snapshot.roles) == [2, 0, 1]
    assert snapshot.importance.tolist() == [0.75, 0.5, 0.5]
    assert snapshot.confidence.tolist() == [0.5, 1.0, 1.0]
    assert snapshot.valid_from.tolist() == [to_micros(clock.now())] * 3
    assert snapshot.length.tolist() == [3, 1, 70_000]
    assert np.asarray(snapshot.vectors).tolist() == [[0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]
    assert snapshot.vector_of.tolist() == [0, 2, 2]
    assert terms_of(snapshot, 0) == {term_key(snapshot.salt, "peanut"): 2, term_key(snapshot.salt, "oslo"): 1}
    assert terms_of(snapshot, 2) == {term_key(snapshot.salt, "peanut"): 65_535}
    assert snapshot.source_start.tolist() == [0, 2, 2, 3]
    assert snapshot.source_hash.tolist() == [sources[0].hash, sources[1].hash, sources[1].hash]
    assert snapshot.source_key.tolist() == [source_key(conversation, seq) for seq in (1, 2, 2)]
    assert np.asarray(snapshot.vectors).dtype == np.float32


async def test_terms_are_ascending_within_each_memory(store: Store, clock: FakeClock) -> None:
    text = " ".join(f"word{number}" for number in range(200))
    await store.memories.apply(ANA, [add(memory(text, clock=clock)), add(memory(text, clock=clock))], [])
    snapshot = await store.snapshots.snapshot(ANA, SPACE)

    for place in range(2):
        keys = list(terms_of(snapshot, place))
        assert len(keys) == 200
        assert all(key < other for key, other in pairwise(keys))


async def test_each_subject_has_a_salt_of_its_own(store: Store, clock: FakeClock) -> None:
    salts = {(await store.snapshots.snapshot(subject, SPACE)).salt for subject in (ANA, BEN)}
    assert len(salts) == 2
    assert (await store.snapshots.snapshot(ANA, SPACE)).salt in salts


async def test_only_vectors_of_the_space_asked_for_come_back(store: Store, clock: FakeClock) -> None:
    await store.memories.apply(
        ANA, [add(memory("old", clock=clock)), add(memory("new", clock=clock), space="other-4")], []
    )

    assert (await store.snapshots.snapshot(ANA, SPACE)).vector_of.tolist() == [0]
    assert (await store.snapshots.snapshot(ANA, "other-4")).vector_of.tolist() == [1]
    assert (await store.snapshots.snapshot(BEN, SPACE)).vectors.shape == (0, 4)
    assert (await store.snapshots.snapshot(ANA, "unknown-4")).vectors.shape == (0, 0)
    assert len(await store.snapshots.snapshot(ANA, "unknown-4")) == 2


async def test_a_cached_snapshot_is_valid_until_the_version_moves(store: Store, clock: FakeClock) -> None:
    await store.memories.apply(ANA, [add(memory("one", clock=clock))], [])
    first = await store.snapshots.snapshot(ANA, SPACE)
    await store.memories.apply(BEN, [add(memory("x", subject=BEN, clock=clock))], [])
    assert await store.snapshots.snapshot(ANA, SPACE) is first
    await store.memories.apply(ANA, [add(memory("two", clock=clock))], [])
    second = await store.snapshots.snapshot(ANA, SPACE)

    assert (first.version, len(first), second.version, len(second)) == (1, 1, 2, 2)


async def test_a_use_counts_at_once_in_recall_and_moves_no_version(store: Store, clock: FakeClock) -> None:
    one, two = memory("one", clock=clock), memory("two", clock=clock)
    await store.memories.apply(ANA, [add(one), add(two)], [])
    before = await store.snapshots.snapshot(ANA, SPACE)
    await store.memories.record_uses(ANA, [two.id], clock.now() + timedelta(days=1))
    after = await store.snapshots.snapshot(ANA, SPACE)

    assert after.version == before.version
    assert (before.uses.tolist(), after.uses.tolist()) == ([0, 0], [0, 1])
    assert after.last_used_at.tolist() == [0, to_micros(clock.now() + timedelta(days=1))]


async def test_uses_survive_the_store_and_later_changes(url: str, clock: FakeClock) -> None:
    known = memory("one", clock=clock)
    store = await open_store(url, clock=clock)
    await store.memories.apply(ANA, [add(known)], [])
    await store.memories.record_uses(ANA, [known.id, known.id], clock.now())
    await store.memories.record_uses(BEN, [known.id], clock.now())
    await store.close()
    store = await open_store(url, clock=clock)
    try:
        (found,) = await store.memories.get_many(ANA, [known.id])
        snapshot = await store.snapshots.snapshot(ANA, SPACE)
        assert (found.uses, found.last_used_at) == (2, clock.now())
        assert (snapshot.uses.tolist(), snapshot.version) == ([2], 1)
        assert await store.admin.subjects() == [ANA]
    finally:
        await store.close()


async def test_no_reader_sees_both_a_memory_and_its_successor_or_neither(store: Store, clock: FakeClock) -> None:
    current = memory("place 0", slot="identity/location", clock=clock)
    await store.memories.apply(ANA, [add(current)], [])

    async def replace_again_and_again(known: Memory) -> None:
        for number in range(30):
            newer = memory(f"place {number}", slot="identity/location", clock=clock)
            closing = CloseMemory(id=known.id, valid_to=clock.now(), closed_at=clock.now())
            await store.memories.apply(ANA, [closing, add(newer)], [])
            known = newer

    async def read() -> set[int]:
        return {len(await store.snapshots.snapshot(ANA, SPACE)) for _ in range(60)}

    _, *seen = await asyncio.gather(replace_again_and_again(current), read(), read())
    assert seen == [{1}, {1}]


def same(one: SubjectSnapshot, other: SubjectSnapshot) -> bool:
    """Whether two hold the same, number for number."""
    return (one.ids, one.version) == (other.ids, other.version) and all(
        np.array_equal(mine, theirs) and mine.dtype == theirs.dtype
        for mine, theirs in zip(arrays_of(one), arrays_of(other), strict=True)
    )


def arrays_of(snapshot: SubjectSnapshot) -> list[npt.NDArray[Any]]:
    return [value for field in fields(snapshot) if isinstance(value := getattr(snapshot, field.name), np.ndarray)]


@given(data=st.data())
@fuzzed(40)
async def test_a_merged_snapshot_equals_a_fresh_read(data: st.DataObject) -> None:
    clock = FakeClock()
    store = await open_store("sqlite:///:memory:", clock=clock)
    try:
        known = [some_memory(number, clock) for number in range(MIN_MERGED + 40)]
        late = set(data.draw(st.lists(st.integers(0, len(known) - 1), max_size=30)))
        await store.memories.apply(ANA, [known[place] for place in range(len(known)) if place not in late], [])
        assert len(await store.snapshots.snapshot(ANA, SPACE)) == len(known) - len(late)
        steps: list[Change] = [known[place] for place in late]
        for place in data.draw(st.lists(st.integers(0, len(known) - 1), max_size=30, unique=True)):
            one = known[place].memory
            if data.draw(st.booleans()):
                steps.append(CloseMemory(id=one.id, valid_to=clock.now(), closed_at=clock.now()))
            else:
                source = evidence(ConversationId(new_id(clock)), place)
                steps.append(StrengthenMemory(id=one.id, importance=0.9, evidence=(source,)))
        await store.memories.apply(ANA, steps, [])
        merged = await store.snapshots.snapshot(ANA, SPACE)
        assert same(merged, await anew(store))
    finally:
        await store.close()


async def anew(store: Store) -> SubjectSnapshot:
    """Read without the cache."""
    assert isinstance(store.snapshots, ExactSnapshotReader)
    store.snapshots._cache = SnapshotCache(0)
    return await store.snapshots.snapshot(ANA, SPACE)


def some_memory(number: int, clock: FakeClock) -> AddMemory:
    """A memory of no, one or two vectors, and of as many sources."""
    conversation = ConversationId(new_id(clock))
    chunks = tuple(np.full(4, number + chunk, "f4") for chunk in range(number % 3))
    sources = [evidence(conversation, seq) for seq in range(number % 3)]
    known = memory(f"number {number} of many", sources=sources, clock=clock)
    return AddMemory(memory=known, space=SPACE if chunks else "", vectors=chunks, terms=terms(known.text))


def snapshot_of(subject: Subject, *, version: int = 1, vectors: int = 0) -> SubjectSnapshot:
    """One memory with so many vectors of 1 kB."""
    fixed = pack_fixed(kind=0, role=0, length=0, weights=(0.5, 1.0), times=(0, 0, 0))
    rows, data = [(bytes(16), fixed, b"", b"")], [(bytes(16), bytes(1024 * vectors))]
    return unpack(subject, version, b"", 256, rows, data if vectors else [])


def test_the_cache_stays_within_its_bytes_and_drops_the_least_recently_used() -> None:
    cache = SnapshotCache(3 * 11_000)
    subjects = [Subject("user", f"u{number}") for number in range(4)]
    for subject in subjects[:3]:
        cache.put(SPACE, snapshot_of(subject, vectors=10))
    assert cache.get(subjects[0], SPACE) is not None
    cache.put(SPACE, snapshot_of(subjects[3], vectors=10))

    assert [cache.get(subject, SPACE) is not None for subject in subjects] == [True, False, True, True]


def test_the_cache_keeps_nothing_larger_than_itself_and_nothing_older() -> None:
    cache = SnapshotCache(11_000)
    cache.put(SPACE, snapshot_of(ANA, vectors=11))
    assert cache.get(ANA, SPACE) is None
    newer = snapshot_of(ANA, version=2)
    cache.put(SPACE, newer)
    cache.put(SPACE, snapshot_of(ANA, version=1))
    assert cache.get(ANA, SPACE) is newer


@pytest.mark.parametrize("count", [0, 1, 300])
async def test_all_active_memories_come_ordered_by_id(store: Store, clock: FakeClock, count: int) -> None:
    known = [memory(f"m{number}", clock=clock) for number in range(count)]
    await store.memories.apply(ANA, [add(row) for row in reversed(known)], [])
    snapshot = await store.snapshots.snapshot(ANA, SPACE)
    assert [str(UUID(bytes=key)) for key in snapshot.ids] == [row.id for row in known]
