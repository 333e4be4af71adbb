"""Apply changes to a subject's memories, and log their decisions. Works on a connection, in a transaction."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from toldonce.clock import to_micros
from toldonce.errors import BadRequestError, StaleSubjectError, UnknownMemoryError
from toldonce.ids import id_bytes, id_text
from toldonce.store.sql import app_numbers, subjects
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.erase.insertions import empty_quoting, empty_showing
from toldonce.store.sql.erase.tombstones import mark_words, refuse_erased
from toldonce.store.sql.memories.write import InsertBatch, packed_evidence, reopen, weaken
from toldonce.store.sql.rows import (
    STATE_ORDER,
    fetch,
    fetch_one,
    fetch_value,
    micros,
    write_evidence,
    write_memory,
)
from toldonce.store.sql.snapshot_codec import (
    pack_evidence,
    pack_fixed,
    pack_terms,
    unpack_fixed,
)
from toldonce.text import clean
from toldonce.types import (
    QUESTION_FLAG,
    AddMemory,
    Change,
    CloseMemory,
    Decision,
    Evidence,
    MarkWords,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    ReopenMemory,
    StrengthenMemory,
    Subject,
    WeakenMemory,
)

SQL = load("memory")
_NOTE = MemoryKind.NOTE.number


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSet:
    """What one transaction does to the memories of a subject."""

    subject: Subject
    home: Subject
    """Subject whose log the evidence points into."""
    changes: Sequence[Change] = ()
    """In order; but a fact's slot is freed first where another of the changes closes what fills it."""
    decisions: Sequence[Decision] = ()
    """Appended to the log."""
    subject_version: int | None = None
    """Version that the changes are based on; None skips the check."""


def apply(db: SqlConnection, wanted: ChangeSet, term_key: bytes) -> int:
    """Apply all changes and decisions; return the subject's version, moved if there was a change.

    Args:
        db: A connection in a transaction that is rolled back if this raises.
        wanted: Changes and decisions.
        term_key: See `subjects.salt_of`.

    Raises:
        BadRequestError: a memory or decision is another subject's, or an id is none.
        StaleSubjectError: the version is no longer the subject's, a slot is filled, an id is taken, something rests
            on a message that was erased, or the vectors are of another embedder than the subject is read by now.
        UnknownMemoryError: a change names a memory that is not the subject's.
        VectorSizeError: a vector does not fit its space.
    """
    subject, changes, decisions = wanted.subject, wanted.changes, wanted.decisions
    refuse_erased(db, wanted.home, changes, decisions)
    if changes:
        moved = subjects.move(db, subject)
        version = moved.version
        _require_version(moved.found, wanted.subject_version)
        _apply(db, wanted, moved, term_key)
    else:
        found = subjects.version_of(db, subject)
        _require_version(found or 0, wanted.subject_version)
        version = subjects.ensure(db, subject) if found is None else found
    if decisions:
        db.executemany(SQL["add_decision"], [_decision_row(subject, decision) for decision in decisions])
    return version


def _apply(db: SqlConnection, wanted: ChangeSet, moved: subjects.MovedSubject, term_key: bytes) -> None:
    subject, changes = wanted.subject, wanted.changes
    if wanted.home != subject:
        subjects.ensure(db, wanted.home)
    on_memories = [change for change in changes if not isinstance(change, MarkWords)]
    salt = subjects.salt_of(term_key, subject)
    Changes(db, subject, home=wanted.home.key, salt=salt, moved=moved).apply(on_memories)
    mark_words(db, subject, [change for change in changes if isinstance(change, MarkWords)], term_key)
    if forgets(changes):
        empty_quoting(db, wanted.home.key)


def _require_version(found: int, expected: int | None) -> None:
    """Raise `StaleSubjectError` if the subject's version is not the expected one; None expects nothing."""
    if expected is not None and found != expected:
        raise StaleSubjectError(
            f"the memories changed meanwhile (version {expected} was read, it is {found} now): read and decide again"
        )


