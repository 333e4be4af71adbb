"""Write memories: new ones many at a time, closed ones that become active again. Works on a connection."""

from collections.abc import Sequence

import numpy as np

from toldonce.clock import to_micros
from toldonce.errors import BadRequestError, StaleSubjectError, VectorSizeError
from toldonce.ids import id_bytes, id_text
from toldonce.store.sql import app_numbers, subjects
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value
from toldonce.store.sql.snapshot_codec import pack_evidence, pack_fixed, pack_terms
from toldonce.types import QUESTION_FLAG, MemoryKind, ReopenMemory, Subject, Vector, WeakenMemory

SQL, UNDO_SQL = load("memory"), load("undo")
# In this order: a memory before the rows that refer to it.
_TABLES = ("add_memory", "add_evidence", "add_tag", "add_hot", "add_vectors")


class VectorPacker:
    """Packs vectors, and checks only once whether a subject is read in their space."""

    def __init__(self, db: SqlConnection, read_in: int | None = None) -> None:
        """Start without known spaces; `read_in` is the space of the subjects, where it is known already."""
        self._db = db
        self._read_in = read_in
        self._taken: dict[tuple[int, str, int], int] = {}

    def pack(self, key: int, space: str, vectors: Sequence[Vector]) -> tuple[int, bytes] | None:
        """Do as `pack_vectors`, but look up each space once."""
        lengths = {len(vector) for vector in vectors}
        number = self._taken.get((key, space, lengths.pop())) if len(lengths) == 1 else None
        if number is not None:
            return number, pack_numbers(vectors)
        packed = pack_vectors(self._db, key, space, vectors, read_in=self._read_in)
        if packed is not None:
            self._taken[key, space, len(vectors[0])] = packed[0]
        return packed


class InsertBatch:
    """The rows of some memories of one subject, until they are written."""

    def __init__(self, db: SqlConnection, key: int, *, read_in: int) -> None:
        """Collect rows of the subject `key`, which is read in the space `read_in`, or in any."""
        self._db = db
        self._key = key
        self._rows: dict[str, list[Row]] = {name: [] for name in _TABLES}
        self._packing = VectorPacker(db, read_in)

    def put(self, statement: str, *values: object) -> None:
        """Add a row of the subject for one of the inserting statements."""
        self._rows[statement].append((self._key, *values))

    def pack(self, space: str, vectors: Sequence[Vector]) -> tuple[int, bytes] | None:
        """Pack the vectors of a memory of the subject: see `pack_vectors`."""
        return self._packing.pack(self._key, space, vectors)

    def flush(self) -> None:
        """Write all collected rows; call it before anything is read or changed."""
        for name, rows in self._rows.items():
            if rows:
                self._db.executemany(SQL[name], rows)
                rows.clear()


def pack_vectors(
    db: SqlConnection, key: int, space: str, vectors: Sequence[Vector], *, read_in: int | None = None
) -> tuple[int, bytes] | None:
    """Pack vectors of a subject's memory for their space, made where it is new; None where there are none.

    `read_in` is the space in which the subject is known to be read, or `ANY_SPACE`; None looks it up.

    Raises:
        BadRequestError: the space has no name.
        SpaceMovedError: the subject is read in another space.
        VectorSizeError: a vector does not fit the space.
    """
    if not vectors:
        return None
    if not space:
        raise BadRequestError("vectors without the name of their space cannot be stored")
    number = subjects.ensure_space(db, space, _one_length(vectors))
    if read_in not in (number, subjects.ANY_SPACE):
        subjects.require_space(db, key, number)
    return number, pack_numbers(vectors)


def pack_numbers(vectors: Sequence[Vector]) -> bytes:
    """Pack vectors one after the other, as the `vector` table has them."""
    joined = vectors[0] if len(vectors) == 1 else np.concatenate(vectors)
    return joined.astype("<f4", copy=False).tobytes()


def reopen(db: SqlConnection, subject: Subject, id_: bytes, change: ReopenMemory, *, salt: bytes, version: int) -> None:
    """Make a closed or held memory active, with the rows that recall reads.

    Raises:
        StaleSubjectError: it is a fact whose slot was filled meanwhile.
    """
    key = subject.key
    row = fetch_one(db, UNDO_SQL["memory_numbers"], key, id_)
    if row is None:
        return
    kind, importance, confidence, valid_from, uses, last_used_at, category, slot, number, _ = row
    if kind == MemoryKind.FACT.number:
        filled = fetch_value(db, SQL["in_slot"], key, category, slot)
        if filled is not None:
            said = f"was filled meanwhile by {id_text(filled)}: read again"
            raise StaleSubjectError(f"the slot {category}/{slot} {said}", logged=f"a slot {said}")
    if number is not None and fetch_value(db, UNDO_SQL["number_taken"], key, number):
        (number,) = app_numbers.take(db, subject, 1)
    db.execute(UNDO_SQL["reopen_memory"], (key, id_, version, number))
    role, sources = packed_evidence(db, key, id_)
    fixed = pack_fixed(
        kind=kind,
        role=role + QUESTION_FLAG * change.asks,
        length=sum(change.terms.values()),
        weights=(importance, confidence),
        times=(valid_from, uses, last_used_at or 0),
    )
    db.execute(SQL["add_hot"], (key, id_, fixed, pack_terms(change.terms, salt), sources))
    db.execute(SQL["drop_retired_vectors"], (key, id_))
    vectors = pack_vectors(db, key, change.space, change.vectors)
    if vectors is not None:
        db.execute(SQL["add_vectors"], (key, vectors[0], id_, vectors[1]))


def packed_evidence(db: SqlConnection, key: int, id_: bytes) -> tuple[int, bytes]:
    """Return whose words a stored memory is, and its packed sources: see `pack_evidence`."""
    rows = fetch(db, SQL["evidence"], key, id_)
    return pack_evidence((role, hash_, id_text(conversation), seq) for conversation, seq, hash_, role, _ in rows)


def weaken(db: SqlConnection, key: int, id_: bytes, change: WeakenMemory, *, version: int) -> None:
    """Remove sources from a memory, and the weight they gave it."""
    without = {(id_bytes(conversation), seq) for conversation, seq in change.without}
    rows = fetch(db, UNDO_SQL["evidence_rows"], key, id_)
    db.execute(UNDO_SQL["drop_evidence"], (key, id_))
    kept = [row for row in rows if (row[1], row[2]) not in without]
    for place, row in enumerate(kept):
        db.execute(SQL["add_evidence"], (key, id_, place, *row))
    db.execute(UNDO_SQL["weaken_memory"], (key, id_, change.importance, to_micros(change.valid_from), version))


def _one_length(vectors: Sequence[Vector]) -> int:
    first = len(vectors[0])
    for vector in vectors:
        if len(vector) != first:
            raise VectorSizeError(got=len(vector), stored=first)
    return first
