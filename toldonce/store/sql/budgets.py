"""What memory work of a subject may cost, and has cost: reserved, settled, reported."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from toldonce.clock import EPOCH, from_micros, to_micros
from toldonce.errors import BudgetSpentError
from toldonce.ids import id_bytes
from toldonce.profiles.policies import BudgetPolicy
from toldonce.store.repository import Repository, Writes, itself
from toldonce.store.sql import subjects
from toldonce.store.sql.database import SqlConnection, load
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value, instant, require_id
from toldonce.text import clean
from toldonce.types import Cost, CostPurpose, EnergyStatus, Reservation, SincePoll, Subject

SQL = load("energy")
# Days over which the share of memory work is taken, and for which single days are kept.
SHARE_DAYS = 30
# A formation is never put off for longer (see `MAX_DELAY`): what waits for a day is checked in between.
MAX_WAIT = timedelta(hours=1)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetState:
    """State of a subject's budget at an instant."""

    used: float
    """Units drawn and not refilled."""
    tokens_today: int
    memory_units: float
    """Units of memory work over the last days."""
    turn_units: float
    """Units of chat turns over the same days."""


def refilled(used: float, policy: BudgetPolicy, passed: timedelta) -> float:
    """Return what is still drawn after some time; a clock that was set back refills nothing.

    >>> refilled(100.0, BudgetPolicy(capacity=200, refill_per_day=240), timedelta(hours=5))
    50.0
    """
    return max(0.0, used - policy.refill_per_day * (max(passed, timedelta()) / _DAY))


def level_of(used: float, policy: BudgetPolicy) -> float:
    """Return the units left, 0 to the capacity."""
    return max(0.0, policy.capacity - used)


def share_of(memory_units: float, turn_units: float) -> float:
    """Return the share of memory work in all units; 0 if nothing was spent.

    >>> share_of(12, 228)
    0.05
    """
    total = memory_units + turn_units
    return memory_units / total if total else 0.0


def refusal(policy: BudgetPolicy, standing: BudgetState, units: float, now: datetime) -> BudgetSpentError | None:
    """Return why work of so many units must wait, and until when; None if it may run.

    Work of no units belongs to work that was paid already: tokens alone can stop it.
    """
    waits = [
        wait
        for wait in (_level(policy, standing, units), _share(policy, standing, units), _tokens(policy, standing, now))
        if wait is not None
    ]
    if not waits:
        return None
    why, wait = max(waits, key=lambda one: one[1])
    return BudgetSpentError(why, now + min(wait, MAX_WAIT))


_Wait = tuple[str, timedelta]


def _level(policy: BudgetPolicy, standing: BudgetState, units: float) -> _Wait | None:
    if not (policy.capacity and units):
        return None
    level, critical = level_of(standing.used, policy), policy.critical * policy.capacity
    missing = max(critical - level, units - level)
    if missing <= 0:
        return None
    wait = _DAY * (missing / policy.refill_per_day) if policy.refill_per_day else MAX_WAIT
    why = f"energy is at {level:.0f} of {policy.capacity:g} units, work runs from {max(critical, units):g} on"
    return why, wait + timedelta(microseconds=1)  # rounding must not wake it a moment too early


def _share(policy: BudgetPolicy, standing: BudgetState, units: float) -> _Wait | None:
    if not (policy.capacity and units) or policy.max_share >= 1 or not standing.turn_units:
        return None  # without a turn there is nothing to take a share of
    share = share_of(standing.memory_units + units, standing.turn_units)
    if share < policy.max_share:
        return None
    why = f"memory work would be {share:.1%} of all units spent, it stays below {policy.max_share:.1%}"
    return why, MAX_WAIT


def _tokens(policy: BudgetPolicy, standing: BudgetState, now: datetime) -> _Wait | None:
    if not policy.tokens_per_day or standing.tokens_today < policy.tokens_per_day:
        return None
    tomorrow = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + _DAY
    return f"{standing.tokens_today} tokens were spent today, the cap is {policy.tokens_per_day}", tomorrow - now


@dataclass(frozen=True, slots=True, kw_only=True)
class _Account:
    """A subject's totals; all zero if nothing was ever booked."""

    used: float = 0.0
    at: datetime = EPOCH
    total: Cost = field(default_factory=Cost)


def reserve(db: SqlConnection, subject: Subject, booked: Reservation, policy: BudgetPolicy) -> None:
    """Book the expected cost of work; durable on return, and spent until `settle` corrects it.

    The budget is checked and drawn from in one transaction: of two that want the last of it, one gets it. Work with
    units runs while the level is at least the critical share of the capacity and holds its units, and while the share
    of memory work stays below the maximum; all work runs while today's tokens are below their cap. A policy without
    capacity or cap refuses nothing, but the cost is booked all the same.

    Raises:
        BudgetSpentError: The budget does not allow it; nothing was booked.
    """
    id_ = require_id(booked.id)
    subjects.ensure_not_erased(db, subject)
    account = _account(db, subject)
    standing = _standing(db, subject, account, policy, booked.at)
    needs = booked.units if booked.needs is None else booked.needs
    refused = refusal(policy, standing, needs, booked.at)
    if refused is not None:
        raise refused
    drawn = booked.units if policy.capacity else 0.0
    spent = Cost(calls=1, units=booked.units, tokens=booked.tokens)
    day = _day(booked.at)
    db.execute(SQL["reserve"], (subject.key, id_, day, booked.purpose, booked.units, drawn, booked.tokens))
    _spend(db, subject, day, booked.purpose, spent)
    # Without a capacity nothing says how fast a subject refills: what another profile drew stays as it was.
    used, at = (standing.used + drawn, booked.at) if policy.capacity else (account.used, account.at)
    _draw(db, subject, _Account(used=used, at=at, total=spent))


