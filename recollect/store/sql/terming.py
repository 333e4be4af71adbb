"""Which memories' terms are of a former scheme, and the new ones in their place. Works on a connection."""

from collections.abc import Mapping, Sequence

from recollect.ids import id_bytes, id_text
from recollect.store.sql.database import SqlConnection
from recollect.store.sql.rows import fetch, fetch_one, fetch_value, read_memories
from recollect.store.sql.snapshot_codec import pack_terms, with_length
from recollect.store.sql.statements import load
from recollect.store.sql.subjects import salt_of, version_of
from recollect.text import TERM_SCHEME
from recollect.types import MemoryId, StaleTerms, Subject

SQL = load("tend")
MEMORY_SQL = load("memory")


def behind(db: SqlConnection, *, limit: int) -> list[Subject]:
    """List the subjects that are behind: see `Store.behind`."""
    return [Subject.parse(name) for (name,) in fetch(db, SQL["behind"], TERM_SCHEME, limit)]


def untermed(db: SqlConnection, subject: Subject, *, limit: int) -> StaleTerms | None:
    """Read what is to be done next: see `Store.untermed`."""
    with db:  # one snapshot
        row = None if version_of(db, subject) is None else fetch_one(db, SQL["termed"], subject.key, TERM_SCHEME)
        rows = [] if row is None else fetch(db, SQL["to_term"], subject.key, row[0] or b"", limit)
    if row is None:
        return None
    memories = read_memories(subject, rows)
    after = None if row[0] is None else MemoryId(id_text(row[0]))
    return StaleTerms(subject=subject, after=after, memories=tuple(memories))


def set_terms(db: SqlConnection, done: StaleTerms, terms: Sequence[Mapping[str, int]], *, term_key: bytes) -> bool:
    """Put terms in the place of former ones: see `Store.set_terms`."""
    key, salt = done.subject.key, salt_of(term_key, done.subject)
    after = None if done.after is None else id_bytes(done.after)
    if version_of(db, done.subject) is None or fetch_one(db, SQL["termed"], key, TERM_SCHEME) != (after,):
        return False
    if not done.memories:
        db.execute(SQL["all_termed"], (key, TERM_SCHEME))
        return True
    last = None
    for memory, counted in zip(done.memories, terms, strict=True):
        last = id_bytes(memory.id)
        fixed = fetch_value(db, MEMORY_SQL["fixed"], key, last)
        if fixed is not None:
            length = sum(counted.values())
            db.execute(SQL["set_terms"], (key, last, with_length(fixed, length), pack_terms(counted, salt)))
            db.execute(SQL["terms_changed"], (key, last))
    db.execute(SQL["termed_up_to"], (key, last))
    return True
