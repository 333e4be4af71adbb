"""Offline token counter. Reads tiktoken's file if it is cached, and never downloads it.

Otherwise the default embedder's tokenizer cuts the text, and each piece counts for as many tokens as byte-pair
vocabularies mostly need for it: its words are whole in 16 languages, theirs mostly in English. The numbers are fitted
to 22,000 lines of `corpora/messages`, with the larger count of cl100k and o200k for each. Of a language, the sum is
1.05 (Italian) to 1.24 (Japanese) times that count. Of a single line it may be less: 4 to 10 % of the lines are counted
some tenth too low (Japanese 1 %, English 3 %, Chinese 14 %, Italian 17 %); lower than o200k alone, 2 % or fewer.
"""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha1, sha256
from importlib import import_module
from importlib.util import find_spec
from math import ceil
from pathlib import Path

from toldonce.providers.multilingual_model import multilingual_tokenizer, require_multilingual_files
from toldonce.providers.protocols import TokenCounter
from toldonce.providers.static_embedder import WORD_START, spans
from toldonce.text import clean
from toldonce.text.statement_language import is_english_word

# Cache for short texts: recall counts the same memories with every request.
_CACHED_TEXTS = 2048
_CACHED_CHARACTERS = 1000
# Cache for longer texts: the blocks of a prompt are counted to fit them, and again for its record.
_CACHED_LONG_TEXTS = 32
# Longer texts are not tokenized (50 ms) but counted by their bytes, an upper bound.
_MAX_CHARACTERS = 50_000
# Characters per call of the tokenizer, so that other threads run in between.
_SPAN = 2_000

# Tokens of a piece: of a common English word, of marks and their further bytes, of an apostrophe, which is mostly one
# token with the letters after it, and of a word start alone.
_ENGLISH_WORD, _MARKS, _MARK_BYTE, _APOSTROPHE, _START = 0.95, 0.8, 0.27, 0.1, 0.32
# Of other words, and more for each letter by the last character of its script: ASCII, Latin, Greek and Cyrillic, Hebrew
# and Arabic, Vietnamese; the rest.
_WORD = 0.64
_LETTERS = (("\x7f", 0.19), ("\u024f", 0.48), ("\u058f", 0.41), ("\u07ff", 0.74), ("\u1dff", 0.93), ("\u1eff", 0.48))
_FAR_LETTER = 0.93
# Of a character that the tokenizer does not know, by its bytes in UTF-8.
_UNKNOWN = (1.06, 1.06, 1.6, 3.7)
# The tokenizer reads white space as a single blank, and drops what is invisible: these are a token each, two blanks
# half a one, and no text has more bytes a token.
_DROPPED, _BLANKS = "\n\t\ufffd", 0.5
_MAX_BYTES_PER_TOKEN = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class TiktokenFile:
    """A file of tiktoken: its URL determines its name in the cache, its digest whether it is intact."""

    name: str
    url: str
    sha256: str


