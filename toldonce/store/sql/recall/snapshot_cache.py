"""Cache of snapshots and shown memories, valid for one version of a subject, bounded in bytes. Locks."""

import builtins
import sys
import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

import numpy as np

from toldonce.clock import to_micros
from toldonce.freed_memory import return_freed_memory
from toldonce.ids import id_text
from toldonce.store.sql.database import Row
from toldonce.store.sql.recall.growing_arrays import GrowingArrays
from toldonce.store.sql.recall.merge import memory_with_uses, merge, with_known_uses, with_one_use
from toldonce.store.sql.recall.read_locks import ReadLocks
from toldonce.store.sql.recall.spelling_index import SpellingIndex
from toldonce.store.sql.snapshot_codec import FLOAT_BYTES, derived_size_of, size_of, unpack
from toldonce.types import NO_DETAIL, Memory, MemoryId, Subject, SubjectSnapshot

# Bytes of texts kept per subject: those of some 700 notes. Larger subjects read some again, which costs little compared
# with ranking so many.
MAX_TEXT_BYTES = 1024 * 1024
# Bytes of a memory and of each of its sources without their longer texts (measured: 960 for one with one source).
_MEMORY_BYTES, _SOURCE_BYTES = 700, 350
# Subjects with more memories are read in a thread, and change megabytes.
_MAX_SMALL = 5_000
# New notes that wait until a read merges them, or until there are so many.
MAX_PENDING = 64
# A smaller subject is read whole after as many changes as it has memories, and at least so many: that takes a
# millisecond, and brings the uses that other processes counted.
REREAD_SIZE, REREAD_CHANGES = 256, 64


class ChangedMemories(NamedTuple):
    """Which of a subject's memories changed."""

    since: int
    """All changes after this version are named."""
    ids: frozenset[bytes]


@dataclass(frozen=True, slots=True)
class CachedSubject:
    """A subject as it was when it was last read or written here; a write must check the version."""

    snapshot: SubjectSnapshot
    """Its memories but for the pending ones."""
    version: int
    count: int
    """Number of memories, with the pending ones."""
    profiles: frozenset[str] | None = None
    """The profiles that formed its notes and facts; None if they are unknown."""
    spellings: SpellingIndex | None = None
    """Of all its notes; None if it was not made yet, and no note is pending."""

    @classmethod
    def of(cls, snapshot: SubjectSnapshot) -> "CachedSubject":
        """Return a subject that was just read."""
        return cls(snapshot, snapshot.version, len(snapshot))


@dataclass(slots=True)
class _Pending:
    """Notes that were written here since the arrays were brought forward."""

    version: int
    """Version with all of them."""
    rows: list[Row] = field(default_factory=list)
    """As the statement `changes` returns them."""


@dataclass(slots=True)
class _Kept:
    """One subject at one version."""

    snapshot: SubjectSnapshot
    arrays: GrowingArrays
    """What `snapshot` has views of."""
    size: int
    """Bytes of `arrays` with their room to grow, what is derived of them, and `spellings`."""
    memories: dict[MemoryId, Memory] = field(default_factory=dict)
    text_size: int = 0
    """Bytes of `memories`."""
    pending: _Pending | None = None
    is_stale: bool = False
    """Whether it is known to be out of date."""
    profiles: frozenset[str] | None = None
    """The profiles that formed the notes and facts; None if they are unknown."""
    spellings: SpellingIndex | None = None
    spelling_size: int = 0
    """Bytes of `spellings` within `size`."""

    @property
    def version(self) -> int:
        """Version with the pending notes."""
        return self.snapshot.version if self.pending is None else self.pending.version


