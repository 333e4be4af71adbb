"""The mark of a copy: how far it is, and of what. Works on a connection.

While it says that the copy is not finished, no store opens the database: who found half of the memories would take
them for all.
"""

import json
from dataclasses import asdict, dataclass
from hashlib import blake2b

from recollect.errors import UnreadableStoreError
from recollect.store.sql.database import SqlConnection
from recollect.store.sql.rows import fetch_value
from recollect.store.sql.statements import load

SQL = load("copy")
SUBJECT_SQL = load("subject")
MARK_NAME = "copy"
"""Of the mark's row among the facts about a database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyMarker:
    """How far a copy is."""

    source: str
    """Which database it is a copy of: see `identity`."""
    next_subject: int
    """All rows of subjects with a lower key are there."""
    finished: bool = False
    """All rows are there, and both were compared: it is a database like any other now."""


def identity(db: SqlConnection) -> str:
    """Tell a database from others, whatever it is called: by its key, of which this says nothing."""
    return blake2b(b"copy", key=bytes(fetch_value(db, SUBJECT_SQL["term_key"])), digest_size=16).hexdigest()


def read_mark(db: SqlConnection) -> CopyMarker | None:
    """Return the mark; None where the database is no copy."""
    value = fetch_value(db, SQL["copied_up_to"])
    return None if value is None else CopyMarker(**json.loads(bytes(value)))


def set_mark(db: SqlConnection, mark: CopyMarker) -> None:
    """Leave the mark, in the transaction of the rows that it tells of."""
    db.execute(SQL["note_copied"], (json.dumps(asdict(mark)).encode(),))


def refuse_unfinished(db: SqlConnection, where: str) -> None:
    """Let nobody use a database that is half a copy.

    Raises:
        UnreadableStoreError: it is one.
    """
    mark = read_mark(db)
    if mark is not None and not mark.finished:
        raise UnreadableStoreError(
            f"{where} is a copy that is not finished: run the same `recollect db copy` again, it goes on where it ended"
        )
