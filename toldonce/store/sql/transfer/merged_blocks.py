"""What of one user goes beside the memory of another, a portion at a time: names, and what both have. Works on a
connection.

Records are those of an export (`record_format.py`), read into subjects (`import_reader.py`).
"""

import json
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from toldonce.clock import Clock, from_micros, to_micros
from toldonce.errors import BadRequestError, StaleSubjectError
from toldonce.ids import id_bytes, id_text, new_id
from toldonce.store.sql import subjects
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.erase.erase import EraseServices, erase
from toldonce.store.sql.erase.tombstones import TombstoneLedger
from toldonce.store.sql.memories.apply import ChangeSet, apply
from toldonce.store.sql.rows import ERASED, STATE_NUMBER, fetch, fetch_one, fetch_value, read_detail, write_detail
from toldonce.store.sql.transfer.endpoint import CopyEndpoint
from toldonce.store.sql.transfer.import_check import key_of
from toldonce.store.sql.transfer.import_reader import ImportedSubject
from toldonce.store.sql.transfer.import_writer import ImportWriter
from toldonce.store.sql.transfer.merge_portions import Portion
from toldonce.types import (
    Action,
    CloseMemory,
    ConversationId,
    Decision,
    EraseRequest,
    MemoryId,
    MemoryKind,
    MemoryState,
    ReopenMemory,
    Subject,
    UserAlias,
    UserMergeReport,
)

SQL, ERASE_SQL, LOG_SQL, MEMORY_SQL = load("alias"), load("erase"), load("log"), load("memory")
Users = Mapping[Subject, Subject]
"""Users, each with the one that takes its place."""
Record = dict[str, Any]
_FACT, _TURN, _EPISODE = MemoryKind.FACT.number, MemoryKind.TURN.number, MemoryKind.EPISODE.number
_ACTIVE, _CLOSED = STATE_NUMBER[MemoryState.ACTIVE], STATE_NUMBER[MemoryState.CLOSED]
# What a portion has many of: the statement that looks whether a row is there, and by which columns.
_STATEMENTS = {
    "conversation": LOG_SQL["last_seq"],
    "client": LOG_SQL["conversation_by_external"],
    "message": ERASE_SQL["level_of"],
    "memory": ERASE_SQL["kind_and_state"],
    "decision": SQL["has_decision"],
    "formation": SQL["has_formation"],
    "insertion": SQL["has_insertion"],
}
_KEYED = (
    ("conversation", "conversation", ("id",)),
    ("message", "message", ("conversation", "seq")),
    ("memory", "memory", ("id",)),
    ("decision", "decision", ("at", "id")),
    ("formation", "formation", ("home", "conversation", "profile", "stage", "version")),
    ("insertion", "insertion", ("chain", "thread")),
)
# What a subject has few of, with what must not be there twice.
_SMALL_TABLES = {"subscription": ("shared",), "character_name": ("name",), "app": ()}
# How long what was not formed yet waits in the copy: until the memories that it is weighed against are there, too.
_WAIT = timedelta(minutes=10)


def renamed(block: ImportedSubject, users: Users, glance: Callable[[], None]) -> ImportedSubject:
    """Return the records of a subject as those of other users' alike. Pure; the block is used up."""
    if block.subject is None:
        raise ValueError("a subject of which all was erased has no name to change")
    subject = block.subject.of_other_users(users)
    rows = {kind: records for kind, records in block.rows.items() if kind not in ("ledger", "erased")}
    for memory in rows.get("memory", ()):
        glance()
        for source in memory["evidence"]:
            source["home"] = _renamed_home(source["home"], users)
    for formation in rows.get("formation", ()):
        formation["home"] = _renamed_home(formation["home"], users)
    for insertion in rows.get("insertion", ()):
        items = json.loads(insertion["items"])
        insertion["items"] = json.dumps([[Subject.parse(name).of_other_users(users).text, id_] for name, id_ in items])
    return ImportedSubject(subject, subject.key, block.line, rows)


def _renamed_home(home: Subject | int, users: Users) -> Subject | int:
    return home.of_other_users(users) if isinstance(home, Subject) else home


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeCopy:
    """A copy of one user's memory on its way into another's."""

    alias: UserAlias
    sources: Mapping[int, Subject]
    """The source and the subjects within it, each by the key of the one that it is copied into."""
    versions: Mapping[int, int]
    """The version at which each of them was read, by its own key."""
    kept: Set[bytes]
    """Conversations that were in both before: they stay as they are in the target."""


@dataclass(slots=True)
class FittedBlock:
    """The records of a subject that fit beside what is there of it."""

    block: ImportedSubject
    closes: list[CloseMemory] = field(default_factory=list)
    """Facts that are there, and of which the block has a newer value."""
    decisions: list[Decision] = field(default_factory=list)
    """Why, for each of them."""
    replaced: int = 0
    """Facts that were closed: those, and the block's own."""


