"""The static embedder: the mean of WordLlama's packaged token vectors. Reads two files of that package, once.

The package is the extra `static`: many systems have no wheel of it. WordLlama itself is not imported: it sets up
logging and has more dependencies than needed. Its code is under the MIT licence; its weights derive from the token
embeddings of Llama 2, so they are read from the installed package and are not part of ToldOnce.

The averaging was chosen on real conversations (LoCoMo, development half: 5 conversations, 2,960 turns,
786 questions of categories 1 to 4; share of questions with at least one evidence turn among the ten nearest turns of
their conversation): the plain mean of all tokens 0.366; in lower case 0.408; without punctuation 0.424; tokens weighted
by the logarithm of their rank 0.448; parts inside a word at half weight 0.499. Nothing was
fitted further; expect smaller gains on other conversations.

The `tokenizers` library takes longer to load its file than a search takes. For short texts, the vocabulary alone gives
the same tokens: the merges of the file are all ways to split a token of the vocabulary in two, ordered by the numbers
of their tokens (a test compares them).
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from toldonce.errors import BadEmbedderError, MissingModelFilesError
from toldonce.lazy_pattern import LazyPattern
from toldonce.providers.calibration import Calibration
from toldonce.text import clean, squeeze
from toldonce.types import EmbedderKind, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "wordllama"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TENSOR = "embedding.weight"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_TOKENS, DIM = 32_000, 256
# A safetensors file: the size of its header, the header as JSON, then the tables.
_HEADER_SIZE_BYTES, _MAX_HEADER_BYTES = 8, 1 << 20

# Model, dimension and kind of average; another average is another space and needs another name.
SPACE = "wordllama-l2-256-ranked"

# Fitted to the data above by `python -m benchmarks.calibration`: 1,215 pairs of a question with an evidence turn, and
# 464,259 with the other turns of the same conversation. Cosine 0.22 means a relevance of 0.15, 0.64 one of 0.9.
CALIBRATION = Calibration(midpoint=0.403, slope=9.46)

# The vocabulary's layout: 3 control tokens, 256 bytes, words and parts in the order in which they were merged, which is
# roughly that of their frequency, then single characters, again the most frequent first.
_FIRST_BYTE, _FIRST_MERGE, _FIRST_CHARACTER = 3, 259, 29_871
# Inner parts of a word mean less than its beginning: "oline" of "car oline".
_INNER_PART = 0.5
# Bytes spell emoji and rare scripts: they only distinguish such texts.
_BYTE = 0.1

# Maximum text per call of the tokenizer, which needs 100 bytes per character.
_SPAN = 20_000
# Batches up to this size (about 2 ms) are embedded on the event loop, larger ones in a thread.
_INLINE_TEXTS = 64
_INLINE_CHARACTERS = 8_000
# Short texts that are encoded without the tokenizer, before it is loaded: a process that embeds more is served by it.
MAX_SHORT_TEXTS = 16
# Texts per call of the tokenizer in a thread, so that other threads can run in between.
_BATCH = 64


class StaticModel:
    """The packaged files. The tokenizer is loaded by the first long text, or after some short ones."""

    def __init__(self, description: Path, vocabulary: Mapping[str, int], table: npt.NDArray[np.float16]) -> None:
        """Create a model.

        Args:
            description: File of the tokenizer.
            vocabulary: Numbers of its tokens.
            table: Shape (tokens, dim), mapped from the file; rows are cast on use.
        """
        self.table = table
        self.weight = _token_weights(vocabulary)
        """Weight of each token in the average."""
        self._description = description
        self._short: ShortTextTokenizer | None = ShortTextTokenizer(vocabulary)
        self._left = MAX_SHORT_TEXTS

    @cached_property
    def tokenizer(self) -> "Tokenizer":
        """The tokenizer, loaded at its first use."""
        from tokenizers import Tokenizer

        tokenizer: Tokenizer = Tokenizer.from_file(str(self._description))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._short = None
        return tokenizer

    def token_numbers(self, text: str) -> Sequence[int]:
        """Return the numbers of a text's tokens."""
        short = self._short
        if short is not None and self._left > 0:
            self._left -= 1
            numbers = short.encode(text)
            if numbers is not None:
                return numbers
        return self.tokenizer.encode_batch_fast([text], add_special_tokens=False)[0].ids


