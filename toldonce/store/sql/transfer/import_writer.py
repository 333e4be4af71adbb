"""Write subjects of an export, with derived data made again. Works on one end of a copy, in a transaction."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from toldonce.errors import BadRequestError
from toldonce.ids import id_bytes, id_text
from toldonce.store.sql import app_numbers, maintenance, subjects
from toldonce.store.sql.database import Row, load
from toldonce.store.sql.erase.tombstones import imported_key_name
from toldonce.store.sql.memories.write import VectorPacker
from toldonce.store.sql.rows import STATE_ORDER, fetch, fetch_value
from toldonce.store.sql.snapshot_codec import pack_evidence, pack_fixed, pack_terms
from toldonce.store.sql.tables import TABLES
from toldonce.store.sql.transfer.endpoint import CopyEndpoint
from toldonce.store.sql.transfer.export import Record
from toldonce.store.sql.transfer.import_check import key_of
from toldonce.store.sql.transfer.import_reader import ImportedSubject
from toldonce.types import QUESTION_FLAG, MemoryId, MemoryKind, MemoryState, ReopenMemory, Subject

SQL = load("export")
SUBJECT_SQL = load("subject")
_TABLES = {table.name: table for table in TABLES}
_ACTIVE, _TURN = STATE_ORDER.index(MemoryState.ACTIVE), MemoryKind.TURN.number
# What a memory has that is no app's.
_BARE: Record = {"number": None, "app": None}
_INSIDE = frozenset({"calls", "tags", "linked", "evidence", "line"})


def is_active(memory: Record) -> bool:
    """Tell whether a memory takes part in recall."""
    return bool(memory["state"] == _ACTIVE)


def require_absent(end: CopyEndpoint, blocks: Sequence[ImportedSubject]) -> None:
    """Let nothing be imported over what is there, nor bring back what was erased here.

    Raises:
        BadRequestError: there is something of a subject.
    """
    there = present(end, blocks)
    for block in blocks:
        table = there.get(block.key)
        if table is not None:
            erased = table.startswith("erased")
            raise BadRequestError(
                f"{block.name} is there already ({'erased' if erased else f'there are rows in {table}'}), and "
                "nothing is imported over it: use another database"
            )


def present(end: CopyEndpoint, blocks: Sequence[ImportedSubject]) -> dict[int, str]:
    """Find the subjects of whom there is something, by their keys: in which table."""
    found: dict[int, str] = {}
    keys = ", ".join(f"{block.key:d}" for block in blocks)
    for table in TABLES:
        if table.is_global or table.index or table.name == "subject" or not blocks:
            continue
        which = f'"{table.name}" WHERE "{table.key[0]}" IN ({keys})'
        for (key,) in fetch(end.db, f'SELECT DISTINCT "{table.key[0]}" FROM {which}'):  # noqa: S608  # names of our own
            found.setdefault(key, table.name)
    return found


def said_elsewhere(end: CopyEndpoint, home: int, conversation: bytes, seq: int) -> str | None:
    """Return the words of a message in another's log; None where it is not there."""
    found = fetch_value(end.db, SQL["said_in"], home, conversation, seq)
    return None if found is None else str(found)


