"""A client that sees an answer as bytes, and whether it ended well. Opens sockets."""

import json
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from patience import PATIENCE_S


@dataclass(frozen=True, slots=True, kw_only=True)
class RawAnswer:
    """An answer as it came."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    """Without its framing, as far as it came."""
    whole: bool
    """Whether the framing said that the body ended."""

    def header(self, name: str) -> str | None:
        """Return a header's first value."""
        return next((value for key, value in self.headers if key == name.lower()), None)

    @property
    def json(self) -> Any:
        """The body, read."""
        return json.loads(self.body)

    @property
    def done(self) -> bool:
        """Whether the client may believe that its turn is kept: the end of a stream, and nothing said against it."""
        ended = self.status == 200 and self.whole and b"data: [DONE]" in self.body
        return ended and b"not recorded" not in self.body

    @property
    def text(self) -> str:
        """What the assistant said in choice 0, streamed or not."""
        if not self.body.startswith(b"data:"):
            return str(self.json["choices"][0]["message"]["content"])
        chunks = [json.loads(line[5:]) for line in self.body.split(b"\n") if line.startswith(b"data: {")]
        return "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks if chunk["choices"])


@contextmanager
def sent(
    port: int, path: str, body: bytes, headers: Mapping[str, str] | None = None, *, method: str = "POST"
) -> Iterator[socket.socket]:
    """Send a request and leave the answer on the socket."""
    named = {"Host": f"127.0.0.1:{port}", "Content-Type": "application/json", "Connection": "close"}
    named |= {"Content-Length": str(len(body))} | dict(headers or {})
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in named.items()) + "\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as wire:
        # The server may refuse a body before it has all of it; its answer is there to be read.
        with suppress(ConnectionError):
            wire.sendall(head.encode("latin-1") + body)
        yield wire


def request(
    port: int, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None, *, method: str = "POST"
) -> RawAnswer:
    """Send a request and read its answer to the end, however it ends."""
    received = bytearray()
    with sent(port, path, body, headers, method=method) as wire, suppress(ConnectionError):
        while piece := wire.recv(1 << 16):
            received += piece
    return parse(bytes(received))


def chat(
    port: int,
    model: str,
    messages: Sequence[Mapping[str, object]],
    headers: Mapping[str, str] | None = None,
    **more: object,
) -> RawAnswer:
    """Ask for a chat completion."""
    body = json.dumps({"model": model, "messages": list(messages)} | more).encode()
    return request(port, "/v1/chat/completions", body, headers)


def parse(received: bytes) -> RawAnswer:
    """Read an answer's head and take its body out of its framing."""
    head, split, rest = received.partition(b"\r\n\r\n")
    if not split:
        raise ConnectionError(f"no answer, but {received[:200]!r}")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = tuple((name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines))
    named = dict(headers)
    if named.get("transfer-encoding") == "chunked":
        body, whole = _dechunk(rest)
    else:
        body, whole = rest, len(rest) == int(named.get("content-length", len(rest)))
    return RawAnswer(status=int(first.split(" ")[1]), headers=headers, body=body, whole=whole)


def _dechunk(data: bytes) -> tuple[bytes, bool]:
    body = bytearray()
    at = 0
    while True:
        line = data.find(b"\r\n", at)
        if line < 0:
            return bytes(body), False
        try:
            size = int(data[at:line], 16)
        except ValueError:
            return bytes(body), False
        if not size:
            return bytes(body), data[line : line + 4] == b"\r\n\r\n"
        body += data[line + 2 : line + 2 + size]
        at = line + 2 + size + 2
        if at > len(data):
            return bytes(body), False


def user(text: str) -> dict[str, object]:
    """Make a user's message."""
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, object]:
    """Make an assistant's message."""
    return {"role": "assistant", "content": text}


def system(text: str) -> dict[str, object]:
    """Make a system message."""
    return {"role": "system", "content": text}


def eventually(what: object, *, within_s: float = PATIENCE_S) -> bool:
    """Ask again until it is so, ever more rarely; for what another process does in its own time."""
    if not callable(what):
        raise TypeError("eventually takes a function without arguments")
    until, pause_s = time.monotonic() + within_s, 0.02
    while time.monotonic() < until:
        if what():
            return True
        time.sleep(pause_s)
        pause_s = min(1.25 * pause_s, 0.2)
    return bool(what())
