"""Hashes of the terms of notes: another spelling of a note has the same terms. Pure."""

import builtins
from collections.abc import Iterable, Iterator

import numpy as np

from toldonce.store.sql.snapshot_codec import TERM
from toldonce.types import MemoryKind, SubjectSnapshot

_NOTE = MemoryKind.NOTE.number
# A hash with its place in the set, which has room to grow (measured: 88).
HASH_BYTES = 100
# Hashes of notes that are gone are kept until there are so many more than two for each note, which has one or two.
MAX_LEFT_OVER = 64


class SpellingIndex:
    """The terms of the notes that a subject has, or had: what is missing here is no note's."""

    def __init__(self, snapshot: SubjectSnapshot) -> None:
        self._hashes = set(_hashes(snapshot))

    @property
    def bytes(self) -> int:
        """About how many bytes it takes."""
        return HASH_BYTES * len(self._hashes)

    def is_outgrown(self, snapshot: SubjectSnapshot) -> bool:
        """Return whether most hashes are of notes that `snapshot` no longer has."""
        most = 2 * int(np.count_nonzero(snapshot.kinds == _NOTE)) + MAX_LEFT_OVER
        return len(self._hashes) > most

    def has_any(self, texts: Iterable[builtins.bytes]) -> bool:
        """Return whether a note may have the terms of one of these texts, packed as the store has them."""
        return not self._hashes.isdisjoint(map(hash, texts))

    def add(self, texts: Iterable[builtins.bytes]) -> None:
        """Add further notes by their packed terms."""
        self._hashes.update(map(hash, texts))

    def add_snapshot(self, snapshot: SubjectSnapshot) -> None:
        """Add the notes of a snapshot."""
        self._hashes.update(_hashes(snapshot))


def _hashes(snapshot: SubjectSnapshot) -> Iterator[int]:
    terms = np.empty(len(snapshot.terms), dtype=TERM)
    terms["key"], terms["count"] = snapshot.terms, snapshot.counts
    data, start = terms.tobytes(), (snapshot.term_start * TERM.itemsize).tolist()
    for place in np.flatnonzero(snapshot.kinds == _NOTE).tolist():
        yield hash(data[start[place] : start[place + 1]])
