"""A connection that seals content on its way into the database and opens it on its way out. Wraps a connection.

Which values of a statement are content its header says (see `sql/database.py`). What comes back is recognised by the
prefix of sealed values, whichever statement reads it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any

from toldonce.errors import BadRequestError
from toldonce.lazy_pattern import LazyPattern
from toldonce.store.encryption.mark import SQL, Extent, RowState, read_mark
from toldonce.store.encryption.sealer import SubjectKey
from toldonce.store.encryption.vault import SubjectVault
from toldonce.store.sql.database import MATCHES, SEALS, Row, SqlConnection, SqlCursor, Statement
from toldonce.store.sql.rows import fetch_one

Dialect = Callable[[Statement], Statement]
"""Returns the database's own version of a statement."""
_COMPARED = LazyPattern(r"= \?(\d{1,2})(?!\d)")
_VALUE = LazyPattern(r"\?(\d{1,2})")


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a statement does with content."""

    seals: tuple[int, ...]
    """Positions of values that are sealed."""
    matches: tuple[tuple[int, str], ...]
    """Positions of values that are compared, with their columns."""
    reads: bool


@dataclass(frozen=True, slots=True)
class _State:
    """How a subject's rows are, within this work."""

    key: SubjectKey | None
    """None: there is none, and its rows are plain."""
    state: RowState


_PLAIN = _State(None, RowState.NONE)


@cache
def _plan_of(statement: Statement) -> _Plan | None:
    seals, matches = statement.handling.get(SEALS), statement.handling.get(MATCHES)
    if not seals and not matches:
        return None
    named = (pair.split("=") for pair in (matches or "").split(",") if pair)
    return _Plan(
        seals=tuple(int(number) - 1 for number in (seals or "").split(",") if number),
        matches=tuple((int(number) - 1, column) for column, number in named),
        reads=next(line for line in statement.splitlines() if not line.startswith("--")).startswith("SELECT"),
    )


