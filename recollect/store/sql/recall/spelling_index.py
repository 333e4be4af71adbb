"""Hashes of the terms of notes: another spelling of a note has the same terms. Pure."""

from collections.abc import Iterable, Iterator

import numpy as np

from recollect.store.sql.snapshot_codec import TERM
from recollect.types import MemoryKind, SubjectSnapshot

_NOTE = MemoryKind.NOTE.number


class SpellingIndex:
    """The terms of the notes that a subject has, or had: what is missing here is no note's."""

    def __init__(self, snapshot: SubjectSnapshot) -> None:
        """Index the notes of `snapshot`."""
        self._hashes = set(_hashes(snapshot))

    def has_any(self, texts: Iterable[bytes]) -> bool:
        """Return whether a note may have the terms of one of these texts, packed as the store has them."""
        return not self._hashes.isdisjoint(map(hash, texts))

    def add(self, texts: Iterable[bytes]) -> None:
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
