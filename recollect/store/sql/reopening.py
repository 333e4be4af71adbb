"""Let a closed or held memory take part in recall, take sources from one. Works on a connection, in a transaction."""

from collections.abc import Sequence

import numpy as np

from recollect.clock import to_micros
from recollect.errors import BadRequestError, StaleSubjectError, VectorSizeError
from recollect.ids import id_bytes, id_text
from recollect.store.sql import numbers, subjects
from recollect.store.sql.database import SqlConnection
from recollect.store.sql.rows import fetch, fetch_one, fetch_value
from recollect.store.sql.snapshot_codec import pack_fixed, pack_sources, pack_terms, role_code
from recollect.store.sql.statements import load
from recollect.types import QUESTION_FLAG, MemoryKind, ReopenMemory, Subject, Vector, WeakenMemory

SQL = load("undo")
MEMORY_SQL = load("memory")


def pack_vectors(db: SqlConnection, key: int, space: str, vectors: Sequence[Vector]) -> tuple[int, bytes] | None:
    """Pack vectors of a subject's memory for their space, made where it is new; None where there are none.

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
    subjects.require_space(db, key, number)
    return number, pack_numbers(vectors)


def pack_numbers(vectors: Sequence[Vector]) -> bytes:
    """Pack vectors one behind the other, as the `vector` table has them."""
    return np.concatenate(vectors).astype("<f4", copy=False).tobytes()


def reopen(db: SqlConnection, subject: Subject, id_: bytes, change: ReopenMemory, *, salt: bytes, version: int) -> None:
    """Make a closed or held memory active, with what recall computes on.

    Raises:
        StaleSubjectError: it is a fact whose slot was filled meanwhile.
    """
    key = subject.key
    row = fetch_one(db, SQL["memory_numbers"], key, id_)
    if row is None:
        return
    kind, importance, confidence, valid_from, uses, last_used_at, category, slot, number, _ = row
    if kind == MemoryKind.FACT.number:
        filled = fetch_value(db, MEMORY_SQL["in_slot"], key, category, slot)
        if filled is not None:
            said = f"was filled meanwhile by {id_text(filled)}: read again"
            raise StaleSubjectError(f"the slot {category}/{slot} {said}", logged=f"a slot {said}")
    if number is not None and fetch_value(db, SQL["number_taken"], key, number):
        (number,) = numbers.take(db, subject, 1)
    db.execute(SQL["reopen_memory"], (key, id_, version, number))
    rows = fetch(db, MEMORY_SQL["evidence"], key, id_)
    fixed = pack_fixed(
        kind=kind,
        role=(role_code(rows[0][3]) if rows else 0) + QUESTION_FLAG * change.asks,
        length=sum(change.terms.values()),
        weights=(importance, confidence),
        times=(valid_from, uses, last_used_at or 0),
    )
    sources = pack_sources((hash_, id_text(conversation), seq) for conversation, seq, hash_, *_ in rows)
    db.execute(MEMORY_SQL["add_hot"], (key, id_, fixed, pack_terms(change.terms, salt), sources))
    vectors = pack_vectors(db, key, change.space, change.vectors)
    if vectors is not None:
        db.execute(MEMORY_SQL["add_vectors"], (key, vectors[0], id_, vectors[1]))


def weaken(db: SqlConnection, key: int, id_: bytes, change: WeakenMemory, *, version: int) -> None:
    """Take sources from a memory, and the weight they gave it."""
    without = {(id_bytes(conversation), seq) for conversation, seq in change.without}
    rows = fetch(db, SQL["evidence_rows"], key, id_)
    db.execute(SQL["drop_evidence"], (key, id_))
    kept = [row for row in rows if (row[1], row[2]) not in without]
    for place, row in enumerate(kept):
        home, conversation, seq, hash_, role, speaker, quote, said_at = row
        values = (key, id_, place, home, conversation, seq, hash_, role, speaker, quote, said_at)
        db.execute(MEMORY_SQL["add_evidence"], values)
    db.execute(SQL["weaken_memory"], (key, id_, change.importance, to_micros(change.valid_from), version))


def _one_length(vectors: Sequence[Vector]) -> int:
    first = len(vectors[0])
    for vector in vectors:
        if len(vector) != first:
            raise VectorSizeError(got=len(vector), stored=first)
    return first
