"""How rows are written in an export and read back: names, instants and ids as text in place of numbers. Pure.

A record is an object with one value for each field below, in this order; docs/export.md says what they mean.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from toldonce.clock import from_micros, to_micros
from toldonce.errors import BadRequestError
from toldonce.ids import id_bytes, id_text
from toldonce.store.sql.app_numbers import MAX_NUMBER
from toldonce.store.sql.rows import ERASED as ERASED_MESSAGE
from toldonce.store.sql.rows import STATE_ORDER
from toldonce.store.sql.rows import WHOLE as WHOLE_MESSAGE
from toldonce.store.sql.transfer.detail_format import MAX_COUNT, MAX_MEMORY, read_detail_record
from toldonce.text import clean
from toldonce.types import (
    KIND_ORDER,
    MAX_THREAD_CHARACTERS,
    Action,
    MemoryKind,
    MemoryState,
    Subject,
)

VERSION = 1
"""Of the format."""
_MAX_INTEGER = 2**63 - 1
# Longest indexed name, and longest other label, in UTF-8 bytes: PostgreSQL takes 2,704 for a whole key.
MAX_INDEXED_BYTES, MAX_EXTERNAL_ID_BYTES, MAX_LABEL_BYTES = 800, 2_048, 65_536
# Instants near the ends of the calendar cannot be shown in every time zone.
_FIRST_YEAR, _LAST_YEAR = 2, 9998
_LEDGER_KEY_BYTES = 64
# Of users that were merged, the ledgers' keys follow on each other.
MAX_LEDGER_KEYS = 100
# Memories that one inserted text can show.
MAX_SHOWN = 10_000
STAGES = frozenset({"index", "extract", "episodes"})
"""The stages of formation that a worker knows."""
_ACTIONS = tuple(sorted(action.value for action in Action))


@dataclass(frozen=True, slots=True)
class FieldCodec:
    """How one value is written and read. Reading raises `ValueError`."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("is no text")
    return clean(value)


def _label(most: int) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        text = _text(value)
        if len(text.encode()) > most:
            raise ValueError(f"is longer than {most:,} bytes")
        return text

    return read


def _short(most: int) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        text = _text(value)
        if len(text) > most:
            raise ValueError(f"is longer than {most:,} characters")
        return text

    return read


