"""Which apps were announced and uninstalled, and what shared subjects somebody reads. Works on a connection."""

from datetime import datetime

from recollect.clock import from_micros, to_micros
from recollect.store.sql import subjects
from recollect.store.sql.database import SqlConnection, load
from recollect.store.sql.rows import fetch, fetch_one
from recollect.types import AppRecord, Subject

SQL, SHARING_SQL = load("app"), load("sharing")


def register(db: SqlConnection, app: Subject, now: datetime) -> None:
    """Announce an app, or one that was uninstalled again."""
    subjects.ensure(db, app)
    db.execute(SQL["announce"], (app.key, to_micros(now)))


def remove(db: SqlConnection, app: Subject, now: datetime) -> bool:
    """Note that an app was uninstalled."""
    return subjects.version_of(db, app) is not None and bool(fetch(db, SQL["remove"], app.key, to_micros(now)))


def app(db: SqlConnection, subject: Subject) -> AppRecord | None:
    """Read what is known of an app."""
    row = None if subjects.version_of(db, subject) is None else fetch_one(db, SQL["app"], subject.key)
    if row is None:
        return None
    created_at, removed_at = row
    return AppRecord(
        subject=subject,
        created_at=from_micros(created_at),
        removed_at=None if removed_at is None else from_micros(removed_at),
    )


def subscribe(db: SqlConnection, subject: Subject, shared: Subject, now: datetime) -> None:
    """Read a shared subject from now on."""
    subjects.ensure(db, subject)
    db.execute(SHARING_SQL["subscribe"], (subject.key, shared.text, to_micros(now)))
    if db.changes():
        subjects.move_version(db, subject)


def unsubscribe(db: SqlConnection, subject: Subject, shared: Subject) -> bool:
    """Read it no more."""
    if subjects.version_of(db, subject) is None or not fetch(db, SHARING_SQL["unsubscribe"], subject.key, shared.text):
        return False
    subjects.move_version(db, subject)
    return True


def subscriptions(db: SqlConnection, subject: Subject) -> tuple[int, list[Subject]]:
    """List the shared subjects that a subject reads, with its version."""
    rows = fetch(db, SHARING_SQL["subscriptions"], subject.key)
    version = subjects.verified(subject, *rows[0][:2]) if rows else 0
    return version, [Subject.parse(shared) for _, _, shared in rows if shared is not None]
