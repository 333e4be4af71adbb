"""mem0's memories: what its API and `get_all` return as JSON, and its `history.db`. Reads the database."""

from collections.abc import Iterator, Mapping
from typing import Any

from toldonce.datasets.recordings import BadRecord
from toldonce.importers.export_files import ExportFiles
from toldonce.importers.json_records import json_records
from toldonce.importers.records import (
    SourceMemory,
    SourceRecords,
    date_or_none,
    mapping_of,
    sequence_of,
    source_id,
    text_of,
)
from toldonce.importers.sqlite_rows import read_rows

TABLES = frozenset({"history"})
# The last event of each memory; one that was deleted has none to take.
_HISTORY = """
SELECT memory_id, new_memory, coalesce(updated_at, created_at), event
  FROM history AS h
 WHERE h.rowid = (SELECT max(rowid) FROM history WHERE memory_id = h.memory_id)
   AND coalesce(is_deleted, 0) = 0
"""


def is_mem0(value: object) -> bool:
    """Return whether a record is a memory of mem0, or a list of them."""
    record = mapping_of(value)
    first = mapping_of(next(iter(sequence_of(record.get("results"))), None))
    return any(isinstance(each.get("memory"), str) and "id" in each for each in (record, first))


def read_mem0(files: ExportFiles) -> SourceRecords:
    """Read the memories."""
    if files.is_sqlite:
        for id_, text, changed_at, event in read_rows(files.path, _HISTORY):
            if event != "DELETE" and text_of(text).strip():
                since = date_or_none(changed_at)
                yield SourceMemory(id=source_id(id_), text=text, since=since, where=f"memory {id_}")
        return
    for value, where in json_records(files, ("*.json", "*.jsonl")):
        if isinstance(value, BadRecord):
            yield value
        elif not is_mem0(value):
            yield BadRecord(where=where, reason="no memory: it has no `memory` and `id`")
        else:
            yield from _memories(value, where)


def _memories(value: Mapping[str, Any], where: str) -> Iterator[SourceMemory | BadRecord]:
    records = [value] if "memory" in value else sequence_of(value.get("results"))
    for each in records:
        record = mapping_of(each)
        text = text_of(record.get("memory"))
        if not text.strip():
            yield BadRecord(where=where, reason="a memory without text")
            continue
        owner = record.get("user_id") or mapping_of(record.get("metadata")).get("user_id")
        since = date_or_none(record.get("updated_at")) or date_or_none(record.get("created_at"))
        yield SourceMemory(
            id=source_id(record.get("id"), text), text=text, since=since, owner=text_of(owner), where=where
        )
