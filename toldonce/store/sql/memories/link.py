"""Link a memory into another subject, and unlink it. Works on a connection, in a transaction."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from toldonce.errors import BadRequestError, UnknownMemoryError
from toldonce.ids import id_bytes, id_text
from toldonce.store.sql import app_numbers, subjects
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.erase.delete import MemoryDeleter
from toldonce.store.sql.memories.apply import ChangeSet, apply
from toldonce.store.sql.rows import STATE_NUMBER, fetch, fetch_one, fetch_value
from toldonce.store.sql.snapshot_codec import pack_terms
from toldonce.types import Decision, MemoryId, MemoryKind, MemoryState, Subject

SQL = load("erase")
MEMORY_SQL = load("memory")
_TURN, _FACT = MemoryKind.TURN.number, MemoryKind.FACT.number
_ACTIVE = STATE_NUMBER[MemoryState.ACTIVE]
# Statements that read rows of a memory, and those that write them.
_LINKED = (("linked_evidence", "add_evidence"), ("linked_tags", "add_tag"), ("linked_vectors", "add_vectors"))


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """Target of a copy, with its terms and decision."""

    to: Subject
    terms: Mapping[str, int]
    decision: Decision
    term_key: bytes


def link(db: SqlConnection, subject: Subject, memory: MemoryId, copy: LinkTarget) -> None:
    """Copy a memory's row into another subject."""
    id_ = _require(db, subject, memory)
    to = copy.to
    if to == subject:
        raise BadRequestError(f"the memory is {to.text}'s already", param="to")
    subjects.ensure(db, to)
    if fetch_one(db, SQL["kind_and_state"], to.key, id_) is not None:
        return
    _refuse(db, subject, id_, to)
    version = subjects.move_version(db, to)
    _copy(db, (subject.key, id_), copy, version)
    for holder in (subject, to):
        db.execute(SQL["note_link"], (holder.key, id_))
    apply(db, ChangeSet(subject=to, home=to, decisions=[copy.decision]), copy.term_key)


def _copy(db: SqlConnection, source: tuple[int, bytes], copy: LinkTarget, version: int) -> None:
    """Write the rows of a memory once more, for another subject, which may have another key."""
    to, id_ = copy.to, source[1]
    number, app = (app_numbers.take(db, to, 1)[0], to.app_name) if to.kind == "app" else (None, None)
    (*memory, detail) = fetch(db, SQL["linked_memory"], *source)[0]
    db.execute(MEMORY_SQL["add_memory"], (to.key, id_, *memory, 0, None, version, detail, number, app))
    terms = pack_terms(copy.terms, subjects.salt_of(copy.term_key, to))
    for fixed, sources in fetch(db, SQL["linked_hot"], *source):
        db.execute(MEMORY_SQL["add_hot"], (to.key, id_, fixed, terms, sources))
    for found, add in _LINKED:
        for row in fetch(db, SQL[found], *source):
            db.execute(MEMORY_SQL[add], (to.key, *row))


def unlink(db: SqlConnection, subject: Subject, memory: MemoryId, decision: Decision) -> None:
    """Delete a memory's row from a subject."""
    id_ = _require(db, subject, memory)
    MemoryDeleter(db, subject, Counter()).drop([id_])
    apply(db, ChangeSet(subject=subject, home=subject, decisions=[decision]), b"")


def _require(db: SqlConnection, subject: Subject, memory: MemoryId) -> bytes:
    id_ = id_bytes(memory)
    if (
        id_ is None
        or subjects.version_of(db, subject) is None
        or fetch_one(db, SQL["kind_and_state"], subject.key, id_) is None
    ):
        raise UnknownMemoryError(memory)
    return id_


def _refuse(db: SqlConnection, subject: Subject, id_: bytes, to: Subject) -> None:
    kind, state, category, key = fetch_one(db, SQL["what_it_is"], subject.key, id_) or (_TURN, _ACTIVE, "", "")
    if kind == _TURN:
        raise BadRequestError("a quotation belongs to its own log and cannot be linked; link the note made of it")
    if state != _ACTIVE:
        raise BadRequestError("a memory that is held or closed cannot be linked")
    filled = fetch_value(db, MEMORY_SQL["in_slot"], to.key, category, key) if kind == _FACT else None
    if filled is not None:
        raise BadRequestError(
            f"{to.text} holds another value of {category}/{key}, memory {id_text(filled)}: close that first"
        )
