"""Temporary server for one chat, on a free loopback port, in a background thread. Opens a port."""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import uvicorn

from recollect.engine import AsyncRecollect
from recollect.errors import RecollectError
from recollect.server.app import build_app
from recollect.server.http_protocol import HttpProtocol
from recollect.server.http_server import bind
from recollect.settings import Settings

T = TypeVar("T")

_LOOPBACK = "127.0.0.1"


class BackgroundLoop:
    """Event loop in a thread, so that reading the terminal does not block the server."""

    def __init__(self) -> None:
        """Start the thread."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="recollect-chat", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` and wait for it; Ctrl-C cancels it and is raised."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def close(self) -> None:
        """Stop the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class ChatServer:
    """The server of `recollect serve`, private to this process."""

    def __init__(self, settings: Settings) -> None:
        """Create a server from settings, with its own address and without authentication."""
        self.settings = settings.model_copy(
            update={"host": _LOOPBACK, "port": 0, "jwt_secret": None, "worker": True, "show_memories": True}
        )
        self.url = ""
        self._engine: AsyncRecollect | None = None
        self._server: uvicorn.Server | None = None
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the engine and serve; early connections wait in the socket's queue.

        Raises:
            SetupError: The database or a setting cannot be used.
        """
        self._engine = await AsyncRecollect.open(self.settings)
        taken = bind(_LOOPBACK, 0)
        self.url = f"http://{_LOOPBACK}:{taken.getsockname()[1]}"
        config = uvicorn.Config(
            build_app(self._engine),
            http=HttpProtocol,
            log_config=None,
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=5,
        )
        self._server = uvicorn.Server(config)
        self._serving = asyncio.create_task(self._server.serve(sockets=[taken]))

    async def close(self) -> None:
        """Stop serving, process due formations, and close the database."""
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await self._serving
        if self._engine is not None:
            await self.settle()
            await self._engine.close()

    async def settle(self) -> None:
        """Process due formations for at most the time of one model call."""
        if self._engine is None:
            return
        with suppress(TimeoutError, RecollectError):
            async with asyncio.timeout(self.settings.form_timeout_s):
                await self._engine.form()
