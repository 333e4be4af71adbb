"""Offline token counter. Reads tiktoken's file if it is cached, and never downloads it.

Otherwise the static embedder's tokenizer counts (Llama 2). Its vocabulary of 32,000 is smaller than today's, so it
usually needs at least as many tokens; this is not guaranteed for every text.
"""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha1, sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from toldonce.providers.protocols import TokenCounter
from toldonce.providers.static_embedder import require_model_files, spans, static_model
from toldonce.text import clean

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Cache for short texts: recall counts the same memories with every request.
_CACHED_TEXTS = 2048
_CACHED_CHARACTERS = 1000
# Cache for longer texts: the blocks of a prompt are counted to fit them, and again for its record.
_CACHED_LONG_TEXTS = 32
# Longer texts are not tokenized (15 ms) but counted by their bytes, an upper bound.
_MAX_CHARACTERS = 50_000


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
    tokenizer: "Tokenizer | None" = None,
    *,
    environment: Mapping[str, str] | None = None,
    encodings: Sequence[TiktokenFile] = ENCODINGS,
) -> TokenCounter:
    """Choose the best counter that needs no network.

    Args:
        tokenizer: Fallback without tiktoken or its file; None: that of the static embedder.
        environment: Environment that names tiktoken's cache folder; None: that of the process.
        encodings: Files to look for, best first.

    Raises:
        MissingModelFilesError: The built-in tokenizer is needed but missing.
    """
    encoding = encoding_at_hand(os.environ if environment is None else environment, encodings)
    if encoding is not None:
        return CachingCounter(_tiktoken(encoding.name))
    if tokenizer is None:
        require_model_files()
    # Loaded by the first text that is counted: a search counts none.
    fallback = cache(lambda: tokenizer or static_model().tokenizer)

    def tokenize(text: str) -> int:
        return sum(len(fallback().encode_batch_fast([span], add_special_tokens=False)[0].ids) for span in spans(text))

    return CachingCounter(tokenize)


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
