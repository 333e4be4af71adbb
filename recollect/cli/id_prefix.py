"""Find a memory by part of its id. Reads through the engine."""

from uuid import UUID

from recollect.engine import AsyncRecollect
from recollect.errors import BadRequestError, UnknownMemoryError
from recollect.types import KIND_ORDER, MemoryId, Subject

# Shortest part of an id that is looked for: fewer characters meet too many.
MIN_PREFIX_CHARACTERS = 8
# Memories read at once while looking.
_PAGE = 1000
# Most candidates named when a part is ambiguous.
_NAMED = 4


async def find_id(engine: AsyncRecollect, given: str, subject: Subject) -> str:
    """Return the id that `given` is, or begins or ends like, among the subject's memories of any state.

    Raises:
        UnknownMemoryError: there is none.
        BadRequestError: the part is too short, or several ids have it.
    """
    try:
        return str(UUID(given))
    except ValueError:
        part = given.strip().lower()
    if len(part) < MIN_PREFIX_CHARACTERS:
        raise BadRequestError(
            f"{given!r} is too short for part of an id: give {MIN_PREFIX_CHARACTERS} characters or more"
        )
    found: list[MemoryId] = []
    after: MemoryId | None = None
    while True:
        page = await engine.list(user=subject, kinds=KIND_ORDER, closed=True, after=after, limit=_PAGE)
        found += [memory.id for memory in page if memory.id.startswith(part) or memory.id.endswith(part)]
        if len(page) < _PAGE:
            break
        after = page[-1].id
    if not found:
        raise UnknownMemoryError(given)
    if len(found) > 1:
        some = ", ".join(found[:_NAMED]) + (", …" if len(found) > _NAMED else "")
        raise BadRequestError(f"{given!r} is ambiguous, {len(found)} memories have it: {some}")
    return found[0]
