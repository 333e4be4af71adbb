"""`memory.vectors`: search by similarity alone. Reads the store."""

from collections.abc import Sequence

import numpy as np

from toldonce.engine.components import Components
from toldonce.engine.memories import require_limit
from toldonce.errors import BadRequestError
from toldonce.extraction.redaction import redact
from toldonce.formation.neighbours import nearest
from toldonce.formation.runtime import Runtime
from toldonce.text import clean
from toldonce.types import NO_VECTORS, MemoryKind, RecalledMemory, Subject, Vectors

_SEARCHED = [MemoryKind.NOTE.number, MemoryKind.EPISODE.number]


class VectorService:
    """Nearest neighbours among memories' vectors."""

    def __init__(self, components: Components, runtime: Runtime) -> None:
        """Build the namespace over the components' store."""
        self._components = components
        self._runtime = runtime

    async def nearest(
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
        require_limit(limit)
        if (query is None) is (vector is None):
            raise BadRequestError("give either a query or a vector", param="query")
        subject = self._components.subject(user)
        runtime = await self._runtime.for_subject(subject)
        vectors = await _vectors(runtime, query if vector is None else vector)
        snapshot = await runtime.store.snapshots.snapshot(subject, runtime.embedder.space, vectors=NO_VECTORS)
        [neighbours] = await nearest(snapshot, vectors, runtime, limit=limit, kinds=_SEARCHED)
        return [
            RecalledMemory(
                memory=neighbour.memory,
                score=neighbour.similarity,
                similarity=neighbour.similarity,
                word_share=0.0,
                reasons=(f"near in meaning ({neighbour.similarity:.2f})",),
            )
            for neighbour in neighbours
        ]


async def _vectors(runtime: Runtime, wanted: str | Sequence[float] | None) -> Vectors:
    if wanted is None or isinstance(wanted, str):
        return await runtime.embedder.embed_queries([redact(clean(wanted or ""))])
    if len(wanted) != runtime.embedder.dim:
        raise BadRequestError(
            f"the vector has {len(wanted)} numbers, those of {runtime.embedder.space} have {runtime.embedder.dim}",
            param="vector",
        )
    row = np.asarray(wanted, dtype=np.float64)
    length = float(np.linalg.norm(row))
    if not 0 < length < float("inf"):
        raise BadRequestError("the vector has no direction: its length is zero or too large", param="vector")
    return (row / length).astype(np.float32)[None, :]
