"""Part of the API: what waits for review, and what somebody decides on it. Writes through the store."""

from recollect.curation.review import approve_held, reject_held
from recollect.engine.base import ListOf
from recollect.engine.components import HeldMemory
from recollect.engine.memories import MemoryService
from recollect.types import Action, Memory, Subject


class ReviewService(MemoryService):
    """Shows what is held, approves and rejects it."""

    async def held(self, *, user: str | Subject | None = None, limit: int = 100) -> ListOf[HeldMemory]:
        """List what waits for review, oldest first, each with why it was held."""
        subject = self.subject(user)
        found = []
        for memory in await self._store.held(subject, limit=limit):
            lines = await self._store.decisions(subject, memory=memory.id)
            why = next((line.reason for line in reversed(lines) if line.action is Action.HOLD), "")
            found.append(HeldMemory(memory=memory, reason=why))
        return found

    async def approve(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Let a held memory hold: it is recalled from now on, and closes what it replaces.

        What was known already is strengthened and returned in its place.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
            BadRequestError: it is not held, or what is known in its place is newer.
        """
        return await approve_held(self._tools, await self.get(memory_id, user=user))

    async def reject(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Close a held memory; its history stays.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
            BadRequestError: it is not held.
        """
        return await reject_held(self._tools, await self.get(memory_id, user=user))
