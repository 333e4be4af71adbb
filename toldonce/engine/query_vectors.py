"""Vectors of what chats ask, embedded while the store reads what earlier prompts had. Starts threads.

Keeps users' words in bounded memory, and drops them at an erasure.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial

from toldonce.providers.protocols import Embedder, ImmediateEmbedder
from toldonce.types import Vector, Vectors

MAX_KEPT = 1_024
"""Texts whose vectors are kept: the newest of each chat. They take some 4 MB."""


class QueryVectors:
    """Vectors by space and text, of embedders in this process. For the tasks of one event loop."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], asyncio.Future[Vectors]] = OrderedDict()

    def begin(self, text: str, embedder: Embedder) -> None:
        """Begin to embed a text in a thread, unless it is empty, or the embedder has to be asked over a network."""
        if not text or not isinstance(embedder, ImmediateEmbedder):
            return
        key = embedder.space, text
        begun = self._kept.get(key)
        if begun is None:
            loop = asyncio.get_running_loop()
            begun = self._kept[key] = loop.run_in_executor(None, embedder.embed_queries_now, [text])
            begun.add_done_callback(partial(self._drop_failed, key))
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)

    async def find(self, texts: Sequence[str], embedder: Embedder) -> dict[str, Vector]:
        """Return the vectors of those of the texts that were begun, and wait until they are there."""
        found: dict[str, Vector] = {}
        for text in texts:
            begun = self._kept.get((embedder.space, text))
            if begun is None:
                continue
            if not begun.done():
                await asyncio.wait([begun])
            if not begun.cancelled() and begun.exception() is None:
                found[text] = begun.result()[0]
        return found

    def forget(self) -> None:
        """Drop all of them."""
        self._kept.clear()

    def _drop_failed(self, key: tuple[str, str], begun: "asyncio.Future[Vectors]") -> None:
        if (begun.cancelled() or begun.exception() is not None) and self._kept.get(key) is begun:
            del self._kept[key]
