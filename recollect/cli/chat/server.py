"""A server of our own for one chat, on a free loopback port, in a thread beside the terminal. Opens a port."""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import uvicorn

from recollect.engine import AsyncRecollect
from recollect.errors import RecollectError
from recollect.server.app import build_app
from recollect.server.run import bind
from recollect.settings import Settings

T = TypeVar("T")

_LOOPBACK = "127.0.0.1"


class BackgroundLoop:
    """An event loop in a thread, so that the terminal can be read without stopping what goes on behind."""

    def __init__(self) -> None:
        """Start the thread."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="recollect-chat", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do `work` and wait for it; Ctrl-C cancels it and is raised."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def close(self) -> None:
        """End the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class ChatServer:
    """The same server as `recollect serve`, for this process alone."""

    def __init__(self, settings: Settings) -> None:
        """Take the settings; the address and who is believed are its own."""
        self.settings = settings.model_copy(
            update={"host": _LOOPBACK, "port": 0, "jwt_secret": None, "worker": True, "show_memories": True}
        )
        self.url = ""
        self._engine: AsyncRecollect | None = None
        self._server: uvicorn.Server | None = None
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the engine and serve; who connects before it is ready waits in the socket's queue.

        Raises:
            SetupError: the database or a setting cannot be used.
        """
        self._engine = await AsyncRecollect.open(self.settings)
        taken = bind(_LOOPBACK, 0)
        self.url = f"http://{_LOOPBACK}:{taken.getsockname()[1]}"
        config = uvicorn.Config(
            build_app(self._engine), log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=5
        )
        self._server = uvicorn.Server(config)
        self._serving = asyncio.create_task(self._server.serve(sockets=[taken]))

    async def close(self) -> None:
        """Answer no more, form what is due, and let go of the database."""
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await self._serving
        if self._engine is not None:
            await self.settle()
            await self._engine.close()

    async def settle(self) -> None:
        """Give what was just said the time of one model call to become memories; the rest stays due."""
        if self._engine is None:
            return
        with suppress(TimeoutError, RecollectError):
            async with asyncio.timeout(self.settings.form_timeout_s):
                await self._engine.form()
