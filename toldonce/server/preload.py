"""Loading what chats use while a server starts. Runs a thread."""

import asyncio
import logging

from toldonce.engine.preload import load_chats, load_formations, load_turns
from toldonce.providers.protocols import TokenCounter

logger = logging.getLogger(__name__)


class Preload:
    """Loads in a thread, in three steps: what holds the interpreter, what chats use, and what formations use."""

    def __init__(self, counter: TokenCounter) -> None:
        """Create it; nothing is loaded yet."""
        self._counter = counter
        self._loading: asyncio.Task[None] | None = None
        self._chats_loaded = asyncio.Event()
        self._is_closing = False

    async def start(self) -> None:
        """Load modules and the tokenizer, and begin to load the rest.

        To be called before requests are accepted: reading the tokenizer's file holds the interpreter for some 80 ms.
        A failure is logged; the first chats then load what they need.
        """
        turns = asyncio.create_task(asyncio.to_thread(self._load_turns))
        turns.add_done_callback(_log_failure)
        await asyncio.wait({turns})
        self._loading = asyncio.create_task(self._load())
        self._loading.add_done_callback(_log_failure)

    async def wait_for_chats(self) -> None:
        """Wait until what chats use is loaded, or loading has failed; return at once if it was never started."""
        if self._loading is not None:
            await self._chats_loaded.wait()

    async def close(self) -> None:
        """Wait until the thread has ended: it stops before the next pattern that formations use."""
        self._is_closing = True
        if self._loading is not None and not self._loading.done():
            await asyncio.wait({self._loading})

    def _load_turns(self) -> None:
        load_turns()
        self._counter.count("loaded")

    async def _load(self) -> None:
        try:
            await asyncio.to_thread(load_chats)
        finally:
            self._chats_loaded.set()
        await asyncio.to_thread(load_formations, lambda: self._is_closing)


def _log_failure(loading: asyncio.Task[None]) -> None:
    if not loading.cancelled() and (error := loading.exception()) is not None:
        logger.error("loading ahead failed; the first chats load what they need", exc_info=error)
