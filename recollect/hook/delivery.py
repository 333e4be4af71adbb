"""Deliver a request to the engine: to a server, or to the resident process, which is started for it. Opens sockets."""

import json
import os
import socket
import sys
import time

from recollect.hook.places import log_path, socket_path

POLL_S = 0.01
_MAX_ANSWER = 4 * 1024 * 1024


class DeliveryError(Exception):
    """Nothing took the request; says why in a few words without the user's."""


def deliver(request: dict[str, str], *, url: str | None, database: str | None, user: str | None, until: float) -> str:
    """Deliver a request and return the context in the answer.

    Args:
        request: From `read_request`.
        url: Server; None: the resident process.
        database: Database of the resident process; None: as the settings say.
        user: User of the agent; None: the default user, or the key's.
        until: End of the time for it, on `time.monotonic`.

    Raises:
        DeliveryError: It was refused, or nothing answered.
        OSError: A connection failed or took too long.
    """
    if url is not None:
        return "" if request["event"] == "warm" else _to_server(request, url, user, until)
    return _to_resident(dict(request, user=user) if user else request, database, until)


def _to_server(request: dict[str, str], url: str, user: str | None, until: float) -> str:
    import http.client
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DeliveryError("the URL of the server is none")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=max(0.05, until - time.monotonic()))
    headers = {"content-type": "application/json"}
    if user:
        headers["x-recollect-user"] = user
    if key := os.environ.get("RECOLLECT_KEY"):
        headers["authorization"] = f"Bearer {key}"
    path = parts.path.rstrip("/").removesuffix("/v1")
    try:
        connection.request("POST", f"{path}/api/hook", json.dumps(request).encode(), headers)
        answer = connection.getresponse()
        body = answer.read(_MAX_ANSWER)
    except (http.client.HTTPException, UnicodeError) as error:
        raise DeliveryError(f"the server answered wrongly: {type(error).__name__}") from None
    if answer.status != http.client.OK:
        raise DeliveryError(f"the server answered {answer.status}")
    return _context(body)


def _to_resident(request: dict[str, str], database: str | None, until: float) -> str:
    path = socket_path(database)
    connection = _connect(path)
    if connection is None:
        _start(path, database)
        if request["event"] == "warm":
            return ""
    while connection is None:
        if time.monotonic() > until:
            raise DeliveryError("the resident process did not start in time")
        time.sleep(POLL_S)
        connection = _connect(path)
    with connection:
        connection.settimeout(max(0.05, until - time.monotonic()))
        connection.sendall(json.dumps(request).encode() + b"\n")
        pieces: list[bytes] = []
        while piece := connection.recv(65536):
            pieces.append(piece)
        return _context(b"".join(pieces))


def _context(body: bytes) -> str:
    try:
        answer = json.loads(body)
    except ValueError:
        raise DeliveryError("the answer is no JSON") from None
    context = answer.get("context") if isinstance(answer, dict) else None
    if not isinstance(context, str):
        raise DeliveryError(f"memory failed: {answer.get('error') if isinstance(answer, dict) else 'no answer'}")
    return context


def _connect(path: str) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
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
    """Start the resident process, in a session of its own: the agent's end is not its end."""
    import subprocess

    command = [sys.executable, "-m", "recollect.hook.resident", path, *([database] if database else [])]
    try:
        os.makedirs(os.path.dirname(log_path()), mode=0o700, exist_ok=True)
        errors = os.open(log_path(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        errors = os.open(os.devnull, os.O_WRONLY)
    try:
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            close_fds=True,
        )
    finally:
        os.close(errors)
