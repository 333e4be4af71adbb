"""Subscriptions to shared subjects, and the subject that a request writes to, over HTTP. Serves through the engine."""

from pydantic import Field

from toldonce.server.api.v1.fields import Answer, Body, Name, SubjectName, UrlQuery
from toldonce.server.api.v1.message_bodies import scope_of
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.types import Access

_SUBSCRIPTIONS = "/v1/subjects/{subject}/subscriptions"
_TAG = "subjects"


class SubscriptionRequest(Body):
    """A shared subject."""

    shared: SubjectName = Field(description="Such as `shared:family`; the credential must allow reading it.")


class SubscriptionsAnswer(Answer):
    """The shared subjects that a user reads, the longest subscription first."""

    subscriptions: list[str]


class EndedSubscriptionAnswer(Answer):
    """Whether there was a subscription to end."""

    ended: bool


class WrittenSubjectQuery(UrlQuery):
    """Which conversation."""

    conversation: Name | None = None


class WrittenSubjectAnswer(Answer):
    """The subject that messages of a conversation form memories in."""

    subject: str


async def _list(request: ResourceRequest) -> ResourceReply:
    listed = await request.engine.shared.subscriptions(user=request.target)
    return ResourceReply(answer=SubscriptionsAnswer(subscriptions=[request.requester.shown(each) for each in listed]))


async def _subscribe(request: ResourceRequest) -> ResourceReply:
    shared = request.subject(request.body_as(SubscriptionRequest).shared, Access.READ)
    listed = await request.engine.shared.subscribe(shared, user=request.target)
    return ResourceReply(answer=SubscriptionsAnswer(subscriptions=[request.requester.shown(each) for each in listed]))


async def _unsubscribe(request: ResourceRequest) -> ResourceReply:
    shared = request.subject(request.path["shared"], Access.READ)
    ended = await request.engine.shared.unsubscribe(shared, user=request.target)
    return ResourceReply(answer=EndedSubscriptionAnswer(ended=ended))


async def _written(request: ResourceRequest) -> ResourceReply:
    written = await request.engine.conversations.subject(
        user=request.target,
        conversation=request.query_as(WrittenSubjectQuery).conversation,
        scope=scope_of(request, None, None),
    )
    return ResourceReply(answer=WrittenSubjectAnswer(subject=request.requester.shown(written)))


OPERATIONS = (
    ResourceOperation(
        "listSubscriptions",
        tag=_TAG,
        summary="List the shared subjects that a user reads",
        handler=_list,
        answer=SubscriptionsAnswer,
    ),
    ResourceOperation(
        "subscribe",
        tag=_TAG,
        summary="Let a user read a shared subject in addition to their own memories",
        handler=_subscribe,
        body=SubscriptionRequest,
        answer=SubscriptionsAnswer,
        act="subscriptions.add",
    ),
    ResourceOperation(
        "unsubscribe",
        tag=_TAG,
        summary="End a user's subscription",
        handler=_unsubscribe,
        answer=EndedSubscriptionAnswer,
        act="subscriptions.remove",
    ),
    ResourceOperation(
        "getWrittenSubject",
        tag=_TAG,
        summary="Name the subject that a profile writes to: the one to list, search and add to",
        description="The profile, app and characters are those of the headers `x-toldonce-…`.",
        handler=_written,
        query=WrittenSubjectQuery,
        answer=WrittenSubjectAnswer,
    ),
)