class SnapshotCache:
    """The most recently read subjects, with the memories shown of them. Safe to use from several threads.

    Uses change no version: those recorded here count at once, those of other processes when the memory changes, or the
    subject is read whole.
    """

    def __init__(self, most_bytes: int) -> None:
        """Keep up to `most_bytes`; 0 keeps nothing."""
        self._most_bytes = most_bytes
        self._bytes = 0
        self._lock = threading.Lock()
        self._reads = ReadLocks()
        self._kept: OrderedDict[tuple[int, str], _Kept] = OrderedDict()

    @property
    def bytes(self) -> int:
        """How many bytes all that is kept takes."""
        return self._bytes

    def reading(self, subject: Subject, space: str) -> AbstractContextManager[None]:
        """Let one thread at a time read a subject whole; the next one looks at the cache again."""
        return self._reads.held((subject.key, space)) if self._most_bytes else nullcontext()

    def get(self, subject: Subject, space: str) -> SubjectSnapshot | None:
        """Return the cached snapshot; the caller checks whether its version is current."""
        key = (subject.key, space)
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            if found.pending is None:
                return found.snapshot
        return self._merge_pending(key, found)

    def peek(self, subject: Subject, space: str) -> CachedSubject | None:
        """Return what is cached without merging pending notes; None if there is nothing, or it is out of date."""
        key = (subject.key, space)
        with self._lock:
            found = self._kept.get(key)
            if found is None or found.is_stale:
                return None
            self._kept.move_to_end(key)
            count = len(found.snapshot) + (len(found.pending.rows) if found.pending else 0)
            return CachedSubject(found.snapshot, found.version, count, found.profiles, found.spellings)

    def add_notes(self, space: str, known: CachedSubject, version: int, rows: Sequence[Row]) -> None:
        """Add notes that were just written, unless the subject has changed since it was cached.

        Args:
            space: Name of the space of their vectors.
            known: The subject before, with the profiles and spellings that it has with them.
            version: Version with them.
            rows: Id, numbers, terms, sources and vectors of each.
        """
        key = (known.snapshot.subject.key, space)
        with self._lock:
            found = self._kept.get(key)
        if found is None:
            return
        with found.arrays.lock, self._lock:  # in this order, as in `advance`
            if self._kept.get(key) is not found or found.version != known.version:
                return
            if version != known.version + 1 or not _takes_pending(found, rows):
                found.is_stale = True
                return
            found.profiles, found.spellings = known.profiles, known.spellings
            waiting = found.pending = found.pending or _Pending(version)
            waiting.version = version
            waiting.rows += rows
            spelling_size = known.spellings.bytes if known.spellings else 0
            size = sum(len(value) for row in rows for value in row if value is not None)
            size += spelling_size - found.spelling_size
            found.spelling_size = spelling_size
            found.size += size
            self._bytes += size
            self._make_room()
        if len(waiting.rows) >= MAX_PENDING:
            self._merge_pending(key, found)

    def _merge_pending(self, key: tuple[int, str], kept: _Kept) -> SubjectSnapshot:
        with kept.arrays.lock:
            with self._lock:
                current = self._kept.get(key, kept)
                waiting = kept.pending
            if waiting is None or current is not kept:  # another thread has merged them, or read all again
                return current.snapshot
            snapshot, rows = kept.snapshot, sorted(waiting.rows)
            fresh = unpack(snapshot.subject, waiting.version, snapshot.salt, snapshot.vectors.shape[1], rows, None)
            if snapshot.has_legacy_terms:
                fresh = replace(fresh, has_legacy_terms=True)
            merged = self._advanced(
                key[1], snapshot, fresh, ChangedMemories(snapshot.version, frozenset(row[0] for row in rows))
            )
            with self._lock:
                now = self._kept.get(key)
                if now is not None and now.version == merged.version:
                    now.profiles = kept.profiles
        _return_freed_memory(merged)  # takes milliseconds: not under the lock
        return merged

    def changes(self, subject: Subject, space: str) -> int:
        """Return how many memories changed in the cached snapshot since it was read whole."""
        found = self._kept.get((subject.key, space))
        return 0 if found is None else found.arrays.changes

    def put(self, space: str, snapshot: SubjectSnapshot, arrays: GrowingArrays | None = None) -> SubjectSnapshot:
        """Cache and return a snapshot that was read whole; evict the least recently used ones if it needs room.

        Args:
            space: Name of the vectors' space.
            snapshot: The snapshot.
            arrays: What it has views of, if they have room to grow.
        """
        with self._lock:
            known = self._kept.get((snapshot.subject.key, space))
        if known is not None:
            read, snapshot = snapshot, with_known_uses(snapshot, known.snapshot)
            if arrays is not None and snapshot is not read:
                snapshot = arrays.set_uses(snapshot.uses, snapshot.last_used_at)
        self._put(space, snapshot, arrays or GrowingArrays(snapshot), None)
        _return_freed_memory(snapshot)
        return snapshot

    def advance(
        self, space: str, base: SubjectSnapshot, fresh: SubjectSnapshot, changed: Collection[builtins.bytes]
    ) -> SubjectSnapshot:
        """Bring a cached snapshot forward by what changed; return it as it is now.

        The cached arrays grow in place unless another thread has brought them forward already.

        Args:
            space: Name of the vectors' space.
            base: A snapshot that was cached.
            fresh: The changed memories that are active, at the version they have now.
            changed: Ids of all memories that changed since `base`.
        """
        snapshot = self._advanced(space, base, fresh, ChangedMemories(since=base.version, ids=frozenset(changed)))
        _return_freed_memory(snapshot)
        return snapshot

    def _advanced(
        self, space: str, base: SubjectSnapshot, fresh: SubjectSnapshot, known: ChangedMemories
    ) -> SubjectSnapshot:
        with self._lock:
            kept = self._kept.get((base.subject.key, space))
        if kept is not None:
            with kept.arrays.lock:
                fresh = with_known_uses(fresh, kept.arrays.latest)
                snapshot = kept.arrays.advance(base.version, fresh, known.ids)
                if snapshot is not None:
                    if kept.spellings is not None:
                        kept.spellings.add_snapshot(fresh)
                    self._put(space, snapshot, kept.arrays, known)
                    return snapshot
        merged = merge(base, with_known_uses(fresh, base), known.ids)
        self._put(space, merged, GrowingArrays(merged), known)
        return merged

    def _put(
        self, space: str, snapshot: SubjectSnapshot, arrays: GrowingArrays, changed: ChangedMemories | None
    ) -> None:
        size = size_of(snapshot) + derived_size_of(snapshot) + arrays.spare_bytes if self._most_bytes else 1
        key = (snapshot.subject.key, space)
        with self._lock:
            known = self._kept.get(key)
            if known is not None and known.snapshot.version >= snapshot.version:
                return
            self._drop(key)
            if size > self._most_bytes:
                return
            kept = self._kept[key] = _Kept(snapshot, arrays, size)
            if known is not None and changed is not None and known.snapshot.version >= changed.since:
                _carry_over(known, kept, changed.ids)
            spellings = known.spellings if known is not None and known.arrays is arrays else None
            if (
                spellings is not None
                and not spellings.is_outgrown(snapshot)
                and size + spellings.bytes <= self._most_bytes
            ):
                kept.spellings, kept.spelling_size = spellings, spellings.bytes
                kept.size += kept.spelling_size
            self._bytes += kept.size + kept.text_size
            self._make_room()

    def memories(self, space: str, snapshot: SubjectSnapshot, ids: Sequence[MemoryId]) -> dict[MemoryId, Memory]:
        """Return those of the memories that are cached at the version of `snapshot`."""
        kept = self._kept.get((snapshot.subject.key, space))
        if kept is None or kept.snapshot.version != snapshot.version:
            return {}
        known = kept.memories
        return {memory: known[memory] for memory in ids if memory in known}

    def put_memories(self, space: str, snapshot: SubjectSnapshot, memories: Sequence[Memory]) -> list[Memory]:
        """Cache memories that were read at the version of `snapshot`; return them with the uses recorded here."""
        with self._lock:
            kept = self._kept.get((snapshot.subject.key, space))
            if kept is None or kept.snapshot.version != snapshot.version:
                return list(memories)
            if np.count_nonzero(kept.snapshot.uses):
                memories = [memory_with_uses(memory, kept.snapshot) for memory in memories]
            self._add(kept, memories)
            self._make_room()
            return list(memories)

    def versions(self) -> dict[Subject, int]:
        """Return the cached subjects, each with the oldest version that is cached of it."""
        found: dict[Subject, int] = {}
        with self._lock:
            for kept in self._kept.values():
                subject = kept.snapshot.subject
                found[subject] = min(kept.snapshot.version, found.get(subject, kept.snapshot.version))
        return found

    def forget(self, subject: Subject) -> None:
        """Drop a subject from the cache."""
        number = subject.key
        with self._lock:
            for key in [key for key in self._kept if key[0] == number]:
                self._drop(key)

    def note_uses(self, subject: Subject, ids: Sequence[MemoryId], at: datetime) -> None:
        """Count a use of each memory in the cached snapshots: uses change no version."""
        number = subject.key
        with self._lock:
            cached = [(key, kept.arrays) for key, kept in self._kept.items() if key[0] == number]
        for key, arrays in cached:
            with arrays.lock, self._lock:  # in this order, as in `advance`
                kept = self._kept.get(key)
                if kept is None or kept.arrays is not arrays:  # read whole meanwhile; the uses are written soon
                    continue
                uses, last_used_at = with_one_use(arrays.latest, ids, to_micros(at))
                kept.snapshot = arrays.set_uses(uses, last_used_at)
                for memory in ids:
                    if (known := kept.memories.get(memory)) is not None:
                        last = max(known.last_used_at or at, at)
                        kept.memories[memory] = replace(known, uses=known.uses + 1, last_used_at=last)

    def _add(self, kept: _Kept, memories: Sequence[Memory]) -> None:
        sizes = {memory.id: _size_of(memory) for memory in memories if memory.id not in kept.memories}
        adding = sum(sizes.values())
        if adding > MAX_TEXT_BYTES or kept.size + adding > self._most_bytes:
            return
        if kept.text_size + adding > min(MAX_TEXT_BYTES, self._most_bytes - kept.size):
            self._bytes -= kept.text_size
            kept.memories, kept.text_size = {}, 0
        kept.memories.update((memory.id, memory) for memory in memories if memory.id in sizes)
        kept.text_size += adding
        self._bytes += adding

    def _make_room(self) -> None:
        while self._bytes > self._most_bytes:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[int, str]) -> None:
        gone = self._kept.pop(key, None)
        if gone is not None:
            self._bytes -= gone.size + gone.text_size


