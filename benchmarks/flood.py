"""An upstream that sends far too much, as fast as it is taken. Opens a port on loopback.

A request's header `x-bench-bytes` says how many bytes of words the answer has; `x-bench-whole: 1` asks for one JSON
object instead of a stream. `python -m benchmarks.flood` prints its port and serves until its standard input ends.
"""

import asyncio
import json
import sys
from collections.abc import Iterator

_PIECE = ("word " * 205)[:1024]
_ROWS = 16
"""Events or pieces written at once."""


def event(text: str, finish: str | None = None) -> bytes:
    """Write one event of a stream."""
    delta = {"content": text} if text else {}
    return (
        b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}).encode() + b"\n\n"
    )


def parts(size: int, *, whole: bool) -> Iterator[bytes]:
    """Yield an answer with `size` bytes of words."""
    rounds = size // (_ROWS * len(_PIECE))
    if whole:
        yield b'{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "'
        yield from (_PIECE.encode() * _ROWS for _ in range(rounds))
        yield b'"}}]}'
    else:
        yield from (event(_PIECE) * _ROWS for _ in range(rounds))
        yield event("", "stop") + b"data: [DONE]\n\n"


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve one connection until it ends."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            left = int(_value(head, b"content-length") or 0)
            while left:
                left -= len(await reader.read(min(left, 1 << 20)))
            whole = _value(head, b"x-bench-whole") is not None
            kind = b"application/json" if whole else b"text/event-stream"
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ntransfer-encoding: chunked\r\n\r\n" % kind)
            for part in parts(int(_value(head, b"x-bench-bytes") or 0), whole=whole):
                writer.write(b"%x\r\n%s\r\n" % (len(part), part))
                await writer.drain()
            writer.write(b"0\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def _value(head: bytes, header: bytes) -> bytes | None:
    lines = (line.partition(b":") for line in head.split(b"\r\n"))
    return next((value.strip() for name, _, value in lines if name.strip().lower() == header), None)


async def main() -> None:
    """Serve until standard input ends."""
    served = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(served.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    served.close()


if __name__ == "__main__":
    asyncio.run(main())
