"""Formations: pending work, leased by compare-and-swap and committed with its effects."""

import builtins
import random
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from toldonce.clock import to_micros
from toldonce.errors import BadRequestError, LeaseLostError
from toldonce.ids import id_bytes
from toldonce.store.executor import check_limit
from toldonce.store.repository import Reads, Repository, Writes
from toldonce.store.sql.database import Row, SqlConnection, Work, load
from toldonce.store.sql.erase.insertions import empty_most_quoting
from toldonce.store.sql.memories.apply import ChangeSet, apply, forgets
from toldonce.store.sql.rows import (
    cursor_id,
    fetch,
    fetch_one,
    fetch_value,
    instant,
    read_formation,
    read_formation_key,
)
from toldonce.store.sql.subjects import version_of
from toldonce.types import (
    BACKLOG_AGE,
    BusySubjects,
    ConversationId,
    FormationKey,
    FormationPlace,
    FormationResult,
    FormationStatus,
    Lease,
    LeaseRequest,
    Subject,
    Unindexed,
    tenant_range,
)

T = TypeVar("T")
SQL, LOG_SQL, SUBJECT_SQL = load("formation"), load("log"), load("subject")
_TOKEN_BITS = 63  # what a signed integer holds
# Nothing is put off longer than this (retries wait minutes, leases last seconds): what is due later was stamped by a
# clock that ran ahead, and would wait until the corrected one gets there.
MAX_DELAY = timedelta(hours=1)
# Subjects passed over in one look for those whose turn is next; a later look goes on from there.
MAX_PASSED = 32
# What is not due comes after what is.
_LAST_MICROS = 2**63 - 1
# Comes before every formation in their list.
_MIN_KEY = -(2**63)
_FIRST_PLACE: Row = (_MIN_KEY, _MIN_KEY, b"", "", "", "")


def _request(db: SqlConnection, writes: Subject, home: Subject, conversation: ConversationId, now: datetime) -> int:
    key = id_bytes(conversation)
    if key is None or version_of(db, writes) is None or version_of(db, home) is None:
        return 0
    last_seq = fetch_value(db, LOG_SQL["last_seq"], home.key, key) or 0
    return len(fetch(db, SQL["ask"], writes.key, home.key, key, last_seq, to_micros(now)))


def due(db: SqlConnection, now: datetime, *, limit: int = 32) -> list[FormationKey]:
    """List formations that are due and not leased, longest due first."""
    return [read_formation_key(row) for row in fetch(db, SQL["due"], to_micros(now), limit)]


def next_slices(
    db: SqlConnection, now: datetime, *, after: int, count: int, share: int, busy: BusySubjects
) -> tuple[list[list[FormationKey]], int]:
    """List due formations of the subjects whose turn is next, so that no backlog of one subject delays the others.

    Subjects form a ring, in the order of their keys. Those whose conversations' owner is busy come last.

    Args:
        now: What is due by then counts.
        after: Key of the subject that had the last turn.
        count: Maximum number of subjects.
        share: Maximum number of formations of each.
        busy: What is left out, and what comes last.

    Returns:
        The formations of each subject, longest due first; and the key after which the next turn begins.
    """
    found: list[int] = []
    second: list[int] = []
    homes = set(busy.homes)
    instant = to_micros(now)
    key, is_second_lap = after, False
    for _ in range(MAX_PASSED):
        row = fetch_one(db, SQL["next_subject"], key, instant) if len(found) < count else None
        if row is None:
            if is_second_lap or len(found) == count:
                break
            key, is_second_lap = _MIN_KEY, True
            continue
        if is_second_lap and row[0] > after:
            break
        key = row[0]
        if key not in busy.subjects:
            (second if row[1] in homes else found).append(key)
            homes.add(row[1])
    # At random, as the next look begins after all of them.
    chosen = [*found, *random.sample(second, min(len(second), count - len(found)))]
    slices = [_due_of(db, each, instant, limit=share) for each in chosen]
    return [each for each in slices if each], key


def due_of(db: SqlConnection, subject: Subject, now: datetime, *, limit: int) -> list[FormationKey]:
    """List formations of one subject that are due and not leased, longest due first; a backlog comes last."""
    return _due_of(db, subject.key, to_micros(now), limit=limit)