def settle(db: SqlConnection, subject: Subject, reservation: str, *, tokens: int | None) -> None:
    """Replace a reservation by what was used; None takes it back."""
    id_ = id_bytes(reservation)
    row = None if id_ is None else fetch_one(db, SQL["settle"], subject.key, id_)
    if row is None:
        return
    day, purpose, units, drawn, reserved = row
    back = Cost(calls=-1, units=-units, tokens=-reserved) if tokens is None else Cost(tokens=tokens - reserved)
    _spend(db, subject, day, CostPurpose(purpose), back)
    given = drawn if tokens is None else 0.0
    db.execute(SQL["give_back"], (subject.key, given, back.calls, back.units, back.tokens))


def charge_turn(db: SqlConnection, subject: Subject, units: float, now: datetime) -> None:
    """Count a chat turn, as the share of memory work is relative to it."""
    subjects.ensure(db, subject)
    _spend(db, subject, _day(now), CostPurpose.TURN, Cost(calls=1, units=units))


def status(
    db: SqlConnection, subject: Subject, policy: BudgetPolicy, now: datetime, *, poller: str | None
) -> EnergyStatus:
    """Return the state of a budget, and record that a poller asked. Runs in a transaction."""
    if poller is not None:
        subjects.ensure(db, subject)
    account = _account(db, subject)
    standing = _standing(db, subject, account, policy, now)
    waits = refusal(policy, standing, policy.create, now)
    rows = fetch(db, SQL["day"], subject.key, _day(now))
    today = {
        CostPurpose(purpose): Cost(calls=calls, units=units, tokens=tokens)
        for purpose, calls, units, tokens in rows
        if calls or tokens
    }
    return EnergyStatus(
        level=level_of(standing.used, policy),
        capacity=policy.capacity,
        critical=policy.critical * policy.capacity,
        refill_per_day=policy.refill_per_day,
        today=today,
        tokens_today=standing.tokens_today,
        tokens_per_day=policy.tokens_per_day or 0,
        share=share_of(standing.memory_units, standing.turn_units) if policy.capacity else 0.0,
        max_share=policy.max_share,
        unsettled=fetch_value(db, SQL["unsettled"], subject.key),
        total=account.total,
        since_poll=None if poller is None else _poll(db, subject, clean(poller), account.total, now),
        waiting=None if waits is None else waits.why,
        waits_until=None if waits is None else waits.until,
    )


def _account(db: SqlConnection, subject: Subject) -> _Account:
    row = fetch_one(db, SQL["account"], subject.key)
    if row is None:
        return _Account()
    used, at, calls, units, tokens = row
    return _Account(used=used, at=from_micros(at), total=Cost(calls=calls, units=units, tokens=tokens))


def _standing(
    db: SqlConnection, subject: Subject, account: _Account, policy: BudgetPolicy, now: datetime
) -> BudgetState:
    today = _day(now)
    memory, turns, tokens = fetch(db, SQL["shares"], subject.key, today - SHARE_DAYS, today)[0]
    return BudgetState(
        used=refilled(account.used, policy, now - account.at),
        tokens_today=tokens,
        memory_units=memory,
        turn_units=turns,
    )


def _draw(db: SqlConnection, subject: Subject, after: _Account) -> None:
    total = after.total
    db.execute(SQL["draw"], (subject.key, after.used, to_micros(after.at), total.calls, total.units, total.tokens))


def _spend(db: SqlConnection, subject: Subject, day: int, purpose: CostPurpose, spent: Cost) -> None:
    new = fetch_value(db, SQL["spend"], subject.key, day, purpose, spent.calls, spent.units, spent.tokens)
    if new:  # the first of its kind this day: time to let go of what no share is taken of any more
        db.execute(SQL["drop_days"], (subject.key, day - SHARE_DAYS))
        db.execute(SQL["drop_reservations"], (subject.key, day - SHARE_DAYS))


def _poll(db: SqlConnection, subject: Subject, poller: str, total: Cost, now: datetime) -> SincePoll:
    row = fetch_one(db, SQL["poll"], subject.key, poller)
    at, calls, units, tokens = row or (None, 0, 0.0, 0)
    db.execute(SQL["note_poll"], (subject.key, poller, to_micros(now), total.calls, total.units, total.tokens))
    return SincePoll(
        since=instant(at),
        spent=Cost(calls=total.calls - calls, units=total.units - units, tokens=total.tokens - tokens),
    )


def _day(instant: datetime) -> int:
    return (instant - EPOCH) // _DAY


class BudgetRepository(Repository):
    """Budgets of subjects."""

    reserve = Writes(reserve, itself)

    async def settle(self, subject: Subject, reservation: str, *, tokens: int | None) -> None:
        """Replace the booked tokens by those that were used; None takes the whole reservation back.

        Later reservations and statuses see it. It is not durable at once: a crash leaves what was booked. Does nothing
        if the reservation is settled already.
        """
        self._executor.write_later(lambda db: settle(db, subject, reservation, tokens=tokens), subject)

    async def status(
        self, subject: Subject, policy: BudgetPolicy, *, now: datetime, poller: str | None = None
    ) -> EnergyStatus:
        """Return the state of the subject's budget under a policy.

        With the name of a poller, it includes what memory work cost since the previous call with that name.
        """
        await self._executor.flush(subject)  # pending settlements
        return await self._executor.write(lambda db: status(db, subject, policy, now, poller=poller), subject)
