"""Write one subject of an export, with what was derived of it anew. Works on one end of a copy, in a transaction."""

from collections.abc import Iterable, Sequence
from typing import Any

from recollect.errors import BadRequestError
from recollect.ids import id_bytes, id_text
from recollect.store.relational import subjects
from recollect.store.relational.arrays import pack_fixed, pack_sources, pack_terms, role_code
from recollect.store.relational.database import Row
from recollect.store.relational.ends import End
from recollect.store.relational.exporting import Record
from recollect.store.relational.importing import Block
from recollect.store.relational.ledger import imported_as
from recollect.store.relational.reopening import pack_vectors
from recollect.store.relational.rows import STATE_ORDER, fetch, fetch_value
from recollect.store.relational.statements import load
from recollect.store.relational.tables import TABLES
from recollect.types import ASKING, MemoryState, ReopenMemory, Subject

SQL = load("export")
SUBJECT_SQL = load("subject")
_TABLES = {table.name: table for table in TABLES}
_ACTIVE = STATE_ORDER.index(MemoryState.ACTIVE)
_BESIDE = frozenset({"calls", "tags", "linked", "evidence"})


def is_active(memory: Record) -> bool:
    """Tell whether a memory takes part in recall."""
    return bool(memory["state"] == _ACTIVE)


def require_absent(end: End, block: Block) -> None:
    """Let nothing be imported over what is there, nor bring back what was erased here.

    Raises:
        BadRequestError: there is something of the subject.
    """
    for table in TABLES:
        if table.nobodys or table.name == "subject":
            continue
        which = f'"{table.name}" WHERE "{table.key[0]}" = ?1 LIMIT 1'
        if fetch(end.db, f"SELECT 1 FROM {which}", block.key):  # noqa: S608  # names of our own tables
            erased = table.name.startswith("erased")
            raise BadRequestError(
                f"{block.name} is there already ({'erased' if erased else 'there are rows in ' + table.name}), and "
                "nothing is imported over it: use another database"
            )


def said_elsewhere(end: End, home: int, conversation: bytes, seq: int) -> str | None:
    """Return the words of a message in another's log; None where it is not there."""
    found = fetch_value(end.db, SQL["said_in"], home, conversation, seq)
    return None if found is None else str(found)


class Admitting:
    """One subject on its way in."""

    def __init__(self, end: End, block: Block, derived: Sequence[ReopenMemory]) -> None:
        """Take what recall computes on of each active memory."""
        self._end = end
        self._db = end.db
        self._block = block
        self._key = block.key
        self._derived = {id_bytes(one.id): one for one in derived}

    def write(self) -> None:
        """Write all of it."""
        require_absent(self._end, self._block)
        self._write_ledger()
        subject = self._block.subject
        if subject is None:
            return
        subjects.ensure(self._db, subject)
        version = subjects.move_version(self._db, subject)
        for home in self._homes():
            subjects.ensure(self._db, home)
        for table in ("app", "subscription", "conversation", "decision"):
            self._add(table, self._block.of(table))
        messages = self._block.of("message")
        self._add("message", messages)
        self._add("tool_call", [_beside(one, call=call) for one in messages for call in dict.fromkeys(one["calls"])])
        self._add("formation", [one | {"home": key_of(one["home"])} for one in self._block.of("formation")])
        self._write_memories(version)
        self._write_hot(subject)

    def _homes(self) -> list[Subject]:
        sources = (source for memory in self._block.of("memory") for source in memory["evidence"])
        homes = (one["home"] for one in (*sources, *self._block.of("formation")))
        return list(dict.fromkeys(home for home in homes if isinstance(home, Subject)))

    def _write_ledger(self) -> None:
        for ledger in self._block.of("ledger"):
            self._db.execute(SQL["keep_ledger_key"], (imported_as(self._key), ledger["key"]))
            if ledger["at"] is not None:
                self._add("erased_subject", [{"at": ledger["at"], "version": ledger["version"] or 0}])
        self._add("erased_message", self._block.of("erased"))

    def _write_memories(self, version: int) -> None:
        memories = self._block.of("memory")
        self._add("memory", [one | {"changed": version} for one in memories])
        self._add(
            "evidence",
            [
                source | {"memory": one["id"], "place": place, "home": key_of(source["home"])}
                for one in memories
                for place, source in enumerate(one["evidence"])
            ],
        )
        self._add("memory_tag", [{"memory": one["id"], "tag": tag} for one in memories for tag in set(one["tags"])])
        self._add("link", [{"memory": one["id"]} for one in memories if one["linked"]])

    def _write_hot(self, subject: Subject) -> None:
        salt = subjects.salt_of(bytes(fetch_value(self._db, SUBJECT_SQL["term_key"])), subject)
        hot, vectors = [], []
        for one in filter(is_active, self._block.of("memory")):
            made = self._derived[one["id"]]
            hot.append({"memory": one["id"], "terms": pack_terms(made.terms, salt), **_packed(one, made)})
            packed = pack_vectors(self._db, self._key, made.space, made.vectors)
            if packed is not None:
                vectors.append({"memory": one["id"], "space": packed[0], "data": packed[1]})
        self._add("hot", hot)
        self._add("vector", vectors)

    def _add(self, table: str, rows: Sequence[Record]) -> None:
        if not rows:
            return
        columns = tuple(sorted(rows[0].keys() - _BESIDE))
        owner = _TABLES[table].key[0]
        found: Iterable[Row] = ((self._key, *(row[name] for name in columns)) for row in rows)
        self._end.add(_TABLES[table], (owner, *columns), found)


def _packed(memory: Record, made: ReopenMemory) -> dict[str, bytes]:
    evidence = memory["evidence"]
    fixed = pack_fixed(
        kind=memory["kind"],
        role=(role_code(evidence[0]["role"]) if evidence else 0) + ASKING * made.asks,
        length=sum(made.terms.values()),
        weights=(memory["importance"], memory["confidence"]),
        times=(memory["valid_from"], memory["uses"], memory["last_used_at"] or 0),
    )
    sources = ((one["hash"], id_text(one["conversation"]), one["seq"]) for one in evidence)
    return {"fixed": fixed, "sources": pack_sources(sources)}


def key_of(home: Subject | int) -> int:
    """Return the key of whose log something lies in."""
    return home.key if isinstance(home, Subject) else home


def _beside(message: Record, **more: Any) -> Record:
    return {"conversation": message["conversation"], "seq": message["seq"], **more}
