"""Cursors of lists: the place of the last item of a page, by its id, or by its time and id. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from toldonce.clock import from_micros, to_micros
from toldonce.errors import BadRequestError

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
