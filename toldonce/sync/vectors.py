"""`memory.vectors` without asyncio. Made by tools/make_sync.py from engine/vectors.py."""

from __future__ import annotations

from collections.abc import Sequence

from toldonce.engine.background import BackgroundEngine
from toldonce.types import RecalledMemory, Subject


class BlockingVectorService:
    """Nearest neighbours among memories' vectors."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def nearest(
        self,
        *,
        query: str | None = None,
        vector: Sequence[float] | None = None,
        user: str | Subject | None = None,
        limit: int = 10,
    ) -> list[RecalledMemory]:
        """Find the notes and episodes nearest to a text or a vector, most similar first.

        Args:
            query: Text to embed; give either this or a vector.
            vector: Vector of the embedder's space, of any length but zero.
            user: User whose memories to search.
            limit: Maximum number of memories to return, 1 to 200.

        Raises:
            BadRequestError: the limit is out of range, both or neither of query and vector are given, or the vector
                has another dimension than the embedder's or is all zeros.
        """
        return self._engine.run(self._engine.core.vectors.nearest(query=query, vector=vector, user=user, limit=limit))
