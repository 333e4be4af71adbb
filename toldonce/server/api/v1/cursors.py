"""Cursors of lists that are ordered by a time: the time and id of the last item of a page. Pure."""

from datetime import datetime
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
