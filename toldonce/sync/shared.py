"""`memory.shared` without asyncio. Made by tools/make_sync.py from engine/shared.py."""

from __future__ import annotations

from toldonce.engine.background import BackgroundEngine
from toldonce.types import Memory, Subject


class BlockingSharedMemoryService:
    """Memories that several subjects read."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def link(self, memory_id: str, *, to: Subject, user: str | Subject | None = None) -> Memory:
        """Share an active note, fact or episode with another subject, which gets its own row under the same id.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
            BadRequestError: it cannot be shared: it is a quotation, held or closed, or `to` has another value in its
                slot or belongs to another tenant.
        """
        return self._engine.run(self._engine.core.shared.link(memory_id, to=to, user=user))

    def unlink(self, memory_id: str, *, user: str | Subject | None = None) -> None:
        """Remove a memory from this user alone; other subjects that share it keep it.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
        """
        self._engine.run(self._engine.core.shared.unlink(memory_id, user=user))

    def subscribe(self, shared: str | Subject, *, user: str | Subject | None = None) -> list[Subject]:
        """Let a user read a shared subject in addition to their own memories; return all their subscriptions.

        The user's own value of a slot comes before a shared one. To share memories, add them with the shared subject
        as `user`, or link them to it.

        Args:
            shared: `shared:NAME`, or the name alone.
            user: User who subscribes.

        Raises:
            BadRequestError: `shared` is another kind of subject, or the subscriber is not a user.
        """
        return self._engine.run(self._engine.core.shared.subscribe(shared, user=user))

    def unsubscribe(self, shared: str | Subject, *, user: str | Subject | None = None) -> bool:
        """End a user's subscription; return False if there was none.

        Raises:
            BadRequestError: `shared` is another kind of subject, or the subscriber is not a user.
        """
        return self._engine.run(self._engine.core.shared.unsubscribe(shared, user=user))

    def subscriptions(self, *, user: str | Subject | None = None) -> list[Subject]:
        """List the shared subjects that a user reads, the longest subscription first."""
        return self._engine.run(self._engine.core.shared.subscriptions(user=user))
