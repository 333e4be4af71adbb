"""Give each message of a recording its own date. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from recollect.chat.messages import SYSTEM_ROLES, log_messages
from recollect.errors import BadRequestError
from recollect.types import ChatRequest, Message


def said_dates(messages: Sequence[Mapping[str, Any]], said_at: datetime | Sequence[datetime]) -> tuple[datetime, ...]:
    """Return a date for each message, in UTC.

    Raises:
        BadRequestError: a date has no time zone, or there is not one for each message.
    """
    dates = (said_at,) * len(messages) if isinstance(said_at, datetime) else tuple(said_at)
    if len(dates) != len(messages):
        raise BadRequestError(f"said_at has {len(dates)} dates for {len(messages)} messages", param="said_at")
    naive = next((date for date in dates if date.tzinfo is None), None)
    if naive is not None:
        raise BadRequestError(f"said_at is {naive.isoformat()} without a time zone", param="said_at")
    return tuple(date.astimezone(UTC) for date in dates)


def dated_log(request: ChatRequest, dates: Sequence[datetime]) -> tuple[Message, ...]:
    """Return a request's messages for the log; `dates` has one for each message, system messages included."""
    kept = [date for message, date in zip(request.messages, dates, strict=True) if message.role not in SYSTEM_ROLES]
    log = log_messages(request, said_at=max(dates))
    return tuple(replace(message, said_at=date) for message, date in zip(log, kept, strict=True))
