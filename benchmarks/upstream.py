"""An upstream that streams 20 chunks at a fixed pace and writes into each when it left. Opens a port on loopback.

`python -m benchmarks.upstream PACE_MS` prints its port and serves until its standard input ends.
"""

import asyncio
import json
import sys
import time

CHUNKS = 20
"""Chunks with words; a finish chunk and `[DONE]` follow them at once."""


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
                await reader.readexactly(_length(head))
                await self._answer(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        loop = asyncio.get_running_loop()
        start = loop.time()
        for number in range(CHUNKS):
            await asyncio.sleep(start + number * self._pace_s - loop.time())
            writer.write(_chunk(event(f"word{number} ")))
        writer.write(_chunk(event("", "stop")))
        writer.write(_chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
        await writer.drain()


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    return 0


async def main(pace_ms: float) -> None:
    """Serve until standard input ends."""
    served = await asyncio.start_server(Upstream(pace_ms / 1000).serve, "127.0.0.1", 0)
    print(served.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    served.close()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
