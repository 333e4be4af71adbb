"""The server as an operator sees it, over HTTP: formations, profiles and counts. Serves through the engine."""

from datetime import datetime
from typing import Any

from pydantic import Field

from toldonce.server.api.v1.fields import Answer, Body, Name, NoQuery, PageAnswer, SubjectName, TenantPage, UrlQuery
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply
from toldonce.server.api.v1.problems import ProblemError
from toldonce.server.api.v1.request import ResourceRequest
from toldonce.server.status import NOT_FOUND
from toldonce.types import Access, ConversationId, FormationKey, FormationPlace, FormationStatus

_TAG = "operation"


class FormationKeyBody(Body):
    """Which formation, as `listFormations` shows it."""

    subject: SubjectName
    home: SubjectName
    conversation: Name
    profile: Name
    stage: Name
    version: str = Field(max_length=200)


class FormationAnswer(Answer):
    """Work that turns the messages of a conversation into memories."""

    subject: str = Field(description="The subject written to.")
    home: str = Field(description="The subject that has the conversation.")
    conversation: str
    profile: str
    stage: str
    version: str
    formed_seq: int = Field(description="The last message already formed.")
    last_seq: int
    due_at: datetime | None
    attempts: int
    parked: bool
    error: str | None


class FormationListAnswer(PageAnswer):
    """Formations, longest due first."""

    formations: list[FormationAnswer]


class FormationListQuery(TenantPage):
    """Which formations to list."""

    parked: bool | None = Field(default=None, description="Only parked ones (true) or only waiting ones (false).")
    subject: SubjectName | None = Field(default=None, description="Only those that write to this subject.")


class ProfileAnswer(Answer):
    """A named configuration of all policies."""

    name: str
    description: str
    policies: dict[str, Any] = Field(description="As in a profile file.")


class ProfileListAnswer(Answer):
    """All profiles by name."""

    profiles: list[ProfileAnswer]


class SubjectIndexAnswer(Answer):
    """An index of one subject's vectors."""

    subject: str
    space: str
    vectors: int
    bytes: int
    used: bool


class StatsAnswer(Answer):
    """Counts of the whole database."""

    schema_version: int
    subjects: int
    conversations: int
    messages: int
    memories: int
    formations_due: int
    formations_parked: int
    bytes: int
    spaces: list[str]
    url: str = Field(description="The database, without a password.")
    indexes: list[SubjectIndexAnswer] = Field(description="Indexes of giant subjects' vectors.")
    problems: list[str] = Field(description="What the check found; empty without `check`.")


class TotalsAnswer(Answer):
    """What the operator's metrics show, over all subjects."""

    memories: int
    apps: int
    apps_with_memories: int
    formations_due: int
    formations_parked: int


class StatsQuery(UrlQuery):
    """How much is counted."""

    check: bool = Field(default=False, description="Verify the database's files and indexes (slow).")


async def _formations(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(FormationListQuery)
    tenant = request.requester.require_tenant(query.tenant)
    listed = await request.engine.admin.formations(
        user=None if query.subject is None else request.subject(query.subject, Access.ADMIN),
        tenant=tenant,
        parked=query.parked,
        after=None if query.cursor is None else FormationPlace.parse(query.cursor),
        limit=query.limit,
    )
    following = listed[-1].place.text if len(listed) == query.limit else None
    answers = [_formation(status, request) for status in listed]
    return ResourceReply(answer=FormationListAnswer(formations=answers, next_cursor=following), next_cursor=following)


async def _retry(request: ResourceRequest) -> ResourceReply:
    request.requester.require_all_subjects()
    body = request.body_as(FormationKeyBody)
    key = FormationKey(
        subject=request.subject(body.subject, Access.ADMIN),
        home=request.subject(body.home, Access.ADMIN),
        conversation=ConversationId(body.conversation),
        profile=body.profile,
        stage=body.stage,
        version=body.version,
    )
    if not await request.engine.admin.retry_formation(key):
        raise ProblemError(NOT_FOUND, "unknown-formation", "no parked formation has this key")
    return ResourceReply()


async def _profiles(request: ResourceRequest) -> ResourceReply:
    profiles = [
        ProfileAnswer(
            name=profile.name,
            description=profile.description,
            policies=profile.model_dump(mode="json", exclude={"name", "description"}),
        )
        for profile in request.engine.admin.profiles
    ]
    return ResourceReply(answer=ProfileListAnswer(profiles=profiles))


async def _stats(request: ResourceRequest) -> ResourceReply:
    request.requester.require_operator()
    stats = await request.engine.admin.stats(check=request.query_as(StatsQuery).check)
    return ResourceReply(
        answer=StatsAnswer(
            schema_version=stats.schema,
            subjects=stats.subjects,
            conversations=stats.conversations,
            messages=stats.messages,
            memories=stats.memories,
            formations_due=stats.formations_due,
            formations_parked=stats.formations_parked,
            bytes=stats.bytes,
            spaces=list(stats.spaces),
            url=stats.url,
            indexes=[SubjectIndexAnswer.model_validate(index, from_attributes=True) for index in stats.indexes],
            problems=list(stats.problems),
        )
    )


async def _totals(request: ResourceRequest) -> ResourceReply:
    request.requester.require_operator()
    totals = await request.engine.admin.totals()
    return ResourceReply(answer=TotalsAnswer.model_validate(totals, from_attributes=True))


def _formation(status: FormationStatus, request: ResourceRequest) -> FormationAnswer:
    key = status.key
    return FormationAnswer(
        subject=request.requester.shown(key.subject),
        home=request.requester.shown(key.home),
        conversation=key.conversation,
        profile=key.profile,
        stage=key.stage,
        version=key.version,
        formed_seq=status.formed_seq,
        last_seq=status.last_seq,
        due_at=status.due_at,
        attempts=status.attempts,
        parked=status.parked,
        error=status.error,
    )


OPERATIONS = (
    ResourceOperation(
        id="listFormations",
        method="GET",
        path="/v1/formations",
        tag=_TAG,
        summary="List the work that waits or was parked, longest due first",
        access=Access.ADMIN,
        handler=_formations,
        query=FormationListQuery,
        answer=FormationListAnswer,
    ),
    ResourceOperation(
        id="retryFormation",
        method="POST",
        path="/v1/formations/retry",
        tag=_TAG,
        summary="Make a parked formation due again",
        access=Access.ADMIN,
        handler=_retry,
        body=FormationKeyBody,
        writes=True,
        is_lookup=True,
        act="formations.retry",
    ),
    ResourceOperation(
        id="listProfiles",
        method="GET",
        path="/v1/profiles",
        tag=_TAG,
        summary="List the profiles with their policies",
        access=Access.READ,
        handler=_profiles,
        query=NoQuery,
        answer=ProfileListAnswer,
    ),
    ResourceOperation(
        id="getStats",
        method="GET",
        path="/v1/stats",
        tag=_TAG,
        summary="Count what the database holds",
        access=Access.ADMIN,
        handler=_stats,
        query=StatsQuery,
        answer=StatsAnswer,
    ),
    ResourceOperation(
        id="getTotals",
        method="GET",
        path="/v1/stats/totals",
        tag=_TAG,
        summary="Count active memories, apps and formations",
        access=Access.ADMIN,
        handler=_totals,
        answer=TotalsAnswer,
    ),
)
