"""The arrays of one cached subject, with room to grow: a write costs what it writes, not what the subject has. Locks.

A snapshot has views of the arrays, as long as the subject was when it was read. New memories come after the end of all
views, so that older snapshots never see them. Whatever would change a row that a snapshot may have is written into a
copy. The vectors, which are nearly all of the bytes, are kept in blocks: only the last one grows, and if a vector goes
or gets another place, only its block is copied.
"""

import threading
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from toldonce.store.sql.recall.merge import merged_arrays
from toldonce.store.sql.snapshot_codec import Array, arrays_of, with_arrays
from toldonce.types import SubjectSnapshot, VectorBlocks, Vectors, max_block_rows

# Room left when an array is copied: half of a small one, an eighth of a large one, whose unused end takes no memory
# until it is written.
_SMALL_BYTES, _SMALL_SHARE, _LARGE_SHARE, _MIN_ROOM = 1 << 20, 2, 8, 16

_NO_LIMIT = 2**63

# Room beyond what a subject of so many memories has.
_SPARE = 1.1


class _Column:
    """An array and how much of it is in use."""

    __slots__ = ("_array", "_used")

    def __init__(self, array: Array) -> None:
        self._array = array
        self._used = len(array)

    @property
    def view(self) -> Array:
        """All rows in use."""
        return self._array[: self._used]

    @property
    def spare_bytes(self) -> int:
        """Bytes of the rows that are not in use."""
        return self._array.nbytes - self.view.nbytes

    def reserve(self, rows: int) -> None:
        """Make room for so many rows."""
        if rows > len(self._array):
            grown = np.empty((rows, *self._array.shape[1:]), dtype=self._array.dtype)
            grown[: self._used] = self.view
            self._array = grown

    def append(self, rows: Array, max_rows: int = _NO_LIMIT) -> None:
        """Write rows after the last one, in place if there is room; make room for no more than `max_rows`."""
        if not len(rows):  # the array may be of bytes that cannot be written
            return
        used = self._used + len(rows)
        if used > len(self._array):
            share = _SMALL_SHARE if self._array.nbytes < _SMALL_BYTES else _LARGE_SHARE
            self.reserve(min(max_rows, used + used // share + _MIN_ROOM))
        self._array[self._used : used] = rows
        self._used = used


class _GrowingBlocks:
    """Blocks of vectors, of which the last one has room to grow."""

    __slots__ = ("_dim", "_expected", "_full", "_last", "_max_rows")

    def __init__(self, vectors: VectorBlocks) -> None:
        self._dim = vectors.dim
        self._expected = 0
        self._max_rows = max_block_rows(vectors.dim)
        self._full = list(vectors.blocks)
        self._last: _Column | None = None

    @property
    def view(self) -> VectorBlocks:
        """All rows in use."""
        last = () if self._last is None else (self._last.view,)
        return VectorBlocks((*self._full, *last), self._dim)

    @property
    def spare_bytes(self) -> int:
        """Bytes of the rows that are not in use."""
        return 0 if self._last is None else self._last.spare_bytes

    def expect(self, rows: int) -> None:
        """Give each further block the room that so many rows in all need of it."""
        self._expected = rows

    def append(self, rows: Vectors) -> None:
        """Write rows after the last one, into a copy of the last block where it has no room."""
        while len(rows):
            if self._last is None:
                self._last = _Column(self._full.pop() if self._has_room() else np.empty((0, self._dim), np.float32))
                self._last.reserve(min(self._max_rows, self._expected - sum(map(len, self._full))))
            room = max(0, self._max_rows - len(self._last.view))
            self._last.append(rows[:room], self._max_rows)
            rows = rows[room:]
            if len(rows):
                self._full.append(self._last.view)
                self._last = None

    def _has_room(self) -> bool:
        return bool(self._full) and len(self._full[-1]) < self._max_rows

    def rearrange(self, old: VectorBlocks, fresh: Vectors, places: Array) -> None:
        """Keep the rows at `places` among the old ones followed by `fresh`."""
        vectors = old.rearranged(fresh, places)
        is_last_kept = self._last is not None and bool(vectors.blocks) and vectors.blocks[-1] is old.blocks[-1]
        self._full = list(vectors.blocks[:-1] if is_last_kept else vectors.blocks)
        if not is_last_kept:
            self._last = None


class GrowingArrays:
    """The arrays of one subject in one space, at one version."""

    def __init__(self, snapshot: SubjectSnapshot) -> None:
        self.lock = threading.RLock()
        """Held while the arrays and what is cached of them change."""
        self.changes = 0
        """How many memories changed since the subject was read whole."""
        self._is_sound = True
        self._latest = snapshot
        self._own: dict[str, _Column] = {}
        self._vectors = _GrowingBlocks(snapshot.vectors)

    @property
    def _columns(self) -> dict[str, _Column]:
        """The other arrays by their names; many subjects are read once and never change."""
        if not self._own:
            self._own = {name: _Column(array) for name, array in arrays_of(self._latest).items()}
        return self._own

    @property
    def spare_bytes(self) -> int:
        """Bytes of the room to grow."""
        return self._vectors.spare_bytes + sum(column.spare_bytes for column in self._own.values())

    @property
    def latest(self) -> SubjectSnapshot:
        """The newest snapshot of these arrays."""
        return self._latest

    def advance(self, version: int, fresh: SubjectSnapshot, changed: Collection[bytes]) -> SubjectSnapshot | None:
        """Bring the arrays forward; return a snapshot of them, or None if they are not at `version` any more.

        Args:
            version: The version that the changes follow.
            fresh: The changed memories that are active, at the version they have now.
            changed: Ids of all memories that changed, were added, closed or erased.
        """
        with self.lock:
            old = self._latest
            if old.version != version or not self._is_sound:
                return None
            self._is_sound = False  # until all of it is done: an array may not find the memory to grow
            is_added = 0 < len(changed) == len(fresh) and (not len(old) or old.ids[-1] < fresh.ids[0])
            if is_added:
                self._append(fresh)
                self._vectors.append(np.asarray(fresh.vectors))
            elif changed:
                self._replace(old, fresh, changed)
            self.changes += len(changed)
            self._latest = self._snapshot(fresh, sampled=old.sampled_vectors is not None)
            self._is_sound = True
            return self._latest

    def reserve(self, memories: int) -> None:
        """Make room for so many memories in all, if they are like those that are here."""
        times = _SPARE * memories / max(1, len(self._latest))
        for column in self._columns.values():
            column.reserve(int(times * len(column.view)))
        self._vectors.expect(int(times * len(self._latest.vectors)))

    def extend(self, part: SubjectSnapshot) -> None:
        """Add the next memories of a subject that is being read in portions."""
        with self.lock:
            self._append(part)
            for rows in part.vectors.blocks:
                self._vectors.append(rows)
            self._latest = self._snapshot(part, sampled=False)

    def set_uses(self, uses: npt.NDArray[np.int32], last_used_at: npt.NDArray[np.int64]) -> SubjectSnapshot:
        """Replace the counts of uses; older snapshots keep theirs."""
        with self.lock:
            self._columns["uses"], self._columns["last_used_at"] = _Column(uses), _Column(last_used_at)
            self._latest = replace(self._latest, uses=uses, last_used_at=last_used_at)
            return self._latest

    def _append(self, fresh: SubjectSnapshot) -> None:
        old = self._latest
        shifted = arrays_of(fresh)
        shifted["vector_of"] = fresh.vector_of + np.int32(len(old))
        shifted["term_start"] = fresh.term_start[1:] + len(old.terms)
        shifted["source_start"] = fresh.source_start[1:] + len(old.source_hash)
        for name, column in self._columns.items():
            column.append(shifted[name])

    def _replace(self, old: SubjectSnapshot, fresh: SubjectSnapshot, changed: Collection[bytes]) -> None:
        arrays, places = merged_arrays(old, fresh, changed)
        kept, vectors = len(old.vectors), np.asarray(fresh.vectors)
        if np.array_equal(places[:kept], np.arange(kept)):
            self._vectors.append(vectors[places[kept:] - kept])
        else:
            self._vectors.rearrange(old.vectors, vectors, places)
        self._own = {name: _Column(array) for name, array in arrays.items()}

    def _snapshot(self, fresh: SubjectSnapshot, *, sampled: bool) -> SubjectSnapshot:
        """Return views of all arrays, with version and marks of `fresh`."""
        arrays = {name: column.view for name, column in self._columns.items()}
        return with_arrays(fresh, arrays, self._vectors.view, sampled=sampled)
