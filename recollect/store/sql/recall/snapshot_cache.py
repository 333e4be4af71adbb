"""Cache of snapshots and shown memories, valid for one version of a subject, bounded in bytes. Locks."""

import builtins
import sys
import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from recollect.clock import from_micros, to_micros
from recollect.ids import id_bytes, id_text
from recollect.store.sql.recall.growing_arrays import GrowingArrays
from recollect.store.sql.recall.merge import merge
from recollect.store.sql.snapshot_codec import size_of
from recollect.types import NO_DETAIL, Memory, MemoryId, Subject, SubjectSnapshot

# Bytes of texts kept per subject: those of some 700 notes. Larger subjects read some again, which costs little compared
# with ranking so many.
MAX_TEXT_BYTES = 1024 * 1024
# Bytes of a memory and of each of its sources without their longer texts (measured: 960 for one with one source).
_MEMORY_BYTES, _SOURCE_BYTES = 700, 350


class ChangedMemories(NamedTuple):
    """Which of a subject's memories changed."""

    since: int
    """All changes after this version are named."""
    ids: frozenset[bytes]


@dataclass(slots=True)
class _Kept:
    """One subject at one version."""

    hot: SubjectSnapshot
    arrays: GrowingArrays
    """What `hot` has views of."""
    size: int
    """Bytes of `arrays`, with their room to grow."""
    memories: dict[MemoryId, Memory] = field(default_factory=dict)
    text_size: int = 0
    """Bytes of `memories`."""


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
        self._kept: OrderedDict[tuple[int, str], _Kept] = OrderedDict()

    @property
    def bytes(self) -> int:
        """How many bytes all that is kept takes."""
        return self._bytes

    def get(self, subject: Subject, space: str) -> SubjectSnapshot | None:
        """Return the cached snapshot; the caller checks whether its version is current."""
        key = (subject.key, space)
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found.hot

    def changes(self, subject: Subject, space: str) -> int:
        """Return how many memories changed in the cached snapshot since it was read whole."""
        found = self._kept.get((subject.key, space))
        return 0 if found is None else found.arrays.changes

    def put(self, space: str, hot: SubjectSnapshot, arrays: GrowingArrays | None = None) -> None:
        """Cache a snapshot that was read whole, and evict the least recently used ones if it needs room.

        Args:
            space: Name of the vectors' space.
            hot: The snapshot.
            arrays: What it has views of, if they have room to grow.
        """
        self._put(space, hot, arrays or GrowingArrays(hot), None)

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
        known = ChangedMemories(since=base.version, ids=frozenset(changed))
        with self._lock:
            kept = self._kept.get((base.subject.key, space))
        if kept is not None:
            with kept.arrays.lock:
                hot = kept.arrays.advance(base.version, fresh, known.ids)
                if hot is not None:
                    self._put(space, hot, kept.arrays, known)
                    return hot
        merged = merge(base, fresh, known.ids)
        self._put(space, merged, GrowingArrays(merged), known)
        return merged

    def _put(self, space: str, hot: SubjectSnapshot, arrays: GrowingArrays, changed: ChangedMemories | None) -> None:
        size = size_of(hot) + arrays.spare_bytes if self._most_bytes else 1
        key = (hot.subject.key, space)
        with self._lock:
            known = self._kept.get(key)
            if known is not None and known.hot.version >= hot.version:
                return
            self._drop(key)
            if size > self._most_bytes:
                return
            kept = self._kept[key] = _Kept(hot, arrays, size)
            if known is not None and changed is not None and known.hot.version >= changed.since:
                _carry_over(known, kept, changed.ids)
            self._bytes += kept.size + kept.text_size
            self._make_room()

    def memories(self, space: str, hot: SubjectSnapshot, ids: Sequence[MemoryId]) -> dict[MemoryId, Memory]:
        """Return those of the memories that are cached at the version of `hot`."""
        kept = self._kept.get((hot.subject.key, space))
        if kept is None or kept.hot.version != hot.version:
            return {}
        known = kept.memories
        return {memory: known[memory] for memory in ids if memory in known}

    def put_memories(self, space: str, hot: SubjectSnapshot, memories: Sequence[Memory]) -> list[Memory]:
        """Cache memories that were read in the snapshot of `hot`; return them with the uses recorded here."""
        with self._lock:
            kept = self._kept.get((hot.subject.key, space))
            if kept is None or kept.hot.version != hot.version:
                return list(memories)
            if np.count_nonzero(kept.hot.uses):
                memories = [_with_uses(memory, kept.hot) for memory in memories]
            self._add(kept, memories)
            self._make_room()
            return list(memories)

    def forget(self, subject: Subject) -> None:
        """Drop a subject from the cache."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == subject.key]:
                self._drop(key)

    def note_uses(self, subject: Subject, ids: Sequence[MemoryId], at: datetime) -> None:
        """Count a use of each memory in the cached snapshots: uses change no version."""
        with self._lock:
            cached = [(key, kept.arrays) for key, kept in self._kept.items() if key[0] == subject.key]
        for key, arrays in cached:
            with arrays.lock, self._lock:  # in this order, as in `advance`
                kept = self._kept.get(key)
                if kept is None or kept.arrays is not arrays:  # read whole meanwhile; the uses are written soon
                    continue
                uses, last_used_at = _used(arrays.latest, ids, to_micros(at))
                kept.hot = arrays.set_uses(uses, last_used_at)
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


def _place(hot: SubjectSnapshot, id_: bytes | None) -> int | None:
    if id_ is None:
        return None
    place = bisect_left(hot.ids, id_)
    return place if place < len(hot.ids) and hot.ids[place] == id_ else None


def _used(
    hot: SubjectSnapshot, ids: Sequence[MemoryId], at: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the counts and times of use with one more use of some memories."""
    uses, last_used_at = hot.uses.copy(), hot.last_used_at.copy()
    for memory in ids:
        place = _place(hot, id_bytes(memory))
        if place is not None:
            uses[place] += 1
            last_used_at[place] = max(last_used_at[place], at)
    return uses, last_used_at


def _with_uses(memory: Memory, hot: SubjectSnapshot) -> Memory:
    """Add the uses that `hot` counts but the memory's row does not yet, as they are written later."""
    place = _place(hot, id_bytes(memory.id))
    if place is None or hot.uses[place] <= memory.uses:
        return memory
    return replace(memory, uses=int(hot.uses[place]), last_used_at=from_micros(int(hot.last_used_at[place])))
