"""Part of the API: find and read what is known, and why. Reads the store."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from recollect.engine.base import ListOf, Wired, memory_id_of
from recollect.engine.components import MemoryExplanation, MemoryHistory
from recollect.engine.past import as_of, recall_past
from recollect.engine.vectors import nearest_to
from recollect.errors import BadRequestError, UnknownMemoryError
from recollect.extraction.redaction import scrub
from recollect.recall.query import RecallRequest
from recollect.types import (
    Action,
    Conversation,
    ConversationId,
    Decision,
    LoggedMessage,
    Memory,
    MemoryKind,
    Recall,
    RecalledMemory,
    Subject,
)


class MemoryService(Wired):
    """Finds and shows."""

    async def search(  # each option stands for itself
        self,
        query: str,
        *,
        user: str | Subject | None = None,
        limit: int = 10,
        profile: str | None = None,
        at: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Recall:
        """Find the memories that bear on a query, best first, each with its reasons.

        Args:
            query: Words, a question, dates ('last May').
            user: Whose memory.
            limit: Most to return, 1 to 200.
            profile: Whose recall policy; None is the settings' profile.
            at: What was true at this instant (aware), closed memories as well; None is now.
            known_at: As it was known at this instant (aware); None is now.

        Raises:
            BadRequestError: the limit is out of range, or an instant has no time zone.
        """
        if not 1 <= limit <= 200:
            raise BadRequestError(f"limit is {limit}, it goes from 1 to 200", param="limit")
        chosen = self.profile(profile or self.settings.profile)
        request = RecallRequest(
            text=query,
            subject=self.subject(user),
            policy=chosen.recall,
            limit=limit,
            half_life_days=chosen.age.half_life_days,
            cold_start=chosen.subject.cold_start,
        )
        then = as_of(at, known_at, self.clock.now())
        if then is not None:
            return await recall_past(self._parts, self._tools, request, then)
        return await self._finder.recall(request)

    async def nearest(
        self,
        *,
        query: str | None = None,
        vector: Sequence[float] | None = None,
        user: str | Subject | None = None,
        limit: int = 10,
    ) -> ListOf[RecalledMemory]:
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

    async def list(  # noqa: PLR0913  # each option stands for itself
        self,
        *,
        user: str | Subject | None = None,
        kinds: Sequence[MemoryKind] = (MemoryKind.NOTE, MemoryKind.FACT, MemoryKind.EPISODE),
        closed: bool = False,
        after: str | None = None,
        tag: str = "",
        limit: int = 100,
        at: datetime | None = None,
        known_at: datetime | None = None,
    ) -> ListOf[Memory]:
        """List memories, newest first, from behind the id `after`; closed ones only when asked; of a tag, if given.

        With `at` or `known_at` (aware): what was true then, as it was known then, as in `search`.
        """
        position = memory_id_of(after) if after else None
        then = as_of(at, known_at, self.clock.now())
        if then is not None:
            subject = self.subject(user)
            held = await self._store.memories_at(subject, kinds, at=then.at, known_at=then.known_at)
            held = [one for one in held if (not tag or tag in one.detail.tags) and (not position or one.id < position)]
            return [_scrubbed(memory) for memory in held[::-1][:limit]]
        found = await self._store.list_memories(
            self.subject(user), kinds=kinds, closed=closed, after=position, tag=tag, limit=limit
        )
        return [_scrubbed(memory) for memory in found]

    async def get(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Read one memory of any state.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
        """
        found = await self._store.memories(self.subject(user), [memory_id_of(memory_id)])
        if not found:
            raise UnknownMemoryError(memory_id)
        return _scrubbed(found[0])

    async def history(self, memory_id: str, *, user: str | Subject | None = None) -> MemoryHistory:
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
        return MemoryHistory(memory=memory, decisions=tuple(decisions), related=tuple(related), sources=tuple(sources))

    async def why(self, memory_id: str, *, user: str | Subject | None = None) -> MemoryExplanation:
        """Explain a memory: its words' sources, the decisions on it, what it replaced, and where it was last recalled.

        Raises:
            UnknownMemoryError: there is none of that id in this user's memory.
        """
        history = await self.history(memory_id, user=user)
        itself, related = history.memory, {memory.id: memory for memory in history.related}
        successions = [line for line in history.decisions if line.action is Action.REPLACE]
        replaced = [line.target_id for line in successions if line.memory_id == itself.id]
        by = [line.memory_id for line in successions if line.target_id == itself.id]
        return MemoryExplanation(
            history=history,
            replaced=tuple(related[one] for one in replaced if one in related),
            replaced_by=tuple(related[one] for one in by if one in related),
            last_recalled=await self._store.last_recall(self.subject(user), itself.id),
        )

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


def _scrubbed(memory: Memory) -> Memory:
    """Strike secrets out of a quotation: its words are the log's, where they stay as they came."""
    return replace(memory, text=scrub(memory.text)) if memory.kind is MemoryKind.TURN else memory
