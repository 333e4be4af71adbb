"""Arguments of the tools, checked: what is wrong is said in one line that the model can act on. Pure."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toldonce.errors import BadRequestError
from toldonce.mcp_server.catalog import MAX_RECALLED

MAX_TEXT, MAX_QUERY, MAX_REASON = 10_000, 4_000, 500
_MAX_ID = 40
_MAX_SHOWN = 60
# As over REST: calendar arithmetic around an instant of these years stays within what a database holds.
_FIRST_YEAR, _LAST_YEAR = 1900, 2999


class ToolArguments(BaseModel):
    """Arguments of a call; unknown names are refused, so that a misspelt one does not go unnoticed."""

    model_config = ConfigDict(extra="forbid")


_Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
_Id = Annotated[str, Field(min_length=1, max_length=_MAX_ID)]
_When = Annotated[str, Field(min_length=1, max_length=_MAX_ID)]


class RecallArguments(ToolArguments):
    """Of `recall_memory`."""

    query: Annotated[str, Field(min_length=1, max_length=MAX_QUERY)]
    limit: Annotated[int, Field(ge=1, le=MAX_RECALLED)] = 10
    at: _When | None = None


class RememberArguments(ToolArguments):
    """Of `remember`."""

    text: _Text
    said_at: _When | None = None


class ListArguments(ToolArguments):
    """Of `list_memories`."""

    kind: Literal["note", "fact", "episode"] | None = None
    cursor: _Id | None = None


class CorrectArguments(ToolArguments):
    """Of `correct_memory`."""

    id: _Id
    text: _Text
    true_until: _When | None = None


class ForgetArguments(ToolArguments):
    """Of `forget_memory`."""

    id: _Id
    reason: Annotated[str, Field(max_length=MAX_REASON)] = ""


Shape = TypeVar("Shape", bound=ToolArguments)


def read_arguments(shape: type[Shape], given: Mapping[str, object]) -> Shape:
    """Read the arguments of a call.

    Raises:
        BadRequestError: One is missing, unknown, or has a wrong type or size.
    """
    try:
        return shape.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in first["loc"])[:_MAX_SHOWN]
        takes = ", ".join(shape.model_fields)
        raise BadRequestError(f"{name}: {first['msg']}; the arguments are {takes}", param=name) from None


def read_instant(text: str | None, zone: tzinfo, name: str) -> datetime | None:
    """Read a date or time as models write it, in `zone` if it has no offset; None for None.

    Raises:
        BadRequestError: It is neither.
    """
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BadRequestError(
            f"{name}: {text[:_MAX_SHOWN]!r} is no date; write 2026-05-03 or 2026-05-03T08:00", param=name
        ) from None
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise BadRequestError(f"{name}: the year goes from {_FIRST_YEAR} to {_LAST_YEAR}", param=name)
    return found if found.tzinfo else found.replace(tzinfo=zone)
