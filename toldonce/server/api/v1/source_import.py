"""Import of what another product exported, into one subject. Serves through the engine, with a temporary file."""

import asyncio
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field

from toldonce.errors import BadRequestError
from toldonce.importers.export_files import ExportFiles, open_export
from toldonce.importers.records import SourceRecords
from toldonce.importers.sources import SOURCES, Source, detect_source, read_source, source_named
from toldonce.server.api.v1.fields import MAX_NAME_CHARACTERS, Answer, UrlQuery
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.server.api.v1.transfer import save_body

# How what `toldonce export` wrote begins, and what takes it in.
_OWN = {b'"toldonce"': "post it to /v1/import", b"<!-- toldonce markdown": "run `toldonce import` on it"}
_HEAD_BYTES = 100


class SourceImportQuery(UrlQuery):
    """How an export is read."""

    source: str | None = Field(
        default=None, alias="from", description=f"Product that made it: {', '.join(SOURCES)}; by default detected."
    )
    source_user: str | None = Field(
        default=None, max_length=MAX_NAME_CHARACTERS, description="User of that product, if the export has several."
    )
    dry_run: bool = Field(
        default=False, description="Store nothing: count what would be taken into a memory that has nothing of it."
    )


class BadRecordAnswer(Answer):
    """What could not be read."""

    where: str = Field(description="Its place in the export.")
    reason: str


class SourceReportAnswer(Answer):
    """Counts of an import."""

    conversations: int = Field(description="Those of which something was new.")
    messages: int
    memories: int = Field(description="Memories of the export; those of conversations are formed in the background.")
    known: int = Field(description="Conversations that were imported before.")
    known_memories: int
    held: int = Field(description="Memories that wait for review.")
    first: datetime | None = Field(description="When the oldest of the messages was said.")
    last: datetime | None
    left_out: dict[str, int] = Field(description="Number of records that were left out, by reason.")
    bad_count: int = Field(description="Number of records that could not be read.")
    bad: list[BadRecordAnswer] = Field(description="The first 1,000 of them.")


class SourceImportAnswer(SourceReportAnswer):
    """What was taken in, or would be."""

    source: str = Field(description="Product that made the export.")
    dry_run: bool


async def _import(request: ResourceRequest) -> ResourceReply:
    if request.receive is None:
        raise TypeError("the operation does not declare that its body is a stream")
    query, target = request.query_as(SourceImportQuery), request.target
    imports = request.engine.imports
    with ExitStack() as opened:
        path = Path(opened.enter_context(TemporaryDirectory(prefix="toldonce-import-"))) / "export"
        with path.open("wb") as file:
            await save_body(request.receive, file, max_bytes=request.max_stream_bytes)
        try:
            source, records = await asyncio.to_thread(_opened, path, query, opened)
        except BadRequestError as error:
            raise BadRequestError(_told(error, path), param=error.param) from None
        if query.dry_run:
            report = await imports.count(records, source.name)
        else:
            report = await imports.take(records, source.name, user=target)
    counts = SourceReportAnswer.of(report, request.requester).model_dump()
    answer = SourceImportAnswer(source=source.name, dry_run=query.dry_run, **counts)
    return ResourceReply(answer=answer, count=0 if query.dry_run else report.conversations + report.memories)


def _opened(path: Path, query: SourceImportQuery, until_read: ExitStack) -> tuple[Source, SourceRecords]:
    """Open an export, tell whose it is, and begin to read it.

    Raises:
        BadRequestError: It is none that is known, it is damaged, or it has several users and none is chosen.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    for own, what in _OWN.items():
        if own in head and query.source is None:
            raise BadRequestError(f"this is an export of ToldOnce: {what}")
    files: ExportFiles = until_read.enter_context(open_export(path))
    source = detect_source(files) if query.source is None else source_named(query.source, files)
    return source, read_source(source, files, query.source_user)


def _told(error: BadRequestError, path: Path) -> str:
    """Return a message about a file with the client's words: it knows neither our path nor options of a command."""
    return str(error).replace(str(path), "the file").replace("--source-user", "`source_user`")


OPERATIONS = (
    ResourceOperation(
        "importExport",
        summary="Import what another product exported, such as ChatGPT's zip, into a subject",
        description="The body is the file as it is: a zip, JSON, JSON lines or a SQLite database. Dates and branches "
        "are kept, secrets struck out, planted orders held. Importing again adds what is new alone.",
        handler=_import,
        query=SourceImportQuery,
        answer=SourceImportAnswer,
        streams_body=True,
        act="subjects.import",
    ),
)
