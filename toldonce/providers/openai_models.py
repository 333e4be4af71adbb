"""Embeddings and structured answers from OpenAI-compatible APIs. Connects to the configured address only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from importlib.resources import files
from json import dumps
from typing import Any

import numpy as np
import numpy.typing as npt

from toldonce.errors import ModelError
from toldonce.providers.calibration import Calibration
from toldonce.providers.json_client import ApiRefusedError, JsonClient
from toldonce.providers.model_output import parse_model_output
from toldonce.providers.openai_wire import (
    is_cut,
    near,
    read_completion,
    read_embeddings,
    read_usage,
    unit_rows,
    wanted,
)
from toldonce.providers.protocols import ModelAnswer
from toldonce.text import clean, hash64
from toldonce.types import Vectors

# A starting point, not a measurement: it assumes cosines near 0.2 for unrelated sentences and 0.6 for an answer to a
# question. `toldonce embedder use` fits a model's own curve; TOLDONCE_EMBED_MIDPOINT and _SLOPE set it.
GENERIC_CALIBRATION = Calibration(midpoint=0.45, slope=12)

# OpenAI takes 2,048 texts and 300,000 tokens a request; local servers much less. 128 keep an answer below 5 MB.
_BATCH_TEXTS = 128
_BATCH_CHARACTERS = 200_000
# About 2,000 tokens, 8,000 in the densest script: the limit of common embedding models.
_MAX_CHARACTERS = 8_000
_EMBED_BYTES = 64 * 1024 * 1024
_CHAT_BYTES = 16 * 1024 * 1024
_EMBED_TIMEOUT_S = 30.0
_CHAT_TIMEOUT_S = 30.0

# Response formats, strictest first; if a server refuses one, the next is tried.
_FORMATS = ("json_schema", "json_object", "text")
_REFUSALS = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)
# Statuses for a batch or text that is too long.
_TOO_MUCH = (*_REFUSALS, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)


# A refused text is halved down to this length: a model with a lower limit is useless.
_MIN_CUT_CHARACTERS = 500
_PROBE = "Ana is allergic to peanuts."


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedOptions:
    """Options of an embeddings API."""

    timeout_s: float = _EMBED_TIMEOUT_S
    """Timeout for a batch, including retries."""
    tries: int = 2
    """Maximum number of requests for a batch, if the server is busy or the connection fails."""
    batch: int = _BATCH_TEXTS
    """Maximum number of texts per request."""
    query_prefix: str = ""
    """Text put before queries."""
    passage_prefix: str = ""
    """Text put before stored texts."""


async def discover_dim(url: str, model: str, *, key: str | None, options: EmbedOptions) -> int:
    """Return the dimension of an API's vectors.

    Raises:
        ModelError: No answer, or not an embedding.
    """
    api = JsonClient(url, key=key, timeout_s=options.timeout_s, max_bytes=_EMBED_BYTES, tries=options.tries)
    try:
        answer = await api.post("/embeddings", {"model": model, "input": [_PROBE], "encoding_format": "float"})
        [vector] = read_embeddings(answer.body, count=1)
    except ValueError as error:
        raise ModelError(f"{api.where} answered for {model!r}: {error}") from None
    finally:
        await api.close()
    return len(vector)


def space_name(model: str, dim: int, passage_prefix: str) -> str:
    """Return the name of an API model's vector space.

    >>> space_name("small", 384, ""), space_name("e5", 384, "passage: ")
    ('small-384', 'e5-384-7f2345f2')
    """
    mark = f"-{hash64('prefix', passage_prefix) & 0xFFFFFFFF:08x}" if passage_prefix else ""
    return f"{model}-{dim}{mark}"


class OpenAIEmbedder:
    """Embeds through `POST {url}/embeddings`."""

    def __init__(
        self,
        url: str,
        model: str,
        dim: int,
        *,
        key: str | None = None,
        options: EmbedOptions | None = None,
        calibration: Calibration = GENERIC_CALIBRATION,
    ) -> None:
        """Create an embedder; it connects on the first call.

        Args:
            url: Base URL, including `/v1`.
            model: Name of the model.
            dim: Dimension of its vectors; others are refused.
            key: Sent as bearer token; None sends none.
            options: Timeouts, batch size and prefixes.
            calibration: Meaning of this model's cosines.
        """
        self._options = options or EmbedOptions()
        self._api = JsonClient(
            url, key=key, timeout_s=self._options.timeout_s, max_bytes=_EMBED_BYTES, tries=self._options.tries
        )
        self._model = model
        self._dim = dim
        self._calibration = calibration

    @property
    def space(self) -> str:
        """Name of the space: model and dimension, and a hash of the prefix if any."""
        return space_name(self._model, self._dim, self._options.passage_prefix)

    @property
    def dim(self) -> int:
        """Length of each vector."""
        return self._dim

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed the first 8,000 characters of each text: unit rows, zeros for a blank text (which is not sent).

        A text that is still too long for the model is cut until the model accepts it.

        Raises:
            ModelError: No answer, or not one valid vector per text.
            VectorSizeError: The vectors do not have `dim` numbers.
        """
        return await self._rows(self._options.passage_prefix, texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed queries, with the query prefix."""
        return await self._rows(self._options.query_prefix, texts)

    async def _rows(self, prefix: str, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self._dim), dtype=np.float32)
        given = [clean(text[:_MAX_CHARACTERS]) for text in texts]
        places = [place for place, text in enumerate(given) if text.strip()]
        given = [prefix + text for text in given]
        for batch in _batches(places, given, self._options.batch):
            rows[batch] = await self._embed_fitting([given[place] for place in batch])
        return rows

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn this model's cosines into relevance, 0 to 1."""
        return self._calibration.relevance(cosine)

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    async def _embed_fitting(self, texts: list[str]) -> Vectors:
        """Embed a batch; if it is refused, embed its halves, or the first half of a single text."""
        try:
            return await self._embed(texts)
        except ApiRefusedError as refused:
            if refused.status not in _TOO_MUCH:
                raise
            half = len(texts) // 2
            if half:
                return np.concatenate(
                    [await self._embed_fitting(texts[:half]), await self._embed_fitting(texts[half:])]
                )
            if len(texts[0]) < 2 * _MIN_CUT_CHARACTERS:
                raise
            return await self._embed_fitting([texts[0][: len(texts[0]) // 2]])

    async def _embed(self, texts: list[str]) -> Vectors:
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        answer = (await self._api.post("/embeddings", body)).body
        try:
            return unit_rows(read_embeddings(answer, count=len(texts)), dim=self._dim)
        except ValueError as error:
            raise ModelError(f"{self._api.where} answered for {self._model!r}: {error}") from None


def _batches(places: list[int], texts: list[str], limit: int) -> Iterator[list[int]]:
    batch: list[int] = []
    characters = 0
    for place in places:
        characters += len(texts[place])
        if batch and (len(batch) == limit or characters > _BATCH_CHARACTERS):
            yield batch
            batch, characters = [], len(texts[place])
        batch.append(place)
    if batch:
        yield batch


class OpenAIChatModel:
    """Answers with JSON through `POST {url}/chat/completions`."""

    def __init__(self, url: str, model: str, *, key: str | None = None, timeout_s: float = _CHAT_TIMEOUT_S) -> None:
        """Create a model; it connects on the first call.

        Args:
            url: Base URL, including `/v1`.
            model: Name of the model.
            key: Sent as bearer token; None sends none.
            timeout_s: Timeout for an answer.
        """
        self._api = JsonClient(url, key=key, timeout_s=timeout_s, max_bytes=_CHAT_BYTES)
        self._model = model
        self._format = 0
        self._temperature = True

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Ask for JSON of the schema: by JSON schema, or else in JSON mode, or else in the prompt.

        The first format that the server accepts is remembered.

        Raises:
            ModelError: No answer, a refusal, or nothing readable as JSON of this form.
        """
        form, temperature, calls = self._format, self._temperature, 0
        while True:
            body = self._request(_FORMATS[form], system, user, schema, schema_name)
            if temperature:
                body["temperature"] = 0
            calls += 1
            try:
                answer = await self._api.post("/chat/completions", body)
            except ApiRefusedError as refused:
                if refused.status not in _REFUSALS:
                    raise
                if temperature and refused.param == "temperature":
                    temperature = False
                elif form + 1 < len(_FORMATS):
                    form += 1
                else:
                    raise
                continue
            self._format, self._temperature = max(form, self._format), temperature and self._temperature
            read = parse_model_output(read_completion(answer.body), wanted(schema), near(schema))
            return ModelAnswer(
                data=read.value,
                usage=read_usage(answer.body),
                calls=calls + answer.requests - 1,
                remarks=read.remarks,
                broke_off=read.broke_off,
                at_limit=not read.broke_off and is_cut(answer.body),
            )

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    def _request(
        self, form: str, system: str, user: str, schema: Mapping[str, Any], schema_name: str
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._model, "stream": False}
        if form == "json_schema":
            strict = {"name": schema_name, "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": strict}
        else:
            system = f"{system}\n\n{_answer_form()}{dumps(schema)}"
        if form == "json_object":
            body["response_format"] = {"type": "json_object"}
        body["messages"] = [{"role": "system", "content": clean(system)}, {"role": "user", "content": clean(user)}]
        return body


@lru_cache(maxsize=1)
def _answer_form() -> str:
    return (files(__package__) / "answer_form.txt").read_text("utf-8")