class BlockFitter:
    """Fits some records of a subject beside what is there of it."""

    def __init__(self, db: SqlConnection, copy: MergeCopy, clock: Clock) -> None:
        """Read and write in a transaction."""
        self._db = db
        self._copy = copy
        self._clock = clock
        self._reason = f"{copy.alias.source.text} was merged into {copy.alias.target.text}"

    def fit(self, block: ImportedSubject) -> FittedBlock:
        """Leave out what is there already, or erased, and close the older of two values of a slot.

        Raises:
            StaleSubjectError: The source is not as it was read.
        """
        self._require_current(block)
        key, kept, rows = block.key, self._copy.kept, block.rows
        self._rest_formations(block)
        for table in _SMALL_TABLES:
            self._drop_few(block, table)
        for table, statement, names in _KEYED:
            rows[table] = [row for row in block.of(table) if not self._has(statement, key, row, names)]
        rows["message"] = [row for row in block.of("message") if row["conversation"] not in kept]
        for row in block.of("conversation"):
            if row["external_id"] is not None and self._has("client", key, row, ("external_id",)):
                row["external_id"] = None  # the client goes on with the one that is there
        rows["memory"] = [row for row in block.of("memory") if not _quotes(row, kept) and self._is_left(row)]
        fitted = FittedBlock(block)
        for row in block.of("memory"):
            if (row["kind"], row["state"]) == (_FACT, _ACTIVE):
                there = fetch_one(self._db, MEMORY_SQL["in_slot"], key, row["category"], row["key"])
                if there is not None:
                    value, valid_from = fetch(self._db, SQL["fact"], key, there[0])[0]
                    self._choose(fitted, row, bytes(there[0]), value, valid_from)
        return fitted

    def _require_current(self, block: ImportedSubject) -> None:
        """Refuse records of what was erased or changed since they were read."""
        source = self._copy.sources[block.key]
        is_changed = any(block.of(table) for table in ("memory", "decision", "insertion")) and (
            subjects.version_of(self._db, source) != self._copy.versions[source.key]
        )
        levels = (
            (row, fetch_value(self._db, ERASE_SQL["level_of"], source.key, row["conversation"], row["seq"]))
            for row in block.of("message")
        )
        if is_changed or any(level != row["erased"] for row, level in levels):
            why = "changed while its memory was copied; merge again"
            raise StaleSubjectError(f"{source.text} {why}", logged=f"subject {source.key} {why}")

    def _has(self, statement: str, key: int, row: Record, names: Sequence[str]) -> bool:
        return bool(fetch(self._db, _STATEMENTS[statement], key, *(_plain(row[name]) for name in names)))

    def _drop_few(self, block: ImportedSubject, table: str) -> None:
        """Leave out rows that are there, of a table in which a subject has few."""
        names = _SMALL_TABLES[table]
        if block.of(table):
            columns = ", ".join(f'"{name}"' for name in names or ("subject",))
            query = f'SELECT {columns} FROM "{table}" WHERE subject = ?1'  # noqa: S608  # our own names
            there = {tuple(map(_plain, row)) for row in fetch(self._db, query, block.key)}
            block.rows[table] = [
                row for row in block.of(table) if not there or (names and _key(row, names) not in there)
            ]

    def _rest_formations(self, block: ImportedSubject) -> None:
        """Stop what is being formed of the source: the copy goes on where that came to."""
        source, users = self._copy.sources[block.key], {self._copy.alias.target: self._copy.alias.source}
        came_to: dict[tuple[Any, ...], tuple[int, int]] = {}
        for home, conversation in {(row["home"], row["conversation"]): None for row in block.of("formation")}:
            key = key_of(_renamed_home(home, users))
            for *names, formed, asked in fetch(self._db, SQL["rest_formations"], source.key, key, conversation):
                came_to[(conversation, *names)] = (formed, asked)
        for row in block.of("formation"):
            found = came_to.get(_key(row, ("conversation", "profile", "stage", "version")))
            row["formed_seq"], row["asked_seq"] = found or (row["formed_seq"], row["asked_seq"])
            if not row["parked"] and row["formed_seq"] < row["asked_seq"]:
                row["due_at"] = to_micros(self._clock.now() + _WAIT)

    def _is_left(self, memory: Record) -> bool:
        """Take away what rests on messages that are erased in the copy; return whether anything of a memory is left."""
        left = [source for source in memory["evidence"] if not self._is_erased(key_of(source["home"]), source)]
        if len(left) == len(memory["evidence"]):
            return True
        memory["evidence"] = left
        if memory["detail"]:  # its context may quote them
            memory["detail"] = write_detail(read_detail(memory["detail"]).without_circumstance())
        return bool(left) and memory["kind"] not in (_TURN, _EPISODE)

    def _is_erased(self, home: int, source: Record) -> bool:
        level = fetch_value(self._db, ERASE_SQL["level_of"], home, source["conversation"], source["seq"])
        return bool(level == ERASED)

    def _choose(self, fitted: FittedBlock, row: Record, id_: bytes, value: str, valid_from: int) -> None:
        """Close the older value of a slot. Of two that are the same, the one that is there stays."""
        now = self._clock.now()
        fitted.replaced += 1
        if row["value"] != value and row["valid_from"] > valid_from:
            closing = MemoryId(id_text(id_))
            begins = from_micros(row["valid_from"])
            fitted.closes.append(CloseMemory(id=closing, valid_to=begins, closed_at=now))
            fitted.decisions.append(self._decision(fitted.block, MemoryId(id_text(row["id"])), closing, now))
            return
        ends = max(row["valid_from"], valid_from)
        row |= {"state": _CLOSED, "closed_at": max(to_micros(now), row["known_from"]), "valid_to": ends}
        line = {"id": id_bytes(new_id(self._clock)), "at": to_micros(now), "action": Action.REPLACE.value}
        line |= {"memory": id_, "target": row["id"], "conversation": None, "seq": None, "text": "", "profile": ""}
        fitted.block.rows.setdefault("decision", []).append(line | {"reason": self._reason, "line": row["line"]})

    def _decision(self, block: ImportedSubject, memory: MemoryId, target: MemoryId, at: datetime) -> Decision:
        return Decision(
            id=new_id(self._clock),
            subject=block.subject or Subject("global", ""),
            at=at,
            action=Action.REPLACE,
            memory_id=memory,
            target_id=target,
            reason=self._reason,
            text="",
        )


