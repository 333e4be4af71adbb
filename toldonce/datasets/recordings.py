"""Recorded conversations to replay: format detection, and the reader for OpenAI messages. Pure."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from hashlib import blake2b
from typing import Any

# Bytes of a file checked for being text.
HEAD_BYTES = 8192
# Date keys of exports; they are not part of an API message.
_DATE_KEYS = ("created_at", "timestamp", "date", "create_time")
# Larger Unix times are milliseconds: as seconds they would be after the year 5000.
_MILLISECONDS_FROM = 1e11


class Format(StrEnum):
    """File format."""

    AUTO = "auto"
    OPENAI = "openai"
    LOCOMO = "locomo"


class BadRecordError(ValueError):
    """A file or record cannot be read; the message says why in a few words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One conversation, ready to be recorded."""

    id: str
    """Stable id, so that a second replay finds the conversation."""
    messages: tuple[Mapping[str, Any], ...]
    """Messages in OpenAI's format."""
    dates: tuple[datetime | None, ...]
    """Time of each message (aware, UTC); None if unknown."""
    where: str
    """Position in the file: 'line 7', 'conv-26/session_3'."""
    user: str | None = None
    """User of the conversation, if the file names one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRecord:
    """Unreadable part of a file."""

    where: str
    reason: str


@dataclass(slots=True)
class _Dates:
    """Collects dates; a message without one has that of the message before."""

    zone: tzinfo
    last: datetime | None = None
    said: list[datetime | None] = field(default_factory=list)

    def take(self, record: Mapping[str, Any]) -> None:
        for key in _DATE_KEYS:
            if record.get(key) is not None:
                self.last = read_date(record[key], self.zone)
                return


def detect(head: bytes) -> Format:
    """Detect the format by the first line, or by the beginning of the file if that line is not JSON.

    Args:
        head: The first line, or more.

    Raises:
        BadRecordError: it is empty or no text.

    >>> detect(b'[{"sample_id": "a", "conversation": {}}]').value
    'locomo'
    >>> detect(b'{"messages": []}').value
    'openai'
    """
    check_text(head)
    text = head.decode("utf-8-sig", "replace").strip()
    if not text:
        raise BadRecordError("the file is empty")
    first = _first_key(text)
    try:
        value = json.loads(text.splitlines()[0])
    except (ValueError, RecursionError):
        return Format.LOCOMO if first and first not in ("role", "content", "name", "messages") else Format.OPENAI
    sample = value[0] if isinstance(value, list) and value else value
    return Format.LOCOMO if isinstance(sample, dict) and "conversation" in sample else Format.OPENAI


def _first_key(text: str) -> str | None:
    """Return the first key of a list of objects whose first line ends before they do."""
    if not text.startswith("["):
        return None
    _, _, rest = text.partition("{")
    return rest.partition('"')[2].partition('"')[0] or None


def check_text(head: bytes) -> None:
    """Refuse data that is not text.

    Raises:
        BadRecordError: It contains a NUL byte.
    """
    if b"\0" in head[:HEAD_BYTES]:
        raise BadRecordError("not a text file in UTF-8 (it holds NUL bytes)")


# ---- OpenAI messages, one conversation per line


def openai_lines(lines: Iterable[bytes], zone: tzinfo) -> Iterator[Recording | BadRecord]:
    """Read one conversation per line; skip empty lines, and report bad ones individually.

    Args:
        lines: The file's lines, ended by line feeds alone.
        zone: Time zone of dates that name none.
    """
    for number, line in enumerate(lines, start=1):
        where = f"line {number}"
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            if text:
                yield openai_conversation(json.loads(text), where=where, zone=zone)
        except UnicodeDecodeError as error:
            yield BadRecord(where=where, reason=f"not UTF-8 at byte {error.start + 1}")
        except json.JSONDecodeError as error:
            yield BadRecord(where=where, reason=f"not JSON: {error.msg} at character {error.pos + 1}")
        except BadRecordError as error:
            yield BadRecord(where=where, reason=str(error))
        except RecursionError:
            yield BadRecord(where=where, reason="JSON nested too deep")
        except ValueError:
            yield BadRecord(where=where, reason="a number with more digits than can be read")


def openai_conversation(value: object, *, where: str, zone: tzinfo) -> Recording:
    """Read `{"messages": [...], "id"?, "date"?}`, or a list of messages.

    Raises:
        BadRecordError: it is neither, or a message or date in it cannot be read.
    """
    record = value if isinstance(value, dict) else {"messages": value}
    messages = record.get("messages")
    if not isinstance(messages, list):
        raise BadRecordError("neither a list of messages nor an object with `messages`")
    if not messages:
        raise BadRecordError("no messages")
    dates = _Dates(zone)
    dates.take(record)
    kept = []
    for place, message in enumerate(messages, start=1):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise BadRecordError(f"message {place} is not an object with a role")
        dates.take(message)
        dates.said.append(dates.last)
        kept.append({key: part for key, part in message.items() if key not in _DATE_KEYS})
    return Recording(
        id=_own_id(record, where) or _made_id(kept, dates.said),
        messages=tuple(kept),
        dates=tuple(dates.said),
        where=where,
    )


def _own_id(record: Mapping[str, Any], where: str) -> str | None:
    given = record.get("id")
    if given is None or given == "":
        return None
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise BadRecordError(f"`id` is neither text nor a number ({where})")
    return str(given)


def _made_id(messages: list[dict[str, Any]], said: list[datetime | None]) -> str:
    """Return an id derived from the content, so that a second replay finds the conversation."""
    dates = [date.isoformat() if date else None for date in said]
    content = json.dumps([messages, dates], sort_keys=True).encode()
    return f"replay-{blake2b(content, digest_size=12).hexdigest()}"


def read_date(value: object, zone: tzinfo) -> datetime:
    """Parse an ISO date, Unix seconds or milliseconds.

    Raises:
        BadRecordError: it is neither.

    >>> read_date("2026-05-03T10:00:00+02:00", UTC).isoformat()
    '2026-05-03T08:00:00+00:00'
    >>> read_date(1_777_795_200, UTC) == read_date("1777795200000", UTC) == read_date("2026-05-03T08:00", UTC)
    True
    """
    number = _number(value)
    try:
        if number is not None:
            return datetime.fromtimestamp(number / 1000 if abs(number) > _MILLISECONDS_FROM else number, UTC)
        if isinstance(value, str):
            read = datetime.fromisoformat(value.strip())
            return (read if read.tzinfo else read.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise BadRecordError(f"cannot read the date {str(value)[:40]!r}: write ISO 8601 or Unix seconds")


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    text = str(value).strip()
    # ISO's basic form of a day, 20260503, has eight digits; Unix seconds since 1973 have nine or more.
    return float(text) if text.isdecimal() and text.isascii() and 9 <= len(text) <= 13 else None


def spread(start: datetime, count: int, *, step: timedelta) -> tuple[datetime, ...]:
    """Return `count` times, `step` apart, from `start` on."""
    return tuple(start + step * i for i in range(count))
