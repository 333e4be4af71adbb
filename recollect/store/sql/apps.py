"""Which apps were announced and uninstalled, and what shared subjects somebody reads. Works on a connection."""

from datetime import datetime

from recollect.clock import from_micros, to_micros
from recollect.store.sql import subjects
from recollect.store.sql.database import SqlConnection
from recollect.store.sql.rows import fetch, fetch_one
from recollect.store.sql.statements import load
from recollect.types import AppRecord, Subject

SQL = load("app")


def announce(db: SqlConnection, app: Subject, now: datetime) -> None:
    """Announce an app, or one that was uninstalled again: see `Store.announce_app`."""
    subjects.ensure(db, app)
    db.execute(SQL["announce"], (app.key, to_micros(now)))


def remove(db: SqlConnection, app: Subject, now: datetime) -> bool:
    """Note that an app was uninstalled: see `Store.remove_app`."""
    return subjects.version_of(db, app) is not None and bool(fetch(db, SQL["remove"], app.key, to_micros(now)))


def app(db: SqlConnection, subject: Subject) -> AppRecord | None:
    """Read what is known of an app: see `Store.app`."""
    row = None if subjects.version_of(db, subject) is None else fetch_one(db, SQL["app"], subject.key)
    if row is None:
        return None
    created_at, removed_at = row
    return AppRecord(
        subject=subject,
        created_at=from_micros(created_at),
        removed_at=None if removed_at is None else from_micros(removed_at),
    )