class Changes:
    """One set of changes on its way into the tables."""

    def __init__(
        self, db: SqlConnection, subject: Subject, *, home: int, salt: bytes, moved: subjects.MovedSubject
    ) -> None:
        """Write under the subject's new version."""
        self._db = db
        self._subject = subject
        self._key = subject.key
        self._home = home
        self._salt = salt
        self._version = moved.version
        self._closing: dict[bytes, CloseMemory] = {}
        self._adding = InsertBatch(db, self._key, read_in=moved.space)
        self._numbers: Iterator[int] = iter(())

    def apply(self, changes: Sequence[Change]) -> None:
        """Apply them all."""
        self._closing = {_id(change.id): change for change in changes if isinstance(change, CloseMemory)}
        self._numbers = iter(app_numbers.take(self._db, self._subject, sum(map(self._lacks_number, changes))))
        for change in changes:
            if not isinstance(change, AddMemory) or self._looks_back(change):
                self._adding.flush()
            match change:
                case AddMemory():
                    self._add(change)
                case CloseMemory():
                    self._close(_id(change.id))
                case StrengthenMemory():
                    self._strengthen(change)
                case ReopenMemory():
                    self._reopen(change)
                case WeakenMemory():
                    self._weaken(change)
        self._adding.flush()

    def _looks_back(self, change: AddMemory) -> bool:
        """Tell whether what is added before has to be there: it may fill the same slot, or is drawn on."""
        return change.memory.kind is MemoryKind.FACT or bool(change.inherits)

    def _add(self, change: AddMemory) -> None:
        memory = change.memory
        if memory.subject != self._subject:
            raise BadRequestError(f"a memory of {memory.subject.text} cannot be stored under {self._subject.text}")
        id_ = _id(memory.id)
        vectors = self._adding.pack(change.space, change.vectors)
        active = memory.state is MemoryState.ACTIVE
        if active and memory.kind is MemoryKind.FACT:
            self._free_slot(memory)
        number, app = self._number_and_app(memory)
        self._adding.put("add_memory", id_, *write_memory(memory, changed=self._version, number=number, app=app))
        self._add_evidence(id_, memory.evidence, first_place=0)
        for tag in memory.detail.tags:
            self._adding.put("add_tag", clean(tag), id_)
        if change.inherits:
            self._adding.flush()
            self._inherit(id_, change.inherits)
        if not active:
            return
        if change.inherits:
            role, sources = packed_evidence(self._db, self._key, id_)
        else:
            role, sources = pack_evidence(
                (said.role, said.hash, said.conversation, said.seq) for said in memory.evidence
            )
        fixed = pack_fixed(
            kind=memory.kind.number,
            role=role + QUESTION_FLAG * change.asks,
            length=sum(change.terms.values()),
            weights=(memory.importance, memory.confidence),
            times=(to_micros(memory.valid_from), memory.uses, micros(memory.last_used_at) or 0),
        )
        self._adding.put("add_hot", id_, fixed, pack_terms(change.terms, self._salt), sources)
        if vectors is not None:
            space, data = vectors
            self._adding.put("add_vectors", space, id_, data)

    def _reopen(self, change: ReopenMemory) -> None:
        id_ = _id(change.id)
        if self._state(id_) is not MemoryState.ACTIVE:
            reopen(self._db, self._subject, id_, change, salt=self._salt, version=self._version)

    def _weaken(self, change: WeakenMemory) -> None:
        id_ = _id(change.id)
        self._state(id_)
        weaken(self._db, self._key, id_, change, version=self._version)
        self._sources_anew(id_)

    def _sources_anew(self, id_: bytes) -> None:
        """Write what recall keeps of a memory's sources and numbers again, where it is active."""
        fixed = _fixed_now(self._db, self._key, id_)
        if fixed is not None:
            self._db.execute(SQL["set_sources"], (self._key, id_, fixed, packed_evidence(self._db, self._key, id_)[1]))

    def _number_and_app(self, memory: Memory) -> tuple[int | None, str | None]:
        if not self._is_numbered(memory):
            return None, None
        return memory.number or next(self._numbers), self._subject.app_name

    def _is_numbered(self, memory: Memory) -> bool:
        return self._subject.kind == "app" and memory.kind is not MemoryKind.TURN

    def _lacks_number(self, change: Change) -> bool:
        """Tell whether a change adds a memory that needs a new number: one in another's place has that one's."""
        return isinstance(change, AddMemory) and self._is_numbered(change.memory) and not change.memory.number

    def _free_slot(self, memory: Memory) -> None:
        filled = fetch_value(self._db, SQL["in_slot"], self._key, clean(memory.category), clean(memory.key))
        if filled is None:
            return
        if filled not in self._closing:
            raise StaleSubjectError(
                f"the slot {memory.category}/{memory.key} was filled meanwhile by {id_text(filled)}: "
                "read again, then decide again",
                logged=f"a slot was filled meanwhile by {id_text(filled)}",
            )
        self._close(filled)

    def _close(self, id_: bytes) -> None:
        change = self._closing[id_]
        state, kind = self._state_and_kind(id_)
        if change.forgotten:
            empty_showing(self._db, self._key, [id_])
        if state is MemoryState.CLOSED:
            return
        times = (to_micros(change.valid_to), to_micros(change.closed_at))
        self._db.execute(SQL["close_memory"], (self._key, id_, *times, self._version))
        self._db.execute(SQL["cool"], (self._key, id_))
        self._db.execute(SQL["retire_vectors" if kind == _NOTE else "drop_vectors"], (self._key, id_))

    def _strengthen(self, change: StrengthenMemory) -> None:
        id_ = _id(change.id)
        self._state(id_)
        self._db.execute(SQL["strengthen_memory"], (self._key, id_, change.importance, self._version, change.version))
        known = {(row[0], row[1], row[4]) for row in fetch(self._db, SQL["evidence"], self._key, id_)}
        fresh = [
            source
            for source in change.evidence
            if (id_bytes(source.conversation), source.seq, clean(source.quote)) not in known
        ]
        self._add_evidence(id_, fresh, first_place=self._next_place(id_))
        self._adding.flush()
        self._inherit(id_, change.inherits)
        self._sources_anew(id_)

    def _next_place(self, id_: bytes) -> int:
        return int(fetch_value(self._db, SQL["next_place"], self._key, id_))

    def _inherit(self, id_: bytes, memories: Sequence[MemoryId]) -> None:
        """Copy the evidence of other memories, with the log of each source, which may be another than this commit's."""
        for memory in memories:
            self._state(_id(memory))
            self._db.execute(SQL["inherit_evidence"], (self._key, _id(memory), id_, self._next_place(id_)))

    def _state(self, id_: bytes) -> MemoryState:
        return self._state_and_kind(id_)[0]

    def _state_and_kind(self, id_: bytes) -> tuple[MemoryState, int]:
        row = fetch_one(self._db, SQL["state_of"], self._key, id_)
        if row is None:
            raise UnknownMemoryError(id_text(id_))
        return STATE_ORDER[row[0]], row[1]

    def _add_evidence(self, id_: bytes, evidence: Iterable[Evidence], *, first_place: int) -> None:
        for place, source in enumerate(evidence, start=first_place):
            self._adding.put("add_evidence", id_, place, *write_evidence(source, self._home))


