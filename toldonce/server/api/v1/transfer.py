"""Export and import as streams of JSON lines over HTTP. Serves through the engine, with threads and temporary files."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import ExitStack, suppress
from io import RawIOBase
from tempfile import TemporaryFile
from typing import BinaryIO, Literal, cast
from zoneinfo import ZoneInfo

from pydantic import Field

from toldonce.engine.markdown_export import export_markdown
from toldonce.errors import ToldOnceError
from toldonce.server.api.v1.fields import Answer, UrlQuery
from toldonce.server.api.v1.operation import MARKDOWN, ResourceOperation, ResourceReply, ResourceRequest
from toldonce.server.api.v1.progress_stream import ProgressLine, progress_stream
from toldonce.server.asgi import BodyTooLargeError, ClientDisconnectedError, Receive
from toldonce.types import Subject

# Bytes of a body that are gathered before a thread writes them.
_MAX_BUFFERED_BYTES = 1024 * 1024


class ImportQuery(UrlQuery):
    """How a file is imported."""

    only_missing: bool = Field(default=False, description="Skip subjects that the database has already.")
    trusted: bool = Field(
        default=False, description="The file is your own, and no one else could write to it: import it as it is."
    )


class ExportQuery(UrlQuery):
    """What an export looks like."""

    format: Literal["jsonl", "markdown"] = Field(
        default="jsonl", description="`markdown`: what is known, as a document to read."
    )


class TransferAnswer(Answer):
    """What was imported."""

    subjects: int
    conversations: int
    messages: int
    memories: int
    present: int = Field(description="Subjects that the database had already; they were left as they are.")
    held: int = Field(description="Memories that wait for review.")
    set_aside: int = Field(description="Quotations and summaries that were closed, because they give orders.")


class ImportLine(ProgressLine):
    """One line of the answer: how far it is, or what was imported."""

    report: TransferAnswer | None = None


async def _export_subject(request: ResourceRequest) -> ResourceReply:
    return await _exported(request, user=request.target)


async def _export_all(request: ResourceRequest) -> ResourceReply:
    return await _exported(request, everybody=True)


async def _exported(request: ResourceRequest, *, user: Subject | None = None, everybody: bool = False) -> ResourceReply:
    engine = request.engine
    if request.query_as(ExportQuery).format == "jsonl":
        export_to = engine.transfer.export_to
        return ResourceReply(stream=await export_stream(lambda file: export_to(file, user=user, everybody=everybody)))
    now, zone = engine.clock.now(), ZoneInfo(engine.settings.time_zone)
    stream = await export_stream(
        lambda file: export_markdown(engine, file, user=user, everybody=everybody, at=now, zone=zone)
    )
    return ResourceReply(stream=stream, headers={"Content-Type": MARKDOWN})


async def _import(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(ImportQuery)
    if request.receive is None:
        raise TypeError("the operation does not declare that its body is a stream")
    with TemporaryFile() as file:
        await save_body(request.receive, file, max_bytes=request.max_stream_bytes)
        report = await request.engine.transfer.import_from(file, only_missing=query.only_missing, trusted=query.trusted)
    return ResourceReply(answer=TransferAnswer.of(report, request.requester), count=report.subjects)


class _SaidProgress:
    """Says how far an import is, as lines of a stream."""

    def __init__(self, say: Callable[[ProgressLine], None]) -> None:
        self._say = say

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Say that a phase begins."""
        self._say(ProgressLine(phase=phase, unit=unit, total=total))

    def reach(self, done: int) -> None:
        """Say how much is done."""
        self._say(ProgressLine(done=done))


async def _import_with_progress(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(ImportQuery)
    if request.receive is None:
        raise TypeError("the operation does not declare that its body is a stream")
    with ExitStack() as until_read:
        file = until_read.enter_context(TemporaryFile())
        await save_body(request.receive, file, max_bytes=request.max_stream_bytes)

        async def work(say: Callable[[ProgressLine], None]) -> ProgressLine:
            with file:
                report = await request.engine.transfer.import_from(
                    file, progress=_SaidProgress(say), only_missing=query.only_missing, trusted=query.trusted
                )
            return ImportLine(report=TransferAnswer.of(report, request.requester))

        stream = await progress_stream(work, request)
        until_read.pop_all()
    return ResourceReply(stream=stream)


async def save_body(receive: Receive, file: BinaryIO, *, max_bytes: int) -> None:
    """Write a request's body into a file.

    Raises:
        BodyTooLargeError: More than `max_bytes` came.
        ClientDisconnectedError: The client hung up.
    """
    waiting, size, is_more = bytearray(), 0, True
    while is_more:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise ClientDisconnectedError
        part = event.get("body", b"")
        size += len(part)
        if size > max_bytes:
            raise BodyTooLargeError(
                f"the file is larger than {max_bytes} bytes, the limit of this API key or of the server "
                "(TOLDONCE_MAX_IMPORT_BYTES)"
            )
        waiting += part
        is_more = event.get("more_body", False)
        if len(waiting) >= _MAX_BUFFERED_BYTES or not is_more:
            await asyncio.to_thread(file.write, bytes(waiting))
            waiting.clear()


OPERATIONS = (
    ResourceOperation(
        "exportSubject",
        summary="Export a subject as JSON lines, or what is known about it as Markdown",
        description="Lines of JSON have one state of the database; a stream that breaks off is incomplete.",
        handler=_export_subject,
        query=ExportQuery,
        streams_answer=True,
        act="subjects.export",
    ),
    ResourceOperation(
        "exportAll",
        summary="Export all subjects of all tenants as JSON lines, or what is known about them as Markdown",
        handler=_export_all,
        query=ExportQuery,
        for_operator=True,
        streams_answer=True,
        act="subjects.export",
    ),
    ResourceOperation(
        "importSubjects",
        summary="Import what an export wrote; vectors and other derived data are computed again",
        description="The whole file is checked before anything is written. It takes no idempotency key: "
        "`only_missing` goes on where an import was cut off.",
        handler=_import,
        for_operator=True,
        query=ImportQuery,
        answer=TransferAnswer,
        streams_body=True,
        act="subjects.import",
    ),
    ResourceOperation(
        "importSubjectsWithProgress",
        summary="Import in the same way, and say how far it is",
        description="Answers JSON lines: `{phase, unit, total}` where a phase begins, `{done}` on the way, and at last "
        "`{report}`, or `{problem}` if it failed. A stream that breaks off is incomplete.",
        handler=_import_with_progress,
        for_operator=True,
        query=ImportQuery,
        streams_body=True,
        streams_answer=True,
        act="subjects.import",
    ),
)


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
