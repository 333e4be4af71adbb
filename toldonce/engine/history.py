"""`memory.history` and `memory.reviews`: decisions about memories, made and taken back. Writes through the store."""

from datetime import datetime

from toldonce.curation.review import approve_held, reject_held
from toldonce.curation.undo import undo_decision, undo_since, undo_source
from toldonce.engine.components import Components
from toldonce.engine.memories import MemoryService, parse_memory_id
from toldonce.engine.results import HeldMemory, ListOf, MemoryExplanation, MemoryHistory
from toldonce.errors import BadRequestError
from toldonce.formation.runtime import Runtime
from toldonce.resolution.undo_plan import UndoPlan
from toldonce.types import Action, ConversationId, Decision, Memory, Subject


class HistoryService:
    """Decisions about memories. They are never deleted: the log keeps what was undone, when and why."""

    def __init__(self, components: Components, runtime: Runtime, memories: MemoryService) -> None:
        self._components = components
        self._store = components.store
        self._runtime = runtime
        self._memories = memories

    async def get(self, memory_id: str, *, user: str | Subject | None = None) -> MemoryHistory:
        """Read one memory with its decisions, its source messages, what it replaced and what replaced it.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
        """
        subject = self._components.subject(user)
        memory = await self._memories.get(memory_id, subject)
        decisions = await self._store.decisions.list(subject, memory=memory.id)
        named = {other for line in decisions for other in (line.memory_id, line.target_id) if other} - {memory.id}
        related = await self._store.memories.get_many(subject, sorted(named))
        sources = [
            message
            for evidence in memory.evidence
            for message in await self._store.conversations.messages(
                subject, evidence.conversation, after_seq=evidence.seq - 1, limit=1
            )
        ]
        return MemoryHistory(memory=memory, decisions=tuple(decisions), related=tuple(related), sources=tuple(sources))

    async def explain(self, memory_id: str, *, user: str | Subject | None = None) -> MemoryExplanation:
        """Explain a memory: its sources, the decisions about it, what it replaced, and when it was last recalled.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
        """
        history = await self.get(memory_id, user=user)
        memory, related = history.memory, {memory.id: memory for memory in history.related}
        replacements = [line for line in history.decisions if line.action is Action.REPLACE]
        replaced = [line.target_id for line in replacements if line.memory_id == memory.id]
        replaced_by = [line.memory_id for line in replacements if line.target_id == memory.id]
        return MemoryExplanation(
            history=history,
            replaced=tuple(related[id_] for id_ in replaced if id_ in related),
            replaced_by=tuple(related[id_] for id_ in replaced_by if id_ in related),
            last_recalled=await self._store.memories.last_injection(self._components.subject(user), memory.id),
        )

    async def decisions(
        self, *, user: str | Subject | None = None, limit: int = 1000, after: tuple[datetime, str] | None = None
    ) -> list[Decision]:
        """Read the decision log, oldest first.

        Args:
            user: User whose memories the decisions are about.
            limit: Maximum number of decisions to return.
            after: Time and id of the last decision of the page before; None reads from the first on.
        """
        return await self._store.decisions.list(self._components.subject(user), limit=limit, after=after)

    async def undo(self, decision: str, *, user: str | Subject | None = None, dry_run: bool = False) -> UndoPlan:
        """Reverse a decision: close the memory it added, restore the memory it closed.

        A closed memory stays closed if something else fills its slot by now.

        Args:
            decision: Id of the decision, as `get`, `explain` and `decisions` return it.
            user: User whose memory it is about.
            dry_run: Return what would be done, and change nothing.

        Raises:
            BadRequestError: there is no such decision, it was undone already, or nothing of it is left to undo.
        """
        return await undo_decision(self._runtime, self._components.subject(user), decision, dry_run=dry_run)

    async def undo_source(
        self,
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        seq: int | None = None,
        since: datetime | None = None,
        dry_run: bool = False,
    ) -> UndoPlan:
        """Undo everything that came from one source, or everything since a time. The message log stays as it is.

        For a source, memories are afterwards as if it had never been said: memories formed from it alone are closed,
        memories they replaced return, and memories with other sources keep these. For a time, memories stored since
        are closed, and memories closed since return.

        Args:
            user: User whose memories they are.
            conversation: ToldOnce's id of the conversation.
            seq: One message of the conversation; None is the whole of it.
            since: Instant of storing (aware), not of saying.
            dry_run: Return what would be done, and change nothing.

        Raises:
            BadRequestError: neither or both of conversation and time are given, the time has no time zone, or nothing
                is left to undo.
        """
        require_one_source(conversation, seq, since)
        subject = self._components.subject(user)
        if since is not None:
            return await undo_since(self._runtime, subject, since, dry_run=dry_run)
        known = ConversationId(conversation or "")
        return await undo_source(self._runtime, subject, known, seq=seq, dry_run=dry_run)


def require_one_source(conversation: str | None, seq: int | None, since: datetime | None, **_: object) -> None:
    """Check that either a conversation or a time is named.

    Raises:
        BadRequestError: neither or both are, or the time has no time zone.
    """
    if (conversation is None) == (since is None) or (seq is not None and conversation is None):
        raise BadRequestError("undo takes either a conversation (with or without a message) or a time", param="undo")
    if since is not None and since.tzinfo is None:
        raise BadRequestError("the time to undo from needs a time zone", param="since")


class ReviewService:
    """Memories that were held back, and decisions on them."""

    def __init__(self, components: Components, runtime: Runtime, memories: MemoryService) -> None:
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
