"""What is cached of a subject: its arrays and the memories shown, within so many bytes."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import ANA, SPACE
from factories import memory as some_memory
from toldonce.ids import id_bytes
from toldonce.recall.bm25 import MAX_INDEXED, TermIndex
from toldonce.recall.rank import PriorEvidence
from toldonce.recall.similarity import VectorLayout
from toldonce.store.sql.recall.growing_arrays import GrowingArrays
from toldonce.store.sql.recall.snapshot_cache import MAX_TEXT_BYTES, SnapshotCache
from toldonce.store.sql.recall.spelling_index import HASH_BYTES, MAX_LEFT_OVER, SpellingIndex
from toldonce.store.sql.snapshot_codec import TERM, derived_size_of, pack_fixed, size_of, unpack
from toldonce.testing import FakeClock
from toldonce.types import IdColumn, Memory, Subject, SubjectSnapshot

CLOCK = FakeClock()


def known(count: int, *, characters: int = 20, subject: Subject = ANA) -> list[Memory]:
    return [some_memory("x" * characters, subject=subject, clock=CLOCK) for _ in range(count)]


def snapshot_of(memories: list[Memory], *, version: int = 1, subject: Subject = ANA) -> SubjectSnapshot:
    fixed = pack_fixed(kind=0, role=0, length=0, weights=(0.5, 1.0), times=(0, 0, 0))
    return unpack(subject, version, b"", 0, [(id_bytes(row.id), fixed, b"", b"") for row in memories], [])


def arrays_of(snapshot: SubjectSnapshot) -> list[npt.NDArray[Any]]:
    named = [getattr(snapshot, spec.name) for spec in fields(snapshot)]
    return [IdColumn.of(snapshot.ids).array, *(array for array in named if isinstance(array, np.ndarray))]


def kept(cache: SnapshotCache, snapshot: SubjectSnapshot, memories: list[Memory]) -> list[Memory]:
    return list(cache.memories(SPACE, snapshot, [row.id for row in memories]).values())


def test_memories_are_kept_for_the_version_they_were_read_at() -> None:
    cache, memories = SnapshotCache(1_000_000), known(3)
    snapshot, newer = snapshot_of(memories), snapshot_of(memories, version=2)
    assert cache.put_memories(SPACE, snapshot, memories) == memories
    assert kept(cache, snapshot, memories) == [], "the subject itself is not kept"
    cache.put(SPACE, snapshot)
    cache.put_memories(SPACE, snapshot, memories[:2])
    assert kept(cache, snapshot, memories) == memories[:2]
    assert cache.memories("other", snapshot, [memories[0].id]) == {}
    assert kept(cache, newer, memories) == []
    cache.put_memories(SPACE, newer, memories)
    assert kept(cache, newer, memories) == [], "read before the subject moved on"
    cache.put(SPACE, newer)
    assert kept(cache, newer, memories) == []


def test_what_did_not_change_outlives_a_new_version() -> None:
    cache, memories = SnapshotCache(1_000_000), known(4)
    same, edited, closed, unread = memories
    cache.put(SPACE, snapshot_of(memories))
    cache.put_memories(SPACE, snapshot_of(memories), [same, edited, closed])
    ids = [id_bytes(row.id) or b"" for row in (edited, closed)]
    newer = cache.advance(SPACE, snapshot_of(memories), snapshot_of([edited], version=3), ids)
    assert newer.ids == snapshot_of([same, edited, unread]).ids
    assert kept(cache, newer, memories) == [same]


def test_changes_since_a_later_version_than_the_one_kept_keep_nothing() -> None:
    cache, memories = SnapshotCache(1_000_000), known(2)
    cache.put(SPACE, snapshot_of(memories))
    cache.put_memories(SPACE, snapshot_of(memories), memories)
    newest = cache.advance(SPACE, snapshot_of(memories, version=2), snapshot_of([], version=3), [])
    assert newest.ids == snapshot_of(memories).ids
    assert kept(cache, newest, memories) == []


def test_a_memory_counts_the_uses_that_its_subject_knows_of() -> None:
    cache, memories = SnapshotCache(1_000_000), known(2)
    snapshot = snapshot_of(memories)
    cache.put(SPACE, snapshot)
    cache.note_uses(ANA, [memories[0].id], CLOCK.now())
    used = replace(memories[0], uses=1, last_used_at=CLOCK.now())
    assert cache.put_memories(SPACE, snapshot, memories) == [used, memories[1]]
    cache.note_uses(Subject("user", "other"), [memories[0].id], CLOCK.now())
    assert kept(cache, snapshot, memories) == [used, memories[1]]


@pytest.mark.parametrize("way", ["advance", "merge", "put"])
def test_uses_that_are_not_written_yet_survive_a_read(way: str) -> None:
    cache, memories = SnapshotCache(1_000_000), known(3)
    base = cache.put(SPACE, snapshot_of(memories))
    cache.note_uses(ANA, [memories[1].id, memories[1].id], CLOCK.now())
    used = cache.get(ANA, SPACE)
    assert used is not None
    assert used.uses.tolist() == [0, 2, 0]

    read = snapshot_of(memories if way == "put" else memories[1:2], version=2)
    if way == "put":
        snapshot = cache.put(SPACE, read, GrowingArrays(read))
    else:
        if way == "merge":
            cache.forget(ANA)
        snapshot = cache.advance(SPACE, used, read, [base.ids[1]])
    assert snapshot.uses.tolist() == [0, 2, 0]
    assert snapshot.last_used_at.tolist() == used.last_used_at.tolist()
    assert cache.get(ANA, SPACE) is snapshot


def test_the_room_to_grow_counts_towards_the_bytes() -> None:
    cache, memories = SnapshotCache(1_000_000), known(100)
    arrays = GrowingArrays(snapshot_of(memories))
    cache.put(SPACE, arrays.latest, arrays)
    assert cache.bytes == size_of(arrays.latest) + derived_size_of(arrays.latest)
    [newest] = known(1)
    snapshot = cache.advance(SPACE, arrays.latest, snapshot_of([newest], version=2), [id_bytes(newest.id) or b""])

    held = sum(array.base.nbytes if array.base is not None else array.nbytes for array in arrays_of(snapshot))

    assert held > 1.2 * size_of(snapshot), "there is room to grow"
    assert cache.bytes == held + derived_size_of(snapshot)


@pytest.mark.parametrize("count", [1, 40, MAX_INDEXED, MAX_INDEXED + 1])
def test_what_a_recall_derives_takes_about_the_bytes_that_count(count: int) -> None:
    fixed = pack_fixed(kind=0, role=2, length=9, weights=(0.5, 1.0), times=(0, 3, 0))
    terms = np.array([(number, 1) for number in range(9)], dtype=TERM).tobytes()
    snapshot = unpack(ANA, 1, b"", 0, [(number.to_bytes(16, "big"), fixed, terms, b"") for number in range(count)], [])
    derived: list[object] = [snapshot.derive(TermIndex), snapshot.derive(PriorEvidence), snapshot.derive(VectorLayout)]
    arrays = [getattr(made, name, None) for made in derived for name in dir(made)]
    held = sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))
    assert 0.8 * held <= derived_size_of(snapshot) <= 1.5 * held


def test_hashes_of_spellings_count_towards_the_bytes() -> None:
    cache = SnapshotCache(1_000_000)
    cache.put(SPACE, snapshot_of(known(3)))
    before = cache.bytes
    index_spellings(cache, 50)
    assert cache.bytes >= before + 50 * HASH_BYTES
    assert has_spellings(cache)
    assert cache.bytes >= before + 50 * HASH_BYTES, "with the new note merged"
    cache.forget(ANA)
    assert cache.bytes == 0


def test_spellings_of_notes_that_are_gone_are_dropped() -> None:
    cache = SnapshotCache(1_000_000)
    cache.put(SPACE, snapshot_of(known(3)))
    index_spellings(cache, MAX_LEFT_OVER)
    assert has_spellings(cache)
    index_spellings(cache, 3 * MAX_LEFT_OVER)
    assert not has_spellings(cache)
    size = cache.bytes
    cache.forget(ANA)
    assert size < 3 * MAX_LEFT_OVER * HASH_BYTES
    assert cache.bytes == 0


def index_spellings(cache: SnapshotCache, count: int) -> None:
    """Add a note, with so many other spellings that no note has."""
    subject = cache.peek(ANA, SPACE)
    assert subject is not None
    spellings = subject.spellings or SpellingIndex(subject.snapshot)
    spellings.add(number.to_bytes(6, "big") for number in range(count))
    [note] = known(1)
    fixed = pack_fixed(kind=0, role=0, length=0, weights=(0.5, 1.0), times=(0, 0, 0))
    row = (id_bytes(note.id), fixed, b"", b"", None)
    cache.add_notes(SPACE, replace(subject, spellings=spellings, profiles=frozenset()), subject.version + 1, [row])


def has_spellings(cache: SnapshotCache) -> bool:
    """Return whether spellings are still there once pending notes are merged."""
    cache.get(ANA, SPACE)
    subject = cache.peek(ANA, SPACE)
    return subject is not None and subject.spellings is not None


def test_one_subjects_texts_take_a_bounded_room_and_the_latest_stay() -> None:
    cache, memories = SnapshotCache(10 * MAX_TEXT_BYTES), known(8, characters=MAX_TEXT_BYTES // 5)
    snapshot = snapshot_of(memories)
    cache.put(SPACE, snapshot)
    for row in memories:
        cache.put_memories(SPACE, snapshot, [row])
        assert kept(cache, snapshot, [row]) == [row]
        assert cache.bytes <= size_of(snapshot) + derived_size_of(snapshot) + MAX_TEXT_BYTES
    huge = known(1, characters=MAX_TEXT_BYTES)
    cache.put_memories(SPACE, snapshot, huge)
    assert kept(cache, snapshot, huge) == []


@given(
    most=st.integers(0, 60_000),
    steps=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(0, 8_000)), max_size=40),
)
def test_all_that_is_kept_stays_within_the_bytes(most: int, steps: list[tuple[int, int, int]]) -> None:
    cache, versions = SnapshotCache(most), dict.fromkeys(range(6), 0)
    for user, count, characters in steps:
        subject = Subject("user", f"u{user}")
        memories = known(count, characters=characters, subject=subject)
        versions[user] += 1
        snapshot = snapshot_of(memories, version=versions[user], subject=subject)
        cache.put(SPACE, snapshot)
        for row in memories:
            cache.put_memories(SPACE, snapshot, [row])
            assert cache.bytes <= most
    found = [cache.get(Subject("user", f"u{user}"), SPACE) for user in range(6)]
    assert sum(size_of(snapshot) for snapshot in found if snapshot is not None) <= cache.bytes
