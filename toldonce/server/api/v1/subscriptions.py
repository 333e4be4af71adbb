"""Subscriptions to shared subjects, and the subject that a request writes to, over HTTP. Serves through the engine."""

from typing import Annotated

from pydantic import Field

from toldonce.server.api.v1.fields import Answer, Body, Name, Needs, SubjectName, SubjectText, UrlQuery
from toldonce.server.api.v1.operation import ResourceOperation
from toldonce.types import Access


class SubscriptionRequest(Body):
    """A shared subject."""

    shared: Annotated[SubjectName, Needs(Access.READ)] = Field(
        description="Such as `shared:family`; the credential must allow reading it."
    )


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
