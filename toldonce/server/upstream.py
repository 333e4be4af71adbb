"""What answers of the configured API are, how they fail, and how long they may take. Pure."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from toldonce.server.asgi import Headers


class UpstreamError(ConnectionError):
    """Upstream did not answer, so that nothing has been sent to the client."""

    def __init__(self, message: str, *, timed_out: bool) -> None:
        super().__init__(message)
        self.timed_out = timed_out


class UpstreamBrokenError(ConnectionError):
    """Upstream's answer broke off."""


class BackendResponse(Protocol):
    """An answer whose headers have arrived and whose body is still to be read."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Headers:
        """All headers as they came."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives.

        Raises:
            UpstreamBrokenError: The body broke off, stalled or took too long.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Time limits in seconds."""

    connect_s: float
    first_byte_s: float
    idle_s: float
    total_s: float


async def read_up_to(chunks: AsyncIterator[bytes], limit: int) -> tuple[bytes, bool]:
    """Read a body until it ends, or exceeds `limit` bytes; return what was read, and whether it has ended.

    Raises:
        UpstreamBrokenError: The body broke off.
    """
    read: list[bytes] = []
    size = 0
    async for chunk in chunks:
        read.append(chunk)
        size += len(chunk)
        if size > limit:
            return b"".join(read), False
    return b"".join(read), True
