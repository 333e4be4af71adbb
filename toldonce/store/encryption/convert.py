"""Encrypt the rows that subjects have already, or decrypt them. Works on one end, in many short transactions.

Others may use the database meanwhile: each reads sealed and plain rows alike. Killed at any moment, it goes on with the
next call.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from toldonce.store.encryption.connection import Dialect, SealedConnection
from toldonce.store.encryption.mark import SQL, Extent, RowState, read_mark, set_mark
from toldonce.store.encryption.sealer import SubjectKey
from toldonce.store.encryption.vault import SubjectVault
from toldonce.store.sql.database import Row, load
from toldonce.store.sql.rows import fetch
from toldonce.store.sql.tables import CONTENT, TABLES, Content, Table
from toldonce.store.sql.transfer.endpoint import MIN_KEY, CopyEndpoint
from toldonce.store.store_reports import ConversionReport
from toldonce.types import ProgressReporter

MEMORY_SQL, ERASE_SQL = load("memory"), load("erase")
# Rows of one transaction, during which others wait: some milliseconds.
BATCH_SIZE = 200
_PAGE_SIZE = 500
_TABLES = tuple(table for table in TABLES if table.name in CONTENT and table.name != "vector")
# Rows of these cannot be updated: the database refuses it, or the column is part of the key.
_REWRITTEN = ("decision", "memory_tag")
_VECTOR_MEMORIES = "SELECT DISTINCT memory FROM vector WHERE subject = ?1 AND memory > ?2 ORDER BY memory LIMIT ?3"

_Change = Callable[[Any, str | None], Any]
"""Returns a value as it is to be; the column where it is one that the database compares."""


class Conversion:
    """One run over a database."""

    def __init__(self, end: CopyEndpoint, vault: SubjectVault, dialect: Dialect, bar: ProgressReporter) -> None:
        self._end = end
        self._db = end.db
        self._vault = vault
        self._dialect = dialect
        self._bar = bar
        self._rows = 0

    def encrypt(self) -> ConversionReport:
        """Encrypt all plain rows; every subject has a key then."""
        done = 0
        self._set_extent(Extent.MIXED)
        self._begin("encrypting", "plain_subjects")
        for subject in self._subjects("plain_subjects"):
            self._end.write(partial(self._db.execute, SQL["resume_key"], (subject,)), subject)
            self._convert(subject, sealing=True)
            self._end.write(partial(self._set_state, subject, RowState.WHOLE), subject)
            done += 1
            self._bar.reach(done)
        self._set_extent(Extent.WHOLE)
        return ConversionReport(where=self._end.where, subjects=done, rows=self._rows)

    def decrypt(self) -> ConversionReport:
        """Decrypt all sealed rows; the keys stay in the keyring."""
        done = 0
        self._set_extent(Extent.LEAVING)
        self._begin("decrypting", "keyed_subjects")
        for subject in self._subjects("keyed_subjects"):
            self._end.write(partial(self._set_state, subject, RowState.LEAVING), subject)
            self._convert(subject, sealing=False)
            self._end.write(partial(self._set_state, subject, RowState.NONE), subject)
            done += 1
            self._bar.reach(done)
        self._set_extent(Extent.PLAIN)
        return ConversionReport(where=self._end.where, subjects=done, rows=self._rows)

    def _begin(self, phase: str, statement: str) -> None:
        self._bar.begin(phase, "subjects", sum(1 for _ in self._subjects(statement)))

    def _subjects(self, statement: str) -> Iterator[int]:
        after = MIN_KEY
        while page := [key for (key,) in fetch(self._db, SQL[statement], after, _PAGE_SIZE)]:
            yield from page
            after = page[-1]

    def _set_extent(self, extent: Extent) -> None:
        def work() -> None:
            mark = read_mark(self._db)
            if mark is not None:
                set_mark(self._db, replace(mark, extent=extent))

        self._end.write(work)

    def _set_state(self, subject: int, state: RowState) -> None:
        self._db.execute(SQL["set_state"], (subject, state))

    def _convert(self, subject: int, *, sealing: bool) -> None:
        for table in _TABLES:
            self._in_portions(subject, partial(self._portion, _Rows(table, CONTENT[table.name]), sealing=sealing))
        self._in_portions(subject, partial(self._vectors, sealing=sealing))

    def _in_portions(self, subject: int, portion: "Callable[[int, Row], Row | None]") -> None:
        after: Row | None = ()
        while after is not None:
            after = self._end.write(partial(portion, subject, after), subject)

    def _changing(self, subject: int, *, sealing: bool) -> _Change | None:
        """Return how values change; None where nothing is to be done for this subject."""
        if not sealing:
            return lambda value, _: self._vault.open(value)
        key = SealedConnection(self._db, self._vault, self._dialect).begin_key(subject)
        return None if key is None else partial(self._sealed, key)

    def _sealed(self, key: SubjectKey, value: Any, column: str | None) -> Any:
        if self._vault.sealer.is_sealed(value):
            return value
        if column is None:
            return self._vault.sealer.seal(value, key)
        return self._vault.sealer.seal_equal(value, key, column)

    def _portion(self, rows: "_Rows", subject: int, after: Row, *, sealing: bool) -> Row | None:
        """Change the next rows of a table; return the key of the last, None after the last portion."""
        change = self._changing(subject, sealing=sealing)
        if change is None:
            return None
        found = fetch(self._db, rows.select(bool(after)), subject, BATCH_SIZE, *after)
        for row in found:
            changed = rows.changed(row, change)
            if changed != row:
                for statement, values in rows.written(subject, row, changed):
                    self._db.execute(statement, values)
                self._rows += 1
        return None if len(found) < BATCH_SIZE else rows.key_of(found[-1])

    def _vectors(self, subject: int, after: Row, *, sealing: bool) -> Row | None:
        change = self._changing(subject, sealing=sealing)
        if change is None:
            return None
        (last,) = after or (b"",)
        memories = [id_ for (id_,) in fetch(self._db, _VECTOR_MEMORIES, subject, last, BATCH_SIZE)]
        for memory in memories:
            found = fetch(self._db, ERASE_SQL["linked_vectors"], subject, memory)
            changed = [(space, id_, change(data, None)) for space, id_, data in found]
            if changed != found:
                self._db.execute(ERASE_SQL["erase_vectors"], (subject, memory))
                for row in changed:
                    self._db.execute(MEMORY_SQL["add_vectors"], (subject, *row))
                self._rows += 1
        return None if len(memories) < BATCH_SIZE else (memories[-1],)


class _Rows:
    """How rows of a table are read and written, its subject aside. Names are those of our own tables."""

    def __init__(self, table: Table, content: Content) -> None:
        self._table = table.name
        self._key = table.key[1:]
        self._content = content
        self._columns = _COLUMNS.get(table.name) or (
            *self._key,
            *(name for name in (*content.seals, *content.matches) if name not in self._key),
        )
        self._owner = table.key[0]

    def select(self, continued: bool) -> str:
        """Return the statement for the first rows, or for those after a key; `?1` the subject, `?2` the number."""
        numbers = ", ".join(f"?{place}" for place in range(3, 3 + len(self._key)))
        beyond = f" AND ({', '.join(self._key)}) > ({numbers})" if continued else ""
        return (
            f"SELECT {', '.join(self._columns)} FROM {self._table} WHERE {self._owner} = ?1{beyond} "  # noqa: S608
            f"ORDER BY {', '.join(self._key)} LIMIT ?2"
        )

    def key_of(self, row: Row) -> Row:
        """Return the key of a row, without its subject."""
        return tuple(row[self._columns.index(name)] for name in self._key)

    def changed(self, row: Row, change: _Change) -> Row:
        """Return a row with its content changed."""
        equal, other = self._content.matches, self._content.seals
        return tuple(
            change(value, name if name in equal else None) if name in equal or name in other else value
            for name, value in zip(self._columns, row, strict=True)
        )

    def written(self, subject: int, row: Row, changed: Row) -> Iterator[tuple[str, Sequence[Any]]]:
        """Return the statements that write the changed row in the place of the other."""
        key = self.key_of(row)
        if self._table in _REWRITTEN:
            where = " AND ".join(f"{name} = ?{place}" for place, name in enumerate(self._key, start=2))
            yield f"DELETE FROM {self._table} WHERE {self._owner} = ?1 AND {where}", (subject, *key)  # noqa: S608
            names = (self._owner, *self._columns)
            numbers = ", ".join(f"?{place}" for place in range(1, len(names) + 1))
            add = f"INSERT INTO {self._table} ({', '.join(names)}) VALUES ({numbers}) ON CONFLICT DO NOTHING"  # noqa: S608
            yield add, (subject, *changed)
            return
        pairs = [(name, value) for name, value in zip(self._columns, changed, strict=True) if name not in self._key]
        start = 2 + len(self._key)
        sets = ", ".join(f"{name} = ?{place}" for place, (name, _) in enumerate(pairs, start=start))
        where = " AND ".join(f"{name} = ?{place}" for place, name in enumerate(self._key, start=2))
        update = f"UPDATE {self._table} SET {sets} WHERE {self._owner} = ?1 AND {where}"  # noqa: S608
        yield update, (subject, *key, *(value for _, value in pairs))


_COLUMNS = {
    "decision": ("at", "id", "action", "memory", "target", "reason", "text", "profile", "conversation", "seq"),
}
"""Of tables whose rows are written whole: all columns but the subject."""
