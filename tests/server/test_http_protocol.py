"""Requests that a client sends before it has the previous answer, to uvicorn with our protocol. Opens a port."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import pytest
import uvicorn

from patience import PATIENCE_S
from toldonce.server import http_protocol
from toldonce.server.asgi import Receive, Scope, Send
from toldonce.server.connection_table import ConnectionTable
from toldonce.server.http_protocol import HttpProtocol
from toldonce.settings.bounds import BoundSettings

FIRST = b"GET /first HTTP/1.1\r\nhost: x\r\n\r\n"
CHUNKED = b"POST /second HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
BROKEN_CHUNK = b"zz\r\n"
DOT = b"1\r\n.\r\n"
MANY = 5000
UPGRADE_IMPORT = """
import asyncio, sys, threading
from toldonce.server.http_server import serve
from toldonce.settings import Settings

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "uvicorn.protocols.http.h11_impl":
            print("imported in", "the loop" if threading.current_thread() is threading.main_thread() else "a thread")
            loop.call_soon_threadsafe(stop.set)

async def main():
    global loop
    loop = asyncio.get_running_loop()
    await serve(Settings(database_url=sys.argv[1], port=0, worker="off"), say=lambda line: None, stop=stop)

stop = asyncio.Event()
sys.meta_path.insert(0, Finder())
asyncio.run(asyncio.wait_for(main(), 600))
"""


@dataclass
class StreamingApp:
    """Answers with the path and the body's length; to `/first` with dots before, until it is `released`."""

    released: asyncio.Event = field(default_factory=asyncio.Event)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        length = 0
        while (message := await receive())["type"] == "http.request":
            length += len(message["body"])
            if not message["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})
        path = scope["path"].encode()
        if path == b"/first":
            watching = asyncio.create_task(self._watch(receive))
            await send({"type": "http.response.body", "body": b"begun", "more_body": True})
            while not self.released.is_set():
                await send({"type": "http.response.body", "body": b".", "more_body": True})
                await asyncio.sleep(0.001)
            watching.cancel()
        await send({"type": "http.response.body", "body": path + (b" %d" % length if length else b"")})

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.hung_up.set()
        self.released.set()


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection of a client, seen from both ends."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    protocol: HttpProtocol

    async def until(self, end: bytes) -> bytes:
        """Read up to `end`."""
        return await asyncio.wait_for(self.reader.readuntil(end), PATIENCE_S)

    async def remainder(self) -> bytes:
        """Read until the server closes the connection; the dots of an answer that waits are left out."""
        received = await asyncio.wait_for(self.reader.read(), PATIENCE_S)
        return received.replace(DOT, b"")


async def wait_until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110 - uvicorn offers no event
            await asyncio.sleep(0.01)


@asynccontextmanager
async def connected(app: StreamingApp, **limits: int) -> AsyncIterator[Connection]:
    table = ConnectionTable(BoundSettings.model_construct(None, **limits))
    http = partial(HttpProtocol, table=table)
    config = uvicorn.Config(app, http=http, port=0, log_config=None, lifespan="off", access_log=False)  # type: ignore[arg-type]
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    await wait_until(lambda: server.started)
    reader, writer = await asyncio.open_connection(*server.servers[0].sockets[0].getsockname())
    await wait_until(lambda: bool(server.server_state.connections))
    [protocol] = server.server_state.connections
    assert isinstance(protocol, HttpProtocol)
    try:
        yield Connection(reader, writer, protocol)
    finally:
        app.released.set()
        writer.close()
        server.should_exit = True
        await serving


@pytest.fixture
async def app() -> StreamingApp:
    return StreamingApp()


async def test_a_body_that_breaks_during_the_previous_answer_is_refused_after_it(app: StreamingApp) -> None:
    async with connected(app) as connection:
        connection.writer.write(FIRST + CHUNKED)
        await connection.until(b"begun\r\n")
        connection.writer.write(BROKEN_CHUNK)
        await asyncio.sleep(0.1)
        app.released.set()

        received = await connection.remainder()

    assert received.startswith(b"6\r\n/first\r\n0\r\n\r\nHTTP/1.1 400 ")


@pytest.mark.parametrize("parts", [[FIRST + CHUNKED + BROKEN_CHUNK], [FIRST, CHUNKED + BROKEN_CHUNK]])
async def test_a_broken_queued_request_ends_the_connection_after_the_answer(
    app: StreamingApp, parts: list[bytes]
) -> None:
    async with connected(app) as connection:
        for part in parts:
            connection.writer.write(part)
            await (connection.until(b"begun\r\n") if part is parts[0] else asyncio.sleep(0.1))
        app.released.set()

        assert await connection.remainder() == b"6\r\n/first\r\n0\r\n\r\n"


async def test_requests_beyond_a_few_are_not_read_until_those_are_answered(app: StreamingApp) -> None:
    async with connected(app) as connection:
        connection.writer.write(FIRST)
        await connection.until(b"begun\r\n")
        requests = [b"GET /%d HTTP/1.1\r\nhost: x\r\n\r\n" % number for number in range(MANY)]
        connection.writer.write(b"".join(requests))
        connection.writer.write(b"GET /last HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        await wait_until(lambda: bool(connection.protocol.pipeline))
        await asyncio.sleep(0.1)
        queued, is_reading = len(connection.protocol.pipeline), connection.protocol.transport.is_reading()
        app.released.set()

        received = await connection.remainder()

    assert queued < 200
    assert not is_reading
    answered = re.findall(rb"\r\n/(\w+)\r\n0\r\n\r\n", received)
    assert answered == [b"first", *[b"%d" % number for number in range(MANY)], b"last"]


async def test_a_large_body_of_a_queued_request_arrives_whole(app: StreamingApp) -> None:
    async with connected(app) as connection:
        connection.writer.write(FIRST)
        await connection.until(b"begun\r\n")
        body = b"x" * 2_000_000
        connection.writer.write(b"POST /second HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        connection.writer.write(b"GET /last HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        await wait_until(lambda: bool(connection.protocol.pipeline))
        app.released.set()

        received = await connection.remainder()

    assert re.findall(rb"\r\n(/[\w ]+)\r\n0\r\n\r\n", received) == [b"/first", b"/second 2000000", b"/last"]


@pytest.mark.parametrize("head", ["content-length: 3000", "transfer-encoding: chunked"])
@pytest.mark.parametrize(
    ("path", "limits", "answer"),
    [
        ("/v1/import", {"max_body_bytes": 1024}, b"/v1/import 3000"),
        ("/dashboard/subjects/user:ana/import", {"max_body_bytes": 1024}, b"/dashboard/subjects/user:ana/import 3000"),
        ("/v1/import", {"max_import_bytes": 2048}, b"raise TOLDONCE_MAX_IMPORT_BYTES"),
        ("/v1/chat/completions", {"max_body_bytes": 2048}, b"raise TOLDONCE_MAX_BODY_BYTES"),
    ],
)
async def test_a_file_that_is_imported_has_a_limit_of_its_own(
    app: StreamingApp, head: str, path: str, limits: dict[str, int], answer: bytes
) -> None:
    body = b"x" * 3000
    if head.endswith("chunked"):
        body = b"bb8\r\n" + body + b"\r\n0\r\n\r\n"
    async with connected(app, **limits) as connection:
        connection.writer.write(
            f"POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{head}\r\n\r\n".encode() + body
        )
        assert answer in await connection.reader.read()


@pytest.mark.parametrize(("size", "times"), [(1000, 0), (2_000_000, 1)])
async def test_memory_goes_back_to_the_system_after_a_large_body(
    app: StreamingApp, monkeypatch: pytest.MonkeyPatch, size: int, times: int
) -> None:
    freed: list[int] = []
    monkeypatch.setattr(http_protocol, "_FREED_AFTER_S", 0)
    monkeypatch.setattr(http_protocol, "return_freed_memory", lambda: freed.append(size))
    async with connected(app) as connection:
        head = b"POST /second HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % size
        connection.writer.write(head + b"x" * size)
        await connection.until(b"0\r\n\r\n")
        connection.writer.write(b"GET /last HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        await connection.remainder()
        if times:
            await wait_until(lambda: bool(freed))
    assert freed == [size] * times


async def test_memory_goes_back_while_the_loop_is_ending(app: StreamingApp, monkeypatch: pytest.MonkeyPatch) -> None:
    loop, freed = asyncio.get_running_loop(), list[int]()
    monkeypatch.setattr(http_protocol, "_FREED_AFTER_S", 0)
    monkeypatch.setattr(http_protocol, "return_freed_memory", lambda: freed.append(1))
    errors: list[object] = []
    loop.set_exception_handler(lambda _, context: errors.append(context))
    await loop.shutdown_default_executor()
    async with connected(app) as connection:
        connection.writer.write(
            b"POST /second HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2000000\r\n\r\n"
            + b"x" * 2_000_000
        )
        await connection.remainder()
        await wait_until(lambda: bool(freed or errors))
    assert (freed, errors) == ([1], [])


async def test_a_client_that_hangs_up_with_requests_queued_is_noticed(app: StreamingApp) -> None:
    async with connected(app) as connection:
        connection.writer.write(FIRST + CHUNKED)
        await connection.until(b"begun\r\n")
        connection.writer.transport.abort()

        await asyncio.wait_for(app.hung_up.wait(), PATIENCE_S)
