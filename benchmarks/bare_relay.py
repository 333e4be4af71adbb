"""A relay that copies bytes and reads none: the least that a proxy in Python can cost. Opens a port on loopback.

`python -m benchmarks.bare_relay UPSTREAM_PORT` prints its port and serves until its standard input ends.
"""

import asyncio
import sys

_PART_BYTES = 1 << 16


class BareRelay:
    """Connects each client to the upstream."""

    def __init__(self, upstream: int) -> None:
        """Take the upstream's port."""
        self._upstream = upstream

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until both sides have ended."""
        there, back = await asyncio.open_connection("127.0.0.1", self._upstream)
        await asyncio.gather(_copy(reader, back), _copy(there, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while part := await reader.read(_PART_BYTES):
            writer.write(part)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


async def main(upstream: int) -> None:
    """Serve until standard input ends."""
    served = await asyncio.start_server(BareRelay(upstream).serve, "127.0.0.1", 0)
    print(served.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    served.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
