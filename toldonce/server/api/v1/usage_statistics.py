"""Counts over time over HTTP: of a subject, of a tenant, of the whole server. Serves through the engine."""

from collections.abc import Mapping
from datetime import datetime

from pydantic import AliasPath, Field

from toldonce.metrics import Histogram, Metrics
from toldonce.server.api.v1.fields import Answer, Instant, TenantQuery, UrlQuery
from toldonce.server.api.v1.operation import ResourceOperation, ResourceRequest
from toldonce.types import BucketSize, MemoryKind, MemoryState, Statistics

_MEDIAN, _SLOW = 0.5, 0.95
_MAX_ZONE_CHARACTERS = 64


class StatisticsQuery(UrlQuery):
    """What time is counted."""

    since: Instant | None = Field(
        default=None, alias="from", description="Begin, rounded down to a whole bucket; by default 30 before the end."
    )
    until: Instant | None = Field(default=None, alias="to", description="End, rounded up; by default now.")
    bucket: BucketSize = Field(
        default=BucketSize.DAY, description="Length of the spans that things are counted by; at most 400 of them."
    )
    time_zone: str | None = Field(
        default=None,
        max_length=_MAX_ZONE_CHARACTERS,
        description="Zone of the hours and days, such as `Europe/Oslo`; by default `TOLDONCE_TIME_ZONE`.",
    )


class AllStatisticsQuery(TenantQuery, StatisticsQuery):
    """What time is counted, and of which tenant."""


class MemoryCountAnswer(Answer):
    """Number of memories of one kind, state and age."""

    kind: MemoryKind
    state: MemoryState
    max_age_days: int | None = Field(
        description="Stored at most so many days ago (1, 7, 30, 90 or 365), and in no younger class; null: earlier."
    )
    count: int


class FormationCountsAnswer(Answer):
    """Work that turns messages into memories."""

    due: int
    waiting: int
    parked: int


class SubjectHealthAnswer(Answer):
    """What of a subject may need a look, as it is now."""

    memories: int = Field(description="Active notes, facts and episodes.")
    held: int = Field(description="Those that wait for review.")
    never_recalled: int = Field(description="Active ones stored at least 30 days ago that no prompt has used.")
    idle: int = Field(description="Active notes neither stored nor used in the last 90 days.")
    formations: FormationCountsAnswer


class StatisticsBucketAnswer(Answer):
    """What happened in one hour or day."""

    begins: datetime
    stored: dict[MemoryKind, int] = Field(description="Memories stored then by kind; erased ones are not counted.")
    said: dict[MemoryKind, int] = Field(
        description="The same by when they were first said; of those that no message says, by when they were stored."
    )
    decisions: dict[str, int] = Field(description="By action.")
    prompts: int = Field(description="Turns recorded for which there were memories to consider.")
    tokens: int = Field(description="Tokens of memory newly put into these prompts.")
    replayed: int = Field(description="Earlier insertions that these prompts repeated.")
    kept_prefixes: int = Field(description="Prompts that began with all of the one before.")
    broken_prefixes: int = Field(description="Prompts that did not.")


class SpendingAnswer(Answer):
    """What one purpose cost on one day."""

    day: datetime
    purpose: str
    calls: int = Field(validation_alias=AliasPath("cost", "calls"))
    units: float = Field(validation_alias=AliasPath("cost", "units"), description="Units of energy.")
    tokens: int = Field(validation_alias=AliasPath("cost", "tokens"))


class ProcessAnswer(Answer):
    """Counts since the start of the server process that answers. They are in no database, and end with it."""

    recalls: int
    recall_p50_s: float | None = Field(description="Half of the recalls took at most so long; null: none or over 30 s.")
    recall_p95_s: float | None = Field(description="95 of 100 recalls took at most so long.")
    formations: int
    formation_p50_s: float | None
    formation_p95_s: float | None
    prompt_bytes: int = Field(description="Bytes of previous prompts, up to their newest user messages.")
    prompt_bytes_kept: int = Field(description="Those of them that the next prompts began with.")


class StatisticsAnswer(Answer):
    """Counts over time."""

    begins: datetime
    ends: datetime
    bucket: BucketSize
    time_zone: str = Field(description="Zone of the hours and days of the buckets.")
    memories: list[MemoryCountAnswer] = Field(description="As they are now.")
    formations: FormationCountsAnswer = Field(description="As they are now.")
    buckets: list[StatisticsBucketAnswer] = Field(description="All of the interval in order, empty ones included.")
    spending: list[SpendingAnswer] = Field(description="By day (UTC) and purpose; days older than 30 are not kept.")
    process: ProcessAnswer | None = Field(description="For the operator of the whole server; else null.")


def _fields(found: Statistics, metrics: Metrics | None = None) -> Mapping[str, object]:
    return {
        "begins": found.span.since,
        "ends": found.span.until,
        "bucket": found.span.size,
        "time_zone": found.span.zone,
        **{name: getattr(found, name) for name in ("memories", "formations", "buckets", "spending")},
        "process": None if metrics is None else _process(metrics),
    }


def _with_process(found: Statistics, request: ResourceRequest) -> Mapping[str, object]:
    return _fields(found, request.engine.metrics if request.requester.tenant is None else None)


def _process(metrics: Metrics) -> ProcessAnswer:
    def seconds(histogram: Histogram) -> tuple[float | None, float | None]:
        return histogram.quantile(_MEDIAN), histogram.quantile(_SLOW)

    recall, formation = seconds(metrics.recall_seconds), seconds(metrics.formation_seconds)
    return ProcessAnswer(
        recalls=metrics.recall_seconds.count,
        recall_p50_s=recall[0],
        recall_p95_s=recall[1],
        formations=metrics.formation_seconds.count,
        formation_p50_s=formation[0],
        formation_p95_s=formation[1],
        prompt_bytes=metrics.previous_prompt_bytes,
        prompt_bytes_kept=metrics.kept_prompt_bytes,
    )


_WHAT = (
    "Memories by kind and age, what was stored and decided, prompts with memory, and what memory work cost. Days of "
    "spending are those of UTC. Reads what is stored: an erased memory is in none of the counts."
)
OPERATIONS = (
    ResourceOperation(
        "getSubjectHealth",
        summary="Count what may need a look: memories held, never recalled or idle, and parked work",
        calls=lambda engine: engine.admin.health,
        answer=SubjectHealthAnswer,
    ),
    ResourceOperation(
        "getSubjectStatistics",
        summary="Count over time what was stored, decided, recalled and spent",
        description=_WHAT,
        calls=lambda engine: engine.admin.subject_statistics,
        describe=lambda found, request: _fields(found),
        query=StatisticsQuery,
        answer=StatisticsAnswer,
    ),
    ResourceOperation(
        "getStatistics",
        summary="Count the same of all subjects of a tenant or of the server",
        description=_WHAT,
        calls=lambda engine: engine.admin.statistics,
        describe=_with_process,
        query=AllStatisticsQuery,
        answer=StatisticsAnswer,
    ),
)
