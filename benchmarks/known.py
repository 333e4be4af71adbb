"""An embedder that has embedded already what it will be asked: what is measured is the rest. Pure."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from toldonce.providers.protocols import OpenedEmbedder
from toldonce.types import Vectors


class Known:
    """An embedder whose texts were embedded before."""

    def __init__(self, inner: OpenedEmbedder, texts: Sequence[str], vectors: Vectors) -> None:
        """Take an embedder, and what it made of the texts."""
        self._inner = inner
        self._known = dict(zip(texts, vectors, strict=True))

    @property
    def space(self) -> str:
        """See `Embedder.space`."""
        return self._inner.space

    @property
    def dim(self) -> int:
        """See `Embedder.dim`."""
        return self._inner.dim

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        return np.stack([self._known[text] for text in texts])

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_queries`."""
        return await self.embed(texts)

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """See `Embedder.relevance`."""
        return self._inner.relevance(cosine)

    async def close(self) -> None:
        """See `OpenedEmbedder.close`."""
        await self._inner.close()
