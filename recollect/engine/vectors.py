"""What is nearest in meaning alone, to a text or a vector. Reads the store."""

from collections.abc import Sequence

import numpy as np

from recollect.errors import BadRequestError
from recollect.extraction.redaction import scrub
from recollect.formation.neighbours import nearest
from recollect.formation.runtime import Runtime
from recollect.text import clean
from recollect.types import NO_VECTORS, MemoryKind, RecalledMemory, Subject, Vectors

_SEARCHED = [MemoryKind.NOTE.number, MemoryKind.EPISODE.number]


async def nearest_to(
    tools: Runtime, subject: Subject, wanted: str | Sequence[float] | None, limit: int
) -> list[RecalledMemory]:
    """Find the memories of a subject nearest to a text or a vector, best first."""
    tools = await tools.for_subject(subject)
    vectors = await _vectors(tools, wanted)
    hot = await tools.store.hot(subject, tools.embedder.space, sought=NO_VECTORS)
    [found] = await nearest(hot, vectors, tools, most=limit, kinds=_SEARCHED)
    return [
        RecalledMemory(
            memory=one.memory,
            score=one.similarity,
            similarity=one.similarity,
            word_share=0.0,
            reasons=(f"near in meaning ({one.similarity:.2f})",),
        )
        for one in found
    ]


async def _vectors(tools: Runtime, wanted: str | Sequence[float] | None) -> Vectors:
    if wanted is None or isinstance(wanted, str):
        return await tools.embedder.embed_queries([scrub(clean(wanted or ""))])
    if len(wanted) != tools.embedder.dim:
        raise BadRequestError(
            f"the vector has {len(wanted)} numbers, those of {tools.embedder.space} have {tools.embedder.dim}",
            param="vector",
        )
    row = np.asarray(wanted, dtype=np.float64)
    length = float(np.linalg.norm(row))
    if not 0 < length < float("inf"):
        raise BadRequestError("the vector has no direction: its length is zero or too large", param="vector")
    return (row / length).astype(np.float32)[None, :]
