"""Part of the API: find and read what is known, and why. Reads the store."""

from collections.abc import Sequence
from datetime import datetime

from recollect.engine.asking import Wish
from recollect.engine.base import ListOf, Wired, memory_id_of
from recollect.engine.nearest import nearest_to
from recollect.engine.parts import History
from recollect.errors import BadRequestError, UnknownMemoryError
from recollect.types import (
    Conversation,
    ConversationId,
    Decision,
    LoggedMessage,
    Memory,
    MemoryKind,
    Recall,
    Recalled,
    Subject,
)


class Looking(Wired):
    """Finds and shows."""

    async def search(
        self, query: str, *, user: str | Subject | None = None, limit: int = 10, profile: str | None = None
    ) -> Recall:
        """Find the memories that bear on a query, best first, each with its reasons.

        Args:
            query: Words, a question, dates ('last May').
            user: Whose memory.
            limit: Most to return, 1 to 200.
            profile: Whose recall policy; None is the settings' profile.

        Raises:
            BadRequestError: the limit is out of range.
        """
        if not 1 <= limit <= 200:
            raise BadRequestError(f"limit is {limit}, it goes from 1 to 200", param="limit")
        chosen = self.profile(profile or self.settings.profile)
        wish = Wish(
            policy=chosen.recall,
            limit=limit,
            half_life_days=chosen.age.half_life_days,
            cold_start=chosen.whose.cold_start,
        )
        return await self._finder.recall(query, self.subject(user), wish)

    async def nearest(
        self,
        *,
        query: str | None = None,
        vector: Sequence[float] | None = None,
        user: str | Subject | None = None,
        limit: int = 10,
    ) -> ListOf[Recalled]:
        """Find the notes and episodes nearest in meaning alone, to a text or to a vector of the embedder's space.

        Raises:
            BadRequestError: the limit is out of range, both or neither is given, or the vector has another length than
                the embedder's, or is all zeros.
        """
        if not 1 <= limit <= 200:
            raise BadRequestError(f"limit is {limit}, it goes from 1 to 200", param="limit")
        if (query is None) is (vector is None):
            raise BadRequestError("give either a query or a vector", param="query")
        return await nearest_to(self._tools, self.subject(user), query if vector is None else vector, limit)

    async def list(
        self,
        *,
        user: str | Subject | None = None,
        kinds: Sequence[MemoryKind] = (MemoryKind.NOTE, MemoryKind.FACT, MemoryKind.EPISODE),
        closed: bool = False,
        after: str | None = None,
        tag: str = "",
        limit: int = 100,
    ) -> ListOf[Memory]:
        """List memories, newest first, from behind the id `after`; closed ones only when asked; of a tag, if given."""
        position = memory_id_of(after) if after else None
        return await self._store.list_memories(
            self.subject(user), kinds=kinds, closed=closed, after=position, tag=tag, limit=limit
        )

    async def get(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Read one memory of any state.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
        """
        found = await self._store.memories(self.subject(user), [memory_id_of(memory_id)])
        if not found:
            raise UnknownMemoryError(memory_id)
        return found[0]

    async def history(self, memory_id: str, *, user: str | Subject | None = None) -> History:
        """Read one memory with its decisions, what it replaced and what replaced it, and its source messages.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
        """
        subject = self.subject(user)
        memory = await self.get(memory_id, user=subject)
        decisions = await self._store.decisions(subject, memory=memory.id)
        named = {other for line in decisions for other in (line.memory_id, line.target_id) if other} - {memory.id}
        related = await self._store.memories(subject, sorted(named))
        sources = [
            message
            for evidence in memory.evidence
            for message in await self._store.messages(
                subject, evidence.conversation, after_seq=evidence.seq - 1, limit=1
            )
        ]
        return History(memory=memory, decisions=tuple(decisions), related=tuple(related), sources=tuple(sources))

    async def conversations(
        self, *, user: str | Subject | None = None, limit: int = 100, before: datetime | None = None
    ) -> ListOf[Conversation]:
        """List conversations, last updated first."""
        return await self._store.conversations(self.subject(user), limit=limit, before=before)

    async def messages(
        self, conversation: str, *, user: str | Subject | None = None, after_seq: int = 0, limit: int = 1000
    ) -> ListOf[LoggedMessage]:
        """Read a conversation's log in order of arrival, all branches."""
        subject = self.subject(user)
        return await self._store.messages(subject, ConversationId(conversation), after_seq=after_seq, limit=limit)

    async def decisions(self, *, user: str | Subject | None = None, limit: int = 1000) -> ListOf[Decision]:
        """Read the log of decisions, oldest first."""
        return await self._store.decisions(self.subject(user), limit=limit)
