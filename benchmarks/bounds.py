"""What hostile clients and upstreams cost a server: memory, stalls, descriptors, log. Starts processes."""

import json
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.postgres_server import QUICK as QUICK_POSTGRES
from benchmarks.postgres_server import PostgresServer, programs
from benchmarks.processes import Running, child, get, peak_rss_mb, server
from benchmarks.progress import steps
from benchmarks.rows import Row

MB = 1_000_000
PATIENCE_S = 120.0
PING_EVERY_S = 0.01
DESCRIPTORS = 1024
"""Of the server that many connections are opened to: what most systems give a process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is sent."""

    body_mb: int
    stream_mb: int
    whole_mb: int
    idle: int
    """Connections that say nothing."""
    slow: int
    """Connections whose heads never end."""
    readers: int
    """Clients that read nothing of their answers."""
    unread_mb: int
    """Of each such answer."""
    watch_s: float
    """How long connections are held."""


FULL = Sizes(body_mb=60, stream_mb=600, whole_mb=300, idle=2500, slow=300, readers=20, unread_mb=100, watch_s=30)
QUICK = Sizes(body_mb=2, stream_mb=20, whole_mb=10, idle=50, slow=10, readers=3, unread_mb=10, watch_s=1)


def run(quick: bool) -> list[Row]:
    """Measure each attack on a server of its own."""
    sizes = QUICK if quick else FULL
    attacks: tuple[Callable[[Sizes], list[Row]], ...] = (
        _large_body,
        _large_stream,
        _large_answer,
        _unread_answers,
        _slow_heads,
        _idle_connections,
        _frozen_database,
    )
    return [row for attack in steps("bounds: attacks", attacks) for row in attack(sizes)]


@dataclass(slots=True)
class Watch:
    """The longest answer of `/livez` meanwhile."""

    longest_ms: float = 0.0
    unanswered: int = 0
    _ended: threading.Event = field(default_factory=threading.Event)

    def watch(self, port: int) -> None:
        """Ask every 10 ms until it is ended."""
        while not self._ended.wait(PING_EVERY_S):
            start = time.perf_counter()
            try:
                get(port, "/livez")
            except (OSError, ValueError):
                self.unanswered += 1
            self.longest_ms = max(self.longest_ms, (time.perf_counter() - start) * 1000)

    def end(self) -> None:
        """Stop asking."""
        self._ended.set()


@dataclass(frozen=True, slots=True)
class Attacked:
    """A server under attack."""

    running: Running
    folder: Path
    watch: Watch
    before_mb: float

    def memory(self, name: str, note: str = "") -> Row:
        """Return by how much the peak exceeds the memory before."""
        peak = peak_rss_mb(self.running.pid) or 0.0
        return Row(name=f"{name}: peak memory above idle", value=peak - self.before_mb, unit="MB", note=note)

    def stall(self, name: str) -> Row:
        """Return the longest wait for an answer of `/livez`."""
        note = f"{self.watch.unanswered} not answered" if self.watch.unanswered else ""
        return Row(name=f"{name}: longest answer of /livez", value=self.watch.longest_ms, unit="ms", note=note)

    def log_kb(self, name: str) -> Row:
        """Return the size of the log."""
        return Row(name=f"{name}: log", value=(self.folder / "server.log").stat().st_size / 1000, unit="kB")


@contextmanager
def _attacked(*, descriptors: int | None = None, **settings: object) -> Iterator[Attacked]:
    with TemporaryDirectory(prefix="toldonce-bench-") as name, child("benchmarks.flood") as upstream:
        folder = Path(name)
        url = f"http://127.0.0.1:{upstream}/v1"
        with server(folder, descriptors=descriptors, UPSTREAM_URL=url, **settings) as running:
            _send(running.port, _chat("warm up"), {"x-bench-bytes": "20000"})
            watch = Watch()
            watching = threading.Thread(target=watch.watch, args=(running.port,))
            watching.start()
            try:
                yield Attacked(running, folder, watch, peak_rss_mb(running.pid) or 0.0)
            finally:
                watch.end()
                watching.join()


