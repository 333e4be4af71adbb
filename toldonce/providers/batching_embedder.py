"""Embedder that batches concurrent calls: texts requested at the same time go to the model in one call. Waits.

Over a network, a call with one text takes as long as a call with a hundred.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toldonce.errors import ToldOnceError
from toldonce.providers.protocols import Embedder
from toldonce.types import Vector, Vectors

# Maximum number of texts in a joined call; a single larger request is sent whole.
MAX_TEXTS = 256
# A call of the built-in embedder takes a few milliseconds; a model that never answers faster than this is remote.
REMOTE_CALL_S = 0.02


class _Request(NamedTuple):
    texts: Sequence[str]
    done: asyncio.Future[Vectors]


class BatchingEmbedder:
    """Joins concurrent calls, and serves prefetched texts without a call."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._waiting: list[_Request] = []
        self._running: list[_Request] = []
        self._serving: asyncio.Task[None] | None = None
        self._prefetched: dict[str, Vector] = {}
        self._quickest_s: float | None = None

    @property
    def space(self) -> str:
        """Name of the space."""
        return self._inner.space

    @property
    def dim(self) -> int:
        """Length of each vector."""
        return self._inner.dim

    @property
    def is_remote(self) -> bool | None:
        """Whether every call so far was slow; None before the first call."""
        return None if self._quickest_s is None else self._quickest_s >= REMOTE_CALL_S

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed `texts` with those of concurrent callers. An error of one caller's texts fails that caller alone.

        Raises:
            ModelError: The model did not answer for these texts.
        """
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        if all(text in self._prefetched for text in texts):
            return np.stack([self._prefetched[text] for text in texts])
        done: asyncio.Future[Vectors] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Request(texts, done))
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve())
            self._serving.add_done_callback(self._fail_unanswered)
        return await done

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed queries at once, without batching."""
        return await self._inner.embed_queries(texts)

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn the model's cosines into relevance."""
        return self._inner.relevance(cosine)

    async def prefetch(self, texts: Sequence[str]) -> None:
        """Embed `texts` before they are requested. Texts that fail are requested again later."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._prefetched]
        for start in range(0, len(fresh), MAX_TEXTS):
            batch = fresh[start : start + MAX_TEXTS]
            try:
                rows = await self._ask(batch)
            except ToldOnceError:  # the caller that needs them asks again and gets the error
                return
            self._prefetched |= dict(zip(batch, rows, strict=True))

    def forget(self) -> None:
        """Drop all prefetched vectors."""
        self._prefetched.clear()

    async def close(self) -> None:
        """Cancel the running call."""
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)

    async def _serve(self) -> None:
        await asyncio.sleep(0)  # let concurrent callers join
        while self._waiting:
            self._running = self._take()
            try:
                rows = await self._ask([text for request in self._running for text in request.texts])
            except ToldOnceError as error:
                await self._retry_separately(error)
                continue
            start = 0
            for request in self._running:
                _answer(request, rows[start : start + len(request.texts)])
                start += len(request.texts)

    def _take(self) -> list[_Request]:
        taken = [self._waiting.pop(0)]
        room = MAX_TEXTS - len(taken[0].texts)
        while self._waiting and len(self._waiting[0].texts) <= room:
            taken.append(self._waiting.pop(0))
            room -= len(taken[-1].texts)
        return taken

    async def _retry_separately(self, error: ToldOnceError) -> None:
        """Send the requests of a failed call one by one: a single text may be the cause."""
        if len(self._running) == 1:
            _answer(self._running[0], error)
            return
        for request in self._running:
            try:
                _answer(request, await self._inner.embed(request.texts))
            except ToldOnceError as own:
                _answer(request, own)

    def _fail_unanswered(self, serving: asyncio.Task[None]) -> None:
        """Release all waiting callers when the serving task was cancelled or crashed."""
        error = None if serving.cancelled() else serving.exception()
        if error is None and not serving.cancelled():
            return  # all were answered; later callers started another task
        for request in (*self._running, *self._waiting):
            if error is not None and not request.done.done():
                request.done.set_exception(error)
            else:
                request.done.cancel()
        self._waiting.clear()

    async def _ask(self, texts: Sequence[str]) -> Vectors:
        began = time.perf_counter()
        rows = await self._inner.embed(texts)
        took_s = time.perf_counter() - began
        self._quickest_s = took_s if self._quickest_s is None else min(self._quickest_s, took_s)
        return rows


def _answer(request: _Request, answer: Vectors | ToldOnceError) -> None:
    if request.done.done():  # the caller was cancelled
        return
    if isinstance(answer, ToldOnceError):
        request.done.set_exception(answer)
    else:
        request.done.set_result(answer)
