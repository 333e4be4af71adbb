"""`memory.reviews`: list, approve and reject memories that wait for review. Writes through the store."""

from toldonce.curation.review import approve_held, reject_held
from toldonce.engine.components import Components
from toldonce.engine.memories import MemoryService, parse_memory_id
from toldonce.engine.results import HeldMemory, ListOf
from toldonce.formation.runtime import Runtime
from toldonce.types import Action, Memory, Subject


class ReviewService:
    """Memories that were held back, and decisions on them."""

    def __init__(self, components: Components, runtime: Runtime, memories: MemoryService) -> None:
        """Build the namespace over the components' store."""
        self._components = components
        self._store = components.store
        self._runtime = runtime
        self._memories = memories

    async def list(
        self, *, user: str | Subject | None = None, limit: int = 100, after: str | None = None
    ) -> ListOf[HeldMemory]:
        """List memories that wait for review, oldest first, each with the reason.

        Args:
            user: User whose memories they are.
            limit: Maximum number of memories to return.
            after: Id of the last memory of the page before; None lists from the oldest on.

        Raises:
            UnknownMemoryError: `after` is not an id.
        """
        subject = self._components.subject(user)
        held = []
        for memory in await self._store.memories.held(
            subject, limit=limit, after=parse_memory_id(after) if after else None
        ):
            decisions = await self._store.decisions.list(subject, memory=memory.id)
            reason = next((line.reason for line in reversed(decisions) if line.action is Action.HOLD), "")
            held.append(HeldMemory(memory=memory, reason=reason))
        return held

    async def approve(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Activate a held memory: it is recalled from now on, and closes the memory it replaces.

        Returns:
            The memory; or the known memory that says the same, strengthened.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
            BadRequestError: it is not held, or the memory it would replace is newer.
        """
        return await approve_held(self._runtime, await self._get(memory_id, user))

    async def reject(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Close a held memory; its history stays.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
            BadRequestError: it is not held.
        """
        return await reject_held(self._runtime, await self._get(memory_id, user))

    async def _get(self, memory_id: str, user: str | Subject | None) -> Memory:
        return await self._memories.get(memory_id, self._components.subject(user))
