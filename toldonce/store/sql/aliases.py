"""Users who are one person: whose requests read and write another's memory. Works on a connection.

What is kept of the source stays there, untouched, beside the copy in the target's memory: taking the alias back needs
no more than deleting the copy. What is erased from the copy is erased there, too.
"""

from datetime import datetime

from toldonce.clock import from_micros, to_micros
from toldonce.store.sql import access
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.inner import inner_subjects
from toldonce.store.sql.rows import fetch, instant
from toldonce.types import AuditEntry, Subject, UserAlias

SQL = load("alias")
_UNLIMITED = 2**62


def list_aliases(db: SqlConnection) -> list[UserAlias]:
    """List all aliases, by the name of their source."""
    return [
        UserAlias(
            source=Subject.parse(source), target=Subject.parse(target), at=from_micros(at), joined_at=instant(joined_at)
        )
        for source, target, at, joined_at in fetch(db, SQL["aliases"])
    ]


def add_alias(db: SqlConnection, source: Subject, target: Subject, at: datetime, *, audit: AuditEntry) -> bool:
    """Let requests of `source` read and write the memory of `target` from now on; False if they went elsewhere."""
    db.execute(SQL["add_alias"], (source.key, source.text, target.key, target.text, to_micros(at)))
    if not db.changes():
        return False
    access.add_audit(db, audit)
    return True


def sources_of(db: SqlConnection, subject: Subject) -> list[Subject]:
    """Return the subjects whose memory was copied into one: those users' own, or what was theirs alike."""
    user = subject.user
    if user.kind != "user":
        return []
    found: list[Subject] = []
    for source, target in fetch(db, SQL["sources_of"], user.key):
        if target == user.text:
            there = subject.of_other_users({user: Subject.parse(source)})
            found += [there, *sources_of(db, there)]
    return found


def erased_with(db: SqlConnection, subject: Subject, *, limit: int = _UNLIMITED) -> list[Subject]:
    """List what is erased with a subject, innermost first: subjects within it, and users who were merged into it.

    With a limit there may be fewer than that, but never none.
    """
    found = inner_subjects(db, subject, limit=limit)
    if subject.kind != "user":
        return found
    for source, target in fetch(db, SQL["sources_of"], subject.key):
        if target == subject.text and len(found) < limit:
            user = Subject.parse(source)
            found += [*erased_with(db, user, limit=limit - len(found)), user]
    return found[:limit]
