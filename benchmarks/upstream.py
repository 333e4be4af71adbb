"""An upstream that streams chunks at a fixed pace and writes into each when it left. Opens a port on loopback.

A request's header `x-bench-chunks` chooses another number; with `x-bench-steps: PORT` each chunk waits until the client
has acknowledged the one before with a byte on that port, so that no two of them are relayed at once.
`python -m benchmarks.upstream PACE_MS` prints its port and serves until its standard input ends.
"""

import asyncio
import itertools
import sys
from collections.abc import AsyncIterator

from benchmarks.formats import CHAT, FORMATS, Format

CHUNKS = 20
"""Chunks with words, unless a request names another number; what ends the answer follows them at once."""
_FORMATS = {wire.path: wire for wire in FORMATS.values()}


class Upstream:
    """Answers every request with the same stream, in the format of its path."""

    def __init__(self, pace_s: float) -> None:
        """Take the time between two chunks."""
        self._pace_s = pace_s

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it ends."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(int(_value(head, b"content-length") or 0))
                pace = _paced(self._pace_s)
                if port := _value(head, b"x-bench-steps"):
                    pace = _stepped(int(port))
                chunks = int(_value(head, b"x-bench-chunks") or CHUNKS)
                await self._answer(writer, _FORMATS.get(head.split(b" ", 2)[1].decode(), CHAT), chunks, pace)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, wire: Format, chunks: int, pace: AsyncIterator[None]) -> None:
        kind = wire.content_type
        writer.write(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode())
        if wire.begin:
            writer.write(_chunk(wire.begin))
        for number in range(chunks):
            await anext(pace)
            writer.write(_chunk(wire.said(f"word{number} ")))
        writer.write(_chunk(wire.finished()) + b"0\r\n\r\n")
        await writer.drain()


async def _paced(pace_s: float) -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()
    start = loop.time()
    for number in itertools.count():
        await asyncio.sleep(start + number * pace_s - loop.time())
        yield


async def _stepped(port: int) -> AsyncIterator[None]:
    acknowledged, answer = await asyncio.open_connection("127.0.0.1", port)
    try:
        while True:
            yield
            await acknowledged.readexactly(1)
    finally:
        answer.close()


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def _value(head: bytes, header: bytes) -> bytes | None:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == header:
            return value.strip()
    return None


async def main(pace_ms: float) -> None:
    """Serve until standard input ends."""
    served = await asyncio.start_server(Upstream(pace_ms / 1000).serve, "127.0.0.1", 0)
    print(served.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    served.close()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
