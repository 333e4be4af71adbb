"""Write new notes with no look at other memories, or a short one: a few statements for all. Works on a connection."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from toldonce.clock import to_micros
from toldonce.errors import StaleSubjectError
from toldonce.store.sql import subjects
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.recall.snapshot import read_state
from toldonce.store.sql.rows import fetch, fetch_one, write_memory
from toldonce.store.sql.snapshot_codec import FLOAT_BYTES, kind_number, pack_fixed
from toldonce.text import TERM_SCHEME
from toldonce.types import Action, MemoryKind, NoteBatch, Subject

SQL, SUBJECT_SQL, PROFILE_SQL = load("memory"), load("subject"), load("tend")
_NOTE = MemoryKind.NOTE.number
_ADDED = Action.ADD.value
# Memories whose terms are compared within a write, which others wait for: a third of a millisecond.
MAX_COMPARED = 500


@dataclass(frozen=True, slots=True)
class WrittenNotes:
    """What a transaction wrote."""

    version: int
    """The subject's version by now."""
    rows: Sequence[Row]
    """As the statement `changes` returns them: id, numbers, terms, sources and vectors."""


@dataclass(frozen=True, slots=True)
class NotesCheck:
    """What a subject must not have if notes are added before its memories were read."""

    terms: Set[bytes]
    """Packed terms of the notes, in other spellings, too: a note that has them may say the same."""
    has_room: Callable[[int, frozenset[str]], bool]
    """Return whether there is room for so many memories, formed under these profiles. Pure."""


def add_notes_unread(db: SqlConnection, subject: Subject, batch: NoteBatch, *, check: NotesCheck) -> bool:
    """Write notes of a small subject that has nothing like them; return False, and write nothing, for another one.

    Raises:
        SpaceMovedError: The subject is read in another space.
        VectorSizeError: The vectors do not fit their space.
    """
    row, version = fetch_one(db, SUBJECT_SQL["snapshot_state"], subject.key, batch.space, TERM_SCHEME), 0
    if row is not None:
        state = read_state(db, subject, batch.space, row)
        if state.has_legacy_terms:
            return False
        version = state.version
    rows = fetch(db, SQL["some_terms"], subject.key, MAX_COMPARED + 1)
    if len(rows) > MAX_COMPARED:
        return False
    if any(terms in check.terms and kind_number(fixed) == _NOTE for fixed, terms in rows):
        return False
    profiles = frozenset(name for (name,) in fetch(db, PROFILE_SQL["profiles_of"], subject.key))
    if not check.has_room(len(rows) + len(batch.memories), profiles):
        return False
    add_notes(db, subject, batch, subject_version=version)
    return True


def add_notes(db: SqlConnection, subject: Subject, batch: NoteBatch, *, subject_version: int) -> WrittenNotes:
    """Write notes of a subject that is at `subject_version`, with a decision for each.

    Raises:
        StaleSubjectError: The subject is at another version, or is read in another space; nothing may be kept.
        VectorSizeError: The vectors do not fit their space.
    """
    moved = subjects.move(db, subject)
    if moved.found != subject_version:
        raise StaleSubjectError(
            f"the memories changed meanwhile (version {subject_version} was read, it is {moved.found} now)"
        )
    key, at = subject.key, to_micros(batch.at)
    memories, ids = batch.memories, [bytes.fromhex(memory.id.replace("-", "")) for memory in batch.memories]
    db.executemany(
        SQL["add_memory"],
        [(key, id_, *write_memory(memory, changed=moved.version)) for id_, memory in zip(ids, memories, strict=True)],
    )
    fixed = [
        pack_fixed(kind=_NOTE, role=0, length=length, weights=(memory.importance, memory.confidence), times=(at, 0, 0))
        for memory, length in zip(memories, batch.lengths, strict=True)
    ]
    columns = list(zip(ids, fixed, batch.terms, repeat(b""), strict=False))
    db.executemany(SQL["add_hot"], [(key, *column) for column in columns])
    vectors = _packed(batch)
    placed = [(id_, data) for id_, data in zip(ids, vectors, strict=True) if data is not None]
    if placed:
        space = _space(db, key, batch, moved)
        db.executemany(SQL["add_vectors"], [(key, space, id_, data) for id_, data in placed])
    db.executemany(
        SQL["add_decision"],
        [
            (key, at, decision, _ADDED, id_, None, reason, memory.text, memory.profile, None, None)
            for decision, id_, reason, memory in zip(batch.decisions, ids, batch.reasons, memories, strict=True)
        ],
    )
    return WrittenNotes(moved.version, [(*column, data) for column, data in zip(columns, vectors, strict=True)])


def _packed(batch: NoteBatch) -> list[bytes | None]:
    """Return the numbers of each memory's vector; None where the text had no content to embed."""
    vectors = np.ascontiguousarray(batch.vectors, dtype="<f4")
    data, size = vectors.tobytes(), FLOAT_BYTES * vectors.shape[1]
    has_content: list[bool] = np.any(vectors, axis=1).tolist()
    return [data[place * size : place * size + size] if has else None for place, has in enumerate(has_content)]


def _space(db: SqlConnection, key: int, batch: NoteBatch, moved: subjects.MovedSubject) -> int:
    """Return the number of the batch's space.

    Raises:
        SpaceMovedError: The subject is read in another one.
    """
    number = subjects.ensure_space(db, batch.space, batch.vectors.shape[1])
    if moved.space not in (number, subjects.ANY_SPACE):
        subjects.require_space(db, key, number)
    return number