def write_portion(
    end: CopyEndpoint,
    copy: MergeCopy,
    portion: Portion,
    derived: Mapping[tuple[int, MemoryId], ReopenMemory],
    services: EraseServices,
) -> UserMergeReport:
    """Write a portion of a copy beside what is there, in the transaction of `end`.

    Args:
        end: The database.
        copy: What is copied.
        portion: Records, under the names that they have in the target; they are used up.
        derived: What recall computes on of each active memory: see `ImportWriter`.
        services: Clock and key.

    Raises:
        BadRequestError: the merge was undone, or ended by another process.
        StaleSubjectError: the source is not as it was read.
    """
    db, alias, now = end.db, copy.alias, services.clock.now()
    if not fetch(db, SQL["open_alias"], alias.source.key, alias.target.key):
        raise BadRequestError(f"the merge of {alias.source.text} into {alias.target.text} was ended meanwhile")
    fitter = BlockFitter(db, copy, services.clock)
    fitted = [fitter.fit(block) for block in portion]
    for part in fitted:
        if part.closes and part.block.subject is not None:
            changes = ChangeSet(
                subject=part.block.subject, home=part.block.subject, changes=part.closes, decisions=part.decisions
            )
            apply(db, changes, services.term_key)
    ImportWriter(end, portion, derived, at=now, glance=lambda: None, beside=True).write()
    for block in portion:
        _erase_known(db, copy.sources[block.key], block, services)
    return UserMergeReport(
        source=alias.source,
        target=alias.target,
        conversations=sum(len(block.of("conversation")) for block in portion),
        memories=sum(len(block.of("memory")) for block in portion),
        replaced=sum(part.replaced for part in fitted),
    )


def _erase_known(db: SqlConnection, source: Subject, block: ImportedSubject, services: EraseServices) -> None:
    """Erase copied messages that the target's ledger knows: what was erased there does not come back by another way."""
    target = block.subject
    if target is None or not block.of("conversation"):
        return
    ledger = TombstoneLedger(db, target, services.term_key, without=source)
    messages = [
        row for row in (*block.of("earlier"), *block.of("message")) if row["role"] == "user" and not row["erased"]
    ]
    known = ledger.known(list({row["hash"] for row in messages})) if not ledger.empty else {}
    said: dict[bytes, list[int]] = {}
    for row in messages:
        if row["hash"] in known and row["said_at"] < to_micros(known[row["hash"]]):
            said.setdefault(row["conversation"], []).append(row["seq"])
    for conversation, seqs in said.items():
        order = EraseRequest(subject=target, conversation=ConversationId(id_text(conversation)), seqs=tuple(seqs))
        erase(db, order, services)


def _quotes(memory: Record, conversations: Set[bytes]) -> bool:
    """Return whether a memory is a quotation of one of these conversations, which are as they are there."""
    return memory["kind"] == _TURN and any(source["conversation"] in conversations for source in memory["evidence"])


def _key(row: Record, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(_plain(row[name]) for name in names)


def _plain(value: Any) -> Any:
    """Return a value as rows and records have it alike."""
    if isinstance(value, Subject):
        return value.key
    return bytes(value) if isinstance(value, bytes | memoryview) else value
