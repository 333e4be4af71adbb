"""Messages of a chat as a connection sends them. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from toldonce.engine.recorder import message_dates
from toldonce.errors import BadRequestError
from toldonce.remote.client import written

_EXAMPLE = '{"role": "user", "content": "Hello"}'


def plain_messages(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return messages as JSON objects.

    Raises:
        BadRequestError: One is something else.
    """
    given: object = messages
    wrong = next((place for place, each in enumerate(messages, 1) if not isinstance(each, Mapping)), None)
    if isinstance(given, str | bytes) or wrong is not None:
        raise BadRequestError(f"message {wrong or 1} is not an object such as {_EXAMPLE}", param="messages")
    return [dict(each) for each in messages]


def dated_messages(
    messages: Sequence[Mapping[str, Any]], said_at: datetime | Sequence[datetime] | None
) -> list[dict[str, Any]]:
    """Return messages with the instants at which they were said.

    Raises:
        BadRequestError: There are not as many instants as messages, or one has no time zone.
    """
    plain = plain_messages(messages)
    if not plain:
        raise BadRequestError("messages is empty: there is nothing to log", param="messages")
    if said_at is None:
        return plain
    dates = message_dates(plain, said_at)
    return [{**each, "said_at": written(at)} for each, at in zip(plain, dates, strict=True)]
