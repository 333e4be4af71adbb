"""Read the body of an answer part by part, with one family of errors for all ways in which it breaks off."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp


async def read_part(content: "aiohttp.StreamReader", max_bytes: int) -> bytes:
    """Read what has arrived, and wait where that is nothing; empty at the end.

    Raises:
        aiohttp.ClientError: The answer broke off. Where the connection closed between two reads, aiohttp itself raises
            a RuntimeError (`StreamReader._wait` in 3.14).
    """
    try:
        return await content.read(max_bytes)
    except RuntimeError as error:
        from aiohttp import ClientConnectionError

        raise ClientConnectionError(str(error)) from error


async def read_parts(content: "aiohttp.StreamReader", max_bytes: int) -> AsyncIterator[bytes]:
    """Read until the end, in parts of at most so many bytes.

    Raises:
        aiohttp.ClientError: See `read_part`.
    """
    while part := await read_part(content, max_bytes):
        yield part
