"""What the engine asks of models, and nothing more. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from recollect.types import Vectors


class Embedder(Protocol):
    """Turns texts into vectors of one space. Safe to call from several tasks and threads."""

    @property
    def space(self) -> str:
        """Name of the space: model and dimension, for instance `wordllama-l2-256-ranked`."""
        ...

    @property
    def dim(self) -> int:
        """Length of each vector."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts that are to be found.

        Returns:
            Shape (len(texts), dim), float32, rows of unit length; a text without content gives zeros.

        Raises:
            ModelError: the model did not answer, or not with that many vectors of that length.
        """
        ...

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed what is asked, as `embed` does; some models want a question marked as one."""
        ...

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn this model's cosines into a relevance of 0 to 1 that means the same for every embedder."""
        ...


class OpenedEmbedder(Embedder, Protocol):
    """An embedder that holds connections or files until it is closed."""

    async def close(self) -> None:
        """Let go of what it holds. Idempotent."""
        ...


class Reranker(Protocol):
    """Reads a question and texts together, and says how well each answers it. Safe to call from several tasks."""

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Score each document, 0 to 1, in their order.

        Raises:
            ModelError: the model did not answer, or not with one score for each.
        """
        ...


class OpenedReranker(Reranker, Protocol):
    """A reranker that holds connections or files until it is closed."""

    async def close(self) -> None:
        """Let go of what it holds. Idempotent."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """What a model call cost, as the server counted it."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """A structured answer."""

    data: Any
    """The decoded JSON value; its shape is the caller's to check."""
    usage: ModelUsage | None
    calls: int
    """How many requests it took (a fallback from JSON schema to JSON mode is a second one)."""
    remarks: tuple[str, ...] = ()
    """What of the answer was not taken, a sentence each: it broke off, or there was a second one."""


class LanguageModel(Protocol):
    """Answers with JSON. Every call has a timeout."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Ask once, at temperature 0, for JSON of the schema.

        Raises:
            ModelError: no answer, a refusal, or nothing that can be read as JSON.
        """
        ...


class TokenCounter(Protocol):
    """Counts tokens; never under what the upstream's model counts, as far as it is known."""

    def count(self, text: str) -> int:
        """Count the tokens of a text."""
        ...
