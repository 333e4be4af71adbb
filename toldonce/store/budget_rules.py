"""Whether a budget allows more memory work, and when it will. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from toldonce.errors import BudgetSpentError
from toldonce.profiles.policies import BudgetPolicy

# A formation is never put off for longer (as `MAX_DELAY` in the store): what waits for a day is checked in between.
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
