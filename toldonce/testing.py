"""Fakes for testing programs that use ToldOnce: a settable clock, a word embedder, a scripted model. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from toldonce.providers.protocols import ModelAnswer, ModelUsage
from toldonce.text import hash64, terms, words
from toldonce.types import Vectors

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


class FakeClock:
    """A clock that moves only when it is told to.

    >>> clock = FakeClock()
    >>> clock.advance(days=1, hours=2)
    >>> clock.now().isoformat(), clock.monotonic()
    ('2026-01-02T02:00:00+00:00', 93600.0)
    """

    def __init__(self, start: datetime = NEW_YEAR) -> None:
        self._now = _aware(start)
        self._elapsed = timedelta()

    def now(self) -> datetime:
        """Return the current instant, in UTC."""
        return self._now

    def monotonic(self) -> float:
        """Return the seconds that the clock was advanced by since it was created."""
        return self._elapsed.total_seconds()

    def advance(
        self,
        *,
        days: float = 0,
        hours: float = 0,
        minutes: float = 0,
        seconds: float = 0,
        milliseconds: float = 0,
        microseconds: float = 0,
    ) -> None:
        """Move the clock forward.

        Raises:
            ValueError: the sum of the arguments is negative.
        """
        step = timedelta(
            days=days,
            hours=hours,
            minutes=minutes,
            seconds=seconds,
            milliseconds=milliseconds,
            microseconds=microseconds,
        )
        if step < timedelta():
            raise ValueError(f"a clock cannot advance by {step}; use set() for a wall clock that was set back")
        self._now += step
        self._elapsed += step

    def set(self, instant: datetime) -> None:
        """Set the wall clock, forwards or backwards; `monotonic` does not move, as on a real machine."""
        self._now = _aware(instant)


def _aware(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise ValueError(f"{instant.isoformat()} has no time zone; write for instance datetime(2026, 1, 1, tzinfo=UTC)")
    return instant.astimezone(UTC)


class WordEmbedder:
    """An embedder without a model: texts that share words are similar, others (nearly) orthogonal.

    A vector is a bag of the text's stemmed words without stop words, hashed into `dim` places; a text of stop words
    alone is a bag of those. The same in every process.
    """

    def __init__(self, dim: int = 64, *, name: str = "words") -> None:
        """Make vectors of `dim` numbers; more places mean fewer words that meet by chance.

        Embedders of two names are like two models: their vectors do not mix.
        """
        self._dim = dim
        self._name = name
        self._salt = () if name == "words" else (name,)

    @property
    def space(self) -> str:
        """Name of the space, for instance `words-64`."""
        return f"{self._name}-{self._dim}"

    @property
    def dim(self) -> int:
        """Length of each vector."""
        return self._dim

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts: rows of unit length, zeros for a text without words."""
        rows = np.zeros((len(texts), self._dim), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in terms(text).elements() if terms(text) else words(text):
                row[hash64(*self._salt, term) % self._dim] += 1
            length = np.linalg.norm(row)
            if length:
                row /= length
        return rows

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed queries as `embed` does."""
        return await self.embed(texts)

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the cosine, clipped to 0 to 1."""
        return np.clip(cosine, np.float32(0), np.float32(1))

    async def close(self) -> None:
        """Do nothing; real embedders close their connections here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call of a `ScriptedModel`."""

    system: str
    user: str
    schema: Mapping[str, Any]
    schema_name: str


class ScriptedModel:
    """A language model that gives prepared answers and records its calls."""

    def __init__(self, answers: Sequence[object] | Callable[[str, str], object], *, name: str = "scripted") -> None:
        """Prepare the answers.

        Args:
            answers: JSON values, given out in order; or a function of (system, user) that makes one. An exception
                among them, or returned by the function, is raised in its turn; a `ModelAnswer` is given as it is.
            name: The model's name.
        """
        self._answer = answers if callable(answers) else None
        self._script: Iterator[object] = iter(() if callable(answers) else tuple(answers))
        self._name = name
        self.calls: list[ModelCall] = []

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Give the next answer.

        Raises:
            AssertionError: the script has run out (no `ToldOnceError`: nothing takes it for a failed model).
        """
        self.calls.append(ModelCall(system=system, user=user, schema=schema, schema_name=schema_name))
        data = self._next(system, user)
        if isinstance(data, BaseException):
            raise data
        if isinstance(data, ModelAnswer):
            return data
        usage = ModelUsage(
            prompt_tokens=len(words(system)) + len(words(user)), completion_tokens=len(words(repr(data)))
        )
        return ModelAnswer(data=deepcopy(data), usage=usage, calls=1)

    def _next(self, system: str, user: str) -> object:
        if self._answer is not None:
            return self._answer(system, user)
        try:
            return next(self._script)
        except StopIteration:
            answered = len(self.calls) - 1
            raise AssertionError(
                f"the scripted model has no answer left: it had {answered}, and call {len(self.calls)} asks "
                f"for {self.calls[-1].schema_name!r} with {user[:200]!r}"
            ) from None

    async def close(self) -> None:
        """Do nothing; real models close their connections here."""
