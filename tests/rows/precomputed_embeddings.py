"""Embeddings computed beforehand (U15): of the sentences in `embeddings.json`, made by the built-in embedder.

`python -m rows.precomputed_embeddings` in the folder of the tests makes the file again. Reads and writes that file.
"""

import asyncio
import base64
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from toldonce.providers.static_embedder import CALIBRATION, StaticEmbedder
from toldonce.text import normalise
from toldonce.types import Vectors

FILE = Path(__file__).with_name("embeddings.json")
SENTENCES = (
    "I play the cello in a quartet.",
    'The user said: "I play the cello in a quartet."',
    "My sister Mia is a nurse in Bergen.",
    'The user said: "My sister Mia is a nurse in Bergen."',
    "I own a sailing boat called Wave.",
    'The user said: "I own a sailing boat called Wave."',
    "My brother Ole collects stamps from Peru.",
    'The user said: "My brother Ole collects stamps from Peru."',
    "Do I play the cello in a quartet?",
    "Which boat do I own?",
    "Who collects stamps from Peru?",
    "Who in my family works in a hospital?",
)


class FiledEmbedder:
    """Looks texts up in the file, and knows no other; safe to use from any number of tasks."""

    def __init__(self) -> None:
        """Read the file."""
        kept = json.loads(FILE.read_text("utf-8"))
        self.space, self.dim = str(kept["space"]), int(kept["dim"])
        self._vectors = {
            text: np.frombuffer(base64.b64decode(packed), dtype="<f2").astype(np.float32)
            for text, packed in kept["vectors"].items()
        }

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return rows of unit length.

        Raises:
            KeyError: a text is not in the file; add it to `SENTENCES` and make the file again.
        """
        rows = np.array([self._vectors[normalise(text)] for text in texts], dtype=np.float32).reshape(-1, self.dim)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / lengths, dtype=np.float32)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed as `embed` does."""
        return await self.embed(texts)

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Calibrate as the embedder does whose vectors these are."""
        return CALIBRATION.relevance(cosine)

    async def close(self) -> None:
        """Do nothing: nothing is open."""


async def made() -> dict[str, object]:
    """Compute the file's content anew."""
    embedder = StaticEmbedder()
    rows = await embedder.embed(SENTENCES)
    packed = {
        normalise(text): base64.b64encode(row.astype("<f2").tobytes()).decode()
        for text, row in zip(SENTENCES, rows, strict=True)
    }
    return {"space": embedder.space, "dim": embedder.dim, "vectors": packed}


if __name__ == "__main__":
    FILE.write_text(json.dumps(asyncio.run(made()), indent=1) + "\n", "utf-8")
