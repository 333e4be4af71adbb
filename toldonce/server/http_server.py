"""Start the server on its address, run it, and stop it without losing answers. Opens a port, makes the first key."""

import asyncio
import errno
import gc
import logging
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadSettingError, PortInUseError
from toldonce.metrics import ProxyCounters
from toldonce.server.app import build_app
from toldonce.server.connection_table import (
    DESCRIPTORS_PER_CONNECTION,
    RESERVED_DESCRIPTORS,
    SPARE_CONNECTIONS,
    ConnectionTable,
    connections_within,
)
from toldonce.server.http_protocol import HttpProtocol
from toldonce.server.observability import build_monitoring
from toldonce.server.origin_guard import is_loopback
from toldonce.server.upstream_key import require_guarded_key
from toldonce.server.welcome import chat_model, welcome
from toldonce.server.worker_process import WorkerProcess, may_have_child
from toldonce.settings import Settings, unknown_variables
from toldonce.settings.bounds import BoundSettings

try:
    import resource
except ImportError:  # Windows, where connections take no descriptors of a limited number
    resource = None  # type: ignore[assignment]

# Seconds that answers under way get when the server is stopped; turns recorded by then are durable.
GRACE_S = 30
# Connections that wait to be accepted; when there is no room, a client's system tries again after a second. Linux takes
# 4,096 by default.
_BACKLOG = 4096
# Connections that the event loop accepts in one turn, before it reads what those that it accepted sent.
_ACCEPTED_AT_ONCE = 32
# How often the deadlines of connections are looked at, in ticks of uvicorn's main loop of 0.1 s.
_DEADLINE_TICKS = 5
# How long a computing thread keeps the interpreter from the event loop, which waits for it after each call that lets
# other threads run. While memories were formed, Python's 5 ms added 11 ms to the first byte without memory and 4 ms to
# each chunk, half a millisecond 2 ms and 0.9 ms, at as many formations a second.
SWITCH_S = 0.0005


def bind(host: str, port: int) -> socket.socket:
    """Bind the address before anything else is opened.

    Raises:
        PortInUseError: Another process uses it.
        BadSettingError: It is not an address of this machine, or the user may not bind it.
    """
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = addresses[0]
    except OSError as error:
        raise BadSettingError("TOLDONCE_HOST", host, f"not an address of this machine ({error.strerror})") from None
    # asyncio turns off Nagle's delay only if the protocol is named; with that delay, small chunks wait up to 40 ms.
    listener = socket.socket(family, kind, protocol)
    if os.name == "posix":  # on Windows, two servers could listen on one port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortInUseError(host, port) from None
        if error.errno == errno.EACCES:
            raise BadSettingError(
                "TOLDONCE_PORT", port, "may not be taken by this user; choose one above 1023"
            ) from None
        raise BadSettingError("TOLDONCE_HOST", host, f"cannot be listened on ({error.strerror})") from None
    listener.setblocking(False)
    return listener


def connection_limits(settings: Settings) -> BoundSettings:
    """Return the limits of the settings, and no more connections than this process may open files for.

    The number of files is raised for them as far as the system lets this process.
    """
    if not resource:
        return settings
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = (settings.max_connections + SPARE_CONNECTIONS) * DESCRIPTORS_PER_CONNECTION + RESERVED_DESCRIPTORS
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
        soft = allowed
    descriptors = wanted if soft == resource.RLIM_INFINITY else soft
    return settings.model_copy(update={"max_connections": connections_within(settings.max_connections, descriptors)})


class _Server(uvicorn.Server):
    """Ends slow connections; leaves signals to the caller of `serve`, which closes the engine after the server."""

    def __init__(self, config: uvicorn.Config, table: ConnectionTable) -> None:
        super().__init__(config)
        self._table = table
        self._checked_at = time.monotonic()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; asyncio accepts as many connections at once as it lets wait, so that the latter is set again."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)

    async def on_tick(self, counter: int) -> bool:
        """Look at the deadlines now and then."""
        if counter % _DEADLINE_TICKS == 0:
            now = asyncio.get_running_loop().time()
            # A process that was stopped for a while must not blame its clients.
            elapsed, self._checked_at = min(now - self._checked_at, 1.0), now
            for connection in self._table:
                connection.check_deadlines(now, elapsed)
        return await super().on_tick(counter)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture no signals."""
        yield


@contextmanager
def _quick_switching() -> Iterator[None]:
    """Let threads take turns after `SWITCH_S`."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, SWITCH_S))
    try:
        yield
    finally:
        sys.setswitchinterval(before)


