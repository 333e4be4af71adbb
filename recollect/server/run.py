"""Start the server on its address, say what it does, and stop it well. Opens a port."""

import asyncio
import errno
import gc
import logging
import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from recollect.engine import AsyncRecollect
from recollect.errors import BadSettingError, PortInUseError
from recollect.providers.offline_model import MODEL as OFFLINE_MODEL
from recollect.server.app import build_app
from recollect.server.origin_guard import is_loopback
from recollect.server.upstream_key import require_guarded_key
from recollect.server.upstream_models import chat_model
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


def welcome(settings: Settings, port: int, *, model: str | None = None) -> str:
    """Say where the server is, what it works with, and what to do next.

    Args:
        settings: All settings.
        port: The port that was taken.
        model: A model that the upstream has; None: it is not known.
    """
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::", "localhost") else settings.host
    base = f"http://{f'[{host}]' if ':' in host else host}:{port}/v1"
    answers = (
        f"{settings.upstream_url} answers ({_whose_key(settings)})"
        if settings.upstream_url
        else "the built-in model recollect/offline, from memory alone (set RECOLLECT_UPSTREAM_URL for a real one)"
    )
    forms = (
        f"{settings.form_model} forms memories (costs tokens)"
        if settings.form_model
        else "built-in rules form memories: no token is spent"
    )
    if not settings.worker:
        forms += "; not in this process: run `recollect worker` beside it"
    who = _who(settings)
    return "\n".join(
        [
            "",
            f"Recollect listens on {base}",
            f"  memory   {settings.shown_database}",
            f"  answers  {answers}",
            f"  forms    {forms}",
            f"  users    {who}",
            "",
            "Next: point any OpenAI client at it, changing nothing but the base URL, or try",
            f"  curl {base}/chat/completions -H 'content-type: application/json' \\",
            f'    -d \'{{"model":"{_model_to_try(settings, model)}","messages":[{{"role":"user","content":'
            '"I am allergic to peanuts."}]}\'',
            f"  {own_command()} chat    talk here and see what is recalled",
            f"  {own_command()} list    what is remembered (Ctrl-C stops the server)",
            "",
        ]
    )


def own_command() -> str:
    """Return how a person calls this program: by its name where the shell finds it, else by its path."""
    program = Path(sys.argv[0])
    found = shutil.which(program.name)
    if program.name == "recollect" and (found is None or not program.exists() or not program.samefile(found)):
        return os.path.relpath(program)
    return "recollect"


def _model_to_try(settings: Settings, listed: str | None) -> str:
    """Name a model that answers here; a placeholder where the upstream did not tell its models."""
    if settings.upstream_url is None:
        return OFFLINE_MODEL
    if listed is None and settings.form_model and settings.form_url in (None, settings.upstream_url):
        return settings.form_model
    return listed or "MODEL"


def _whose_key(settings: Settings) -> str:
    if not settings.upstream_key:
        return "each client sends its own key"
    return "our key, for requests with the signed header" if settings.jwt_secret else "our key"


def _who(settings: Settings) -> str:
    if settings.jwt_secret:
        return "by Open WebUI's signed header; others are anonymous"
    if not is_loopback(settings.host):
        return "anonymous: this address is open to others, and without RECOLLECT_JWT_SECRET nobody is believed"
    if settings.default_user:
        return f"by header, /u/NAME/v1 or body; without any: {settings.default_user}"
    return "by header, /u/NAME/v1 or body; without any: anonymous"


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