def _one_of(choices: Collection[str]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueError(f"is none of {', '.join(choices)}")
        return str(value)

    return read


def _shared(value: Any) -> str:
    text = _text(value)
    subject = Subject.parse(text)
    if subject.kind != "shared" or subject.text != text:
        raise ValueError("is no shared subject, as shared:team is one")
    return text


def _id(value: Any) -> bytes:
    found = id_bytes(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError("is no id, as 0198c0de-0000-7000-8000-00000000000a is one")
    return found


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -_MAX_INTEGER - 1 <= value <= _MAX_INTEGER:
        raise ValueError("is no whole number of 64 bits")
    return value


def _whole_within(least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        found = _whole(value)
        if not least <= found <= most:
            raise ValueError(f"goes from {least} to {most}")
        return found

    return read


def _weight(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError("is no number")
    if not 0 <= value <= 1:  # neither is what is no number at all, NaN
        raise ValueError("is no number from 0 to 1")
    return float(value)


def _flag(value: Any) -> int:
    if not isinstance(value, bool):
        raise ValueError("is neither true nor false")
    return int(value)


def _instant(value: Any) -> int:
    try:
        found = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError("is no instant, as 2026-05-03T08:00:00+00:00 is one") from None
    if found.tzinfo is None:
        raise ValueError("is an instant without a time zone")
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise ValueError(f"is outside the years {_FIRST_YEAR} to {_LAST_YEAR}")
    return to_micros(found)


def _object(value: Any) -> str:
    if not isinstance(value, dict):
        raise ValueError("is no object")
    return clean(json.dumps(value, ensure_ascii=False, allow_nan=False))


def _ids(value: Any) -> str:
    return json.dumps([id_text(_id(memory)) for memory in _short_list(value)])


def _items(value: Any) -> str:
    return json.dumps([_item(item) for item in _short_list(value)])


def _item(value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) != len(("subject", "memory")):
        raise ValueError("has an item that is no pair of subject and memory")
    name = _text(value[0])
    if Subject.parse(name).text != name:
        raise ValueError(f"names {name[:40]!r}, which is not how a subject is written")
    return [name, id_text(_id(value[1]))]


def _short_list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MAX_SHOWN:
        raise ValueError(f"is no list of up to {MAX_SHOWN:,}")
    return value


def _ledger_key(value: Any) -> bytes:
    try:
        found = bytes.fromhex(value)
    except (TypeError, ValueError):
        raise ValueError("is no hexadecimal text") from None
    if not found or len(found) % _LEDGER_KEY_BYTES or len(found) > MAX_LEDGER_KEYS * _LEDGER_KEY_BYTES:
        raise ValueError(f"is not 1 to {MAX_LEDGER_KEYS} keys of {_LEDGER_KEY_BYTES} bytes")
    return found


_named_kind, _named_state = _one_of([*MemoryKind]), _one_of([*MemoryState])


def _as_is(value: Any) -> Any:
    return value


TEXT = FieldCodec(_as_is, _text)
ID = FieldCodec(id_text, _id)
WHOLE = FieldCodec(_as_is, _whole)
COUNT = FieldCodec(_as_is, _whole_within(0, MAX_COUNT))
PLACE = FieldCodec(_as_is, _whole_within(1, MAX_COUNT))
NUMBER = FieldCodec(_as_is, _whole_within(1, MAX_NUMBER))
DURATION = FieldCodec(_as_is, _whole_within(0, 2**53))
LEVEL = FieldCodec(_as_is, _whole_within(WHOLE_MESSAGE, ERASED_MESSAGE))
INDEXED = FieldCodec(_as_is, _label(MAX_INDEXED_BYTES))
EXTERNAL_ID = FieldCodec(_as_is, _label(MAX_EXTERNAL_ID_BYTES))
LABEL = FieldCodec(_as_is, _label(MAX_LABEL_BYTES))
MEMORY_TEXT = FieldCodec(_as_is, _short(MAX_MEMORY))
STAGE = FieldCodec(_as_is, lambda value: _one_of(sorted(STAGES))(_text(value)))
SHARED = FieldCodec(_as_is, _shared)
WEIGHT = FieldCodec(float, _weight)
FLAG = FieldCodec(bool, _flag)
INSTANT = FieldCodec(lambda value: from_micros(value).isoformat(), _instant)
OBJECT = FieldCodec(json.loads, _object)
KIND = FieldCodec(lambda value: KIND_ORDER[value].value, lambda value: MemoryKind(_named_kind(value)).number)
STATE = FieldCodec(
    lambda value: STATE_ORDER[value].value, lambda value: STATE_ORDER.index(MemoryState(_named_state(value)))
)
ACTION = FieldCodec(_as_is, _one_of(_ACTIONS))
DETAIL = FieldCodec(json.loads, read_detail_record)
INSERTED = FieldCodec(_as_is, _short(MAX_THREAD_CHARACTERS))
ITEMS = FieldCodec(json.loads, _items)
IDS = FieldCodec(json.loads, _ids)
LEDGER_KEY = FieldCodec(bytes.hex, _ledger_key)


@dataclass(frozen=True, slots=True)
class Field:
    """One column."""

    column: str
    form: FieldCodec
    may_be_null: bool = False
    may_be_missing: bool = False
    """Whether a record without it is complete, and null is left out of files."""


def _fields(required: Mapping[str, FieldCodec], optional: Mapping[str, FieldCodec]) -> tuple[Field, ...]:
    needed = (Field(name, form) for name, form in required.items())
    return (*needed, *(Field(name, form, may_be_null=True) for name, form in optional.items()))


CONVERSATION = _fields(
    {"id": ID, "created_at": INSTANT, "updated_at": INSTANT, "last_seq": COUNT},
    {
        **{"external_id": EXTERNAL_ID, "profile": LABEL, "app": LABEL, "options": OBJECT, "ended_at": INSTANT},
        **{"end_reason": LABEL},
    },
)
MESSAGE = (
    *_fields(
        {
            **{"conversation": ID, "seq": PLACE, "parent_seq": COUNT, "role": LABEL, "text": TEXT, "complete": FLAG},
            **{"said_at": INSTANT, "recorded_at": INSTANT, "hash": WHOLE, "erased": LEVEL},
        },
        {"anchor": WHOLE, "name": LABEL, "payload": TEXT},
    ),
    Field("zone", LABEL, may_be_null=True, may_be_missing=True),
)
MEMORY = _fields(
    {
        **{"id": ID, "kind": KIND, "state": STATE, "type": LABEL, "category": INDEXED, "key": INDEXED},
        **{"value": MEMORY_TEXT, "importance": WEIGHT, "confidence": WEIGHT, "speaker": LABEL},
        **{"valid_from": INSTANT, "known_from": INSTANT, "profile": LABEL, "version": LABEL, "uses": COUNT},
    },
    {
        "text": MEMORY_TEXT,
        "valid_to": INSTANT,
        "closed_at": INSTANT,
        "last_used_at": INSTANT,
        "detail": DETAIL,
        "number": NUMBER,
    },
)
EVIDENCE = _fields(
    {
        **{"conversation": ID, "seq": PLACE, "hash": WHOLE, "role": LABEL, "speaker": LABEL, "quote": MEMORY_TEXT},
        **{"said_at": INSTANT},
    },
    {},
)
INSERTION = _fields(
    {
        **{"id": ID, "at": INSTANT, "thread": WHOLE, "chain": WHOLE, "depth": COUNT, "is_answer": FLAG, "erased": FLAG},
        **{"masked": FLAG, "quotes_messages": FLAG, "sent_bytes": DURATION, "sent_hash": INDEXED},
        **{"standing": INSERTED, "recalled": INSERTED, "items": ITEMS, "withdrawn": IDS},
    },
    {"conversation": ID, "seq": PLACE},
)
DECISION = _fields(
    {"id": ID, "at": INSTANT, "action": ACTION, "reason": LABEL, "text": TEXT, "profile": LABEL},
    {"memory": ID, "target": ID, "conversation": ID, "seq": COUNT},
)
FORMATION = _fields(
    {
        **{"conversation": ID, "profile": INDEXED, "stage": STAGE, "version": INDEXED, "formed_seq": COUNT},
        **{"asked_seq": COUNT, "attempts": COUNT, "parked": FLAG},
    },
    {"due_at": INSTANT, "idle": DURATION, "error": LABEL},
)
SUBSCRIPTION = _fields({"shared": SHARED, "since": INSTANT}, {})
CHARACTER_NAME = _fields({"name": INDEXED, "character": INDEXED}, {})
APP = _fields({"created_at": INSTANT}, {"removed_at": INSTANT})
ERASED = _fields({"mark": WHOLE, "at": INSTANT}, {})
LEDGER = _fields({"key": LEDGER_KEY}, {"at": INSTANT, "version": DURATION})


def write(fields: tuple[Field, ...], row: Mapping[str, Any]) -> dict[str, Any]:
    """Write a row, column by column."""
    return {
        field.column: None if row[field.column] is None else field.form.write(row[field.column])
        for field in fields
        if not (field.may_be_missing and row[field.column] is None)
    }


def read(fields: tuple[Field, ...], record: Any, *, beside: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Read a record into columns.

    Args:
        fields: What it must have.
        record: What the line held.
        beside: Further names it must have, which are read elsewhere.

    Raises:
        BadRequestError: it has other names, or a value is not what it must be.
    """
    if not isinstance(record, dict):
        raise BadRequestError("is no object")
    names = {field.column for field in fields} | beside
    absent = {field.column for field in fields if field.may_be_missing} - record.keys()
    if record.keys() != names - absent:
        wrong = ", ".join(sorted(record.keys() ^ (names - absent)))[:200]
        raise BadRequestError(f"has too much or too little: {wrong}")
    found = {}
    for field in fields:
        value = record.get(field.column)
        try:
            found[field.column] = None if value is None and field.may_be_null else field.form.read(value)
        except (ValueError, OverflowError) as error:
            raise BadRequestError(f"{field.column} {error}") from None
    return found
