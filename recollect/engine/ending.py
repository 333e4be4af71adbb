"""Part of the API: end what is known. Writes through the store."""

from recollect.engine.looking import Looking
from recollect.types import Memory, Subject
from recollect.work.byhand import close_by_hand


class Ending(Looking):
    """Closes memories."""

    async def forget(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Close a memory: it is recalled no more, its history stays. Closing a closed one changes nothing.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
        """
        memory = await self.get(memory_id, user=user)
        return await close_by_hand(self._tools, memory)
