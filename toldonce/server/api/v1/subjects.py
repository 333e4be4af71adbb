"""Subjects over HTTP: list, count, erase, subscribe to shared ones, and their costs. Serves through the engine."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, TypedDict

from pydantic import Field, field_validator

from toldonce.server.api.v1.fields import (
    Answer,
    Body,
    Name,
    Needs,
    PageAnswer,
    ProfileName,
    SubjectName,
    SubjectText,
    TenantPage,
    UrlQuery,
)
from toldonce.server.api.v1.memory_answers import ReceiptAnswer
from toldonce.server.api.v1.operation import Describe, ResourceOperation, ResourceReply, ResourceRequest
from toldonce.types import SUBJECT_KINDS, Access


class SubjectPage(PageAnswer):
    """Names of subjects, in their order."""

    subjects: list[str]


class UserAnswer(Answer):
    """A user, with what is counted of it."""

    subject: SubjectText
    memories: int = Field(description="Active notes, facts, episodes and kept quotations.")
    conversations: int
    is_partial: bool = Field(description="Whether there may be more of either: only so many rows are counted.")
    last_seen: datetime | None = Field(description="When the newest conversation last went on; null without any.")
    merged_into: SubjectText | None = Field(
        description="The user whose memory is read and written in its place, while what is counted here rests."
    )


class UserPage(PageAnswer):
    """Users by name."""

    users: list[UserAnswer]


class SubjectTotalsAnswer(Answer):
    """What is counted of a subject."""

    subject: SubjectText
    memories: int = Field(description="Active notes, facts, episodes and kept quotations.")
    decisions: dict[str, int] = Field(description="Number of decisions by action.")
    recalled: int = Field(description="Memories put into prompts whose answers are known.")
    hits: int = Field(description="Those of them that the answers made use of.")
    memory_of: SubjectText = Field(description="Whose memory is read: another user's if this one was merged into it.")


class CostAnswer(Answer):
    """What something cost."""

    calls: int
    units: float
    tokens: int


class EnergyAnswer(Answer):
    """The budget of a subject for memory work."""

    subject: SubjectText
    level: float = Field(description="Units left.")
    capacity: float
    critical: float = Field(description="Units below which work waits.")
    refill_per_day: float
    share: float = Field(description="Units of memory work in all units, over the last 30 days.")
    max_share: float
    tokens_today: int
    tokens_per_day: int = Field(description="The cap; 0: none.")
    today: dict[str, CostAnswer] = Field(description="Cost of this day (UTC) by purpose.")
    total: CostAnswer
    unsettled: int
    waiting: str | None
    waits_until: datetime | None


class SincePollAnswer(Answer):
    """Cost of memory work since the same poller's last request."""

    since: datetime | None = Field(description="Time of its last request; null: this is the first.")
    spent: CostAnswer


class PolledEnergyAnswer(EnergyAnswer):
    """The budget, and what was spent since the last request of the same name."""

    since_poll: SincePollAnswer


class EnergyPoll(Body):
    """The name of the poller."""

    poller: str = Field(min_length=1, max_length=100, description="Name under which the time of asking is kept.")
    profile: ProfileName | None = None


class EnergyQuery(UrlQuery):
    """Whose policy applies."""

    profile: ProfileName | None = None


class ErasedSubjectQuery(UrlQuery):
    """What else an erasure reaches."""

    everywhere: bool = Field(
        default=False,
        description="Erase what other subjects have of it, too; not for a request bound to one user or app.",
    )


class _PageWanted(TypedDict):
    after: str
    limit: int
    tenant: str | None


def _wanted(request: ResourceRequest) -> _PageWanted:
    """Return which page of a list by name a request asks for."""
    query, requester = request.query_as(TenantPage), request.requester
    after = query.cursor or ""
    if after and requester.tenant:
        after = f"@{requester.tenant}/{after}"
    return {"after": after, "limit": query.limit, "tenant": requester.require_tenant(query.tenant)}


async def _list_users(request: ResourceRequest) -> ResourceReply:
    wanted = _wanted(request)
    page = await request.engine.admin.users(**wanted)
    users = [UserAnswer.of(user, request.requester) for user in page]
    following = users[-1].subject if len(users) == wanted["limit"] else None
    return ResourceReply(answer=UserPage(users=users, next_cursor=following), next_cursor=following)


class MergeRequest(Body):
    """The other user."""

    into: Annotated[SubjectName, Needs(Access.ADMIN)] = Field(description="The user who gets the memory: `user:ana`.")


class UserMergeAnswer(Answer):
    """What merging two users, or undoing that, did."""

    source: SubjectText
    target: SubjectText
    conversations: int = Field(description="Conversations that came to the target, or went from it.")
    memories: int = Field(description="Memories that came or went, in any state.")
    replaced: int = Field(
        description="Facts that were closed as the other user has a newer value; after an undo, those that came back."
    )
    kept: int = Field(description="Conversations that stay with the target after an undo, as they went on there.")


async def _merge(request: ResourceRequest) -> ResourceReply:
    request.requester.require_all_subjects()
    into = request.subject(request.body_as(MergeRequest).into, Access.ADMIN)
    done = await request.engine.admin.merge_user(request.target, into, actor=request.requester.actor)
    return request.reply(UserMergeAnswer, done)


