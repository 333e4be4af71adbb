"""Counts of what is stored and what was done, over time. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum

from toldonce.errors import BadRequestError
from toldonce.time_zones import require_zone
from toldonce.types.memory import MemoryKind, MemoryState
from toldonce.types.reports import Cost, CostPurpose

AGE_LIMITS_DAYS = (1, 7, 30, 90, 365)
"""Upper bounds of the ages by which memories are counted; the last class has no bound."""
MAX_BUCKETS = 400
"""Buckets of one answer: a year of days, or two weeks of hours."""
_USUAL_BUCKETS = 30


class BucketSize(StrEnum):
    """Length of the spans that things are counted by; they begin at full hours or days of a time zone."""

    HOUR = "hour"
    DAY = "day"

    @property
    def length(self) -> timedelta:
        """The usual length: a day in which the clocks change is an hour shorter or longer.

        >>> BucketSize.DAY.length
        datetime.timedelta(days=1)
        """
        return timedelta(hours=1) if self is BucketSize.HOUR else timedelta(days=1)

    def begin(self, at: datetime, zone: tzinfo, after: int = 0) -> datetime:
        """Return the begin of the hour or day that an instant is in, or of one that comes so many `after` it, in UTC.

        >>> from zoneinfo import ZoneInfo
        >>> noon = datetime(2026, 3, 29, 12, tzinfo=UTC)
        >>> [BucketSize.DAY.begin(noon, ZoneInfo("Europe/Oslo"), after).isoformat() for after in (0, 1)]
        ['2026-03-28T23:00:00+00:00', '2026-03-29T22:00:00+00:00']
        """
        local = at.astimezone(zone)
        if self is BucketSize.DAY:
            day = date.fromordinal(local.toordinal() + after)
            return datetime.combine(day, time(), zone).astimezone(UTC)
        past = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
        return at.astimezone(UTC) - past + after * self.length


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsSpan:
    """Whole buckets from `since` to `until`, which is excluded."""

    since: datetime
    until: datetime
    size: BucketSize
    zone: str = "UTC"
    """Time zone of the hours and days."""

    @classmethod
    def of(
        cls,
        *,
        now: datetime,
        size: BucketSize,
        since: datetime | None = None,
        until: datetime | None = None,
        zone: str = "UTC",
    ) -> "StatisticsSpan":
        """Return the buckets that touch an interval; without one, the last 30 up to now.

        >>> span = StatisticsSpan.of(now=datetime(2026, 5, 3, 8, 30, tzinfo=UTC), size=BucketSize.DAY)
        >>> (span.until - span.since).days, span.until.isoformat()
        (30, '2026-05-04T00:00:00+00:00')

        Raises:
            BadRequestError: An instant has no time zone, the interval is empty or has more than 400 buckets, or `zone`
                is no time zone.
        """
        for name, given in (("from", since), ("to", until)):
            if given is not None and given.tzinfo is None:
                raise BadRequestError(f"{name} needs a time zone", param=name)
        place = require_zone(zone, "time_zone")
        end = now if until is None else until
        last = size.begin(end, place)
        if until is None or last < end:
            last = size.begin(end, place, 1)
        first = size.begin(last, place, -_USUAL_BUCKETS) if since is None else size.begin(since, place)
        if first >= last:
            raise BadRequestError("the interval is empty: `from` has to be before `to`", param="from")
        count = round((last - first) / size.length)
        if count > MAX_BUCKETS:
            why = f"the interval has {count} buckets of one {size.value}; it takes {MAX_BUCKETS}"
            raise BadRequestError(why, param="from")
        return cls(since=first, until=last, size=size, zone=str(place))

    @property
    def begins(self) -> tuple[datetime, ...]:
        """The begin of each bucket, in order."""
        place = require_zone(self.zone, "time_zone")
        return tuple(self.size.begin(self.since, place, number) for number in range(self.count))

    @property
    def count(self) -> int:
        """Number of buckets."""
        return round((self.until - self.since) / self.size.length)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCount:
    """Number of memories of one kind, state and age."""

    kind: MemoryKind
    state: MemoryState
    max_age_days: int | None
    """They were stored at most so many days ago, and before the next lower one of `AGE_LIMITS_DAYS`; None: earlier."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FormationCounts:
    """Work that turns messages into memories, as it is now."""

    due: int = 0
    waiting: int = 0
    """Not due yet: a pause in the conversation or a later retry is waited for."""
    parked: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectHealth:
    """What of one subject may need a look, as it is now."""

    memories: int
    """Active notes, facts and episodes."""
    held: int
    """Notes, facts and episodes that wait for review, such as those that contradict what is known."""
    never_recalled: int
    """Active ones that were stored at least 30 days ago and never used in a prompt."""
    idle: int
    """Active notes that were neither stored nor used in the last 90 days."""
    formations: FormationCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsBucket:
    """What happened in one hour or day."""

    begins: datetime
    stored: Mapping[MemoryKind, int]
    """Memories stored then, whatever became of them, erased ones excepted."""
    said: Mapping[MemoryKind, int]
    """The same by when they were first said; of those that no message says, by when they were stored."""
    decisions: Mapping[str, int]
    """By action."""
    prompts: int = 0
    """Recorded turns whose prompt held memory, or could have."""
    tokens: int = 0
    """Tokens of memory newly put into these prompts."""
    replayed: int = 0
    """Earlier insertions that these prompts repeated, as the upstream's prompt cache needs."""
    kept_prefixes: int = 0
    """Prompts that began with all of the one before, so that the upstream could cache it."""
    broken_prefixes: int = 0
    """Prompts that did not: the client changed its messages, or an insertion could not be repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingDay:
    """What one purpose cost on one day (UTC). Days older than 30 are not kept."""

    day: datetime
    purpose: CostPurpose
    cost: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counts of one subject, of a tenant or of everything."""

    span: StatisticsSpan
    memories: tuple[MemoryCount, ...]
    """As they are now."""
    formations: FormationCounts
    buckets: tuple[StatisticsBucket, ...]
    """All of the span, in order, empty ones included."""
    spending: tuple[SpendingDay, ...]
    """In the order of days."""
