"""Counts over time, of one subject or of many. Works on a connection."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from toldonce.clock import EPOCH, to_micros
from toldonce.store.sql.database import Row, SqlConnection, Statement, load
from toldonce.store.sql.rows import STATE_ORDER, fetch
from toldonce.store.sql.subjects import version_of
from toldonce.types import (
    AGE_LIMITS_DAYS,
    KIND_ORDER,
    Cost,
    CostPurpose,
    FormationCounts,
    MemoryCount,
    MemoryKind,
    SpendingDay,
    Statistics,
    StatisticsBucket,
    StatisticsSpan,
    Subject,
    SubjectHealth,
    tenant_range,
)

SQL = load("statistics")
_OF_SUBJECT = {
    "memories": SQL["memories_counted"],
    "said": SQL["said_counted"],
    "decisions": SQL["decisions_counted"],
    "prompts": SQL["prompts_counted"],
    "spending": SQL["spending_counted"],
    "formations": SQL["formations_counted"],
}
_OF_ALL = {
    "memories": SQL["all_memories_counted"],
    "said": SQL["all_said_counted"],
    "decisions": SQL["all_decisions_counted"],
    "prompts": SQL["all_prompts_counted"],
    "spending": SQL["all_spending_counted"],
    "formations": SQL["all_formations_counted"],
}
_DAY = timedelta(days=1)
# What statements count by: hours and days of all time zones of today are made of these.
_UNIT = timedelta(minutes=15)
# When a memory that no prompt has used counts as never recalled, and when a note counts as idle.
UNUSED_AFTER, IDLE_AFTER = 30 * _DAY, 90 * _DAY


def subject_statistics(db: SqlConnection, subject: Subject, span: StatisticsSpan, now: datetime) -> Statistics:
    """Count what is stored of one subject, and what happened in a span."""
    with db:  # one snapshot
        version_of(db, subject)  # verifies the name
        return _Count(db, _OF_SUBJECT, subject.key, ()).statistics(span, now)


def all_statistics(db: SqlConnection, tenant: str | None, span: StatisticsSpan, now: datetime) -> Statistics:
    """Count the same of all subjects of a tenant, of those without one if it is empty, or of all if it is None."""
    start, end = tenant_range(tenant)
    with db:  # one snapshot
        return _Count(db, _OF_ALL, start, (end,)).statistics(span, now)


def subject_health(db: SqlConnection, subject: Subject, now: datetime) -> SubjectHealth:
    """Count what of a subject may need a look."""
    times = (to_micros(now - UNUSED_AFTER), to_micros(now - IDLE_AFTER))
    with db:  # one snapshot
        version_of(db, subject)  # verifies the name
        [(memories, held, unused, idle)] = fetch(db, SQL["health_counted"], subject.key, *times)
        [(due, waiting, parked)] = fetch(db, SQL["formations_counted"], subject.key, to_micros(now))
    formations = FormationCounts(due=due, waiting=waiting, parked=parked)
    return SubjectHealth(memories=memories, held=held, never_recalled=unused, idle=idle, formations=formations)


class _Count:
    """Counts by statements of one subject, or of those that names enclose."""

    def __init__(
        self, db: SqlConnection, statements: Mapping[str, Statement], first: int | str, last: tuple[str, ...]
    ) -> None:
        """Take `first` as the first value of each statement and `last` as those at its end."""
        self._db = db
        self._statements = statements
        self._first, self._last = first, last

    def statistics(self, span: StatisticsSpan, now: datetime) -> Statistics:
        within = (to_micros(span.since), to_micros(span.until), _UNIT // timedelta(microseconds=1))
        limits = [to_micros(now - limit * _DAY) for limit in AGE_LIMITS_DAYS]
        memories = self._fetch("memories", *within, *limits)
        days = ((span.since - EPOCH) // _DAY, -((EPOCH - span.until) // _DAY))
        [formations] = self._fetch("formations", to_micros(now))
        return Statistics(
            span=span,
            memories=_memory_counts(memories),
            formations=FormationCounts(due=formations[0], waiting=formations[1], parked=formations[2]),
            buckets=_buckets(
                span,
                memories,
                said=self._fetch("said", *within),
                decisions=self._fetch("decisions", *within),
                prompts=self._fetch("prompts", *within),
            ),
            spending=tuple(
                SpendingDay(
                    day=EPOCH + day * _DAY,
                    purpose=CostPurpose(purpose),
                    cost=Cost(calls=int(calls), units=float(units), tokens=int(tokens)),
                )
                for day, purpose, calls, units, tokens in self._fetch("spending", *days)
            ),
        )

    def _fetch(self, name: str, *values: object) -> list[Row]:
        return fetch(self._db, self._statements[name], self._first, *values, *self._last)


def _memory_counts(rows: list[Row]) -> tuple[MemoryCount, ...]:
    counts: Counter[tuple[int, int, int]] = Counter()
    for kind, state, age, _, count in rows:
        counts[kind, state, age] += count
    limits = (*AGE_LIMITS_DAYS, None)
    return tuple(
        MemoryCount(kind=KIND_ORDER[kind], state=STATE_ORDER[state], max_age_days=limits[age], count=count)
        for (kind, state, age), count in sorted(counts.items())
    )


def _buckets(
    span: StatisticsSpan, memories: list[Row], *, said: list[Row], decisions: list[Row], prompts: list[Row]
) -> tuple[StatisticsBucket, ...]:
    begins = span.begins
    place = _places([(begin - EPOCH) // _UNIT for begin in begins])
    stored = _by_kind(((kind, unit, count) for kind, _, _, unit, count in memories if unit is not None), place)
    first_said = _by_kind(said, place)
    decided: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for unit, action, count in decisions:
        decided[place(unit)][action] += count
    shown: defaultdict[int, list[int]] = defaultdict(lambda: [0] * 5)
    for unit, *sums in prompts:
        shown[place(unit)] = [before + int(more) for before, more in zip(shown[place(unit)], sums, strict=True)]
    buckets = []
    for number, begin in enumerate(begins):
        count, tokens, replayed, kept, broken = shown[number]
        buckets.append(
            StatisticsBucket(
                begins=begin,
                stored=dict(stored[number]),
                said=dict(first_said[number]),
                decisions=dict(decided[number]),
                prompts=count,
                tokens=tokens,
                replayed=replayed,
                kept_prefixes=kept,
                broken_prefixes=broken,
            )
        )
    return tuple(buckets)


def _places(begins: list[int]) -> Callable[[int], int]:
    """Return what finds the bucket of a unit, by the units that buckets begin with."""
    return lambda unit: max(0, bisect_right(begins, unit) - 1)


def _by_kind(counted: Iterable[Sequence[Any]], place: Callable[[int], int]) -> defaultdict[int, Counter[MemoryKind]]:
    """Sum counts of kinds and units by bucket."""
    found: defaultdict[int, Counter[MemoryKind]] = defaultdict(Counter)
    for kind, unit, count in counted:
        found[place(unit)][KIND_ORDER[kind]] += count
    return found
