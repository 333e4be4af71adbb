"""The products whose exports are read, and how they are told apart. Reads the beginning of an export."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from toldonce.datasets.recordings import BadRecord, BadRecordError
from toldonce.errors import BadRequestError
from toldonce.importers.chatgpt import is_chatgpt, read_chatgpt
from toldonce.importers.claude import is_claude, read_claude
from toldonce.importers.export_files import ExportFiles
from toldonce.importers.json_records import json_records
from toldonce.importers.jsonl import is_jsonl, read_jsonl
from toldonce.importers.records import SourceRecords

# Records looked at to tell what a file is: the first ones may be damaged.
_MAX_LOOKED_AT = 20
# Where a zip or a folder has its chats.
_CHATS = ("conversations.json", "conversations-*.json", "memories.json", "memories/*.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A product whose export is read."""

    name: str
    """Name for `--from`; conversations get ids that begin with it."""
    what: str
    """What its export is, for an error message."""
    fits: Callable[[object], bool]
    """Whether a record of a JSON file is one of it."""
    read: Callable[[ExportFiles], SourceRecords]


SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        Source(name="chatgpt", what="ChatGPT's zip or conversations.json", fits=is_chatgpt, read=read_chatgpt),
        Source(name="claude", what="Claude's zip or conversations.json", fits=is_claude, read=read_claude),
        Source(name="jsonl", what="OpenAI messages as JSON lines", fits=is_jsonl, read=read_jsonl),
    )
}


def source_named(name: str) -> Source:
    """Return a source.

    Raises:
        BadRequestError: there is none of that name.
    """
    found = SOURCES.get(name)
    if found is None:
        raise BadRequestError(f"no source is called {name!r}: choose one of {', '.join(SOURCES)}", param="from")
    return found


def detect_source(files: ExportFiles) -> Source:
    """Tell whose export it is.

    Raises:
        BadRequestError: it is none that is known; the message says which are.
    """
    problem = ""
    for value, _ in islice(json_records(files, _CHATS), _MAX_LOOKED_AT):
        if isinstance(value, BadRecord):
            problem = value.reason
        for source in SOURCES.values():
            if source.fits(value):
                return source
    raise BadRequestError(_unknown(files.path, problem, list(SOURCES.values())))


def read_source(source: Source, files: ExportFiles) -> SourceRecords:
    """Read an export; what makes all of the rest unreadable is the last record."""
    try:
        yield from source.read(files)
    except BadRecordError as error:
        yield BadRecord(where=files.path.name, reason=str(error))


def _unknown(path: Path, problem: str, known: Sequence[Source]) -> str:
    why = f" ({problem})" if problem else ""
    what = "; ".join(f"{source.name}: {source.what}" for source in known)
    return f"{path} is no export that is known{why}. What works: {what}; and what `toldonce export` wrote"
