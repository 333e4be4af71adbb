"""Messages of a chat as a connection sends them. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.engine.remote.client import written
from recollect.errors import BadRequestError


def plain_messages(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return messages as JSON objects.

    Raises:
        BadRequestError: One is something else.
    """
    given: object = messages
    if isinstance(given, str | bytes) or not all(isinstance(each, Mapping) for each in messages):
        raise BadRequestError("messages are a list of objects such as {'role': 'user', 'content': 'Hello'}")
    return [dict(each) for each in messages]


def dated_messages(
    messages: Sequence[Mapping[str, Any]], said_at: datetime | Sequence[datetime] | None
) -> list[dict[str, Any]]:
    """Return messages with the instants at which they were said.

    Raises:
        BadRequestError: There are not as many instants as messages, or one has no time zone.
    """
    plain = plain_messages(messages)
    if said_at is None:
        return plain
    dates = [said_at] * len(plain) if isinstance(said_at, datetime) else said_at
    if len(dates) != len(plain):
        raise BadRequestError(f"there are {len(plain)} messages and {len(dates)} instants in said_at", param="said_at")
    return [{**each, "said_at": written(at)} for each, at in zip(plain, dates, strict=True)]
