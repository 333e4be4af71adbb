"""Messages in the bodies of requests under `/v1`, and what a request says of their conversation. Reads the engine."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic import ConfigDict, Field, model_validator

from toldonce.errors import BadIdentityError, BadRequestError
from toldonce.server.api.v1.fields import Body, Name, ProfileName, ZonedInstant
from toldonce.server.api.v1.operation import ResourceRequest
from toldonce.types import Conversation, Destination, RequestScope

MAX_MESSAGES = 10_000
"""Messages of one request."""
_MAX_ID_BYTES = 512


class NewMessage(Body):
    """A message in OpenAI's shape: further fields, such as `tool_calls`, are kept."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    role: str = Field(min_length=1, max_length=40, description="`user`, `assistant`, `tool`, …")
    content: str | list[dict[str, Any]] | None = None
    name: str | None = Field(default=None, max_length=200, description="The speaker's name.")
    said_at: ZonedInstant | None = Field(
        default=None, description="When it was said, with the speaker's offset from UTC, which is kept; null: now."
    )

    @property
    def plain(self) -> dict[str, Any]:
        """The message as the engine takes it."""
        return self.model_dump(exclude={"said_at"}, exclude_unset=True)


class NewMessages(Body):
    """Messages to record, in their order; known ones are not recorded twice."""

    messages: list[NewMessage] = Field(min_length=1, max_length=MAX_MESSAGES)
    profile: ProfileName | None = None
    app: Name | None = None

    @model_validator(mode="after")
    def _dates_all_or_none(self) -> "NewMessages":
        dated = [message.said_at is not None for message in self.messages]
        if any(dated) and not all(dated):
            raise ValueError("give said_at with all messages or with none")
        return self

    @property
    def plain(self) -> list[dict[str, Any]]:
        """The messages as the engine takes them."""
        return [message.plain for message in self.messages]

    @property
    def dates(self) -> list[datetime] | None:
        """When each was said; None: now."""
        dates = [message.said_at for message in self.messages if message.said_at is not None]
        return dates or None


async def known_conversation(request: ResourceRequest) -> Conversation:
    """Return the conversation of the path.

    Raises:
        UnknownConversationError: The subject has no such conversation.
    """
    return await request.engine.conversations.get(request.path["conversation"], user=request.target)


def new_name_of(request: ResourceRequest) -> str:
    """Return the conversation's id in the path, which may become the id of a new one.

    Raises:
        BadRequestError: It is too long.
    """
    name = request.path["conversation"]
    if len(name.encode()) > _MAX_ID_BYTES:
        raise BadRequestError(f"the conversation's id is longer than {_MAX_ID_BYTES} bytes", param="conversation")
    return name


class DestinationBody(Body):
    """The model that reads the answer: what the profile keeps from it is left out."""

    upstream: Name | None = Field(default=None, description="Host of its API.")
    model: Name | None = None
    client: Name | None = Field(default=None, description="The program that asks it.")

    @property
    def plain(self) -> Destination:
        """The destination that the body names."""
        return Destination(upstream=self.upstream, model=self.model, client=self.client)


def scope_of(
    request: ResourceRequest, profile: str | None, app: str | None, destination: DestinationBody | None = None
) -> RequestScope:
    """Return the profile, app, characters and destination that body and headers name, the body first.

    Raises:
        BadIdentityError: The body names another app than the credential is for.
    """
    named = request.requester.identity.scope
    if named.only_app and app not in (None, named.app):
        raise BadIdentityError("the body names another app than this credential is for")
    to = destination.plain if destination else named.destination
    return replace(named, profile=request.profile(profile), app=app or named.app, destination=to)
