"""An export as a stream: the thread that writes it waits for the client that reads it. Threads."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from io import RawIOBase
from typing import BinaryIO, cast

from toldonce.errors import ToldOnceError

# Bytes handed over at a time, and pieces that wait for the client: so much of an export is in memory.
_MAX_PIECE_BYTES = 64 * 1024
_MAX_PIECES = 8
# How long a thread that still writes may take to notice that the client is gone, until it is looked for again.
_WAIT_S = 0.05


class _Outlet(RawIOBase):
    """The file that a thread writes; its pieces wait in a queue for the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self.pieces: asyncio.Queue[bytes | None] = asyncio.Queue(_MAX_PIECES)
        self.is_abandoned = False
        self._loop = loop
        self._parts: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        """Return that it is."""
        return True

    def write(self, data: object) -> int:
        """Take bytes, and wait while the client has enough to read.

        Raises:
            BrokenPipeError: The client is gone.
        """
        if self.is_abandoned:
            raise BrokenPipeError("the client of the export is gone")
        written = bytes(data)  # type: ignore[call-overload]  # any buffer
        self._parts.append(written)
        self._size += len(written)
        if self._size >= _MAX_PIECE_BYTES:
            asyncio.run_coroutine_threadsafe(self.pieces.put(self.rest()), self._loop).result()
        return len(written)

    def rest(self) -> bytes:
        """Return what was written and not yet handed over."""
        piece = b"".join(self._parts)
        self._parts, self._size = [], 0
        return piece


async def export_stream(write: Callable[[BinaryIO], Awaitable[object]]) -> AsyncGenerator[bytes, None]:
    """Begin an export; return its pieces once the first one is there.

    Args:
        write: Writes the export into a file, from a thread.

    Raises:
        ToldOnceError: The export could not begin. One that fails later ends the iterator with its error.
    """
    outlet = _Outlet(asyncio.get_running_loop())

    async def produce() -> None:
        try:
            await write(cast("BinaryIO", outlet))
            await outlet.pieces.put(outlet.rest())
        finally:
            await outlet.pieces.put(None)

    writing = asyncio.create_task(produce())
    first = await outlet.pieces.get()
    if first is None:
        await writing
    return _pieces(outlet, writing, first)


async def _pieces(outlet: _Outlet, writing: asyncio.Task[None], first: bytes | None) -> AsyncGenerator[bytes, None]:
    piece = first
    try:
        while piece is not None:
            yield piece
            piece = await outlet.pieces.get()
        await writing
    finally:
        outlet.is_abandoned = True
        while not writing.done():
            while not outlet.pieces.empty():
                outlet.pieces.get_nowait()
            await asyncio.wait([writing], timeout=_WAIT_S)
        with suppress(ToldOnceError, BrokenPipeError):
            writing.result()
