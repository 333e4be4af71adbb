"""Registered apps, subscriptions to shared subjects, and names of characters."""

from datetime import datetime

from toldonce.clock import from_micros, to_micros
from toldonce.store.repository import Reads, Repository, Writes, itself
from toldonce.store.sql import subjects
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.rows import fetch, instant
from toldonce.types import AppRecord, AppSummary, Subject, tenant_range

SQL, SHARING_SQL = load("app"), load("sharing")


def register(db: SqlConnection, app: Subject, now: datetime) -> None:
    """Register an app; an app that was removed is registered again, with its first date."""
    subjects.ensure(db, app)
    db.execute(SQL["announce"], (app.key, to_micros(now)))


def remove(db: SqlConnection, app: Subject, now: datetime) -> bool:
    """Mark an app as uninstalled and keep its memories; return False if it is not registered."""
    return bool(subjects.rows_of(db, app, SQL["remove"], to_micros(now)))


def app(db: SqlConnection, subject: Subject) -> AppRecord | None:
    """Return what is known of an app; None if it was never registered."""
    row = subjects.row_of(db, subject, SQL["app"])
    if row is None:
        return None
    created_at, removed_at = row
    return AppRecord(subject=subject, created_at=from_micros(created_at), removed_at=instant(removed_at))


def summaries(db: SqlConnection, *, after: str = "", limit: int = 1000, tenant: str | None = None) -> list[AppSummary]:
    """List apps by name, after the name `after`; of one tenant, or of all."""
    rows = fetch(db, SQL["apps"], after, *tenant_range(tenant), limit)
    return [
        AppSummary(
            id=name,
            users=max(talking, keeping),
            memories=memories,
            conversations=conversations,
            installed_at=instant(installed),
            removed_at=instant(removed),
            last_used_at=instant(used),
        )
        for name, memories, conversations, talking, keeping, installed, removed, used in rows
    ]


def subscribe(db: SqlConnection, subject: Subject, shared: Subject, now: datetime) -> None:
    """Let a subject read a shared one in addition to its own; moves its version unless it does already."""
    subjects.ensure(db, subject)
    db.execute(SHARING_SQL["subscribe"], (subject.key, shared.text, to_micros(now)))
    if db.changes():
        subjects.move_version(db, subject)


def unsubscribe(db: SqlConnection, subject: Subject, shared: Subject) -> bool:
    """End a subscription; return False if there was none."""
    if not subjects.rows_of(db, subject, SHARING_SQL["unsubscribe"], shared.text):
        return False
    subjects.move_version(db, subject)
    return True


def subscriptions(db: SqlConnection, subject: Subject) -> tuple[int, list[Subject]]:
    """Return the subject's version, and the shared subjects it reads, oldest subscription first."""
    rows = fetch(db, SHARING_SQL["subscriptions"], subject.key)
    version = subjects.verified(subject, *rows[0][:2]) if rows else 0
    return version, [Subject.parse(shared) for _, _, shared in rows if shared is not None]


def character_names(db: SqlConnection, subject: Subject) -> dict[str, str]:
    """Return the further names of a user's characters, each with the name under which the memories are kept."""
    return dict(subjects.rows_of(db, subject, SHARING_SQL["character_names"]))


def name_character(db: SqlConnection, subject: Subject, character: str, name: str) -> None:
    """Give a character a further name; other names of the one that had it come along."""
    subjects.ensure(db, subject)
    before = character_names(db, subject).get(name, name)
    db.execute(SHARING_SQL["rename_characters"], (subject.key, before, character))
    db.execute(SHARING_SQL["name_character"], (subject.key, before, character))
    db.execute(SHARING_SQL["name_character"], (subject.key, name, character))


class AppRepository(Repository):
    """Registered apps, subscriptions, and names of characters."""

    register = Writes(register, itself)
    remove = Writes(remove, itself)
    get = Reads(app)
    summaries = Reads(summaries)
    subscribe = Writes(subscribe, itself)
    unsubscribe = Writes(unsubscribe, itself)
    subscriptions = Reads(subscriptions, inline=True)
    character_names = Reads(character_names)
    name_character = Writes(name_character, itself)

    def subscriptions_in_caller(self, subject: Subject) -> tuple[int, list[Subject]] | None:
        """Do as `subscriptions` in the calling thread; None if that is not possible now."""
        done = self._executor.read_in_caller(lambda db: subscriptions(db, subject))
        return None if done is None else done[0]
