"""What of one user goes beside the memory of another: names, and what both have. Works on a connection.

Records are those of an export (`record_format.py`), read into subjects (`import_reader.py`).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from toldonce.clock import Clock, from_micros, to_micros
from toldonce.errors import BadRequestError
from toldonce.ids import id_bytes, id_text, new_id
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.erase.erase import EraseServices, erase
from toldonce.store.sql.erase.tombstones import TombstoneLedger, take_over_ledger
from toldonce.store.sql.memories.apply import ChangeSet, apply
from toldonce.store.sql.rows import STATE_NUMBER, fetch
from toldonce.store.sql.transfer.endpoint import CopyEndpoint
from toldonce.store.sql.transfer.import_reader import ImportedSubject
from toldonce.store.sql.transfer.import_writer import ImportWriter
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

SQL = load("alias")
Users = Mapping[Subject, Subject]
"""Users, each with the one that takes its place."""
Record = dict[str, Any]
_FACT, _TURN = MemoryKind.FACT.number, MemoryKind.TURN.number
_ACTIVE, _CLOSED = STATE_NUMBER[MemoryState.ACTIVE], STATE_NUMBER[MemoryState.CLOSED]
# What must not be twice in a subject, by table.
_UNIQUE = {
    "conversation": ("id",),
    "memory": ("id",),
    "formation": ("home", "conversation", "profile", "stage", "version"),
    "decision": ("at", "id"),
    "insertion": ("chain", "thread"),
    "subscription": ("shared",),
    "character_name": ("name",),
    "app": (),
}


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
    """Fits the records of a subject beside what is there of it."""

    def __init__(self, db: SqlConnection, clock: Clock, reason: str) -> None:
        """Read in a transaction; `reason` is that of decisions."""
        self._db = db
        self._clock = clock
        self._reason = reason

    def fit(self, block: ImportedSubject) -> FittedBlock:
        """Leave out what is there already, and close the older of two values of a slot."""
        known = self._drop_known(block)
        clients = {row[0] for row in self._rows("conversation", ("external_id",), block.key)}
        for row in block.of("conversation"):
            if row["external_id"] in clients:
                row["external_id"] = None  # the client goes on with the one that is there
        rows = block.rows
        rows["message"] = [row for row in block.of("message") if row["conversation"] not in known]
        rows["memory"] = [row for row in block.of("memory") if not _quotes(row, known)]
        fitted = FittedBlock(block)
        facts = {
            (category, key): (bytes(id_), value, valid_from)
            for id_, category, key, value, valid_from in fetch(self._db, SQL["active_facts"], block.key)
        }
        for row in block.of("memory"):
            there = facts.get((row["category"], row["key"]))
            if (row["kind"], row["state"]) == (_FACT, _ACTIVE) and there is not None:
                self._choose(fitted, row, *there)
        return fitted

    def _drop_known(self, block: ImportedSubject) -> set[bytes]:
        """Leave out rows that are there; return the ids of the conversations among them."""
        conversations: set[bytes] = set()
        for table, names in _UNIQUE.items():
            if not block.of(table):
                continue
            there = {tuple(map(_plain, row)) for row in self._rows(table, names or ("subject",), block.key)}
            if table == "conversation":
                conversations = {id_ for (id_,) in there}
            block.rows[table] = [
                row for row in block.of(table) if not there or (names and _key(row, names) not in there)
            ]
        return conversations

    def _rows(self, table: str, names: Sequence[str], key: int) -> list[tuple[Any, ...]]:
        columns = ", ".join(f'"{name}"' for name in names)
        return fetch(self._db, f'SELECT {columns} FROM "{table}" WHERE subject = ?1', key)  # noqa: S608  # our own names

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


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeCopy:
    """A copy of one user's memory on its way into another's."""

    alias: UserAlias
    blocks: Sequence[ImportedSubject]
    """The records, under the names that they have there."""
    derived: Mapping[tuple[int, MemoryId], ReopenMemory]
    """What recall computes on of each active memory: see `ImportWriter`."""
    parts: Sequence[Subject]
    """The source, and the subjects within it."""


def write_copy(
    end: CopyEndpoint, copy: MergeCopy, services: EraseServices, clock: Clock, glance: Callable[[], None]
) -> UserMergeReport:
    """Write a copy beside what is there, in the transaction of `end`.

    Raises:
        BadRequestError: the merge was undone, or ended by another process.
    """
    db, alias, now = end.db, copy.alias, clock.now()
    if not fetch(db, SQL["open_alias"], alias.source.key, alias.target.key):
        raise BadRequestError(f"the merge of {alias.source.text} into {alias.target.text} was ended meanwhile")
    fitter = BlockFitter(db, clock, f"{alias.source.text} was merged into {alias.target.text}")
    fitted = [fitter.fit(block) for block in copy.blocks]
    for part in fitted:
        if part.closes and part.block.subject is not None:
            changes = ChangeSet(
                subject=part.block.subject, home=part.block.subject, changes=part.closes, decisions=part.decisions
            )
            apply(db, changes, services.term_key)
    ImportWriter(end, copy.blocks, copy.derived, at=now, glance=glance, beside=True).write()
    for source in copy.parts:
        target = source.of_other_users({alias.source: alias.target})
        _erase_known(db, target, [part.block for part in fitted if part.block.key == target.key], services)
        take_over_ledger(db, source, target, services.term_key)
        db.execute(SQL["rest_formations"], (source.key,))
    return _report(alias, fitted)


def _report(alias: UserAlias, fitted: Sequence[FittedBlock]) -> UserMergeReport:
    return UserMergeReport(
        source=alias.source,
        target=alias.target,
        conversations=sum(len(part.block.of("conversation")) for part in fitted),
        memories=sum(len(part.block.of("memory")) for part in fitted),
        replaced=sum(part.replaced for part in fitted),
    )


def _erase_known(
    db: SqlConnection, target: Subject, blocks: Sequence[ImportedSubject], services: EraseServices
) -> None:
    """Erase copied messages that the target's ledger knows: what was erased there does not come back by another way."""
    ledger = TombstoneLedger(db, target, services.term_key)
    said: dict[bytes, list[int]] = {}
    for block in blocks if not ledger.empty else ():
        messages = [row for row in block.of("message") if row["role"] == "user" and not row["erased"]]
        known = ledger.known(list({row["hash"] for row in messages}))
        for row in messages:
            if row["hash"] in known and row["said_at"] < to_micros(known[row["hash"]]):
                said.setdefault(row["conversation"], []).append(row["seq"])
    for conversation, seqs in said.items():
        order = EraseRequest(subject=target, conversation=ConversationId(id_text(conversation)), seqs=tuple(seqs))
        erase(db, order, services)


def _quotes(memory: Record, conversations: set[bytes]) -> bool:
    """Return whether a memory is a quotation of one of these conversations, which are as they are there."""
    return memory["kind"] == _TURN and any(source["conversation"] in conversations for source in memory["evidence"])


def _key(row: Record, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(_plain(row[name]) for name in names)


def _plain(value: Any) -> Any:
    """Return a value as rows and records have it alike."""
    if isinstance(value, Subject):
        return value.key
    return bytes(value) if isinstance(value, bytes | memoryview) else value
