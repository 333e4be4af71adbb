"""Plain conversations: OpenAI messages as JSON lines, one conversation a line. Pure.

The same format as for `toldonce replay`: `{"messages": [...], "id"?, "date"?}`, or a list of messages.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO

from toldonce.datasets.recordings import BadRecord, BadRecordError, Recording, openai_lines
from toldonce.importers.export_files import ExportFiles
from toldonce.importers.json_values import MAX_RECORD_CHARACTERS
from toldonce.importers.records import (
    NO_WORDS,
    LeftOut,
    SourceConversation,
    SourceMessage,
    SourceRecords,
    mapping_of,
    sequence_of,
    source_id,
    text_of,
)


def is_jsonl(value: object) -> bool:
    """Return whether a record is a conversation in OpenAI's format, or its first message."""
    if not isinstance(value, dict):
        return isinstance(value, list) and bool(value) and "role" in mapping_of(value[0])
    first = mapping_of(next(iter(sequence_of(value.get("messages"))), None))
    return "role" in first or ("role" in value and "content" in value)


def read_jsonl(files: ExportFiles) -> SourceRecords:
    """Read one conversation a line; dates without a time zone are in UTC."""
    for name in files.named("*.jsonl") or files.names[:1]:
        with files.open(name) as file:
            for found in openai_lines(_lines(file), UTC):
                where = f"{name}: {found.where}"
                yield replace(found, where=where) if isinstance(found, BadRecord) else _conversation(found, where)


class _Raw(RawIOBase):
    """A bounded file as `io` wants it, to be read line by line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines.

    Raises:
        BadRecordError: one is longer than a conversation may be.
    """
    with BufferedReader(_Raw(file), 1 << 20) as reader:
        while line := reader.readline(MAX_RECORD_CHARACTERS + 1):
            if len(line) > MAX_RECORD_CHARACTERS:
                raise BadRecordError(f"a line has more than {MAX_RECORD_CHARACTERS:,} bytes")
            yield line


def _conversation(recording: Recording, where: str) -> SourceConversation | LeftOut:
    messages = tuple(
        SourceMessage(
            id=str(place), parent=str(place - 1), role=text_of(message.get("role")), text=_words(message), said_at=date
        )
        for place, (message, date) in enumerate(zip(recording.messages, recording.dates, strict=True))
    )
    if not any(message.text for message in messages):
        return LeftOut(reason=NO_WORDS, where=where)
    return SourceConversation(id=source_id(recording.id), messages=messages, where=where)


def _words(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = map(mapping_of, sequence_of(content))
    return "\n".join(
        text_of(part.get("text")) for part in parts if part.get("type") in ("text", "input_text", "output_text")
    )
