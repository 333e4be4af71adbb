"""Deliver a request to the engine: to a server, or to the resident process, which is started for it. Opens sockets."""

import _socket
import os
import time

from toldonce.child_process import FOLDER, module_command
from toldonce.hook.event import SHOWN, WARM
from toldonce.hook.http_post import BadAnswerError, ServerAddress, post
from toldonce.hook.places import absolute_settings, absolute_url, log_path, socket_path, target_name
from toldonce.hook.quick_json import read_json, write_json

HAS_RESIDENT = hasattr(_socket, "AF_UNIX")
"""Whether the system has the sockets of the resident process; without them, as on Windows, a hook needs a server."""
POLL_S = 0.01
# What the server will not take a second time either.
_REFUSING_STATUSES = (400, 409, 413, 415, 422, 500, 501)
_OK = 200


class DeliveryError(Exception):
    """Nothing took the request; says why in a few words without the user's."""


class TurnRefusedError(DeliveryError):
    """Memory does not take the request, now or later."""


class Route:
    """The way to one memory."""

    __slots__ = ("database", "url", "user")

    def __init__(self, *, url: str | None = None, database: str | None = None, user: str | None = None) -> None:
        """Choose a way.

        Args:
            url: Server; None: the resident process.
            database: Database of the resident process; None: as the settings say.
            user: User of the agent; None: the default user, or the key's.
        """
        self.url = url
        self.database = database
        self.user = user

    @property
    def target(self) -> str:
        """Name of the memory."""
        return target_name(url=self.url, database=self.database, user=self.user)

    def send(self, request: dict[str, str], until: float) -> str:
        """Deliver a request and return the context in the answer.

        Args:
            request: From `read_request`.
            until: End of the time for it, on `time.monotonic`.

        Raises:
            DeliveryError: It was refused, or nothing answered.
            OSError: A connection failed or took too long.
        """
        if self.url is not None:
            return "" if request["event"] == WARM else _to_server(request, self.url, self.user, until)
        return _to_resident(dict(request, user=self.user) if self.user else request, self.database, until)


def _to_server(request: dict[str, str], url: str, user: str | None, until: float) -> str:
    try:
        address = ServerAddress(url)
    except ValueError:
        raise DeliveryError("the URL of the server is none") from None
    headers = {"content-type": "application/json"}
    if user:
        headers["x-toldonce-user"] = user
    if key := os.environ.get("TOLDONCE_KEY"):
        headers["authorization"] = f"Bearer {key}"
    if any(character < " " for value in headers.values() for character in value):
        raise DeliveryError("the key or the user holds a control character")
    try:
        status, body = post(address, "/api/hook", headers, write_json(request), until)
    except BadAnswerError as error:
        raise DeliveryError(f"the server answered wrongly: {error}") from None
    if status != _OK:
        kind = TurnRefusedError if status in _REFUSING_STATUSES else DeliveryError
        raise kind(f"the server answered {status}")
    return _context(body)


def _to_resident(request: dict[str, str], database: str | None, until: float) -> str:
    if not HAS_RESIDENT:
        raise DeliveryError("this system needs a server: run `toldonce serve` and install the hook with --url")
    path = socket_path(database)
    connection = _connect(path)
    if connection is None:
        if request["event"] == SHOWN:
            return ""
        _start(path, database)
        if request["event"] == WARM:
            return ""
    while connection is None:
        if time.monotonic() > until:
            raise DeliveryError("the resident process did not start in time")
        time.sleep(POLL_S)
        connection = _connect(path)
    try:
        connection.settimeout(max(0.05, until - time.monotonic()))
        connection.sendall(write_json(request) + b"\n")
        pieces: list[bytes] = []
        while piece := connection.recv(65536):
            pieces.append(piece)
    finally:
        connection.close()
    return _context(b"".join(pieces))


def _context(body: bytes) -> str:
    try:
        answer = read_json(body.decode("utf-8", "replace"))
    except ValueError:
        raise DeliveryError("the answer is no JSON") from None
    if not isinstance(answer, dict):
        raise DeliveryError("memory failed: no answer")
    context = answer.get("context")
    if not isinstance(context, str):
        kind = TurnRefusedError if answer.get("again") is False else DeliveryError
        raise kind(f"memory failed: {answer.get('error')}")
    return context


def _connect(path: str) -> _socket.socket | None:
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(1.0)
        connection.connect(path)
    except (FileNotFoundError, ConnectionRefusedError):
        connection.close()
        return None
    except OSError:
        connection.close()
        raise
    return connection


def _start(path: str, database: str | None) -> None:
    """Start the resident process."""
    start_process("toldonce.hook.resident", [path, *([absolute_url(database)] if database else [])])


def start_process(module: str, arguments: list[str]) -> None:
    """Start a module in a session and a folder of its own: the agent's end is not its end. It writes to the log alone.

    The agent's folder is a project that its user may just have downloaded.
    """
    import subprocess

    try:
        os.makedirs(os.path.dirname(log_path()), mode=0o700, exist_ok=True)
        errors = os.open(log_path(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        errors = os.open(os.devnull, os.O_WRONLY)
    try:
        subprocess.Popen(
            module_command(module, *arguments),
            cwd=FOLDER,
            env={**os.environ, **absolute_settings()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            close_fds=True,
        )
    finally:
        os.close(errors)
