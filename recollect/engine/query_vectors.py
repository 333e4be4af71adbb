"""The vectors of what is asked, unless the embedder fails or is late: recall then goes on by words and dates.

An embedder that failed is left alone for a while, so that one that hangs does not cost every chat its time limit.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import NamedTuple

from recollect.clock import Clock
from recollect.errors import ModelError, ModelFault, VectorSizeError
from recollect.providers.protocols import Embedder
from recollect.types import Vectors

logger = logging.getLogger(__name__)

# Of the time that a chat waits for recall, the embedder gets this share; the rest is for finding without it.
RECALL_SHARE = 0.5
# What a search by hand waits: a person would rather wait for a model that is being loaded.
SEARCH_TIMEOUT_S = 5.0
# After a failure in a chat the embedder is left alone for so long; the next one asks it again.
PAUSE_S = 5.0

LEFT_OUT = "similarity is left out"


class QueryVectors(NamedTuple):
    """What the embedder made of a query."""

    vectors: Vectors | None
    """One row for each text; None where it failed."""
    failure: str = ""
    """Why similarity is left out; empty where it is not."""


class QueryEmbedder:
    """Asks embedders within a time limit."""

    def __init__(self, clock: Clock) -> None:
        """Measure pauses by a clock."""
        self._clock = clock
        self._paused: dict[str, tuple[float, str]] = {}

    async def embed(self, texts: Sequence[str], embedder: Embedder, *, timeout_s: float, patient: bool) -> QueryVectors:
        """Embed what is asked.

        Args:
            texts: What is asked, and what was said before.
            embedder: The one of the subject's space.
            timeout_s: Longest wait for it.
            patient: Ask it even if it has just failed.
        """
        until, why = self._paused.get(embedder.space, (0.0, ""))
        if why and not patient and self._clock.monotonic() < until:
            return QueryVectors(None, f"{LEFT_OUT}: {why}")
        try:
            async with asyncio.timeout(timeout_s):
                vectors = await embedder.embed_queries(texts)
        except TimeoutError:
            return self._failed(embedder, f"the embedder gave no answer within {timeout_s:g} s")
        except VectorSizeError as error:
            return self._failed(embedder, str(error))
        except ModelError as error:
            return self._failed(embedder, str(error), pause=error.fault is not ModelFault.REQUEST)
        if self._paused.pop(embedder.space, None):
            logger.info("embedder answers again", extra={"space": embedder.space})
        return QueryVectors(vectors)

    def _failed(self, embedder: Embedder, why: str, *, pause: bool = True) -> QueryVectors:
        if pause:
            self._paused[embedder.space] = (self._clock.monotonic() + PAUSE_S, why)
        logger.warning("embedding a query failed", extra={"space": embedder.space, "error": why})
        return QueryVectors(None, f"{LEFT_OUT}: {why}")
