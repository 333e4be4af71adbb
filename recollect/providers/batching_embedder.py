"""An embedder for those who work side by side: what they ask at the same time goes to the model in one call. Waits.

Behind a network a call takes as long for one text as for some hundred.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from recollect.errors import RecollectError
from recollect.providers.protocols import Embedder
from recollect.types import Vector, Vectors

# Most texts of a call, beyond what one asks for at once.
MAX_TEXTS = 256
# A call of the built-in embedder takes a few milliseconds at most; whoever never answers within this is far away.
FAR_S = 0.02


class _Waiting(NamedTuple):
    texts: Sequence[str]
    done: asyncio.Future[Vectors]


class BatchingEmbedder:
    """Joins calls. What was embedded ahead is handed out without one."""

    def __init__(self, inner: Embedder) -> None:
        """Take the embedder that is asked."""
        self._inner = inner
        self._waiting: list[_Waiting] = []
        self._asked: list[_Waiting] = []
        self._serving: asyncio.Task[None] | None = None
        self._ahead: dict[str, Vector] = {}
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
    def far(self) -> bool | None:
        """Whether every call so far took long; None where there was none."""
        return None if self._quickest_s is None else self._quickest_s >= FAR_S

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed with what others ask for meanwhile. Who fails alone fails alone.

        Raises:
            ModelError: the model did not answer for these texts.
        """
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        if all(text in self._ahead for text in texts):
            return np.stack([self._ahead[text] for text in texts])
        done: asyncio.Future[Vectors] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(texts, done))
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve())
            self._serving.add_done_callback(self._ended)
        return await done

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed what is asked, at once."""
        return await self._inner.embed_queries(texts)

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Turn the model's cosines into relevance."""
        return self._inner.relevance(cosine)

    async def embed_ahead(self, texts: Sequence[str]) -> None:
        """Embed what will be asked for. Where it fails it is not there."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._ahead]
        for start in range(0, len(fresh), MAX_TEXTS):
            some = fresh[start : start + MAX_TEXTS]
            try:
                rows = await self._ask(some)
            except RecollectError:  # whoever needs them asks again, and is told
                return
            self._ahead |= dict(zip(some, rows, strict=True))

    def forget(self) -> None:
        """Drop what was embedded ahead."""
        self._ahead.clear()

    async def close(self) -> None:
        """Wait for nobody any more."""
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)

    async def _serve(self) -> None:
        await asyncio.sleep(0)  # those who are on their way come along
        while self._waiting:
            self._asked = self._take()
            try:
                rows = await self._ask([text for one in self._asked for text in one.texts])
            except RecollectError as error:
                await self._each_alone(error)
                continue
            start = 0
            for one in self._asked:
                _answer(one, rows[start : start + len(one.texts)])
                start += len(one.texts)

    def _take(self) -> list[_Waiting]:
        taken = [self._waiting.pop(0)]
        room = MAX_TEXTS - len(taken[0].texts)
        while self._waiting and len(self._waiting[0].texts) <= room:
            taken.append(self._waiting.pop(0))
            room -= len(taken[-1].texts)
        return taken

    async def _each_alone(self, error: RecollectError) -> None:
        """Ask for each what was refused for all: one text may be to blame."""
        if len(self._asked) == 1:
            _answer(self._asked[0], error)
            return
        for one in self._asked:
            try:
                _answer(one, await self._inner.embed(one.texts))
            except RecollectError as own:
                _answer(one, own)

    def _ended(self, serving: asyncio.Task[None]) -> None:
        """Let nobody wait for what does not come: it was stopped, or failed by a defect."""
        error = None if serving.cancelled() else serving.exception()
        if error is None and not serving.cancelled():
            return  # all were answered; those who came since have another
        for one in (*self._asked, *self._waiting):
            if error is not None and not one.done.done():
                one.done.set_exception(error)
            else:
                one.done.cancel()
        self._waiting.clear()

    async def _ask(self, texts: Sequence[str]) -> Vectors:
        began = time.perf_counter()
        rows = await self._inner.embed(texts)
        took_s = time.perf_counter() - began
        self._quickest_s = took_s if self._quickest_s is None else min(self._quickest_s, took_s)
        return rows


def _answer(one: _Waiting, answer: Vectors | RecollectError) -> None:
    if one.done.done():  # nobody waits any more
        return
    if isinstance(answer, RecollectError):
        one.done.set_exception(answer)
    else:
        one.done.set_result(answer)