_lock = Lock()


def static_model() -> StaticModel:
    """Read the packaged files, once per process.

    Raises:
        BadEmbedderError: The extra `static` is not installed.
        MissingModelFilesError: A file of the package is missing or has changed.
    """
    with _lock:
        return _read(_package_folder())


def is_static_installed() -> bool:
    """Return whether the package with the weights is installed."""
    return find_spec(PACKAGE) is not None  # finds a top-level package without importing it


def _package_folder() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise BadEmbedderError(
            EmbedderKind.STATIC.value,
            "it needs the extra `static`: `make extras EXTRAS=static` installs it, or `toldonce reembed` re-embeds its "
            "memories with the default embedder",
        )
    return Path(spec.origin).parent


@lru_cache(maxsize=1)
def _read(folder: Path) -> StaticModel:
    _require_files(folder)
    try:
        table = _map_table(folder / _WEIGHTS)
        vocabulary = _read_vocabulary((folder / _TOKENIZER).read_bytes())
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise MissingModelFilesError(PACKAGE, f"its files cannot be read ({type(error).__name__})") from error
    if table.shape != (_TOKENS, DIM) or sorted(vocabulary.values()) != list(range(_TOKENS)):
        raise MissingModelFilesError(PACKAGE, f"its table has the shape {table.shape}")
    return StaticModel(folder / _TOKENIZER, vocabulary, table)


def _require_files(folder: Path) -> None:
    for name in (_WEIGHTS, _TOKENIZER):
        if not (folder / name).is_file():
            raise MissingModelFilesError(PACKAGE, f"its file {name} is missing")


def _map_table(path: Path) -> npt.NDArray[np.float16]:
    """Map the table of a safetensors file: a process has the rows in memory that its texts used, not all 16 MB.

    Raises:
        KeyError: The file has no such table.
        ValueError: The file is incomplete.
    """
    with path.open("rb") as file:
        size = int.from_bytes(file.read(_HEADER_SIZE_BYTES), "little")
        header = json.loads(file.read(min(size, _MAX_HEADER_BYTES)))
    tensor = header[_TENSOR]
    if tensor["dtype"] != "F16":
        raise ValueError("its numbers are of another type")
    offset = _HEADER_SIZE_BYTES + size + tensor["data_offsets"][0]
    # As a plain array: each of its methods would otherwise make another map.
    return np.memmap(path, dtype="<f2", mode="r", offset=offset, shape=tuple(tensor["shape"])).view(np.ndarray)


def _read_vocabulary(description: bytes) -> dict[str, int]:
    """Read the tokens from the tokenizer's file, but not its merges, which are most of it.

    Raises:
        ValueError: The file is incomplete.
    """
    if not description.rstrip().endswith(b"}"):
        raise ValueError("the file is incomplete")
    text = description.decode()
    begin = text.index("{", text.index('"vocab"'))
    vocabulary: dict[str, int] = json.JSONDecoder().raw_decode(text, begin)[0]
    return vocabulary


def _token_weights(vocabulary: Mapping[str, int]) -> npt.NDArray[np.float32]:
    """Weight tokens by the logarithm of their rank: rarer tokens mean more."""
    rank = np.arange(_TOKENS, dtype=np.float32) - (_FIRST_MERGE - 1)
    rank[_FIRST_CHARACTER:] = np.arange(1, _TOKENS - _FIRST_CHARACTER + 1)
    weight: npt.NDArray[np.float32] = np.log1p(rank.clip(1)) / np.log1p(np.float32(_TOKENS))
    for token, number in vocabulary.items():
        # Most tokens are a word or a part of one: a single call recognizes them.
        is_word = token.lstrip(WORD_START).isalnum() or any(map(str.isalnum, token))
        if number < _FIRST_BYTE or not is_word:
            weight[number] = 0
        elif not token.startswith(WORD_START):
            weight[number] *= _INNER_PART
    weight[_FIRST_BYTE:_FIRST_MERGE] = _BYTE
    return weight


