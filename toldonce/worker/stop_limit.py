"""Ends the calls of models soon after a worker was told to stop; commits are not interrupted. Pure."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from toldonce.errors import ToldOnceError


class StoppedError(ToldOnceError):
    """A formation was ended because its worker stops. Nothing of it failed, and nothing of it is stored."""


class StopLimit:
    """Lets blocks of code run on for a while after a stop, and then ends them."""

    def __init__(self, wait_s: float) -> None:
        """End blocks `wait_s` seconds after `begin`."""
        self._wait_s = wait_s
        self._running: set[asyncio.Timeout] = set()
        self._has_begun = False

    def begin(self) -> None:
        """End what is running after the wait, and what begins later likewise."""
        self._has_begun = True
        for limit in self._running:
            self._shorten(limit)

    @asynccontextmanager
    async def heeded(self, *, heed: bool) -> AsyncIterator[None]:
        """Run a block that may be cancelled at any of its awaits; with `heed` off it always runs to its end.

        Raises:
            StoppedError: The wait after the stop was over.
        """
        limit = asyncio.timeout(None)
        try:
            async with limit:
                if heed:
                    self._running.add(limit)
                    if self._has_begun:
                        self._shorten(limit)
                yield
        except TimeoutError as error:
            if limit.expired():
                raise StoppedError("the worker stops") from error
            raise
        finally:
            self._running.discard(limit)

    def _shorten(self, limit: asyncio.Timeout) -> None:
        limit.reschedule(asyncio.get_running_loop().time() + self._wait_s)
