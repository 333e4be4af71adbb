"""Loading what chats use while a server starts. Runs a thread."""

import asyncio
import logging

from recollect.engine.preload import load_chats
from recollect.providers.protocols import TokenCounter

logger = logging.getLogger(__name__)


class Preload:
    """Loads modules, patterns and the tokenizer in a thread, while other routes than chats are served already."""

    def __init__(self, counter: TokenCounter) -> None:
        """Create it; nothing is loaded yet."""
        self._counter = counter
        self._loading: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to load."""
        self._loading = asyncio.create_task(asyncio.to_thread(load_chats, self._counter))
        self._loading.add_done_callback(_log_failure)

    async def wait(self) -> None:
        """Wait until everything is loaded, or loading has failed; return at once if it was never started."""
        if self._loading is not None and not self._loading.done():
            await asyncio.wait({self._loading})


def _log_failure(loading: asyncio.Task[None]) -> None:
    if not loading.cancelled() and (error := loading.exception()) is not None:
        logger.error("loading ahead failed; the first chats load what they need", exc_info=error)
