"""The arrays of one cached subject, with room to grow: a write costs what it writes, not what the subject has. Locks.

A snapshot has views of the arrays, as long as the subject was when it was read. New memories come after the end of all
views, so that older snapshots never see them. Whatever would change a row that a snapshot may have is written into a
copy; the vectors, which are nearly all of the bytes, are copied only if one of them goes or gets another place.
"""

import threading
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from recollect.store.sql.recall.merge import copy_runs, merged_places, merged_rows, vector_rows
from recollect.types import IdColumn, SubjectSnapshot

# Room left when an array is copied: half of a small one, an eighth of a large one, whose unused end takes no memory
# until it is written.
_SMALL_BYTES, _SMALL_SHARE, _LARGE_SHARE, _MIN_ROOM = 1 << 20, 2, 8, 16

# Room beyond what a subject of so many memories has.
_SPARE = 1.1

Array = npt.NDArray[Any]


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

    def append(self, rows: Array) -> None:
        """Write rows after the last one, in place if there is room."""
        if not len(rows):  # the array may be of bytes that cannot be written
            return
        used = self._used + len(rows)
        if used > len(self._array):
            share = _SMALL_SHARE if self._array.nbytes < _SMALL_BYTES else _LARGE_SHARE
            self.reserve(used + used // share + _MIN_ROOM)
        self._array[self._used : used] = rows
        self._used = used


class GrowingArrays:
    """The arrays of one subject in one space, at one version."""

    def __init__(self, snapshot: SubjectSnapshot) -> None:
        """Take over the arrays of a snapshot."""
        self.lock = threading.RLock()
        """Held while the arrays and what is cached of them change."""
        self.changes = 0
        """How many memories changed since the subject was read whole."""
        self._is_sound = True
        self._latest = snapshot
        self._own: dict[str, _Column] = {}

    @property
    def _columns(self) -> dict[str, _Column]:
        """The arrays by their names; many subjects are read once and never change."""
        if not self._own:
            self._own = {name: _Column(array) for name, array in _arrays_of(self._latest).items()}
        return self._own

    @property
    def spare_bytes(self) -> int:
        """Bytes of the room to grow."""
        return sum(column.spare_bytes for column in self._own.values())

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

    def extend(self, part: SubjectSnapshot) -> None:
        """Add the next memories of a subject that is being read in portions."""
        with self.lock:
            self._append(part)
            self._latest = self._snapshot(part, sampled=False)

    def set_uses(self, uses: npt.NDArray[np.int32], last_used_at: npt.NDArray[np.int64]) -> SubjectSnapshot:
        """Replace the counts of uses; older snapshots keep theirs."""
        with self.lock:
            self._columns["uses"], self._columns["last_used_at"] = _Column(uses), _Column(last_used_at)
            self._latest = replace(self._latest, uses=uses, last_used_at=last_used_at)
            return self._latest

    def _append(self, fresh: SubjectSnapshot) -> None:
        old = self._latest
        shifted = _arrays_of(fresh)
        shifted["vector_of"] = fresh.vector_of + np.int32(len(old))
        shifted["term_start"] = fresh.term_start[1:] + len(old.terms)
        shifted["source_start"] = fresh.source_start[1:] + len(old.source_hash)
        for name, column in self._columns.items():
            column.append(shifted[name])

    def _replace(self, old: SubjectSnapshot, fresh: SubjectSnapshot, changed: Collection[bytes]) -> None:
        order = merged_places(old, fresh, changed)
        rows = vector_rows(old, fresh, order)
        columns = {name: _Column(array) for name, array in merged_rows(old, fresh, order).items()}
        columns["vector_of"] = _Column(rows.owners)
        kept = len(old.vectors)
        if np.array_equal(rows.places[:kept], np.arange(kept)):
            columns["vectors"] = self._columns["vectors"]
            columns["vectors"].append(fresh.vectors[rows.places[kept:] - kept])
        else:
            columns["vectors"] = _Column(copy_runs(old.vectors, fresh.vectors, rows.places))
        self._own = columns

    def _snapshot(self, fresh: SubjectSnapshot, *, sampled: bool) -> SubjectSnapshot:
        """Return views of all arrays, with version and marks of `fresh`."""
        column = self._columns
        return replace(
            fresh,
            ids=IdColumn(column["ids"].view),
            kinds=column["kinds"].view,
            importance=column["importance"].view,
            confidence=column["confidence"].view,
            valid_from=column["valid_from"].view,
            last_used_at=column["last_used_at"].view,
            uses=column["uses"].view,
            roles=column["roles"].view,
            length=column["length"].view,
            vectors=column["vectors"].view,
            vector_of=column["vector_of"].view,
            terms=column["terms"].view,
            counts=column["counts"].view,
            term_start=column["term_start"].view,
            source_hash=column["source_hash"].view,
            source_key=column["source_key"].view,
            source_start=column["source_start"].view,
            sampled_vectors=len(column["vector_of"].view) if sampled else None,
        )


def _arrays_of(snapshot: SubjectSnapshot) -> dict[str, Array]:
    return {
        "ids": IdColumn.of(snapshot.ids).array,
        "kinds": snapshot.kinds,
        "importance": snapshot.importance,
        "confidence": snapshot.confidence,
        "valid_from": snapshot.valid_from,
        "last_used_at": snapshot.last_used_at,
        "uses": snapshot.uses,
        "roles": snapshot.roles,
        "length": snapshot.length,
        "vectors": snapshot.vectors,
        "vector_of": snapshot.vector_of,
        "terms": snapshot.terms,
        "counts": snapshot.counts,
        "term_start": snapshot.term_start,
        "source_hash": snapshot.source_hash,
        "source_key": snapshot.source_key,
        "source_start": snapshot.source_start,
    }
