"""`memory.characters`: characters of a user, and their names. Writes through the store."""

from toldonce.curation.edits import link_memory, unlink_memory
from toldonce.engine.components import Components
from toldonce.engine.memories import ListRequest, MemoryService
from toldonce.engine.results import RenamedCharacter
from toldonce.engine.scope import character_subject
from toldonce.errors import BadRequestError, ConflictError
from toldonce.extraction.provenance import character as spelled
from toldonce.extraction.provenance import kept_as
from toldonce.formation.runtime import Runtime
from toldonce.types import Memory, MemoryState, Subject

_PAGE_SIZE = 1000


class CharacterService:
    """Characters of a user who talk with each other."""

    def __init__(self, components: Components, runtime: Runtime, memories: MemoryService) -> None:
        """Build the namespace over the components' store."""
        self._components = components
        self._runtime = runtime
        self._memories = memories

    async def rename(
        self, character: str, to: str, *, join: bool = False, user: str | Subject | None = None
    ) -> RenamedCharacter:
        """Give a character a new name: requests that use it read and write the memories that the character has.

        The memories stay in their subject, with their history. The old name leads to them as well.

        Args:
            character: Name of the character; case does not matter.
            to: The new name.
            join: If a character of the new name has memories, let the renamed one have its active ones, too. Its held
                and closed ones stay in their own subject.
            user: User whose character it is.

        Raises:
            BadRequestError: the character has no memories, or the new name is empty.
            BadSubjectError: the new name cannot be part of a subject.
            ConflictError: a character of the new name has memories, and `join` is False.
        """
        home = self._components.subject(user)
        if not spelled(to):
            raise BadRequestError("the new name is empty", param="to")
        names = await self._components.store.apps.character_names(home)
        kept, other = kept_as(character, names), kept_as(to, names)
        mine, theirs = character_subject(home, kept), character_subject(home, other)
        if not await self._has_memories(mine):
            raise BadRequestError(f"no memories of a character {character!r} are here", param="character")
        if mine == theirs:
            return RenamedCharacter(subject=mine)
        if not join and await self._has_memories(theirs):
            why = "take them over with join (--join), or choose another name"
            raise ConflictError(f"a character {to!r} has memories: {why}", param="to")
        joining = await self._active(theirs)
        for memory in joining:
            await link_memory(self._runtime, memory, mine)
            await unlink_memory(self._runtime, memory)
        await self._components.store.apps.name_character(home, kept, spelled(to))
        return RenamedCharacter(subject=mine, joined=len(joining))

    async def _has_memories(self, subject: Subject) -> bool:
        return bool(await self._memories.list(subject, ListRequest(kinds=None, closed=True, limit=1)))

    async def _active(self, subject: Subject) -> list[Memory]:
        """List all active memories of a subject."""
        active: list[Memory] = []
        after = None
        while page := await self._memories.list(subject, ListRequest(kinds=None, limit=_PAGE_SIZE, after=after)):
            active += [memory for memory in page if memory.state is MemoryState.ACTIVE]
            after = page[-1].id
        return active
