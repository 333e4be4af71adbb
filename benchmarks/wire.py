"""A client that notes when each byte of a streamed answer came. Opens sockets."""

import json
import re
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from benchmarks.formats import CHAT, Format

_STAMP = re.compile(rb'"at": (\d+)[^\n]*\n')
_END = b"0\r\n\r\n"
_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """When the parts of one answer came, in milliseconds."""

    first_ms: float
    """From the request's first byte out to the first event in."""
    chunks_ms: tuple[float, ...]
    """For each event with words, from its leaving upstream to its arrival here."""
    done_ms: float
    """From the leaving of what ends the answer to the arrival of its last part."""
    total_ms: float


class StreamClient:
    """One kept connection to one server."""

    def __init__(self, port: int, headers: Mapping[str, str], wire: Format = CHAT) -> None:
        """Connect; the headers go with every request, which is of one format."""
        self._headers = dict(headers)
        self._format = wire
        self._port = port
        self._wire = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE_S)
        self._wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wire.close()

    def chat(
        self, said: str, headers: Mapping[str, str] | None = None, *, before: Sequence[Mapping[str, str]] = ()
    ) -> Timing:
        """Ask for a streamed answer and time it.

        Args:
            said: The newest message.
            headers: Sent with this request.
            before: Messages of the chat before it.

        Raises:
            ConnectionError: the answer was refused or broke off.
        """
        request = self._request(said, headers, before)
        start = time.monotonic_ns()
        self._wire.sendall(request)
        return self._timed(start)

    def step_through(
        self, said: str, headers: Mapping[str, str], *, chunks: int, at_first: Callable[[], float]
    ) -> float:
        """Ask for a streamed answer of which each chunk leaves upstream when the one before has arrived here.

        Returns:
            What `at_first` returned when the first chunk had arrived.

        Raises:
            ConnectionError: the answer broke off.
        """
        with socket.create_server(("127.0.0.1", 0)) as steps:
            steps.settimeout(_PATIENCE_S)
            port = steps.getsockname()[1]
            stepped = {**headers, "x-bench-chunks": str(chunks), "x-bench-steps": str(port)}
            self._wire.sendall(self._request(said, stepped, ()))
            acknowledge, _ = steps.accept()
            with acknowledge:
                received, seen, first = b"", 0, 0.0
                while not received.endswith(_END):
                    received += self._more()
                    arrived = received.count(b'"at": ')
                    first = at_first() if arrived and not seen else first
                    acknowledge.sendall(b"." * min(arrived - seen, chunks - seen))
                    seen = arrived
                return first

    def _request(self, said: str, headers: Mapping[str, str] | None, before: Sequence[Mapping[str, str]]) -> bytes:
        messages = [*self._format.opening, *before, {"role": "user", "content": said}]
        fields = {"model": "bench", "stream": True, "max_tokens": 100, self._format.messages: messages}
        body = json.dumps(fields).encode()
        return self._head("POST", self._format.path, len(body), headers) + body

    def ping_ms(self) -> float:
        """Time one `GET /healthz`.

        Raises:
            ConnectionError: it was not answered well.
        """
        start = time.monotonic_ns()
        self._wire.sendall(self._head("GET", "/healthz", 0, None))
        received = b""
        while not received.endswith(b"}"):
            received += self._more()
        if not received.startswith(b"HTTP/1.1 200"):
            raise ConnectionError(f"not healthy: {received[:200]!r}")
        return (time.monotonic_ns() - start) / 1e6

    def _head(self, method: str, path: str, length: int, more: Mapping[str, str] | None) -> bytes:
        named = {"host": f"127.0.0.1:{self._port}", "content-type": "application/json", "content-length": str(length)}
        named |= self._headers | dict(more or {})
        return (f"{method} {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in named.items()) + "\r\n").encode()

    def _more(self) -> bytes:
        received = self._wire.recv(1 << 16)
        if not received:
            raise ConnectionError("the answer broke off")
        return received

    def _timed(self, start: int) -> Timing:
        received = bytearray()
        seen = 0
        stamps: list[tuple[int, int]] = []
        done = 0
        while not received.endswith(_END):
            received += self._more()
            now = time.monotonic_ns()
            for found in _STAMP.finditer(received, seen):
                stamps.append((int(found[1]), now))
                seen = found.end()
            if not done and self._format.done in received:
                done = now
        if not received.startswith(b"HTTP/1.1 200") or not done:
            raise ConnectionError(f"not a whole answer: {bytes(received[:300])!r}")
        *chunks, (finished, _) = stamps
        return Timing(
            first_ms=(chunks[0][1] - start) / 1e6,
            chunks_ms=tuple((came - left) / 1e6 for left, came in chunks),
            done_ms=(done - finished) / 1e6,
            total_ms=(now - start) / 1e6,
        )
