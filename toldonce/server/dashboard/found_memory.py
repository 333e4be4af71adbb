"""Reads a memory of which a page has the id alone. Calls the REST API."""

from collections.abc import Iterable
from typing import Any

from toldonce.server.dashboard.page import PageRequest
from toldonce.server.dashboard.rest_client import RestError
from toldonce.server.status import FORBIDDEN, NOT_FOUND


async def find_memory(request: PageRequest, owners: Iterable[str], id_: str) -> dict[str, Any] | None:
    """Return the memory that one of some subjects has under an id; None if it is erased, or not for the sender."""
    for owner in owners:
        try:
            found: dict[str, Any] = await request.rest.get("subjects", owner, "memories", id_)
        except RestError as error:
            if error.status not in (NOT_FOUND, FORBIDDEN):
                raise
        else:
            return found
    return None