def _takes_pending(kept: _Kept, rows: Sequence[Row]) -> bool:
    """Return whether new notes can be merged into cached arrays later, without a read."""
    snapshot, waiting = kept.snapshot, len(kept.pending.rows) if kept.pending else 0
    count = len(snapshot) + waiting
    is_due = count < REREAD_SIZE and kept.arrays.changes + waiting >= max(REREAD_CHANGES, count)
    size = FLOAT_BYTES * snapshot.vectors.shape[1]
    return (
        snapshot.sampled_vectors is None and not is_due and all(row[-1] is None or len(row[-1]) == size for row in rows)
    )


def _return_freed_memory(snapshot: SubjectSnapshot) -> None:
    """Return what reading or changing a large subject left; that is done in a thread."""
    if len(snapshot) > _MAX_SMALL:
        return_freed_memory()


def _size_of(memory: Memory) -> int:
    texts = [memory.text, memory.value, *(source.quote for source in memory.evidence)]
    if memory.detail is not NO_DETAIL:
        known = memory.detail
        texts += [known.summary, known.source_uri, known.source_context, *known.tags]
    return _MEMORY_BYTES + _SOURCE_BYTES * len(memory.evidence) + sum(map(sys.getsizeof, texts))


def _carry_over(known: _Kept, kept: _Kept, changed: frozenset[bytes]) -> None:
    """Keep the memories that did not change. They are copied, as others may be reading the old ones."""
    memories = known.memories.copy()
    gone = [memories.pop(MemoryId(id_text(id_)), None) for id_ in changed]
    kept.memories = memories
    kept.text_size = known.text_size - sum(_size_of(memory) for memory in gone if memory is not None)
