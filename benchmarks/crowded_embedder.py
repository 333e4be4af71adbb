"""A stand-in for sentence transformers such as MiniLM, over the built-in embedder. Reads that one's files.

Statements about one person are nearer to one another than questions are to their answers, so a relevance that is fitted
to questions says little about statements. The vectors of stored texts share one component, which queries lack; the
order of a text's neighbours remains that of the built-in embedder. The relevance is fitted as `toldonce embedder use`
does it.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from toldonce.providers.calibration import Calibration, fit_calibration
from toldonce.providers.static_embedder import StaticEmbedder
from toldonce.types import Vectors

# Share of the common component. With this one, three of four turns of LoCoMo that leave a memory leave one that has a
# neighbour above `similar`, as was measured with MiniLM; with the built-in embedder it is one of three.
COMMON = 0.15


class CrowdedEmbedder:
    """Embeds as the built-in embedder does, with all stored texts nearer to one another."""

    def __init__(self, common: float = COMMON) -> None:
        """Start without calibration; `opened` returns one that is calibrated."""
        self._inner = StaticEmbedder()
        self._common = common
        self._calibration = Calibration(midpoint=0, slope=1)

    @classmethod
    async def opened(cls, common: float = COMMON) -> "CrowdedEmbedder":
        """Create an embedder and fit its relevance."""
        embedder = cls(common)
        embedder._calibration = await fit_calibration(embedder)
        return embedder

    @property
    def space(self) -> str:
        """See `Embedder.space`."""
        return f"{self._inner.space}-crowded"

    @property
    def dim(self) -> int:
        """See `Embedder.dim`."""
        return self._inner.dim + 1

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        return self._with_common(await self._inner.embed(texts), self._common)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_queries`."""
        return self._with_common(await self._inner.embed_queries(texts), 0.0)

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """See `Embedder.relevance`."""
        return self._calibration.relevance(cosine)

    async def close(self) -> None:
        """Close the built-in embedder."""
        await self._inner.close()

    @staticmethod
    def _with_common(rows: Vectors, common: float) -> Vectors:
        column = np.where(rows.any(axis=1, keepdims=True), np.float32(np.sqrt(common)), np.float32(0))
        return np.concatenate([np.float32(np.sqrt(1 - common)) * rows, column], axis=1)
