"""Protocols of embedders, rerankers, language models and token counters. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from toldonce.types import Vectors


class Embedder(Protocol):
    """Converts texts to vectors of one space. Safe for several tasks and threads."""

    @property
    def space(self) -> str:
        """Name of the space: model and dimension, such as `wordllama-l2-256-ranked`."""
        ...

    @property
    def dim(self) -> int:
        """Length of each vector."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be stored.

        Returns:
            Shape (len(texts), dim), float32, rows of unit length; a text without content gives zeros.

        Raises:
            ModelError: The model did not answer, or not with valid vectors.
        """
        ...

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed queries; some models treat them differently from stored texts."""
        ...

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Convert this model's cosines to relevance, 0 to 1, which means the same for every embedder."""
        ...


@runtime_checkable
class ImmediateEmbedder(Protocol):
    """An embedder that embeds queries at once, without an event loop. Safe for several threads.

    The blocking library then answers searches in the thread of their caller.
    """

    def embed_queries_now(self, texts: Sequence[str]) -> Vectors:
        """Embed queries in the calling thread, as `Embedder.embed_queries` does."""
        ...


@runtime_checkable
class ImmediateTextEmbedder(Protocol):
    """An embedder that embeds texts at once, without an event loop. Safe for several threads.

    The blocking library then adds notes without the way to the engine's thread.
    """

    @property
    def space(self) -> str:
        """See `Embedder`."""
        ...

    def embed_now(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in the calling thread, as `Embedder.embed` does."""
        ...


class OpenedEmbedder(Embedder, Protocol):
    """An embedder that holds connections or files until it is closed."""

    async def close(self) -> None:
        """Close all connections and files. Idempotent."""
        ...


class Reranker(Protocol):
    """Scores how well texts answer a query. Safe for several tasks."""

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Score each document, 0 to 1, in order.

        Raises:
            ModelError: The model did not answer, or not with one score per document.
        """
        ...


class OpenedReranker(Reranker, Protocol):
    """A reranker that holds connections or files until it is closed."""

    async def close(self) -> None:
        """Close all connections and files. Idempotent."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """Tokens of a model call, as counted by the server."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """Structured answer of a language model."""

    data: Any
    """The decoded JSON value; its shape is the caller's to check."""
    usage: ModelUsage | None
    calls: int
    """Number of requests (falling back from JSON schema to JSON mode is a second one)."""
    remarks: tuple[str, ...] = ()
    """Sentences on unused parts of the answer: it was incomplete, or there was a second one."""
    broke_off: bool = False
    """The answer ended too early: `data` is what was whole of it, and more is missing."""
    at_limit: bool = False
    """The server says that the limit of tokens was reached, though the value is whole: it may have closed it itself."""


class LanguageModel(Protocol):
    """Answers with JSON. Every call has a timeout."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Ask once, at temperature 0, for JSON of the schema.

        Raises:
            ModelError: No answer, a refusal, or nothing readable as JSON.
        """
        ...


class TokenCounter(Protocol):
    """Counts tokens, as far as known never fewer than the upstream model."""

    def count(self, text: str) -> int:
        """Count the tokens of a text."""
        ...