def _due_of(db: SqlConnection, subject: int, instant: int, *, limit: int) -> list[FormationKey]:
    """List what is due of a subject: what was said lately, or if there is none, the backlog, such as of an import."""
    found, owners = [], dict[int, str]()
    fresh = fetch(db, SQL["due_of"], subject, instant, limit, instant - BACKLOG_AGE // timedelta.resolution)
    for name, home, *rest in fresh or fetch(db, SQL["due_of"], subject, instant, limit, _MIN_KEY):
        owner = _owner_name(db, name, subject, home, owners)
        if owner is not None:
            found.append(read_formation_key((name, owner, *rest)))
    return found


def unindexed(db: SqlConnection, subjects: Sequence[Subject], *, limit: int) -> list[Unindexed]:
    """List the conversations whose newest messages are no quotations of these subjects yet, newest first."""
    found, owners = list[Unindexed](), dict[int, str]()
    for subject in subjects:
        for name, home, *rest, formed_seq, asked_seq in fetch(db, SQL["unindexed"], subject.key, limit):
            owner = _owner_name(db, name, subject.key, home, owners)
            if owner is not None and name == subject.text:
                key = read_formation_key((name, owner, *rest))
                found.append(Unindexed(key=key, formed_seq=formed_seq, asked_seq=asked_seq))
    return found


def _owner_name(db: SqlConnection, name: str, subject: int, home: int, known: dict[int, str]) -> str | None:
    """Return the name of a conversation's owner; None if it was erased this moment."""
    if home not in known:
        owner = name if home == subject else fetch_value(db, SUBJECT_SQL["read_in"], home)
        if owner is None:
            return None
        known[home] = owner
    return known[home]


def next_due(db: SqlConnection) -> datetime | None:
    """Return when the next unparked formation is due; None when nothing waits."""
    return instant(fetch_value(db, SQL["next_due"]))


def lease(db: SqlConnection, key: FormationKey, *, now: datetime, lease_s: float) -> Lease | None:
    """Lease a formation and count the attempt; None if it is not due, parked or leased by another worker.

    The attempt is on the disk when this returns: a formation that takes the machine down is parked in the end.
    """
    row_key = _verified_key(db, key)
    if row_key is None:
        return None
    token = secrets.randbits(_TOKEN_BITS)
    until = now + timedelta(seconds=lease_s)
    row = fetch_one(db, SQL["lease"], *row_key, token, to_micros(until), to_micros(now))
    if row is None:
        return None
    attempts, formed_seq = row
    return Lease(
        key=key,
        token=token,
        until=until,
        attempts=attempts,
        formed_seq=formed_seq,
        last_seq=_last_seq(db, row_key),
    )


def return_from_future(db: SqlConnection, now: datetime) -> None:
    """Reschedule formations whose due time or lease is in the far future: a wrong clock wrote it."""
    farthest = to_micros(now + MAX_DELAY)
    if fetch_value(db, SQL["from_future"], farthest):
        db.execute(SQL["back_from_future"], (farthest, to_micros(now)))


def free_leases(db: SqlConnection) -> None:
    """End all leases of dead workers; their attempts stay counted."""
    db.execute(SQL["free_leases"])


def renew(db: SqlConnection, lease: Lease, *, now: datetime, lease_s: float) -> bool:
    """Extend a lease; return False if it ran out or was taken over.

    A crash of the machine may undo it, as it ends the worker: the disk is not waited for.
    """
    row_key = _row_key(lease.key)
    until = to_micros(now + timedelta(seconds=lease_s))
    return row_key is not None and bool(fetch(db, SQL["renew"], *row_key, lease.token, until, to_micros(now)))


def _commit(db: SqlConnection, lease: Lease, result: FormationResult, now: datetime, term_key: bytes) -> int:
    row_key, (formed_seq, asked_seq, idle) = _held(db, lease, now)
    last_seq = _last_seq(db, row_key)
    lowest = 0 if result.goes_back else formed_seq
    if not lowest <= result.formed_seq <= last_seq:
        raise BadRequestError(
            f"formed_seq {result.formed_seq} is outside the formed and recorded messages, {lowest} to {last_seq}"
        )
    wanted = ChangeSet(
        subject=lease.key.subject,
        home=lease.key.home,
        changes=result.changes,
        decisions=result.decisions,
        subject_version=result.subject_version,
    )
    version = apply(db, wanted, term_key)
    due_at = _due_again((asked_seq, idle), lease, result, last_seq=last_seq, now=to_micros(now))
    db.execute(SQL["advance"], (*row_key, result.formed_seq, due_at))
    for conversation, cursor in result.cursors.items():
        beside = (*row_key[:2], id_bytes(conversation), *row_key[3:])
        db.execute(SQL["advance_beside"], (*beside, cursor))
    return version


def _due_again(row: Row, lease: Lease, result: FormationResult, *, last_seq: int, now: int) -> int | None:
    """Return when a formation is due after a commit: now if more was requested, after silence, or not by itself."""
    asked_seq, idle = row
    if result.goes_on:
        return now
    if result.formed_seq < asked_seq and not (result.waiting and asked_seq <= lease.last_seq):
        return now
    return now + int(idle) if idle is not None and result.formed_seq < last_seq else None


def has_other_version(db: SqlConnection, key: FormationKey) -> bool:
    """Return whether another extractor version has a formation of the same conversation, profile and stage."""
    row_key = _row_key(key)
    return row_key is not None and bool(fetch_value(db, SQL["formed_by_another"], *row_key))


def release(
    db: SqlConnection,
    lease: Lease,
    *,
    error: str | None,
    retry_at: datetime | None,
    now: datetime,
    counted: bool = True,
) -> None:
    """Give a lease back without a commit: due again at `retry_at`, or parked with its error if that is None.

    The attempt is not counted without an error (a shutdown: nothing was tried) or with `counted` False (an open circuit
    breaker, a spent budget). Does nothing if the lease is lost already.
    """
    try:
        row_key, _ = _held(db, lease, now)
    except LeaseLostError:
        return
    if retry_at is None:
        db.execute(SQL["park"], (*row_key, error))
    else:
        db.execute(SQL["postpone"], (*row_key, to_micros(retry_at), error, error is None or not counted))


def list_formations(
    db: SqlConnection,
    *,
    subject: Subject | None = None,
    tenant: str | None = None,
    parked: bool | None = None,
    after: FormationPlace | None = None,
    limit: int = 100,
) -> list[FormationStatus]:
    """List formations of one subject, or (for operators) of a tenant or all, longest due first, from a place on."""
    start = _FIRST_PLACE if after is None else _place(after)
    if subject is None:
        rows = fetch(db, SQL["formations"], parked, limit, *tenant_range(tenant), *start)
    else:
        version_of(db, subject)  # verifies the name
        rows = fetch(db, SQL["formations_of"], parked, limit, subject.key, *start)
    return [read_formation(row) for row in rows]


def _place(place: FormationPlace) -> Row:
    """Return what the list is ordered by."""
    due = _LAST_MICROS if place.due_at is None else to_micros(place.due_at)
    return (due, place.subject_key, cursor_id(place.conversation), place.profile, place.stage, place.version)


def retry(db: SqlConnection, key: FormationKey, *, now: datetime) -> bool:
    """Make a parked formation due again and clear its attempts; return False if it is not parked."""
    row_key = _verified_key(db, key)
    return row_key is not None and bool(fetch(db, SQL["unpark"], *row_key, to_micros(now)))


def skip(db: SqlConnection, key: FormationKey) -> None:
    """End a formation: what was said so far is not formed any more, and one under way commits nothing."""
    row_key = _verified_key(db, key)
    if row_key is not None:
        db.execute(SQL["skip"], (*row_key, _last_seq(db, row_key)))


def _held(db: SqlConnection, lease: Lease, now: datetime) -> tuple[Row, Row]:
    """Check that the lease is held; return the row's key, and its cursor with what is asked for."""
    row_key = _row_key(lease.key)
    row = None if row_key is None else fetch_one(db, SQL["holds"], *row_key, lease.token, to_micros(now))
    if row_key is None or row is None:
        raise LeaseLostError(
            f"the lease on {lease.key.stage} of conversation {lease.key.conversation} ran out at "
            f"{lease.until.isoformat()} or was taken over; nothing was committed, another worker goes on"
        )
    return row_key, row


def _verified_key(db: SqlConnection, key: FormationKey) -> Row | None:
    """Return the key of a formation's row; None if a subject does not exist.

    Raises:
        BadSubjectError: Another subject's name has the same 64-bit key.
    """
    if any(version_of(db, subject) is None for subject in dict.fromkeys((key.subject, key.home))):
        return None
    return _row_key(key)


def _row_key(key: FormationKey) -> Row | None:
    """Return the key of a formation's row; None if its conversation is no id.

    Where a lease is held, its token tells that the row is the right one: the names were verified with the lease.
    """
    conversation = id_bytes(key.conversation)
    if conversation is None:
        return None
    return key.subject.key, key.home.key, conversation, key.profile, key.stage, key.version


def _last_seq(db: SqlConnection, row_key: Row) -> int:
    return int(fetch_value(db, LOG_SQL["last_seq"], row_key[1], row_key[2]))


class FormationRepository(Repository):
    """The work that a conversation causes: which is due, its leases, and its commit."""

    due = Reads(due, inline=True)
    next_slices = Reads(next_slices, inline=True)
    due_of = Reads(due_of, inline=True)
    unindexed = Reads(unindexed, inline=True)
    next_due = Reads(next_due)
    has_other_version = Reads(has_other_version, inline=True)
    list = Reads(list_formations)
    lease = Writes(lease, lambda key: key.subject)
    renew = Writes(renew, lambda lease: lease.key.subject, synced=False)
    release = Writes(release, lambda lease: lease.key.subject)
    retry = Writes(retry, lambda key: key.subject)
    skip = Writes(skip, lambda key: key.subject)

    async def request(self, writes: Subject, home: Subject, conversation: ConversationId, now: datetime) -> int:
        """Make due the formations into `writes` that a conversation of `home` waits for; return how many."""
        return await self._executor.write(lambda db: _request(db, writes, home, conversation, now), writes, home)

    def unindexed_in_caller(self, subjects: Sequence[Subject], *, limit: int) -> builtins.list[Unindexed] | None:
        """Do as `unindexed` in the calling thread; None if that is not possible now."""
        done = self._executor.read_in_caller(lambda db: unindexed(db, subjects, limit=check_limit(limit)))
        return None if done is None else done[0]

    async def commit(self, lease: Lease, result: FormationResult, *, now: datetime) -> int:
        """Apply a formation's changes and decisions and move its cursor, in one transaction.

        The formation is due again at once while its cursor has not reached what was requested (unless the result says
        that it waits for more), after silence if it waits for that, and otherwise not by itself. Attempts, error and
        lease are cleared. The cursor moves back only if the result says that an edit removed what it had passed.

        Returns:
            The subject's new version.

        Raises:
            LeaseLostError: The token is not the current one, or the lease ran out.
            StaleSubjectError: `result.subject_version` is no longer the subject's version.
            VectorSizeError: A vector does not fit its space.
        """
        return await self._commit(lease, result, lambda db: _commit(db, lease, result, now, self._context.term_key))

    async def commit_and_lease(self, held: Lease, result: FormationResult, following: LeaseRequest) -> Lease | None:
        """Do as `commit`, and lease in the same transaction what the worker forms next, counting its attempt.

        `following` asks for a formation of the same conversation into the same subject. Returns its lease; None where
        `lease` would. Raises what `commit` does; then nothing is committed or leased.
        """

        def work(db: SqlConnection) -> Lease | None:
            _commit(db, held, result, following.now, self._context.term_key)
            return lease(db, following.key, now=following.now, lease_s=following.lease_s)

        return await self._commit(held, result, work)

    async def _commit(self, lease: Lease, result: FormationResult, work: Work[T]) -> T:
        key = lease.key
        if forgets(result.changes):
            await empty_most_quoting(self._executor, key.home)
        return await self._executor.write(work, key.subject, key.home)
