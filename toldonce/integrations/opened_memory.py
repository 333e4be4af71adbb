"""A memory as an application opened it, for frameworks that call with asyncio, without, or both. May use a thread."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from toldonce.engine import AsyncToldOnce
from toldonce.sync import ToldOnce

T = TypeVar("T")


class OpenedMemory:
    """Runs coroutines of an engine for both kinds of callers."""

    def __init__(self, memory: ToldOnce | AsyncToldOnce) -> None:
        """Use a memory; it stays the caller's to close.

        Raises:
            TypeError: it is neither a `ToldOnce` nor an `AsyncToldOnce`.
        """
        if not isinstance(memory, ToldOnce | AsyncToldOnce):
            raise TypeError(f"the memory is {type(memory).__name__}: pass an open ToldOnce or AsyncToldOnce")
        self._background = memory._engine if isinstance(memory, ToldOnce) else None
        self.engine: AsyncToldOnce = memory._engine.core if isinstance(memory, ToldOnce) else memory

    def run(self, call: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of the engine for a caller without asyncio.

        Raises:
            TypeError: the memory is an `AsyncToldOnce`, which belongs to its event loop.
        """
        if self._background is None:
            call.close()
            raise TypeError("this memory is an AsyncToldOnce: call the framework with asyncio, or pass a ToldOnce")
        return self._background.run(call)

    async def wait(self, call: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of the engine for a caller with asyncio."""
        if self._background is None:
            return await call
        return await asyncio.to_thread(self._background.run, call)
