"""Find a memory by a part of its id. Reads through the engine."""

from typing import TYPE_CHECKING
from uuid import UUID

from toldonce.errors import BadRequestError, UnknownMemoryError
from toldonce.types import KIND_ORDER, Destination, MemoryId, Subject

if TYPE_CHECKING:
    from toldonce.engine.core import AsyncToldOnce

# Shorter parts match too many ids.
MIN_PREFIX_CHARACTERS = 8
_PAGE_SIZE = 1000
# Maximum number of ids listed when a part is ambiguous.
_MAX_LISTED = 4


async def find_id(
    engine: "AsyncToldOnce", given: str, subject: Subject, *, destination: Destination | None = None
) -> str:
    """Return the id that equals, begins or ends with `given`, among the subject's memories in any state.

    Args:
        engine: Where they are.
        given: The id, or a part of it.
        subject: Their owner.
        destination: What the profile keeps from it is unknown; None: nothing is.

    Raises:
        UnknownMemoryError: No memory matches.
        BadRequestError: The part is too short, or several memories match.
    """
    try:
        part = str(UUID(given))
    except ValueError:
        part = given.strip().lower()
    else:
        if destination is None:
            return part
    if len(part) < MIN_PREFIX_CHARACTERS:
        raise BadRequestError(
            f"{given!r} is too short for a part of an id: give at least {MIN_PREFIX_CHARACTERS} characters"
        )
    matches: list[MemoryId] = []
    after: MemoryId | None = None
    while True:
        page = await engine.list(
            user=subject, kinds=KIND_ORDER, closed=True, after=after, limit=_PAGE_SIZE, destination=destination
        )
        matches += [memory.id for memory in page if memory.id.startswith(part) or memory.id.endswith(part)]
        if len(page) < _PAGE_SIZE:
            break
        after = page[-1].id
    if not matches:
        raise UnknownMemoryError(given)
    if len(matches) > 1:
        some = ", ".join(matches[:_MAX_LISTED]) + (", …" if len(matches) > _MAX_LISTED else "")
        raise BadRequestError(f"{given!r} is ambiguous: {len(matches)} memories match: {some}")
    return matches[0]
