"""`memory.transfer` over HTTP: files are sent and received piece by piece. Asks one server; reads and writes files."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, BinaryIO

from toldonce.engine.results import NO_PROGRESS
from toldonce.engine.transfer import TransferReport, TransferService
from toldonce.errors import ServerUnreachableError
from toldonce.remote import values
from toldonce.remote.client import LONG_TIMEOUT_S, Call
from toldonce.remote.over_http import RemoteService
from toldonce.remote.progress import last_line
from toldonce.types import ProgressReporter, Subject

# Bytes of a file that are in memory at a time.
_PIECE_BYTES = 256 * 1024


class RemoteTransferService(RemoteService, TransferService):
    """Export and import."""

    async def export_to(self, file: BinaryIO, *, user: str | Subject | None = None, everybody: bool = False) -> int:
        """Export a user, or everybody with an operator's key: see `TransferService.export_to`."""
        path = "/v1/export" if everybody else self._client.path(user, "export")
        lines, waiting = 0, bytearray()
        try:
            async for part in self._client.stream(Call(method="GET", path=path)):
                lines += part.count(b"\n")
                waiting += part
                if len(waiting) >= _PIECE_BYTES:
                    await asyncio.to_thread(file.write, bytes(waiting))
                    waiting.clear()
        except ServerUnreachableError as error:
            raise ServerUnreachableError(f"{error}: the file is incomplete", is_sent=error.is_sent) from None
        await asyncio.to_thread(file.write, bytes(waiting))
        return lines

    async def import_from(
        self,
        file: BinaryIO,
        *,
        progress: ProgressReporter = NO_PROGRESS,
        only_missing: bool = False,
        trusted: bool = False,
    ) -> TransferReport:
        """Import a file; this needs an operator's key. See `TransferService.import_from`.

        The file is read once. It is not sent a second time: after a failure, `only_missing` resumes.
        """
        call = Call(
            method="POST",
            path="/v1/import/progress",
            query={"only_missing": only_missing, "trusted": trusted},
            timeout_s=LONG_TIMEOUT_S,
        )

        def say(line: dict[str, Any]) -> None:
            if "phase" in line:
                progress.begin(line["phase"], line["unit"], line["total"])
            else:
                progress.reach(line["done"])

        answer = self._client.stream(call, lambda: _pieces(file))
        return values.read(TransferReport, (await last_line(answer, say, call))["report"])


async def _pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    """Read a file from its beginning."""
    await asyncio.to_thread(file.seek, 0)
    while piece := await asyncio.to_thread(file.read, _PIECE_BYTES):
        yield piece
