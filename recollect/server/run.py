"""Start the server on its address, run it, and stop it without losing answers. Opens a port."""

import asyncio
import errno
import gc
import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from recollect.engine import AsyncRecollect
from recollect.errors import BadSettingError, PortInUseError
from recollect.server.app import build_app
from recollect.server.upstream_key import require_guarded_key
from recollect.server.welcome import chat_model, welcome
from recollect.settings import Settings, unknown_variables

# Time for answers under way when the server is told to stop, in seconds; what is recorded by then is durable.
GRACE_S = 30
_BACKLOG = 2048


def bind(host: str, port: int) -> socket.socket:
    """Take the address before anything else is opened.

    Raises:
        PortInUseError: somebody else has it.
        BadSettingError: it is not an address of this machine, or may not be taken.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
    except OSError as error:
        raise BadSettingError("RECOLLECT_HOST", host, f"not an address of this machine ({error.strerror})") from None
    # asyncio turns Nagle's delay off only where the protocol is named; with it, small chunks wait up to 40 ms.
    taken = socket.socket(family, kind, protocol)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind(address)
        taken.listen(_BACKLOG)
    except OSError as error:
        taken.close()
        if error.errno == errno.EADDRINUSE:
            raise PortInUseError(host, port) from None
        if error.errno == errno.EACCES:
            raise BadSettingError(
                "RECOLLECT_PORT", port, "may not be taken by this user; choose one above 1023"
            ) from None
        raise BadSettingError("RECOLLECT_HOST", host, f"cannot be listened on ({error.strerror})") from None
    taken.setblocking(False)
    return taken


class _Server(uvicorn.Server):
    """Leaves signals to whoever called `serve`: there is an engine to close behind the server."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


async def serve(settings: Settings, *, say: Callable[[str], None], stop: asyncio.Event) -> None:
    """Serve until told to stop, then end answers under way, and close the engine.

    Args:
        settings: All settings.
        say: Takes what a person is to read at the start.
        stop: Set it to stop.

    Raises:
        SetupError: the address, the store or a setting cannot be used.
    """
    require_guarded_key(settings)
    taken = bind(settings.host, settings.port)
    try:
        async with await AsyncRecollect.open(settings) as engine:
            config = uvicorn.Config(
                build_app(engine),
                log_config=None,
                access_log=False,
                server_header=False,
                date_header=False,
                lifespan="on",
                timeout_graceful_shutdown=GRACE_S,
                timeout_keep_alive=75,
            )
            logging.getLogger("uvicorn.error").addFilter(_expected)
            server = _Server(config)
            gc.collect()
            gc.freeze()  # what is loaded by now stays: later collections need not walk it (they took up to 100 ms)
            watching = asyncio.create_task(_stop_when(stop, server))
            for unknown in unknown_variables(os.environ):
                say(f"warning: {unknown}")
            say(welcome(settings, taken.getsockname()[1], model=await chat_model(settings)))
            try:
                await server.serve(sockets=[taken])
            finally:
                watching.cancel()
    finally:
        taken.close()


async def _stop_when(stop: asyncio.Event, server: uvicorn.Server) -> None:
    await stop.wait()
    server.should_exit = True


def _expected(record: logging.LogRecord) -> bool:
    """Drop uvicorn's complaints about what is meant: answers that end as broken, and those that a stop ends."""
    if record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError):
        return False
    message = record.getMessage()
    return "without completing response" not in message and "timeout graceful shutdown exceeded" not in message
