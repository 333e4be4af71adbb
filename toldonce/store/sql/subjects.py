"""The row of a subject: its name, which verifies its key, its version and its salt. Works on a connection."""

from hashlib import blake2b
from typing import Any, NamedTuple

from toldonce.errors import BadSubjectError, SpaceMovedError, StaleSubjectError, VectorSizeError
from toldonce.store.sql import inner
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value
from toldonce.text import TERM_SCHEME
from toldonce.types import Subject, tenant_range

SQL = load("subject")
SALT_BYTES = 16
ANY_SPACE = 0
"""Number of no space: that of a subject which is read in the settings' own, whichever it is."""


def version_of(db: SqlConnection, subject: Subject) -> int | None:
    """Return the subject's version; None where nothing was ever stored for it.

    Raises:
        BadSubjectError: another subject's name has the same 64-bit key.
    """
    state = state_of(db, subject)
    return None if state is None else state[0]


def rows_of(db: SqlConnection, subject: Subject, sql: str, *values: Any) -> list[Row]:
    """Run a statement on the rows of a subject, whose name is verified first; none if nothing was ever stored for it.

    Raises:
        BadSubjectError: another subject's name has the same 64-bit key.
    """
    return [] if version_of(db, subject) is None else fetch(db, sql, subject.key, *values)


def row_of(db: SqlConnection, subject: Subject, sql: str, *values: Any) -> Row | None:
    """Do as `rows_of` for the first row; None if there is none."""
    rows = rows_of(db, subject, sql, *values)
    return rows[0] if rows else None


def state_of(db: SqlConnection, subject: Subject) -> tuple[int, int | None] | None:
    """Return the subject's version, and the number of the space it is read in (None: the settings' own).

    Raises:
        BadSubjectError: another subject's name has the same 64-bit key.
    """
    row = fetch_one(db, SQL["subject"], subject.key)
    if row is None:
        return None
    name, version, space = row
    return verified(subject, name, version), space


def verified(subject: Subject, name: str, version: int = 0) -> int:
    """Return the version if the name under the subject's key is its own.

    Raises:
        BadSubjectError: it is another subject's name.
    """
    if name != subject.text:
        raise BadSubjectError(subject.text, "its key is taken by another subject; choose another name")
    return int(version)


def list_subjects(db: SqlConnection, *, after: str = "", limit: int = 1000, tenant: str | None = None) -> list[Subject]:
    """List subjects by name, after the name `after`; of one tenant, or of all."""
    start, end = tenant_range(tenant)
    return [Subject.parse(name) for (name,) in fetch(db, SQL["subjects"], max(after, start), limit, end)]


def ensure(db: SqlConnection, subject: Subject) -> int:
    """Create the subject's row if it has none, and register it with its owner; return the version."""
    version = version_of(db, subject)
    if version is None:
        ((version, space),) = fetch(db, SQL["to_begin_with"], subject.key)
        db.execute(SQL["add_subject"], (subject.key, subject.text, version, TERM_SCHEME, space))
        inner.register(db, subject)
        return int(version)
    return version


def ensure_not_erased(db: SqlConnection, subject: Subject) -> None:
    """Do as `ensure` for work in progress, which would bring back the name of a subject that was erased meanwhile.

    Raises:
        StaleSubjectError: all of it was erased, and it has not begun again.
    """
    if version_of(db, subject) is not None:
        return
    if fetch_value(db, SQL["was_erased"], subject.key):
        raise StaleSubjectError("all of the subject was erased meanwhile: nothing is done for it any more")
    ensure(db, subject)


class MovedSubject(NamedTuple):
    """The row of a subject whose memories are about to change."""

    found: int
    """Version before; 0 if nothing was stored."""
    version: int
    space: int
    """Number of the space that it is read in, or `ANY_SPACE`."""


def move(db: SqlConnection, subject: Subject) -> MovedSubject:
    """Count a change to the subject's memories; create its row if it has none.

    Raises:
        BadSubjectError: Another subject's name has the same 64-bit key; the transaction must be rolled back.
    """
    row = fetch_one(db, SQL["move_version"], subject.key)
    is_new = row is None
    if row is None:
        ensure(db, subject)
        row = fetch(db, SQL["move_version"], subject.key)[0]
    version, name, space = row
    verified(subject, name, version)
    return MovedSubject(found=0 if is_new else version - 1, version=version, space=space or ANY_SPACE)


def move_version(db: SqlConnection, subject: Subject) -> int:
    """Count a change to the subject's memories; return the new version."""
    return int(fetch_value(db, SQL["move_version"], subject.key))


def salt_of(term_key: bytes, subject: Subject) -> bytes:
    """Return the key of the subject's term hashes."""
    return blake2b(subject.text.encode(), digest_size=SALT_BYTES, key=term_key).digest()


def space_of(db: SqlConnection, name: str) -> tuple[int, int] | None:
    """Return number and dimension of a vector space; None where nothing was stored in it."""
    row = fetch_one(db, SQL["space"], name)
    return None if row is None else (int(row[0]), int(row[1]))


def ensure_space(db: SqlConnection, name: str, dim: int) -> int:
    """Return the number of a vector space, made where it is new.

    Raises:
        VectorSizeError: its vectors have another length.
    """
    known = space_of(db, name)
    if known is None:
        return int(fetch_value(db, SQL["add_space"], name, dim))
    if known[1] != dim:
        raise VectorSizeError(got=dim, stored=known[1])
    return known[0]


def require_space(db: SqlConnection, key: int, number: int) -> None:
    """Refuse vectors that are not of the space which the subject is read in.

    Raises:
        SpaceMovedError: the subject was re-embedded since they were made.
    """
    row = fetch_one(db, SQL["read_in"], key)
    if row is None or row[1] in (None, number):
        return
    names = {found: fetch_value(db, SQL["space_name"], found) for found in (number, row[1])}
    raise SpaceMovedError(row[0], key=key, asked=names[number], found=names[row[1]])
