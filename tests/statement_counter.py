"""Count the statements that a store sends to its database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw
import pytest

from toldonce.store.postgres.connection import PostgresConnection
from toldonce.store.sql.database import Row
from toldonce.store.sqlite import connection as sqlite_connection
from toldonce.store.sqlite.connection import DatabaseLocation


class StatementCounter:
    """The statements of all connections that are opened after it, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent: list[str] = []
        connect, say = sqlite_connection._connect, PostgresConnection._say

        def note(_cursor: apsw.Cursor, sql: str, _values: object) -> bool:
            self.sent.append(sql)
            return True

        def opened(place: DatabaseLocation) -> apsw.Connection:
            db = connect(place)
            db.exec_trace = note
            return db

        def said(db: PostgresConnection, statement: str, values: Sequence[Any] = ()) -> list[Row]:
            self.sent.append(statement)
            return say(db, statement, values)

        monkeypatch.setattr(sqlite_connection, "_connect", opened)
        monkeypatch.setattr(PostgresConnection, "_say", said)

    @contextmanager
    def counted(self) -> Iterator[list[str]]:
        """Collect the statements of this context; a row that `executemany` writes to a file counts as one."""
        start, collected = len(self.sent), list[str]()
        yield collected
        collected += self.sent[start:]
