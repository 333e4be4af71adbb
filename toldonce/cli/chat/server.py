"""Temporary server for one chat, on a free loopback port, in a background thread. Opens a port."""

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from datetime import timedelta
from typing import Any, TypeVar

import uvicorn

from toldonce.engine import AsyncToldOnce
from toldonce.errors import ToldOnceError
from toldonce.server.app import build_app
from toldonce.server.http_protocol import HttpProtocol
from toldonce.server.http_server import bind
from toldonce.settings import Settings
from toldonce.types import Access, NewApiKey, Subject

T = TypeVar("T")

_LOOPBACK = "127.0.0.1"
_KEY_LASTS = timedelta(days=1)


class BackgroundLoop:
    """Event loop in a thread, so that reading the terminal does not block the server."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="toldonce-chat", daemon=True)
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
    """The server of `toldonce serve`, private to this process."""

    def __init__(self, settings: Settings, user: Subject) -> None:
        """Create a server for a user from settings, with its own address and without others' credentials."""
        self.settings = settings.model_copy(
            update={
                "host": _LOOPBACK,
                "port": 0,
                "auth": "auto",
                "jwt_secret": None,
                "jwt_issuer": None,
                "worker": "thread",
                "show_memories": True,
            }
        )
        self.url = ""
        self.key: str | None = None
        """The API key to send, where the database has or had keys; it is revoked in the end."""
        self._user = user
        self._key_id = ""
        self._engine: AsyncToldOnce | None = None
        self._server: uvicorn.Server | None = None
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the engine and serve; early connections wait in the socket's queue.

        Raises:
            SetupError: The database or a setting cannot be used.
        """
        self._engine = await AsyncToldOnce.open(self.settings)
        if await self._engine.keys.was_any_made():
            new = NewApiKey(
                name="toldonce chat",
                access=Access.WRITE,
                user=self._user.name,
                tenant=self._user.tenant,
                expires_at=self._engine.clock.now() + _KEY_LASTS,
            )
            made, self.key = await self._engine.keys.create(new, actor="cli")
            self._key_id = made.id
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
            if self._key_id:
                await self._engine.keys.revoke(self._key_id, actor="cli")
            await self.settle()
            await self._engine.close()

    async def settle(self) -> None:
        """Process due formations for at most the time of one model call."""
        if self._engine is None:
            return
        with suppress(TimeoutError, ToldOnceError):
            async with asyncio.timeout(self.settings.form_timeout_s):
                await self._engine.form()