def _large_body(sizes: Sizes) -> list[Row]:
    name = f"a body of {sizes.body_mb} MB of words"
    with _attacked() as attacked:
        _send(attacked.running.port, _chat("many words " * (sizes.body_mb * MB // 11)), {})
        return [attacked.memory(name), attacked.stall(name)]


def _large_stream(sizes: Sizes) -> list[Row]:
    name = f"a stream of {sizes.stream_mb} MB"
    with _attacked() as attacked:
        _send(attacked.running.port, _chat("go on", stream=True), {"x-bench-bytes": str(sizes.stream_mb * MB)})
        return [attacked.memory(name), attacked.stall(name), _stored(attacked.folder, name)]


def _large_answer(sizes: Sizes) -> list[Row]:
    name = f"an answer of {sizes.whole_mb} MB"
    with _attacked() as attacked:
        headers = {"x-bench-bytes": str(sizes.whole_mb * MB), "x-bench-whole": "1"}
        _send(attacked.running.port, _chat("go on"), headers)
        return [attacked.memory(name), attacked.stall(name), _stored(attacked.folder, name)]


def _unread_answers(sizes: Sizes) -> list[Row]:
    name = f"{sizes.readers} clients that read nothing of {sizes.unread_mb} MB"
    rows = []
    for kind in ("streamed", "whole"):
        headers = {"x-bench-bytes": str(sizes.unread_mb * MB)} | ({"x-bench-whole": "1"} if kind == "whole" else {})
        with _attacked() as attacked:
            body = _chat("go on", stream=kind == "streamed")
            wires = [_open(attacked.running.port, body, headers) for _ in range(sizes.readers)]
            time.sleep(sizes.watch_s)
            rows += [attacked.memory(f"{name}, {kind}"), attacked.stall(f"{name}, {kind}")]
            for wire in wires:
                wire.close()
    return rows


def _slow_heads(sizes: Sizes) -> list[Row]:
    name = f"{sizes.slow} heads that never end"
    with _attacked() as attacked:
        wires = [socket.create_connection(("127.0.0.1", attacked.running.port)) for _ in range(sizes.slow)]
        for line in (b"GET /livez HTTP/1.1\r\n", *[b"x: y\r\n"] * max(1, int(sizes.watch_s))):
            for wire in wires:
                with suppress(OSError):
                    wire.sendall(line)
            time.sleep(1)
        still = sum(map(_is_open, wires))
        return [Row(name=f"{name}: still open after {sizes.watch_s:g} s", value=still, unit=""), attacked.stall(name)]


def _idle_connections(sizes: Sizes) -> list[Row]:
    name = f"{sizes.idle} idle connections, {DESCRIPTORS} descriptors"
    with _attacked(descriptors=DESCRIPTORS) as attacked:
        wires = [socket.create_connection(("127.0.0.1", attacked.running.port)) for _ in range(sizes.idle)]
        time.sleep(min(10.0, sizes.watch_s))
        rows = [attacked.memory(name), attacked.stall(name), attacked.log_kb(name)]
        for wire in wires:
            wire.close()
        return rows


def _frozen_database(sizes: Sizes) -> list[Row]:
    """Chats and reads by REST while all processes of PostgreSQL are stopped."""
    name = f"PostgreSQL stopped, {sizes.readers} chats and as many reads"
    if programs() is None:
        return []
    database = PostgresServer(QUICK_POSTGRES)
    database.start()
    try:
        with _attacked(DATABASE_URL=database.new_database("frozen")) as attacked:
            port = attacked.running.port
            asking = [threading.Thread(target=_send, args=(port, _chat("go on"), {})) for _ in range(sizes.readers)]
            asking += [threading.Thread(target=_read_memories, args=(port,)) for _ in range(sizes.readers)]
            with database.frozen():
                for thread in asking:
                    thread.start()
                time.sleep(sizes.watch_s)
            for thread in asking:
                thread.join(PATIENCE_S)
            return [attacked.memory(name), attacked.stall(name)]
    finally:
        database.remove()


def _read_memories(port: int) -> None:
    with suppress(OSError, ValueError):
        get(port, "/v1/subjects/me/memories")


def _stored(folder: Path, name: str) -> Row:
    with closing(sqlite3.connect(folder / "toldonce.sqlite3")) as database:
        [longest] = database.execute("SELECT coalesce(max(length(text)), 0) FROM message").fetchone()
    return Row(name=f"{name}: longest recorded message", value=longest / 1e6, unit="MB")


def _chat(said: str, **more: object) -> bytes:
    return json.dumps({"model": "bench", "messages": [{"role": "user", "content": said}], **more}).encode()


def _open(port: int, body: bytes, headers: Mapping[str, str]) -> socket.socket:
    """Send a chat and leave its answer unread."""
    wire = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
    named = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n{named}"
    with suppress(ConnectionError):
        wire.sendall(head.encode() + b"content-type: application/json\r\nconnection: close\r\n\r\n" + body)
    return wire


def _send(port: int, body: bytes, headers: Mapping[str, str]) -> None:
    """Send a chat and read its answer to the end."""
    with closing(_open(port, body, headers)) as wire, suppress(ConnectionError):
        while wire.recv(1 << 20):
            pass


def _is_open(wire: socket.socket) -> bool:
    wire.setblocking(False)
    try:
        while wire.recv(1 << 16):
            pass
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
