"""Rerankers: an ONNX cross-encoder, or an API with `/rerank`. Reads a model's files, or connects to that address.

A reranker reads query and memory together. It judges relevance better than two vectors do, and costs a model run per
candidate. It is off by default.
"""

import asyncio
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from toldonce.errors import BadEmbedderError, BadSettingError, ModelError
from toldonce.providers.json_client import JsonClient
from toldonce.providers.onnx_embedder import load_tokenizer, open_session, padded, run_session
from toldonce.providers.onnx_model import read_folder
from toldonce.providers.protocols import OpenedReranker
from toldonce.settings import Settings
from toldonce.text import clean

if TYPE_CHECKING:
    from tokenizers import Encoding

_ANSWER_BYTES = 4 * 1024 * 1024
# Pairs per run: a batch costs as much as its longest pair.
_BATCH = 16
# A model with one output per pair gives a logit; with two, the second is the class "relevant".
_LOGIT, _TWO_CLASSES = 1, 2


class ApiReranker:
    """Reranks with `POST {url}/rerank`, the API of Jina, Cohere, vLLM, TEI gateways and llama.cpp."""

    def __init__(self, url: str, model: str, *, key: str | None, timeout_s: float) -> None:
        """Create a reranker; it connects on the first call and does not retry, because late answers are useless."""
        self._api = JsonClient(url, key=key, timeout_s=timeout_s, max_bytes=_ANSWER_BYTES, tries=1)
        self._model = model

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Score all documents in one request."""
        body = {
            "model": self._model,
            "query": clean(query),
            "documents": [clean(document) for document in documents],
            "top_n": len(documents),
            "return_documents": False,
        }
        answer = await self._api.post("/rerank", body)
        try:
            return read_scores(answer.body, count=len(documents))
        except ValueError as error:
            raise ModelError(f"{self._api.where} answered for {self._model!r}: {error}") from None

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()


def read_scores(answer: object, *, count: int) -> list[float]:
    """Extract the scores of a rerank answer, in document order; logits become shares.

    Raises:
        ValueError: Not one finite score per document.

    >>> read_scores({"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.2}]}, count=2)
    [0.2, 0.9]
    """
    results = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(results, list):
        raise ValueError("no list of results")
    found: dict[int, float] = {}
    for item in results:
        place = item.get("index") if isinstance(item, dict) else None
        score = item.get("relevance_score", item.get("score")) if isinstance(item, dict) else None
        if not isinstance(place, int) or not isinstance(score, int | float) or not math.isfinite(score):
            raise ValueError("a result without index and score")
        found[place] = float(score)
    if sorted(found) != list(range(count)):
        raise ValueError(f"{len(found)} scores for {count} documents")
    scores = [found[place] for place in range(count)]
    if all(0 <= score <= 1 for score in scores):
        return scores
    return [_share(score) for score in scores]


def _share(logit: float) -> float:
    return 1 / (1 + math.exp(-min(60.0, max(-60.0, logit))))


class OnnxReranker:
    """Runs an ONNX cross-encoder. Safe for several tasks and threads."""

    def __init__(self, where: str) -> None:
        """Read the files and run the model once.

        Raises:
            BadEmbedderError: onnxruntime or a file is missing, or the model does not score pairs.
        """
        folder = read_folder(where)
        self._where = where
        self._tokenizer = load_tokenizer(folder)
        self._session = open_session(folder.model, where)
        self._inputs = {field.name: field.type for field in self._session.get_inputs()}
        try:
            self.score_now("Where does Ben live?", ["Ben lives in Oslo."])
        except ModelError as error:
            raise BadEmbedderError(where, f"{error}: this is not a cross-encoder") from None

    async def score(self, query: str, documents: Sequence[str]) -> list[float]:
        """Score in a thread."""
        return await asyncio.to_thread(self.score_now, query, documents)

    def score_now(self, query: str, documents: Sequence[str]) -> list[float]:
        """Score in the calling thread."""
        pairs = self._tokenizer.encode_batch([(clean(query), clean(document)) for document in documents])
        scores = [0.0] * len(documents)
        places = sorted(range(len(pairs)), key=lambda place: len(pairs[place].ids))
        for start in range(0, len(places), _BATCH):
            batch = places[start : start + _BATCH]
            for place, score in zip(batch, self._run([pairs[place] for place in batch]), strict=True):
                scores[place] = score
        return scores

    async def close(self) -> None:
        """Do nothing: the files are released with the object."""

    def _run(self, pairs: "Sequence[Encoding]") -> list[float]:
        found = run_session(
            self._session, padded(pairs, self._inputs), self._session.get_outputs()[0].name, self._where
        )
        return shares(found, len(pairs), self._where)


def shares(found: npt.NDArray[np.float32], count: int, where: str) -> list[float]:
    """Convert a cross-encoder's output to scores from 0 to 1.

    Raises:
        ModelError: It is not one score per pair.
    """
    rows = found.reshape(len(found), -1).astype(np.float64)
    if len(rows) != count or rows.shape[1] not in (_LOGIT, _TWO_CLASSES) or not np.isfinite(rows).all():
        raise ModelError(f"the model in {where} returned an array of shape {found.shape} for {count} pairs")
    logits = rows[:, 0] if rows.shape[1] == _LOGIT else rows[:, 1] - rows[:, 0]
    return [_share(float(logit)) for logit in logits]


def open_reranker(settings: Settings) -> OpenedReranker | None:
    """Open the reranker of the settings; None if not set.

    Raises:
        BadSettingError: The folder cannot be used.
    """
    if settings.rerank_url is not None:
        key = settings.rerank_key.get_secret_value().strip() if settings.rerank_key else ""
        return ApiReranker(
            settings.rerank_url, settings.rerank_model or "", key=key or None, timeout_s=settings.rerank_timeout_s
        )
    if settings.rerank_path is None:
        return None
    try:
        return OnnxReranker(str(settings.rerank_path))
    except BadEmbedderError as error:
        raise BadSettingError("TOLDONCE_RERANK_PATH", str(settings.rerank_path), error.why) from None
