"""Pairs of notes that are near in meaning, found block by block, so that the search can rest, stop and go on. Pure."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toldonce.clock import from_micros, to_micros
from toldonce.types import MemoryKind, SubjectSnapshot, VectorBlocks

# Notes farther apart than this cosine are not compared letter by letter: it is well below what two spellings of one
# sentence have for any embedder.
NEAR = 0.7
# Cosines computed at once: some 10 ms of a memory of 100,000 notes. A server whose users write all the time stops the
# search so often that larger blocks would never be done.
_BLOCK_CELLS = 1_000_000
# Fewer notes at once in a small memory: the pairs of a block are what a stop throws away.
_MAX_BLOCK_ROWS = 256
# Vectors of notes are copied if less than this part of all are: else the others are compared along with them, which
# takes less memory.
_COPIED_SHARE = 2
_NOTE = MemoryKind.NOTE.number
_MILLIS_BYTES = 6
_ALWAYS = datetime.max.replace(tzinfo=UTC)


class NearPair(NamedTuple):
    """Two notes, by their places in the arrays that were searched."""

    older: int
    newer: int
    cosine: float


def _nothing() -> None:
    """Rest for no time."""


class NearPairs:
    """Compares each note with the older ones, in the order in which they were stored."""

    def __init__(
        self, snapshot: SubjectSnapshot, *, since: datetime | None, limit: int, after: bytes | None = None
    ) -> None:
        """Prepare a search.

        Args:
            snapshot: A subject's active memories, with all their vectors.
            since: Notes stored before were compared with one another already; None compares all.
            limit: Maximum number of older notes paired with each note: the nearest.
            after: Id of the last note that was compared already, in place of `since`.
        """
        notes = snapshot.kinds[snapshot.vector_of] == _NOTE if len(snapshot.vectors) else np.zeros(0, dtype=np.bool_)
        rows = np.flatnonzero(notes)
        self._snapshot = snapshot
        self._owners = snapshot.vector_of[rows]
        self._vectors, self._rows = snapshot.vectors, rows
        if len(rows) * _COPIED_SHARE < len(snapshot.vectors):
            self._vectors, self._rows = VectorBlocks.of(snapshot.vectors.take(rows)), np.arange(len(rows))
        self._limit = limit
        self._alive = np.ones(len(rows), dtype=np.bool_)
        first = 0 if since is None else _first_since(snapshot, since)
        if after is not None:
            first = bisect_right(snapshot.ids, after)
        self._next = int(np.searchsorted(self._owners, first))
        self._settled = self._next

    @property
    def done(self) -> bool:
        """Whether all notes were compared."""
        return self._next >= len(self._owners)

    @property
    def compared(self) -> int:
        """Number of comparisons up to here, counted from the oldest note on."""
        return self._next * (self._next - 1) // 2

    @property
    def last(self) -> int | None:
        """Place of the last note that was compared; None: none was."""
        return int(self._owners[self._next - 1]) if self._next else None

    @property
    def reached(self) -> datetime:
        """The time before which all notes were compared and their pairs settled; the end of time once all were."""
        if self._settled >= len(self._owners):
            return _ALWAYS
        millis = int.from_bytes(self._snapshot.ids[self._owners[self._settled]][:_MILLIS_BYTES], "big")
        return from_micros(millis * 1000)

    def settle(self) -> None:
        """Note that all pairs found so far were merged or left."""
        self._settled = self._next

    def drop(self, places: Collection[int]) -> None:
        """Pair these memories no more: they were closed."""
        if places:
            self._alive &= ~np.isin(self._owners, np.fromiter(places, dtype=np.int32, count=len(places)))

    def next_block(self, breathe: Callable[[], None] = _nothing) -> list[NearPair]:
        """Compare the next notes with all older ones; return the pairs that are near, nearest first.

        Args:
            breathe: Called between computations of some milliseconds; it may raise, and then nothing was reached.
        """
        start = self._next
        size = max(1, min(_MAX_BLOCK_ROWS, _BLOCK_CELLS // max(1, len(self._owners))))
        end = min(start + size, len(self._owners))
        cosines = self._cosines(start, end)
        best: dict[tuple[int, int], float] = {}
        for row in range(start, end):
            breathe()
            if not self._alive[row]:
                continue
            newer = int(self._owners[row])
            older = int(np.searchsorted(self._owners, newer))
            column = cosines[row - start, :older]
            for place in _nearest(column, self._alive[:older], self._limit).tolist():
                pair = (int(self._owners[place]), newer)
                best[pair] = max(best.get(pair, -1.0), float(column[place]))
        self._next = end
        pairs = [NearPair(older, newer, cosine) for (older, newer), cosine in best.items()]
        return sorted(pairs, key=lambda pair: (-pair.cosine, pair.older, pair.newer))

    def _cosines(self, start: int, end: int) -> npt.NDArray[np.float32]:
        """Compare notes with all notes before the last of them."""
        if start == end:
            return np.zeros((0, end), dtype=np.float32)
        rows = self._rows[:end]
        cosines = self._vectors.products(self._vectors.take(rows[start:]), int(rows[-1]) + 1)
        return cosines if cosines.shape[1] == end else cosines[:, rows]


def _nearest(column: npt.NDArray[np.float32], alive: npt.NDArray[np.bool_], limit: int) -> npt.NDArray[np.intp]:
    """Return the places of the largest cosines from `NEAR` on, at most `limit`; of equal ones the first."""
    places = np.flatnonzero((column >= NEAR) & alive)
    if len(places) <= limit:
        return places
    cosines = column[places]
    bar = np.partition(cosines, len(cosines) - limit)[len(cosines) - limit]
    above = places[cosines > bar]
    return np.concatenate((above, places[cosines == bar][: limit - len(above)]))


def _first_since(snapshot: SubjectSnapshot, since: datetime) -> int:
    """Return the place of the first memory stored at that time or later: an id begins with its milliseconds."""
    return bisect_left(snapshot.ids, max(0, to_micros(since) // 1000).to_bytes(_MILLIS_BYTES, "big"))
