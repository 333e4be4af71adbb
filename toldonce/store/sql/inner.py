"""Subjects within another: which there are, found by the owner's key alone. Works on a connection.

An owner has a row for each subject directly within it, written in the transaction that makes that subject. One within
one of those (`session:app:ana%2Fx/1`) is found by way of it.
"""

from collections.abc import Iterator

from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.rows import fetch, fetch_one
from toldonce.types import INNER_KINDS, LAST_NAME, Subject

SQL = load("inner")
SUBJECT_SQL = load("subject")
_PAGE_SIZE = 1_000
_UNLIMITED = 2**62


def register(db: SqlConnection, subject: Subject) -> None:
    """Note a subject with its owner, and that with its own; one that is within none is not noted.

    The owner's row is looked at first: on PostgreSQL that waits for an erasure of the owner to end.
    """
    for owner in subject.owners:
        fetch_one(db, SUBJECT_SQL["subject"], owner.key)
        db.execute(SQL["note_inner"], (owner.key, subject.text))
        subject = owner


def forget(db: SqlConnection, subject: Subject) -> bool:
    """Take away the row that a subject has with its owner; return whether there was one."""
    owner = subject.owner
    if owner is None:
        return False
    db.execute(SQL["drop_inner"], (owner.key, subject.text))
    return db.changes() > 0


def inner_subjects(db: SqlConnection, subject: Subject, *, limit: int = _UNLIMITED) -> list[Subject]:
    """List the subjects within one, innermost first. With a limit there may be fewer than that, but never none."""
    found: list[Subject] = []
    for (name,) in fetch(db, SQL["inner_of"], subject.key, limit):
        inner = Subject.parse(name)
        if inner.owner == subject and len(found) < limit:  # else it is of another whose name has the same key
            found += [*inner_subjects(db, inner, limit=limit - len(found)), inner]
    return found[:limit]


def register_all(db: SqlConnection) -> None:
    """Note all subjects that are within another: for a database in which that was not noted yet."""
    for kind in sorted(INNER_KINDS):
        for subject in subjects_of_kind(db, kind):
            register(db, subject)


def subjects_of_kind(db: SqlConnection, kind: str) -> Iterator[Subject]:
    """List all subjects of a kind by name."""
    after = f"{kind}:"
    while page := [name for (name,) in fetch(db, SUBJECT_SQL["subjects"], after, _PAGE_SIZE, LAST_NAME)]:
        for name in page:
            if not name.startswith(f"{kind}:"):
                return
            yield Subject.parse(name)
        after = page[-1]