async def _undo_merge(request: ResourceRequest) -> ResourceReply:
    request.requester.require_all_subjects()
    done = await request.engine.admin.undo_merge(request.target, actor=request.requester.actor)
    return request.reply(UserMergeAnswer, done)


async def _list(request: ResourceRequest) -> ResourceReply:
    wanted = _wanted(request)
    page = await request.engine.admin.subjects(**wanted)
    shown = [request.requester.shown(subject) for subject in page]
    following = shown[-1] if len(page) == wanted["limit"] else None
    return ResourceReply(answer=SubjectPage(subjects=shown, next_cursor=following), next_cursor=following)


def _with_subject(shape: type[Answer]) -> Describe:
    """Describe a value that does not name its subject."""
    names = shape.model_fields.keys() - {"subject"}
    return lambda value, request: {"subject": request.target, **{name: getattr(value, name) for name in names}}


class SubscriptionRequest(Body):
    """A shared subject."""

    shared: Annotated[SubjectName, Needs(Access.READ)] = Field(
        description="Such as `shared:family`; the credential must allow reading it."
    )

    @field_validator("shared")
    @classmethod
    def _is_shared(cls, name: str) -> str:
        # A request that may not read it learns why it cannot be subscribed to all the same.
        kind, colon, _ = name.partition(":")
        if colon and kind in SUBJECT_KINDS and kind != "shared":
            raise ValueError("it is not shared: one reads it alone; add what is to be shared to shared:NAME")
        return name


class SubscriptionsAnswer(Answer):
    """The shared subjects that a user reads, the longest subscription first."""

    subscriptions: list[SubjectText]


class EndedSubscriptionAnswer(Answer):
    """Whether there was a subscription to end."""

    ended: bool


class WrittenSubjectQuery(UrlQuery):
    """Which conversation."""

    conversation: Name | None = None


class WrittenSubjectAnswer(Answer):
    """The subject that messages of a conversation form memories in."""

    subject: SubjectText


OPERATIONS = (
    ResourceOperation(
        "listSubjects",
        summary="List all subjects by name",
        handler=_list,
        query=TenantPage,
        answer=SubjectPage,
    ),
    ResourceOperation(
        "listUsers",
        summary="List users by name, with how much is kept of each and when it was last seen",
        handler=_list_users,
        query=TenantPage,
        answer=UserPage,
    ),
    ResourceOperation(
        "getSubjectTotals",
        summary="Count what is kept of a subject",
        calls=lambda engine: engine.admin.subject_totals,
        describe=lambda totals, request: {
            **asdict(totals),
            "subject": request.target,
            "memory_of": request.engine.subject(request.target),
        },
        answer=SubjectTotalsAnswer,
    ),
    ResourceOperation(
        "eraseSubject",
        summary="Erase everything about a subject, its name included, with a receipt",
        calls=lambda engine: engine.erasure.subject,
        query=ErasedSubjectQuery,
        answer=ReceiptAnswer,
        act="subjects.erase",
        is_act_of_all=True,
    ),
    ResourceOperation(
        "mergeUser",
        summary="Merge two users who are one person; the audit log notes it",
        description="From now on requests of the path's user read and write the memory of the other one.",
        handler=_merge,
        body=MergeRequest,
        answer=UserMergeAnswer,
    ),
    ResourceOperation(
        "undoMerge",
        summary="Undo the merge of a user, who has its own memory again; the audit log notes it",
        handler=_undo_merge,
        answer=UserMergeAnswer,
    ),
    ResourceOperation(
        "getEnergy",
        summary="Show what memory work has cost, and what its budget still allows",
        calls=lambda engine: engine.admin.energy,
        describe=_with_subject(EnergyAnswer),
        query=EnergyQuery,
        answer=EnergyAnswer,
    ),
    ResourceOperation(
        "pollEnergy",
        summary="Show the same, with what was spent since the last request of this name",
        calls=lambda engine: engine.admin.energy,
        describe=_with_subject(PolledEnergyAnswer),
        body=EnergyPoll,
        answer=PolledEnergyAnswer,
    ),
    ResourceOperation(
        "listSubscriptions",
        summary="List the shared subjects that a user reads",
        calls=lambda engine: engine.shared.subscriptions,
        answer=SubscriptionsAnswer,
    ),
    ResourceOperation(
        "subscribe",
        summary="Let a user read a shared subject in addition to their own memories",
        calls=lambda engine: engine.shared.subscribe,
        body=SubscriptionRequest,
        answer=SubscriptionsAnswer,
        act="subscriptions.add",
    ),
    ResourceOperation(
        "unsubscribe",
        summary="End a user's subscription",
        calls=lambda engine: engine.shared.unsubscribe,
        answer=EndedSubscriptionAnswer,
        act="subscriptions.remove",
    ),
    ResourceOperation(
        "getWrittenSubject",
        summary="Name the subject that a profile writes to: the one to list, search and add to",
        description="The profile, app and characters are those of the headers `x-toldonce-…`.",
        calls=lambda engine: engine.conversations.subject,
        query=WrittenSubjectQuery,
        answer=WrittenSubjectAnswer,
    ),
)
