"""Precomputed vectors of another embedder, from a file, so that its packages need not be installed.

The file is an `.npz` with `rows`, float32 of unit length, and `keys`, the blake2b hash (8 bytes, hex) of each text.
"""

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from toldonce.providers.calibration import Calibration
from toldonce.types import Vectors


class KeptVectors:
    """Embeds texts by looking them up."""

    def __init__(self, path: Path, calibration: Calibration) -> None:
        """Read the file."""
        with np.load(path) as kept:
            self._rows: Vectors = kept["rows"]
            self._place = {str(key): place for place, key in enumerate(kept["keys"])}
        self._calibration = calibration
        self._name = path.stem

    @property
    def space(self) -> str:
        """Name of the space: the file's."""
        return self._name

    @property
    def dim(self) -> int:
        """Length of each vector."""
        return int(self._rows.shape[1])

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts.

        Raises:
            SystemExit: the file has none for one of them.
        """
        return self.embed_now(texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of questions: of the same kind as the rest."""
        return self.embed_now(texts)

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, in the calling thread."""
        try:
            return self._rows[[self._place[text_key(text)] for text in texts]]
        except KeyError:
            missing = [text for text in texts if text_key(text) not in self._place]
            raise SystemExit(
                f"{self._name} has no vector for {len(missing)} of {len(texts)} texts, the first {missing[0][:60]!r}: "
                "write all texts with --texts FILE, embed them and write the vectors again"
            ) from None

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn cosines of this space into relevance, 0 to 1."""
        return self._calibration.relevance(cosine)

    async def close(self) -> None:
        """Do nothing."""


def text_key(text: str) -> str:
    """Return what a text is found under.

    >>> text_key("Oslo")
    '5db7be70fe92f0fc'
    """
    return blake2b(text.encode(), digest_size=8).hexdigest()
