"""`memory.history` without asyncio. Made by tools/make_sync.py from engine/history.py."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from toldonce.engine.background import BackgroundEngine
from toldonce.types import Decision, Subject

if TYPE_CHECKING:
    from toldonce.engine import MemoryExplanation, MemoryHistory, UndoPlan


class BlockingHistoryService:
    """Decisions about memories. They are never deleted: the log keeps what was undone, when and why."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def get(self, memory_id: str, *, user: str | Subject | None = None) -> MemoryHistory:
        """Read one memory with its decisions, its source messages, what it replaced and what replaced it.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
        """
        return self._engine.run(self._engine.core.history.get(memory_id, user=user))

    def explain(self, memory_id: str, *, user: str | Subject | None = None) -> MemoryExplanation:
        """Explain a memory: its sources, the decisions about it, what it replaced, and when it was last recalled.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
        """
        return self._engine.run(self._engine.core.history.explain(memory_id, user=user))

    def decisions(
        self, *, user: str | Subject | None = None, limit: int = 1000, after: tuple[datetime, str] | None = None
    ) -> list[Decision]:
        """Read the decision log, oldest first.

        Args:
            user: User whose memories the decisions are about.
            limit: Maximum number of decisions to return.
            after: Time and id of the last decision of the page before; None reads from the first on.
        """
        return self._engine.run(self._engine.core.history.decisions(user=user, limit=limit, after=after))

    def undo(self, decision: str, *, user: str | Subject | None = None, dry_run: bool = False) -> UndoPlan:
        """Reverse a decision: close the memory it added, restore the memory it closed.

        A closed memory stays closed if something else fills its slot by now.

        Args:
            decision: Id of the decision, as `get`, `explain` and `decisions` return it.
            user: User whose memory it is about.
            dry_run: Return what would be done, and change nothing.

        Raises:
            BadRequestError: there is no such decision, it was undone already, or nothing of it is left to undo.
        """
        return self._engine.run(self._engine.core.history.undo(decision, user=user, dry_run=dry_run))

    def undo_source(
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
        return self._engine.run(
            self._engine.core.history.undo_source(
                user=user, conversation=conversation, seq=seq, since=since, dry_run=dry_run
            )
        )
