"""The products whose exports are read, and how they are told apart. Reads the beginning of an export."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

from toldonce.datasets.recordings import BadRecord, BadRecordError
from toldonce.errors import BadRequestError
from toldonce.importers.chatgpt import is_chatgpt, read_chatgpt
from toldonce.importers.claude import is_claude, read_claude
from toldonce.importers.export_files import ExportFiles
from toldonce.importers.gemini import is_gemini, read_gemini
from toldonce.importers.json_records import json_records
from toldonce.importers.jsonl import is_jsonl, read_jsonl
from toldonce.importers.langgraph import TABLES as LANGGRAPH_TABLES
from toldonce.importers.langgraph import read_langgraph
from toldonce.importers.letta import is_letta, read_letta
from toldonce.importers.librechat import is_librechat, read_librechat
from toldonce.importers.mem0 import TABLES as MEM0_TABLES
from toldonce.importers.mem0 import is_mem0, read_mem0
from toldonce.importers.open_webui import TABLES as OPEN_WEBUI_TABLES
from toldonce.importers.open_webui import is_open_webui, read_open_webui
from toldonce.importers.records import LeftOut, SourceConversation, SourceMemory, SourceRecords
from toldonce.importers.sqlite_rows import tables

# Records looked at to tell what a file is: the first ones may be damaged.
_MAX_LOOKED_AT = 20
# Where a zip or a folder has its chats.
_CHATS = (
    *("conversations.json", "conversations-*.json", "memories.json", "memories/*.json", "MyActivity.json"),
    *("*.af", "*.jsonl", "*.json"),
)
# Owners that an error message names.
_MAX_NAMED = 10
_OF_ANOTHER = "of another user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A product whose export is read."""

    name: str
    """Name for `--from`; conversations get ids that begin with it."""
    what: str
    """What its export is, for an error message."""
    read: Callable[[ExportFiles], SourceRecords]
    fits: Callable[[object], bool] | None = None
    """Whether a record of a JSON file is one of it."""
    tables: frozenset[str] = frozenset()
    """Tables by which its SQLite database is known; empty: it has none."""
    has_owners: bool = False
    """Whether one export may have several users."""


SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        Source(name="chatgpt", what="ChatGPT's zip or conversations.json", read=read_chatgpt, fits=is_chatgpt),
        Source(name="claude", what="Claude's zip or conversations.json", read=read_claude, fits=is_claude),
        Source(name="gemini", what="Google Takeout's MyActivity.json of Gemini Apps", read=read_gemini, fits=is_gemini),
        Source(
            name="openwebui",
            what="Open WebUI's export of chats or webui.db",
            read=read_open_webui,
            fits=is_open_webui,
            tables=OPEN_WEBUI_TABLES,
            has_owners=True,
        ),
        Source(name="librechat", what="LibreChat's JSON", read=read_librechat, fits=is_librechat),
        Source(
            name="mem0",
            what="mem0's memories as JSON or history.db",
            read=read_mem0,
            fits=is_mem0,
            tables=MEM0_TABLES,
            has_owners=True,
        ),
        Source(name="letta", what="an agent file of Letta", read=read_letta, fits=is_letta),
        Source(
            name="langgraph",
            what="a SQLite store of LangGraph",
            read=read_langgraph,
            tables=LANGGRAPH_TABLES,
            has_owners=True,
        ),
        Source(name="jsonl", what="OpenAI messages as JSON lines", read=read_jsonl, fits=is_jsonl),
    )
}


def source_named(name: str, files: ExportFiles) -> Source:
    """Return a source that is to read an export.

    Raises:
        BadRequestError: there is none of that name, or it has no database of that kind.
    """
    found = SOURCES.get(name)
    if found is None:
        raise BadRequestError(f"no source is called {name!r}: choose one of {', '.join(SOURCES)}", param="from")
    if files.is_sqlite and not (found.tables and found.tables <= _tables(files)):
        raise BadRequestError(f"{files.path} is no database of {name}; it reads {found.what}")
    if not files.is_sqlite and found.fits is None:
        raise BadRequestError(f"{files.path} is no database; {name} reads {found.what}")
    return found


def detect_source(files: ExportFiles) -> Source:
    """Tell whose export it is.

    Raises:
        BadRequestError: it is none that is known; the message says which are.
    """
    problem = ""
    if files.is_sqlite:
        known = _tables(files)
        fitting = [source for source in SOURCES.values() if source.tables and source.tables <= known]
        if fitting:
            return fitting[0]
        problem = "it is a SQLite database with other tables"
    else:
        for value, _ in islice(json_records(files, _CHATS), _MAX_LOOKED_AT):
            if isinstance(value, BadRecord):
                problem = value.reason
            for source in SOURCES.values():
                if source.fits is not None and source.fits(value):
                    return source
    if files.named("MyActivity.html"):
        problem = "it has Gemini's activity as HTML: choose JSON in Google Takeout"
    why = f" ({problem})" if problem else ""
    what = "; ".join(f"{source.name}: {source.what}" for source in SOURCES.values())
    raise BadRequestError(
        f"{files.path} is no export that is known{why}. What works: {what}; and what `toldonce export` wrote"
    )


def _tables(files: ExportFiles) -> frozenset[str]:
    try:
        return tables(files.path)
    except BadRecordError as error:
        raise BadRequestError(f"{files.path}: {error}") from None


def read_source(source: Source, files: ExportFiles, owner: str | None = None) -> SourceRecords:
    """Read an export; what makes all of the rest unreadable is the last record.

    Args:
        source: Whose export it is.
        files: The export.
        owner: The product's user whose records are wanted; None: there is only one.

    Raises:
        BadRequestError: the export has several users and none is chosen, or not that one; nothing was read.
    """
    if source.has_owners:
        _check_owner(source, files, owner)
    elif owner is not None:
        raise BadRequestError(f"an export of {source.name} has one user: leave out --source-user", param="owner")
    return _read(source, files, owner)


def _read(source: Source, files: ExportFiles, owner: str | None) -> SourceRecords:
    try:
        for record in source.read(files):
            if (
                owner is not None
                and isinstance(record, SourceConversation | SourceMemory)
                and record.owner not in ("", owner)
            ):
                yield LeftOut(reason=_OF_ANOTHER, where=record.where)
            else:
                yield record
    except BadRecordError as error:
        yield BadRecord(where=files.path.name, reason=str(error))


def _check_owner(source: Source, files: ExportFiles, owner: str | None) -> None:
    owners: set[str] = set()
    for record in _read(source, files, None):
        if isinstance(record, SourceConversation | SourceMemory):
            owners |= {record.owner} - {""}
    files.read.done = 0
    if owner in owners or (owner is None and len(owners) <= 1):
        return
    named = ", ".join(sorted(owners)[:_MAX_NAMED])
    why = f"has several users ({named})" if owner is None else f"has no user {owner!r}, but {named}"
    raise BadRequestError(f"{files.path} {why}: choose the one to import with --source-user", param="owner")