class StaticEmbedder:
    """Embeds offline with the packaged token vectors. Safe for several tasks and threads."""

    def __init__(self, *, calibration: Calibration = CALIBRATION) -> None:
        """Create an embedder; the files are read once per process.

        Raises:
            BadEmbedderError: The extra `static` is not installed.
            MissingModelFilesError: A file of the package is missing or has changed.
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
        return DIM

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts of any length: rows of unit length, zeros for a text without words."""
        if len(texts) <= _INLINE_TEXTS and sum(map(len, texts)) <= _INLINE_CHARACTERS:
            return self.embed_now(texts)
        return await asyncio.to_thread(self.embed_now, texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed as `embed` does: this embedder does not distinguish queries."""
        return await self.embed(texts)

    def embed_queries_now(self, texts: Sequence[str]) -> Vectors:
        """Embed queries in the calling thread."""
        return self.embed_now(texts)

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in the calling thread."""
        rows = np.zeros((len(texts), DIM), dtype=np.float32)
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
                numbers = np.array(model.token_numbers(plain), dtype=np.intp)
                row += model.weight.take(numbers) @ model.table.take(numbers, axis=0).astype(np.float32)


def spans(text: str, size: int = _SPAN) -> Iterator[str]:
    """Cut text into spans of at most `size` characters for a tokenizer, preferably at spaces.

    The space at a cut is dropped: the tokenizer adds one before each span, so the tokens stay the same.
    """
    start = 0
    while len(text) - start > size:
        blank = text.rfind(" ", start + 1, start + size)
        end = blank if blank > 0 else start + size
        yield text[start:end]
        start = end + (blank > 0)
    if start < len(text):
        yield text[start:]


WORD_START = "▁"
# Written in a text, these are tokens of their own.
_SPECIAL = ("<s>", "</s>", "<unk>")
# The time for a word grows with the square of its length.
_MAX_WORD_CHARACTERS = 40
_MAX_CHARACTERS = 500
# No token has a word start after another character, so that words are encoded one by one.
_WORD = LazyPattern(f"{WORD_START}+[^{WORD_START}]*+")


def merge_order(left: int, right: int, joined: int, token: str) -> tuple[bool, int, int, int]:
    """Return the place of a merge in the order in which merges are done: runs of blanks come last.

    Args:
        left: Number of the left token.
        right: Number of the right token.
        joined: Number of the token that they make.
        token: That token.
    """
    return not token.strip(WORD_START), joined, left, right


class ShortTextTokenizer:
    """Encodes short texts. Safe for several threads."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._numbers = vocabulary

    def encode(self, text: str) -> list[int] | None:
        """Return the numbers of a text's tokens; None for a text that is too long or holds special tokens."""
        if len(text) > _MAX_CHARACTERS or ("<" in text and any(token in text for token in _SPECIAL)):
            return None
        marked = WORD_START + text.replace(" ", WORD_START) if text else ""
        numbers: list[int] = []
        for word in _WORD.findall(marked):
            if len(word) > _MAX_WORD_CHARACTERS:
                return None
            numbers += self._encode_word(word)
        return numbers

    def _encode_word(self, word: str) -> list[int]:
        tokens: list[str] = []
        for character in word:
            # A character without a token is spelt in bytes.
            tokens += [character] if character in self._numbers else map("<0x{:02X}>".format, character.encode())
        while (place := self._next_merge(tokens)) is not None:
            tokens[place : place + 2] = [tokens[place] + tokens[place + 1]]
        return [self._numbers[token] for token in tokens]

    def _next_merge(self, tokens: list[str]) -> int | None:
        """Return the place of the merge that comes first; None if nothing can be merged."""
        numbers = self._numbers
        merges = [
            (merge_order(numbers[left], numbers[right], numbers[left + right], left + right), place)
            for place, (left, right) in enumerate(pairwise(tokens))
            if left + right in numbers
        ]
        return min(merges)[1] if merges else None
