"""LangGraph's store in SQLite: the table `store`, as `langgraph-checkpoint-sqlite` and LangMem write it. Reads it.

A value is any JSON object. Its text is what LangMem and the documentation's examples call `content`, `memory`,
`text` or `data`; a flat object without these is a profile, of which each field is a memory.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from toldonce.datasets.recordings import BadRecord
from toldonce.importers.export_files import ExportFiles
from toldonce.importers.records import SourceMemory, SourceRecords, date_or_none, mapping_of, source_id, text_of
from toldonce.importers.sqlite_rows import read_rows

TABLES = frozenset({"store"})
_NAMES = ("content", "memory", "text", "data")


def read_langgraph(files: ExportFiles) -> SourceRecords:
    """Read the memories; the namespace is whose they are."""
    sql = "SELECT prefix, key, value, created_at, updated_at FROM store ORDER BY prefix, key"
    for prefix, key, value, created_at, updated_at in read_rows(files.path, sql):
        where = f"{prefix}/{key}"
        texts = list(_texts(_object(value)))
        if not texts:
            yield BadRecord(where=where, reason="its value has no text that could be remembered")
        since = date_or_none(updated_at) or date_or_none(created_at)
        for text in texts:
            id_ = source_id(None, text_of(prefix), text_of(key))
            yield SourceMemory(id=id_, text=text, since=since, owner=text_of(prefix), where=where)


def _object(value: object) -> Mapping[str, Any]:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else text_of(value)
    try:
        return mapping_of(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _texts(value: Mapping[str, Any]) -> Iterator[str]:
    while (inner := next((value[name] for name in _NAMES if isinstance(value.get(name), dict)), None)) is not None:
        value = inner
    said = next((value[name] for name in _NAMES if text_of(value.get(name)).strip()), None)
    if said is not None:
        yield said
        return
    for name, found in value.items():
        if isinstance(found, str | int | float) and not isinstance(found, bool) and str(found).strip():
            yield f"{name}: {found}"
