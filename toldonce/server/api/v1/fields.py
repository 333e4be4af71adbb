"""Types of the fields of the REST API under `/v1`, the bases of its bodies, queries and answers, and its cursors. Pure.

A cursor is the place of the last item of a page, by its id, or by its time and id.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Protocol, Self
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo

from toldonce.clock import from_micros, to_micros
from toldonce.errors import BadRequestError
from toldonce.time_zones import in_own_zone
from toldonce.types import Access, Subject

MAX_PAGE_SIZE = 1000
"""Items of one page."""
# Calendar arithmetic around an instant of these years stays within what a database holds.
_FIRST_YEAR, _LAST_YEAR = 1900, 2999
MAX_NAME_CHARACTERS = 512


def _is_written_out(given: object) -> object:
    """Refuse seconds since 1970, which pydantic would take as a number and in a text."""
    if not isinstance(given, str) or "-" not in given[1:]:
        raise ValueError("write an instant as 2026-05-03T08:00:00Z")
    return given


def _in_range(at: datetime) -> datetime:
    if not _FIRST_YEAR <= at.year <= _LAST_YEAR:
        raise ValueError(f"the year goes from {_FIRST_YEAR} to {_LAST_YEAR}")
    return in_own_zone(at)


ZonedInstant = Annotated[
    AwareDatetime,
    BeforeValidator(_is_written_out),
    AfterValidator(_in_range),
    Field(
        strict=False, description=f"An instant with its offset from UTC, of the years {_FIRST_YEAR} to {_LAST_YEAR}."
    ),
]
"""An instant in the zone that it was written in."""
Instant = Annotated[ZonedInstant, AfterValidator(lambda at: at.astimezone(UTC))]
SUBJECT_PATTERN = "^(me|global|(@[a-z0-9][a-z0-9_.-]{0,62}/)?(global|(user|app|session|character|shared):[^\\x00]+))$"
"""How subjects are written; the server reads them without this pattern."""
SubjectName = Annotated[
    str, Field(min_length=1, max_length=600, json_schema_extra={"pattern": SUBJECT_PATTERN}, description="A subject.")
]


@dataclass(frozen=True, slots=True)
class Needs:
    """Of a field with the name of a subject: what the request must be allowed to do with it."""

    access: Access


Uuid = Annotated[str, Field(min_length=36, max_length=36, pattern="^[0-9a-fA-F-]{36}$")]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARACTERS)]
ProfileName = Annotated[
    str, Field(min_length=1, max_length=100, description="Name of a profile; by default the server's.")
]
Weight = Annotated[float, Field(ge=0, le=1)]


class Body(BaseModel):
    """Base of the bodies of requests: unknown fields are refused, and numbers are finite."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class UrlQuery(BaseModel):
    """Base of the parameters of a URL; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class NoQuery(UrlQuery):
    """No parameters."""


class Page(UrlQuery):
    """Parameters of a list."""

    limit: int = Field(default=100, ge=1, le=MAX_PAGE_SIZE, description="Maximum number of items of the page.")
    cursor: str | None = Field(
        default=None, min_length=1, max_length=600, description="`next_cursor` of the page before; absent on the first."
    )


class TenantQuery(UrlQuery):
    """Parameters of what concerns a whole tenant."""

    tenant: str | None = Field(
        default=None,
        max_length=63,
        description="Only this tenant, empty for none; absent: all that the credential allows.",
    )


class TenantPage(Page, TenantQuery):
    """Parameters of a list of a whole tenant."""


class NamesSubjects(Protocol):
    """A requester: it decides how the name of a subject is written."""

    def shown(self, subject: Subject) -> str:
        """Return a subject's text as this requester writes it."""


def _shown(value: object, info: ValidationInfo) -> object:
    requester: NamesSubjects | None = info.context
    return requester.shown(value) if requester is not None and isinstance(value, Subject) else value


SubjectText = Annotated[str, BeforeValidator(_shown)]
"""A subject of an answer, as the requester writes it."""


def hash_text(value: object) -> object:
    """Write a signed 64-bit hash as 16 hexadecimal digits: not every client reads so large a number.

    >>> hash_text(-1)
    'ffffffffffffffff'
    """
    return f"{value & (1 << 64) - 1:016x}" if isinstance(value, int) else value


HashText = Annotated[str, BeforeValidator(hash_text)]
EMPTY_IS_NULL = BeforeValidator(lambda value: value or None)
"""Of a field: what is empty is null in the answer."""


class Answer(BaseModel):
    """Base of what the server answers: its fields are read from the attributes of a value of the library."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    @classmethod
    def of(cls, value: object, requester: NamesSubjects) -> Self:
        """Describe a value of the library, or a mapping with values of it, to a requester."""
        return cls.model_validate(value, context=requester)


class PageAnswer(Answer):
    """One page of a list."""

    next_cursor: str | None = Field(
        default=None,
        description="Send it as `cursor` to read the next page; null on the last one. Also in the header `Link`.",
    )


_MAX_MICROS_DIGITS = 17  # the year 4,000 or so


def write_cursor(at: datetime, id_: str) -> str:
    """Return the cursor after an item.

    >>> from datetime import UTC
    >>> write_cursor(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), "0199f3a2-7c1e-7d3a-9b0e-3f1d5c7a9b21")
    '1000000.0199f3a2-7c1e-7d3a-9b0e-3f1d5c7a9b21'
    """
    return f"{to_micros(at)}.{id_}"


def read_cursor(cursor: str | None) -> tuple[datetime, str] | None:
    """Return time and id of the last item of the page before; None for the first page.

    Raises:
        BadRequestError: The cursor is none of such a list.
    """
    if cursor is None:
        return None
    micros, _, id_ = cursor.partition(".")
    try:
        if not (micros.isascii() and micros.isdigit() and len(micros) <= _MAX_MICROS_DIGITS):
            raise ValueError
        return from_micros(int(micros)), str(UUID(id_))
    except ValueError:
        raise BadRequestError("the cursor is none of this list", param="cursor") from None


def read_id_cursor(cursor: str | None) -> str | None:
    """Return the id of the last item of the page before; None for the first page.

    Raises:
        BadRequestError: The cursor is none of such a list.
    """
    try:
        return None if cursor is None else str(UUID(cursor))
    except ValueError:
        raise BadRequestError("the cursor is none of this list", param="cursor") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """How the pages of a list follow on each other."""

    read: Callable[[str | None], object]
    """Reads the place that a cursor names."""
    write: Callable[[Any], str | None]
    """Returns the cursor after an item; of a method that returns a page instead of a list, the one after the page."""
    into: str = "after"
    """Parameter of the method that gets the place."""


BY_ID = Paging(read=read_id_cursor, write=lambda item: str(item.id))
"""The place of an item is its id, a UUID."""
BY_NAME = Paging(read=lambda cursor: cursor, write=lambda item: str(item.id))
"""The place of an item is its id, which can be any text."""
