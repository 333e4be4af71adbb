"""The built-in embedder: the mean of WordLlama's packaged token vectors. Reads two files of that package, once.

WordLlama itself is not imported: it sets up logging and has more dependencies than needed. Its code is under the MIT
licence; its weights derive from the token embeddings of Llama 2, so they are read from the installed package and are
not part of Recollect.

The averaging was chosen on real conversations (LoCoMo, development half: 5 conversations, 2,960 turns,
786 questions of categories 1 to 4; share of questions with at least one evidence turn among the ten nearest turns of
their conversation): the plain mean of all tokens 0.366; in lower case 0.408; without punctuation 0.424; tokens weighted
by the logarithm of their rank 0.448; parts inside a word at half weight 0.499. Nothing was
fitted further; expect smaller gains on other conversations.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from recollect.errors import MissingModelFilesError
from recollect.providers.calibration import Calibration
from recollect.text import clean, squeeze
from recollect.types import Vectors

PACKAGE = "wordllama"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TENSOR = "embedding.weight"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_TOKENS, _DIM = 32_000, 256

# Model, dimension and kind of average; another average is another space and needs another name.
SPACE = "wordllama-l2-256-ranked"

# Fitted to the data above by `python -m benchmarks.calibration`: 1,215 pairs of a question with an evidence turn, and
# 464,259 with the other turns of the same conversation. Cosine 0.22 means a relevance of 0.15, 0.64 one of 0.9.
CALIBRATION = Calibration(midpoint=0.403, slope=9.46)

# The vocabulary's layout: 3 control tokens, 256 bytes, words and parts in the order in which they were merged, which is
# roughly that of their frequency, then single characters, again the most frequent first.
_FIRST_BYTE, _FIRST_MERGE, _FIRST_CHARACTER = 3, 259, 29_871
_WORD_START = "▁"
# Inner parts of a word mean less than its beginning: "oline" of "car oline".
_INNER_PART = 0.5
# Bytes spell emoji and rare scripts: they only distinguish such texts.
_BYTE = 0.1

# Maximum text per call of the tokenizer, which needs 100 bytes per character.
_SPAN = 20_000
# Batches up to this size (about 2 ms) are embedded on the event loop, larger ones in a thread.
_INLINE_TEXTS = 64
_INLINE_CHARACTERS = 8_000
# Texts per call of the tokenizer in a thread, so that other threads can run in between.
_BATCH = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StaticModel:
    """The loaded files."""

    tokenizer: Tokenizer
    table: npt.NDArray[np.float16]
    """Shape (tokens, dim), as stored in the file; rows are cast on use."""
    weight: npt.NDArray[np.float32]
    """Weight of each token in the average."""


_lock = Lock()


def static_model() -> StaticModel:
    """Read the packaged files, once per process.

    Raises:
        MissingModelFilesError: The package or one of its files is missing or has changed.
    """
    with _lock:
        return _read(_package_folder())


def _package_folder() -> Path:
    spec = find_spec(PACKAGE)  # finds a top-level package without importing it
    if spec is None or spec.origin is None:
        raise MissingModelFilesError(PACKAGE, "the package is not installed")
    return Path(spec.origin).parent


@lru_cache(maxsize=1)
def _read(folder: Path) -> StaticModel:
    for name in (_WEIGHTS, _TOKENIZER):
        if not (folder / name).is_file():
            raise MissingModelFilesError(PACKAGE, f"its file {name} is missing")
    try:
        table = load_file(folder / _WEIGHTS)[_TENSOR]
        description = (folder / _TOKENIZER).read_text("utf-8")
    except (SafetensorError, OSError, KeyError, UnicodeDecodeError) as error:
        raise MissingModelFilesError(PACKAGE, f"its files cannot be read ({type(error).__name__})") from error
    if not description.rstrip().endswith("}"):
        raise MissingModelFilesError(PACKAGE, f"its file {_TOKENIZER} is incomplete")
    tokenizer = Tokenizer.from_str(description)
    if table.shape != (_TOKENS, _DIM) or tokenizer.get_vocab_size() != _TOKENS:
        raise MissingModelFilesError(PACKAGE, f"its table has the shape {table.shape}")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return StaticModel(tokenizer=tokenizer, table=table, weight=_token_weights(tokenizer))


def _token_weights(tokenizer: Tokenizer) -> npt.NDArray[np.float32]:
    """Weight tokens by the logarithm of their rank: rarer tokens mean more."""
    rank = np.arange(_TOKENS, dtype=np.float32) - (_FIRST_MERGE - 1)
    rank[_FIRST_CHARACTER:] = np.arange(1, _TOKENS - _FIRST_CHARACTER + 1)
    weight: npt.NDArray[np.float32] = np.log1p(rank.clip(1)) / np.log1p(np.float32(_TOKENS))
    for token, number in tokenizer.get_vocab().items():
        if number < _FIRST_BYTE or not any(character.isalnum() for character in token):
            weight[number] = 0
        elif not token.startswith(_WORD_START):
            weight[number] *= _INNER_PART
    weight[_FIRST_BYTE:_FIRST_MERGE] = _BYTE
    return weight


class StaticEmbedder:
    """Embeds offline with the packaged token vectors. Safe for several tasks and threads."""

    def __init__(self, *, calibration: Calibration = CALIBRATION) -> None:
        """Create an embedder; the files are read once per process.

        Raises:
            MissingModelFilesError: The package or one of its files is missing.
        """
        self._model = static_model()
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
        """Embed texts of any length: rows of unit length, zeros for a text without words."""
        if len(texts) <= _INLINE_TEXTS and sum(map(len, texts)) <= _INLINE_CHARACTERS:
            return self.embed_now(texts)
        return await asyncio.to_thread(self.embed_now, texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed as `embed` does: this embedder does not distinguish queries."""
        return await self.embed(texts)

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in the calling thread."""
        rows = np.zeros((len(texts), _DIM), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            self._add_up(texts[start : start + _BATCH], rows[start : start + _BATCH])
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
        np.divide(rows, lengths, out=rows, where=lengths > 0)
        return rows

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn cosines of this space into relevance, 0 to 1."""
        return self._calibration.relevance(cosine)

    async def close(self) -> None:
        """Do nothing: the files are shared by the process."""

    def _add_up(self, texts: Sequence[str], rows: Vectors) -> None:
        """Add the weighted token vectors of each text to its row; normalizing makes dividing unnecessary."""
        model = self._model
        for row, text in zip(rows, texts, strict=True):
            for span in spans(text):
                plain = squeeze(clean(span)).lower()
                found = model.tokenizer.encode_batch_fast([plain], add_special_tokens=False)[0].ids
                numbers = np.array(found, dtype=np.intp)
                row += model.weight.take(numbers) @ model.table.take(numbers, axis=0).astype(np.float32)


def spans(text: str) -> Iterator[str]:
    """Cut text into spans for the tokenizer, preferably at spaces.

    The space at a cut is dropped: the tokenizer adds one before each span, so the tokens stay the same.
    """
    start = 0
    while len(text) - start > _SPAN:
        blank = text.rfind(" ", start + 1, start + _SPAN)
        end = blank if blank > 0 else start + _SPAN
        yield text[start:end]
        start = end + (blank > 0)
    if start < len(text):
        yield text[start:]
