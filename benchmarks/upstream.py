"""An upstream that streams chunks at a fixed pace and writes into each when it left. Opens a port on loopback.

A request's header `x-bench-chunks` chooses another number; with `x-bench-steps: PORT` each chunk waits until the client
has acknowledged the one before with a byte on that port, so that no two of them are relayed at once.
`python -m benchmarks.upstream PACE_MS` prints its port and serves until its standard input ends.
"""

import asyncio
import itertools
import json
import sys
import time
from collections.abc import AsyncIterator

CHUNKS = 20
"""Chunks with words, unless a request names another number; a finish chunk and `[DONE]` follow them at once."""


def event(text: str, finish: str | None = None) -> bytes:
    """Write one event, stamped with the machine's monotonic clock, which its processes share."""
    delta = {"content": text} if text else {}
    data = {
        "id": "chatcmpl-bench",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "bench",
        "at": time.monotonic_ns(),
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return b"data: " + json.dumps(data).encode() + b"\n\n"


class Upstream:
    """Answers every request with the same stream."""

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
                await self._answer(writer, int(_value(head, b"x-bench-chunks") or CHUNKS), pace)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, chunks: int, pace: AsyncIterator[None]) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        for number in range(chunks):
            await anext(pace)
            writer.write(_chunk(event(f"word{number} ")))
        writer.write(_chunk(event("", "stop")))
        writer.write(_chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
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
