"""The server over HTTP: who a client is to it, formations, profiles and counts. Serves through the engine."""

from datetime import datetime
from functools import cache
from importlib.metadata import version
from typing import Annotated, Any

from pydantic import AliasPath, Field

from toldonce.server.api.v1.fields import (
    Answer,
    Body,
    Name,
    Needs,
    PageAnswer,
    Paging,
    SubjectName,
    SubjectText,
    TenantPage,
    UrlQuery,
)
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.server.api.v1.problems import ProblemError
from toldonce.server.status import NOT_FOUND
from toldonce.types import Access, ConversationId, FormationKey, FormationPlace

_BY_PLACE = Paging(
    read=lambda cursor: None if cursor is None else FormationPlace.parse(cursor),
    write=lambda formation: formation.place.text,
)


class FormationKeyBody(Body):
    """Which formation, as `listFormations` shows it."""

    subject: SubjectName
    home: SubjectName
    conversation: Name
    profile: Name
    stage: Name
    version: str = Field(max_length=200)


def _of_key(name: str, description: str | None = None) -> Any:
    return Field(validation_alias=AliasPath("key", name), description=description)


class FormationAnswer(Answer):
    """Work that turns the messages of a conversation into memories."""

    subject: SubjectText = _of_key("subject", "The subject written to.")
    home: SubjectText = _of_key("home", "The subject that has the conversation.")
    conversation: str = _of_key("conversation")
    profile: str = _of_key("profile")
    stage: str = _of_key("stage")
    version: str = _of_key("version")
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
    subject: Annotated[SubjectName | None, Needs(Access.ADMIN)] = Field(
        default=None, description="Only those that write to this subject."
    )


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

    schema_version: int = Field(validation_alias="schema")
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


class ConnectionAnswer(Answer):
    """The server, and what this request's credential allows."""

    version: str = Field(description="The server's version.")
    profile: str = Field(description="The profile of requests that name none.")
    subject: str | None = Field(description="The request's own user (`me`); null: it has none.")
    tenant: str | None = Field(description="The only tenant, empty for none; null: all tenants.")
    access: Access = Field(description="Each access includes those before it.")


class DatabaseQuery(UrlQuery):
    """How much is checked."""

    all: bool = Field(default=False, description="Check that all subjects can be reached: every machine of a cluster.")


class DatabaseAnswer(Answer):
    """The database, which answers."""

    schema_version: int


@cache
def _own_version() -> str:
    """Read it once: the package's metadata is parsed for that, which takes longer than the rest of the answer."""
    return version("toldonce")


async def _connection(request: ResourceRequest) -> ResourceReply:
    requester = request.requester
    own = requester.own_user()
    return ResourceReply(
        answer=ConnectionAnswer(
            version=_own_version(),
            profile=request.engine.settings.profile,
            subject=None if own is None else requester.shown(own),
            tenant=requester.tenant,
            access=Access.ADMIN if request.caller is None else request.caller.access,
        )
    )


async def _database(request: ResourceRequest) -> ResourceReply:
    admin = request.engine.admin
    await (admin.ping_all() if request.query_as(DatabaseQuery).all else admin.ping())
    return ResourceReply(answer=DatabaseAnswer(schema_version=await admin.schema_version()))


OPERATIONS = (
    ResourceOperation(
        "getConnection",
        summary="Show the server's version, and what this request's credential allows",
        handler=_connection,
        answer=ConnectionAnswer,
    ),
    ResourceOperation(
        "checkDatabase",
        summary="Check that the database answers",
        handler=_database,
        query=DatabaseQuery,
        answer=DatabaseAnswer,
    ),
    ResourceOperation(
        "listFormations",
        summary="List the work that waits or was parked, longest due first",
        calls=lambda engine: engine.admin.formations,
        paging=_BY_PLACE,
        query=FormationListQuery,
        answer=FormationListAnswer,
    ),
    ResourceOperation(
        "retryFormation",
        summary="Make a parked formation due again",
        handler=_retry,
        body=FormationKeyBody,
        is_lookup=True,
        act="formations.retry",
    ),
    ResourceOperation(
        "listProfiles",
        summary="List the profiles with their policies",
        handler=_profiles,
        answer=ProfileListAnswer,
    ),
    ResourceOperation(
        "getStats",
        summary="Count what the database holds",
        calls=lambda engine: engine.admin.stats,
        for_operator=True,
        query=StatsQuery,
        answer=StatsAnswer,
    ),
    ResourceOperation(
        "getTotals",
        summary="Count active memories, apps and formations",
        calls=lambda engine: engine.admin.totals,
        for_operator=True,
        answer=TotalsAnswer,
    ),
)
