"""Maintenance turns, leased by compare-and-swap, and what maintenance reads."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from toldonce.clock import from_micros, to_micros
from toldonce.ids import id_bytes, id_text
from toldonce.store.repository import Reads, Repository, Writes, itself
from toldonce.store.sql import inner
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.formations import MAX_DELAY
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value, read_memories
from toldonce.store.sql.snapshot_codec import pack_terms, with_length
from toldonce.store.sql.subjects import row_of, rows_of, salt_of, version_of
from toldonce.text import TERM_SCHEME
from toldonce.types import MaintenanceLease, Memory, MemoryId, StaleTerms, Subject

SQL, MEMORY_SQL = load("tend"), load("memory")
_TOKEN_BITS = 63  # what a signed integer holds
# Imported subjects are first maintained within this time, each at a time of its own. The longest time that is not taken
# for that of a clock which ran ahead, less what clocks of several machines differ by.
IMPORT_SPREAD = MAX_DELAY * 0.9
_SHARES = 1 << 16


def profiles_of(db: SqlConnection, subject: Subject) -> set[str]:
    """Return the profiles that formed the subject's notes and facts, closed ones included."""
    return {name for (name,) in rows_of(db, subject, SQL["profiles_of"])}


def expired(db: SqlConnection, subject: Subject, at: datetime, *, limit: int = 100) -> list[Memory]:
    """Read the `limit` active notes, facts and episodes whose `valid_to` passed first before `at`, by id."""
    return read_memories(subject, rows_of(db, subject, SQL["ended"], to_micros(at), limit))


def begun(db: SqlConnection, subject: Subject, at: datetime, *, limit: int = 100) -> list[Memory]:
    """Read the `limit` active plans whose day, to come when they were stored, was first before `at`, by id."""
    return read_memories(subject, rows_of(db, subject, SQL["begun"], to_micros(at), limit))


def due(db: SqlConnection, *, before: datetime, now: datetime, limit: int = 100) -> list[Subject]:
    """List subjects that had no maintenance since `before` and are not leased, longest waiting first."""
    times = (to_micros(now), to_micros(now + MAX_DELAY))
    rows = fetch(db, SQL["tend_due"], to_micros(before), *times, limit)
    # A time of tending that is still to come was stamped by a clock that ran ahead.
    rows = rows or fetch(db, SQL["tended_in_future"], *times, limit)
    return [Subject.parse(name) for (name,) in rows]


def lease(
    db: SqlConnection, subject: Subject, *, before: datetime, now: datetime, lease_s: float
) -> MaintenanceLease | None:
    """Lease a subject for maintenance; None if it had some since `before`, or another process has the lease."""
    if version_of(db, subject) is None:
        return None
    inner.register(db, subject)  # a process of an older version may have made it without
    token = secrets.randbits(_TOKEN_BITS)
    until = to_micros(now + timedelta(seconds=lease_s))
    times = (to_micros(before), to_micros(now), to_micros(now + MAX_DELAY))
    row = fetch_one(db, SQL["lease_tending"], subject.key, *times, token, until)
    if row is None:
        return None
    reached = abs(row[0])
    last = from_micros(reached) if 0 < reached <= to_micros(now) else None
    return MaintenanceLease(subject=subject, token=token, last=last)


def postpone(db: SqlConnection, subject: Subject, now: datetime) -> None:
    """Let the first maintenance of a new subject wait, so that an import makes not all subjects due at once."""
    share = subject.key % _SHARES / _SHARES
    db.execute(SQL["postpone_tending"], (subject.key, to_micros(now + IMPORT_SPREAD * share)))


def advance(db: SqlConnection, lease: MaintenanceLease, at: datetime, *, until: datetime) -> bool:
    """Record that maintenance covered all that was stored before `at`, and extend the lease to `until`.

    Returns:
        Whether the lease was still held; if not, nothing was recorded.
    """
    row = (lease.subject.key, lease.token, -to_micros(at), to_micros(until))
    return fetch_one(db, SQL["tended_up_to"], *row) is not None


def finish(db: SqlConnection, lease: MaintenanceLease, at: datetime, *, whole: bool = True) -> None:
    """Record that a subject had maintenance and give the lease back; do nothing if another process holds it.

    Args:
        lease: The lease.
        at: Everything stored before was covered.
        whole: False if work is left: the subject is due again at once, to continue from `at`.
    """
    micros = to_micros(at)
    db.execute(SQL["tended"], (lease.subject.key, lease.token, micros if whole else -micros))


def with_stale_terms(db: SqlConnection, *, limit: int = 100) -> list[Subject]:
    """List subjects that may have memories with terms of a former scheme (see `text.TERM_SCHEME`)."""
    return [Subject.parse(name) for (name,) in fetch(db, SQL["behind"], TERM_SCHEME, limit)]


def stale_terms(db: SqlConnection, subject: Subject, *, limit: int = 100) -> StaleTerms | None:
    """Read the next active memories whose terms must be derived again; None if the subject has none."""
    with db:  # one snapshot
        row = row_of(db, subject, SQL["termed"], TERM_SCHEME)
        rows = [] if row is None else fetch(db, SQL["to_term"], subject.key, row[0] or b"", limit)
    if row is None:
        return None
    after = None if row[0] is None else MemoryId(id_text(row[0]))
    return StaleTerms(subject=subject, after=after, memories=tuple(read_memories(subject, rows)))


def _set_terms(db: SqlConnection, done: StaleTerms, terms: Sequence[Mapping[str, int]], term_key: bytes) -> bool:
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


class MaintenanceRepository(Repository):
    """Which subjects are due, their leases, and what maintenance reads."""

    profiles_of = Reads(profiles_of, inline=True)
    expired = Reads(expired)
    begun = Reads(begun)
    with_stale_terms = Reads(with_stale_terms)
    stale_terms = Reads(stale_terms)
    due = Reads(due)
    lease = Writes(lease, itself)
    advance = Writes(advance, lambda lease: lease.subject)
    finish = Writes(finish, lambda lease: lease.subject)

    async def set_terms(self, done: StaleTerms, terms: Sequence[Mapping[str, int]]) -> bool:
        """Replace the terms of memories; without memories, record that the subject has no stale terms any more.

        Args:
            done: What was read. Nothing happens if another process was faster.
            terms: Terms of each memory, in order. A memory that is closed by now is skipped.

        Returns:
            Whether it happened.
        """
        term_key = self._context.term_key
        return await self._executor.write(lambda db: _set_terms(db, done, terms, term_key), done.subject)