def record_uses(db: SqlConnection, subject: Subject, ids: Sequence[MemoryId], at: datetime) -> None:
    """Count a use of each memory; unknown ones are passed over."""
    if not ids or subjects.version_of(db, subject) is None:
        return
    key = subject.key
    packed = []
    for id_, fixed, *columns in fetch(db, SQL["use_memories"], key, json.dumps(ids), to_micros(at)):
        if fixed is not None:  # it is active
            packed.append((key, id_, _repacked(fixed, columns)))
    if packed:
        db.executemany(SQL["set_fixed"], packed)


def _fixed_now(db: SqlConnection, key: int, id_: bytes) -> bytes | None:
    """Pack a memory's numbers as its row has them; None if it is not active."""
    packed = fetch_value(db, SQL["fixed"], key, id_)
    row = fetch_one(db, SQL["hot_columns"], key, id_)
    if packed is None or row is None:
        return None
    return _repacked(packed, row)


def _repacked(packed: bytes, columns: Sequence[Any]) -> bytes:
    """Pack the numbers of a memory, as its row has them, in the place of those packed before."""
    role, length = unpack_fixed(packed)
    kind, importance, confidence, valid_from, uses, last_used_at = columns
    times = (valid_from, uses, last_used_at or 0)
    return pack_fixed(kind=kind, role=role, length=length, weights=(importance, confidence), times=times)


def _decision_row(subject: Subject, decision: Decision) -> Row:
    if decision.subject != subject:
        raise BadRequestError(f"a decision on {decision.subject.text} cannot be stored under {subject.text}")
    what = (clean(decision.reason), clean(decision.text), decision.profile)
    touched = (_optional_id(decision.memory_id), _optional_id(decision.target_id))
    where = (_optional_id(decision.conversation), decision.seq)
    return (subject.key, to_micros(decision.at), _id(decision.id), decision.action.value, *touched, *what, *where)


def _id(text: str) -> bytes:
    """Read the id of a memory or decision; what is no id is no memory of anyone's."""
    found = id_bytes(text)
    if found is None:
        raise UnknownMemoryError(text)
    return found


def forgets(changes: Sequence[Change]) -> bool:
    """Return whether changes forget words that an inserted text may quote from messages."""
    return any(map(_forgets, changes))


def _forgets(change: Change) -> bool:
    match change:
        case CloseMemory():
            return change.forgotten
        case MarkWords():
            return bool(change.forgotten)
        case _:
            return False


def _optional_id(text: str | None) -> bytes | None:
    return None if text is None else _id(text)