class ImportWriter:
    """Subjects on their way in, together."""

    def __init__(
        self,
        end: CopyEndpoint,
        blocks: Sequence[ImportedSubject],
        derived: Mapping[tuple[int, MemoryId], ReopenMemory],
        *,
        at: datetime,
        glance: Callable[[], None],
        beside: bool = False,
    ) -> None:
        """Prepare to write subjects.

        Args:
            end: The database.
            blocks: The subjects.
            derived: What recall computes on of each active memory, by its subject's key and its id.
            at: The time of the import.
            glance: Called before each row: it may let other threads run, or raise, which leaves nothing written.
            beside: Whether the rows come beside what is there of the subjects; the caller left out what is there.
        """
        self._beside = beside
        self._end = end
        self._db = end.db
        self._blocks = blocks
        self._named = [block for block in blocks if block.subject is not None]
        self._derived = derived
        self._at = at
        self._glance = glance

    def write(self) -> None:
        """Write all of them."""
        if not self._beside:
            require_absent(self._end, self._blocks)
            self._write_ledgers()
        versions = {block.key: self._begin(block) for block in self._named}
        for home in self._homes():
            subjects.ensure(self._db, home)
        for table in ("app", "subscription", "character_name", "conversation", "decision"):
            self._add(table, self._all(table))
        messages = self._all("message")
        self._add("message", messages)
        calls = ((key, message, call) for key, message in messages for call in dict.fromkeys(message["calls"]))
        self._add("tool_call", [(key, _beside(message, call=call)) for key, message, call in calls])
        self._add(
            "formation",
            [(key, formation | {"home": key_of(formation["home"])}) for key, formation in self._all("formation")],
        )
        self._write_insertions()
        self._write_memories(versions)
        self._write_snapshot()

    def _all(self, kind: str) -> list[tuple[int, Record]]:
        """Return the records of a kind, each with whose it is."""
        return [(block.key, record) for block in self._named for record in block.of(kind)]

    def _begin(self, block: ImportedSubject) -> int:
        subject = block.subject or Subject("global", "")
        subjects.ensure(self._db, subject)
        maintenance.postpone(self._db, subject, self._at)
        return subjects.move_version(self._db, subject)

    def _homes(self) -> list[Subject]:
        own = {block.key for block in self._named}
        sources = (source for _, memory in self._all("memory") for source in memory["evidence"])
        homes = (record["home"] for record in (*sources, *(record for _, record in self._all("formation"))))
        return list(dict.fromkeys(home for home in homes if isinstance(home, Subject) and home.key not in own))

    def _write_ledgers(self) -> None:
        for block in self._blocks:
            for ledger in block.of("ledger"):
                self._db.execute(SQL["keep_ledger_key"], (imported_key_name(block.key), ledger["key"]))
                if ledger["at"] is not None:
                    self._add("erased_subject", [(block.key, {"at": ledger["at"], "version": ledger["version"] or 0})])
        self._add("erased_message", [(block.key, record) for block in self._blocks for record in block.of("erased")])

    def _write_insertions(self) -> None:
        rows = self._all("insertion")
        derived = {"held": 0}
        self._add(
            "insertion",
            [(key, derived | row | {"characters": len(row["standing"]) + len(row["recalled"])}) for key, row in rows],
        )
        shown: dict[tuple[int, int, int], dict[str, int]] = {}
        owners: dict[tuple[int, str], int] = {}
        for key, row in rows:
            found = shown.setdefault((key, row["chain"], row["thread"]), {})
            for name, memory in json.loads(row["items"]):
                found[memory] = owners[key, memory] = Subject.parse(name).key
        for key, row in rows:
            found = shown[key, row["chain"], row["thread"]]
            for memory in json.loads(row["withdrawn"]):
                found.setdefault(memory, owners.get((key, memory), key))
        self._add(
            "insertion_item",
            [
                (key, {"memory": id_bytes(memory), "owner": owner, "chain": chain, "thread": thread})
                for (key, chain, thread), found in shown.items()
                for memory, owner in found.items()
            ],
        )

    def _write_memories(self, versions: Mapping[int, int]) -> None:
        memories = self._all("memory")
        numbered = {block.key: self._numbered(block) for block in self._named}
        self._add(
            "memory",
            [
                (key, memory | {"changed": versions[key]} | numbered[key].get(memory["id"], _BARE))
                for key, memory in memories
            ],
        )
        self._add(
            "evidence",
            [
                (key, source | {"memory": memory["id"], "place": place, "home": key_of(source["home"])})
                for key, memory in memories
                for place, source in enumerate(memory["evidence"])
            ],
        )
        tags = ((key, memory["id"], tag) for key, memory in memories for tag in set(memory["tags"]))
        self._add("memory_tag", [(key, {"memory": id_, "tag": tag}) for key, id_, tag in tags])
        self._add("link", [(key, {"memory": memory["id"]}) for key, memory in memories if memory["linked"]])

    def _numbered(self, block: ImportedSubject) -> dict[bytes, Record]:
        """Return number and app of an app's memories: a number in the file is kept where it is free here."""
        subject = block.subject
        if subject is None or subject.kind != "app":
            return {}
        memories = [memory for memory in block.of("memory") if memory["kind"] != _TURN]
        carried = app_numbers.carry(self._db, subject, [memory["number"] for memory in memories if memory["number"]])
        fresh = iter(app_numbers.take(self._db, subject, sum(not memory["number"] for memory in memories)))
        app = subject.app_name
        return {
            memory["id"]: {"number": carried[memory["number"]] if memory["number"] else next(fresh), "app": app}
            for memory in memories
        }

    def _write_snapshot(self) -> None:
        term_key, packing = bytes(fetch_value(self._db, SUBJECT_SQL["term_key"])), VectorPacker(self._db)
        salts = {block.key: subjects.salt_of(term_key, block.subject) for block in self._named if block.subject}
        hot, vectors = [], []
        for key, memory in self._all("memory"):
            if not is_active(memory):
                continue
            self._glance()
            made, owner = self._derived[key, MemoryId(id_text(memory["id"]))], {"memory": memory["id"]}
            hot.append((key, owner | {"terms": pack_terms(made.terms, salts[key]), **_packed(memory, made)}))
            packed = packing.pack(key, made.space, made.vectors)
            if packed is not None:
                vectors.append((key, owner | {"space": packed[0], "data": packed[1]}))
        self._add("hot", hot)
        self._add("vector", vectors)

    def _add(self, table: str, rows: Sequence[tuple[int, Record]]) -> None:
        if not rows:
            return
        columns = tuple(sorted(rows[0][1].keys() - _INSIDE))
        owner = _TABLES[table].key[0]
        self._end.add(_TABLES[table], (owner, *columns), self._rows_of(columns, rows))

    def _rows_of(self, columns: Sequence[str], rows: Sequence[tuple[int, Record]]) -> Iterator[Row]:
        for key, record in rows:
            self._glance()
            yield (key, *(record[name] for name in columns))


def _packed(memory: Record, made: ReopenMemory) -> dict[str, bytes]:
    evidence = ((said["role"], said["hash"], id_text(said["conversation"]), said["seq"]) for said in memory["evidence"])
    role, sources = pack_evidence(evidence)
    fixed = pack_fixed(
        kind=memory["kind"],
        role=role + QUESTION_FLAG * made.asks,
        length=sum(made.terms.values()),
        weights=(memory["importance"], memory["confidence"]),
        times=(memory["valid_from"], memory["uses"], memory["last_used_at"] or 0),
    )
    return {"fixed": fixed, "sources": sources}


def _beside(message: Record, **more: Any) -> Record:
    return {"conversation": message["conversation"], "seq": message["seq"], **more}