# Newest first. Files with another digest are ignored: tiktoken would delete them and download new ones.
ENCODINGS = (
    TiktokenFile(
        name="o200k_base",
        url="https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken",
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    TiktokenFile(
        name="cl100k_base",
        url="https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken",
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
)


class CachingCounter:
    """Counts with a tokenizer, and caches counts: of many short texts, and of the last few longer ones."""

    def __init__(self, tokenize: Callable[[str], int]) -> None:
        """Create a counter over `tokenize`, which gets clean texts of bounded length."""
        self._short = lru_cache(maxsize=_CACHED_TEXTS)(tokenize)
        self._long = lru_cache(maxsize=_CACHED_LONG_TEXTS)(tokenize)

    def forget(self) -> None:
        """Clear the caches."""
        self._short.cache_clear()
        self._long.cache_clear()

    def count(self, text: str) -> int:
        """Count the tokens of a text; for a very long one, its bytes, an upper bound."""
        text = clean(text)
        if len(text) > _MAX_CHARACTERS:
            return len(text.encode())
        return self._short(text) if len(text) <= _CACHED_CHARACTERS else self._long(text)


def token_counter(
    *, environment: Mapping[str, str] | None = None, encodings: Sequence[TiktokenFile] = ENCODINGS
) -> TokenCounter:
    """Choose the best counter that needs no network.

    Args:
        environment: Environment that names tiktoken's cache folder; None: that of the process.
        encodings: Files to look for, best first.

    Raises:
        MissingModelFilesError: The built-in tokenizer is needed but missing.
    """
    encoding = encoding_at_hand(os.environ if environment is None else environment, encodings)
    if encoding is not None:
        return CachingCounter(_tiktoken(encoding.name))
    require_multilingual_files()
    # Loaded by the first text that is counted: a search counts none.
    return CachingCounter(_estimate)


def _estimate(text: str) -> int:
    tokenizer, unknown = multilingual_tokenizer(), _unknown_piece()
    tokens = sum(map(text.count, _DROPPED)) + _BLANKS * text.count("  ")
    for span in spans(text, _SPAN):
        pieces = tokenizer.encode(span)
        tokens += sum(map(_piece_tokens, pieces))
        if unknown in pieces:
            written = [
                piece for piece in tokenizer.encode(span, out_type=str) if tokenizer.piece_to_id(piece) == unknown
            ]
            tokens += sum(_UNKNOWN[len(character.encode()) - 1] for character in "".join(written))
    return max(ceil(tokens), len(text.encode()) // _MAX_BYTES_PER_TOKEN)


@cache
def _unknown_piece() -> int:
    number: int = multilingual_tokenizer().unk_id()
    return number


@cache
def _piece_tokens(number: int) -> float:
    """Return the tokens of a piece of the vocabulary; an unknown one is counted by its characters."""
    piece: str = multilingual_tokenizer().id_to_piece(number)
    word = piece.lstrip(WORD_START)
    if number == _unknown_piece():
        return 0.0
    if not word:
        return _START
    if word.isdecimal():
        return float(len(piece))  # many vocabularies have the single digits alone
    if word in "'’":
        return _APOSTROPHE
    if not any(map(str.isalnum, word)):
        return _MARKS + _MARK_BYTE * (len(word.encode()) - 1)
    if piece[0] == WORD_START and word.isascii() and len(word) > 1 and is_english_word(word.lower()):
        return _ENGLISH_WORD
    return _WORD + sum(map(_letter_tokens, word))


def _letter_tokens(letter: str) -> float:
    return next((tokens for last, tokens in _LETTERS if letter <= last), _FAR_LETTER)


def encoding_at_hand(
    environment: Mapping[str, str], encodings: Sequence[TiktokenFile] = ENCODINGS
) -> TiktokenFile | None:
    """Return the best encoding in tiktoken's cache; None if there is none."""
    folder = cache_folder(environment)
    if folder is None or find_spec("tiktoken") is None:
        return None
    return next((encoding for encoding in encodings if _at_hand(folder, encoding)), None)


def cache_folder(environment: Mapping[str, str]) -> Path | None:
    """Return tiktoken's cache folder; None if its cache is disabled."""
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        if name in environment:
            return Path(environment[name]) if environment[name] else None
    return Path(tempfile.gettempdir()) / "data-gym-cache"


def _at_hand(folder: Path, encoding: TiktokenFile) -> bool:
    name = sha1(encoding.url.encode(), usedforsecurity=False).hexdigest()
    try:
        return sha256((folder / name).read_bytes()).hexdigest() == encoding.sha256
    except OSError:
        return False


def _tiktoken(name: str) -> Callable[[str], int]:
    encoding = import_module("tiktoken").get_encoding(name)

    def tokenize(text: str) -> int:
        return len(encoding.encode_ordinary(text))

    return tokenize