async def serve(settings: Settings, *, say: Callable[[str], None], stop: asyncio.Event, log_json: bool = False) -> None:
    """Serve until `stop` is set, then finish answers under way, and close the engine.

    Args:
        settings: All settings.
        say: Takes the lines for people at the start.
        stop: Stops the server when it is set.
        log_json: Whether its worker process logs JSON lines even on a terminal.

    Raises:
        SetupError: The address, the store or a setting cannot be used.
    """
    require_guarded_key(settings)
    listener = bind(settings.host, settings.port)
    try:
        async with await AsyncToldOnce.open(settings) as engine:
            await require_access(engine, say)
            counters = ProxyCounters()
            child = WorkerProcess(engine, log_json=log_json) if may_have_child(settings) else None
            server = _server(build_app(engine, counters, child=child), engine, lifespan="on")
            gc.collect()
            gc.freeze()  # later collections need not walk what is loaded by now (they took up to 100 ms)
            stopping = asyncio.create_task(_stop_when(stop, server))
            for unknown in unknown_variables(os.environ):
                say(f"warning: {unknown}")
            shown = await _in_effect(engine)
            say(welcome(shown, listener.getsockname()[1], model=await chat_model(settings)))
            try:
                async with monitored(engine, counters, say=say):
                    with _quick_switching():
                        await server.serve(sockets=[listener])
            finally:
                stopping.cancel()
    finally:
        listener.close()


def _server(app: ASGIApp, engine: AsyncToldOnce, *, lifespan: Literal["on", "off"]) -> _Server:
    """Return what serves an application within the limits of the settings."""
    settings = engine.settings
    table = ConnectionTable(connection_limits(settings), engine.metrics.refused)
    config = uvicorn.Config(
        app,
        http=partial(HttpProtocol, table=table),  # type: ignore[arg-type]  # called as a class would be
        ws="none",  # refused by `HttpProtocol`; the library that could would be loaded at each start
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the application reads them itself
        date_header=False,
        lifespan=lifespan,
        backlog=_ACCEPTED_AT_ONCE,
        timeout_graceful_shutdown=GRACE_S,
        timeout_keep_alive=settings.keep_alive_s,  # type: ignore[arg-type]  # a fraction serves as well
    )
    logging.getLogger("uvicorn.error").addFilter(_is_unexpected)
    return _Server(config, table)


@asynccontextmanager
async def monitored(
    engine: AsyncToldOnce, counters: ProxyCounters, *, say: Callable[[str], None]
) -> AsyncIterator[None]:
    """Answer the routes for monitoring on TOLDONCE_METRICS_PORT meanwhile, if it is set.

    Raises:
        PortInUseError: Another process uses it.
        BadSettingError: The user may not bind it.
    """
    settings = engine.settings
    if settings.metrics_port is None:
        yield
        return
    with closing(bind(settings.host, settings.metrics_port)) as listener:
        server = _server(build_monitoring(engine, counters), engine, lifespan="off")
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        say(f"Metrics on http://{settings.host}:{listener.getsockname()[1]}/metrics")
        try:
            yield
        finally:
            server.should_exit = True
            await serving


async def _in_effect(engine: AsyncToldOnce) -> Settings:
    """Return the settings as they work out with this database: once a key was made, requests need a credential."""
    settings = engine.settings
    if settings.auth == "auto" and await engine.keys.was_any_made():
        return settings.model_copy(update={"auth": "required"})
    return settings


async def _stop_when(stop: asyncio.Event, server: uvicorn.Server) -> None:
    await stop.wait()
    server.should_exit = True


def _is_unexpected(record: logging.LogRecord) -> bool:
    """Filter uvicorn log records for intentional aborts: broken upstream streams and shutdown."""
    if record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError):
        return False
    message = record.getMessage()
    return "without completing response" not in message and "timeout graceful shutdown exceeded" not in message


async def require_access(engine: AsyncToldOnce, say: Callable[[str], None]) -> None:
    """Refuse to listen where others can connect and no credential exists; make the first key at the first start.

    Args:
        engine: The memory, with its keys.
        say: Takes the first key, which is shown this once.

    Raises:
        BadSettingError: All keys were revoked or have expired, and there is no other credential.
    """
    settings = engine.settings
    if settings.auth == "off" or settings.jwt_secret or settings.jwt_issuer:
        return
    if is_loopback(settings.host) and settings.auth != "required":
        return
    if await engine.keys.is_any_valid():
        return
    secret = await engine.keys.create_first()
    if secret is None:
        if await engine.keys.is_any_valid():
            return  # another server that started at the same time has made it
        raise BadSettingError(
            "TOLDONCE_HOST",
            settings.host,
            "requests need a credential here, and every API key was revoked or has expired: make one with "
            "`toldonce keys create`, set TOLDONCE_JWT_ISSUER or TOLDONCE_JWT_SECRET, listen on 127.0.0.1, or set "
            "TOLDONCE_AUTH=off if everyone who can connect may read and write all memory",
        )
    say(
        f"This server's first API key, for administrators, shown only this once:\n  {secret}\n"
        "Make one for each user or client with `toldonce keys create`, and revoke this one when you need it no more.\n"
    )
