"""Which shared subjects somebody reads beside their own. Works on a connection."""

from datetime import datetime

from recollect.clock import to_micros
from recollect.store.sql import subjects
from recollect.store.sql.database import SqlConnection
from recollect.store.sql.rows import fetch
from recollect.store.sql.statements import load
from recollect.types import Subject

SQL = load("sharing")


def subscribe(db: SqlConnection, subject: Subject, shared: Subject, now: datetime) -> None:
    """Read a shared subject from now on: see `Store.subscribe`."""
    subjects.ensure(db, subject)
    db.execute(SQL["subscribe"], (subject.key, shared.text, to_micros(now)))
    if db.changes():
        subjects.move_version(db, subject)


def unsubscribe(db: SqlConnection, subject: Subject, shared: Subject) -> bool:
    """Read it no more: see `Store.unsubscribe`."""
    if subjects.version_of(db, subject) is None or not fetch(db, SQL["unsubscribe"], subject.key, shared.text):
        return False
    subjects.move_version(db, subject)
    return True


def subscriptions(db: SqlConnection, subject: Subject) -> tuple[int, list[Subject]]:
    """List what is read, with the version: see `Store.subscriptions`."""
    with db:  # one snapshot
        version = subjects.version_of(db, subject)
        rows = [] if version is None else fetch(db, SQL["subscriptions"], subject.key)
    return version or 0, [Subject.parse(name) for (name,) in rows]