class SealedConnection:
    """A `SqlConnection` for one piece of work."""

    def __init__(self, db: SqlConnection, vault: SubjectVault, dialect: Dialect) -> None:
        """Wrap an open connection, for as long as one transaction or one read."""
        self._db = db
        self._vault = vault
        self._dialect = dialect
        self._states: dict[int, _State] = {}

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> "SqlCursor":
        """Run a statement, its content sealed."""
        if isinstance(statement, Statement) and (plan := _plan_of(statement)) is not None:
            if plan.reads:
                statement, values = self._sought(statement, plan, values)
            else:
                values = self._sealed(plan, values)
        else:
            self.require_plain(values)
            if statement in _CHANGING:
                self._states.clear()
        return SealedCursor(self._db.execute(statement, values), self._vault)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> object:
        """Run a statement for each row of values, their content sealed."""
        plan = _plan_of(statement) if isinstance(statement, Statement) else None
        rows = [row if plan is None else self._sealed(plan, row) for row in rows]
        if plan is None:
            for row in rows:
                self.require_plain(row)
        return self._db.executemany(statement, rows)

    def changes(self) -> int:
        """Return how many rows the last statement inserted, changed or deleted."""
        return self._db.changes()

    def __enter__(self) -> "SealedConnection":
        self._db.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None:
        if kind is not None:
            self._states.clear()
        return self._db.__exit__(kind, error, trace)

    def forget(self) -> None:
        """Forget which keys subjects have: another transaction begins."""
        self._states.clear()

    def begin_key(self, subject: int) -> SubjectKey | None:
        """Return the key of a subject's new rows, in a transaction that writes; None where they are plain."""
        now = self._writing(subject)
        return None if now.state is RowState.LEAVING else now.key

    def sealed_row(
        self, subject: int, row: Sequence[Any], seals: Sequence[int], matches: Sequence[tuple[int, str]]
    ) -> Row:
        """Seal columns of a row of a subject that is about to be written."""
        if not any(row[at] for at in seals) and not any(row[at] for at, _ in matches):
            self.require_plain(row)
            return tuple(row)
        sealed = self._seal(self._writing(subject), row, seals, matches)
        self.require_plain([value for value, given in zip(sealed, row, strict=True) if value is given])
        return sealed

    def require_plain(self, values: Sequence[Any]) -> None:
        """Refuse values that are to be stored as they are and look sealed.

        On its way out, such a value would be opened by the key of the subject that it names: a holder of a copy of the
        database could have its content decrypted by naming something so.

        Raises:
            BadRequestError: One does.
        """
        if any(map(self._vault.sealer.is_sealed, values)):
            raise BadRequestError("a name or text begins with the mark of this database's encrypted values")

    def _sealed(self, plan: _Plan, values: Sequence[Any]) -> Row:
        return self.sealed_row(values[0], values, plan.seals, plan.matches)

    def _seal(
        self, now: _State, values: Sequence[Any], seals: Iterable[int], matches: Iterable[tuple[int, str]]
    ) -> Row:
        if now.key is None or now.state is RowState.LEAVING:
            return tuple(values)
        found = list(values)
        for at in seals:
            found[at] = self._vault.sealer.seal(found[at], now.key)
        for at, column in matches:
            found[at] = self._vault.sealer.seal_equal(found[at], now.key, column)
        return tuple(found)

    def _sought(self, statement: Statement, plan: _Plan, values: Sequence[Any]) -> tuple[Statement, Row]:
        """Seal what a reading statement compares with; of a subject with plain rows, it compares with both."""
        now = self._state(values[0])
        if now.key is None:
            return statement, tuple(values)
        sealed = list(values)
        for at, column in plan.matches:
            sealed[at] = self._vault.sealer.seal_equal(sealed[at], now.key, column)
        if now.state is RowState.WHOLE:
            return statement, tuple(sealed)
        return _either(self._dialect(statement), plan), (*sealed, *(values[at] for at, _ in plan.matches))

    def _state(self, subject: int) -> _State:
        """Return how a subject's rows are."""
        if subject not in self._states:
            row = fetch_one(self._db, SQL["key_of"], subject)
            if row is None or row[1] == RowState.NONE:
                self._states[subject] = _PLAIN
            else:
                self._states[subject] = _State(self._vault.key(subject, row[0]), RowState(row[1]))
        return self._states[subject]

    def _writing(self, subject: int) -> _State:
        """Return how a subject's rows are, which begins to have a key where it has none."""
        now = self._state(subject)
        if now.key is not None:
            return now
        mark = read_mark(self._db)
        if mark is None or mark.extent in (Extent.PLAIN, Extent.LEAVING):
            return now
        state = RowState.WHOLE if mark.extent is Extent.WHOLE else RowState.MIXED
        self._db.execute(SQL["add_key"], (subject, state))
        self._db.execute(SQL["begin_key"], (subject, state))
        generation, found = self._db.execute(SQL["key_of"], (subject,)).fetchall()[0]
        self._states[subject] = _State(self._vault.new_key(subject, generation), RowState(found))
        return self._states[subject]


_CHANGING = frozenset({SQL["retire_key"]})


@cache
def _either(statement: Statement, plan: _Plan) -> Statement:
    """Let a statement compare with a second value as well, which follows after all others."""
    last = max(int(number) for number in _VALUE.findall(statement))
    added = {str(at + 1): last + place for place, (at, _) in enumerate(plan.matches, start=1)}

    def either(found: Any) -> str:
        number = found.group(1)
        return f"IN (?{number}, ?{added[number]})" if number in added else str(found.group())

    text = _COMPARED.sub(either, statement)
    return Statement(statement.group, f"{statement.name}_either", text, statement.handling)


class SealedCursor:
    """Rows of a statement, opened."""

    __slots__ = ("_cursor", "_vault")

    def __init__(self, cursor: SqlCursor, vault: SubjectVault) -> None:
        self._cursor = cursor
        self._vault = vault

    def fetchall(self) -> list[Row]:
        """Return all rows, opened."""
        return self._vault.opened(self._cursor.fetchall())
