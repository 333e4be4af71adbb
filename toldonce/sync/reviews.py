"""`memory.reviews` without asyncio. Made by tools/make_sync.py from engine/reviews.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toldonce.engine.background import BackgroundEngine
from toldonce.engine.results import ListOf
from toldonce.types import Memory, Subject

if TYPE_CHECKING:
    from toldonce.engine import HeldMemory


class BlockingReviewService:
    """Memories that were held back, and decisions on them."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def list(
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
        return self._engine.run(self._engine.core.reviews.list(user=user, limit=limit, after=after))

    def approve(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Activate a held memory: it is recalled from now on, and closes the memory it replaces.

        Returns:
            The memory; or the known memory that says the same, strengthened.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
            BadRequestError: it is not held, or the memory it would replace is newer.
        """
        return self._engine.run(self._engine.core.reviews.approve(memory_id, user=user))

    def reject(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Close a held memory; its history stays.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
            BadRequestError: it is not held.
        """
        return self._engine.run(self._engine.core.reviews.reject(memory_id, user=user))
