"""How rows are written in an export and read back: names, instants and ids as text in place of numbers. Pure.

A record is an object with one value for each field below, in this order; docs/export.md says what they mean.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.clock import from_micros, to_micros
from recollect.errors import BadRequestError
from recollect.ids import id_bytes, id_text
from recollect.store.relational.rows import KIND_NUMBER, STATE_ORDER
from recollect.text import clean
from recollect.types import KIND_ORDER, Action, MemoryKind, MemoryState

VERSION = 1
"""Of the format."""
_LARGEST = 2**63 - 1
_ACTIONS = frozenset(action.value for action in Action)


@dataclass(frozen=True, slots=True)
class Form:
    """How one value is written and read. Reading raises `ValueError`."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("is no text")
    return clean(value)


def _id(value: Any) -> bytes:
    found = id_bytes(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError("is no id, as 0198c0de-0000-7000-8000-00000000000a is one")
    return found


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -_LARGEST - 1 <= value <= _LARGEST:
        raise ValueError("is no whole number of 64 bits")
    return value


def _real(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise ValueError("is no number")
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
    return to_micros(found)


def _object(value: Any) -> str:
    if not isinstance(value, dict):
        raise ValueError("is no object")
    return clean(json.dumps(value, ensure_ascii=False))


def _kind(value: Any) -> int:
    if value not in set(MemoryKind):
        raise ValueError(f"is none of {', '.join(MemoryKind)}")
    return KIND_NUMBER[MemoryKind(value)]


def _state(value: Any) -> int:
    if value not in set(MemoryState):
        raise ValueError(f"is none of {', '.join(MemoryState)}")
    return STATE_ORDER.index(MemoryState(value))


def _action(value: Any) -> str:
    if value not in _ACTIONS:
        raise ValueError(f"is none of {', '.join(sorted(_ACTIONS))}")
    return str(value)


def _bytes(value: Any) -> bytes:
    try:
        return bytes.fromhex(value)
    except (TypeError, ValueError):
        raise ValueError("is no hexadecimal text") from None


def _as_is(value: Any) -> Any:
    return value


TEXT = Form(_as_is, _text)
ID = Form(id_text, _id)
WHOLE = Form(_as_is, _whole)
REAL = Form(float, _real)
FLAG = Form(bool, _flag)
INSTANT = Form(lambda value: from_micros(value).isoformat(), _instant)
OBJECT = Form(json.loads, _object)
KIND = Form(lambda value: KIND_ORDER[value].value, _kind)
STATE = Form(lambda value: STATE_ORDER[value].value, _state)
ACTION = Form(_as_is, _action)
BYTES = Form(bytes.hex, _bytes)


@dataclass(frozen=True, slots=True)
class Field:
    """One column."""

    column: str
    form: Form
    may_be_null: bool = False


def _fields(required: Mapping[str, Form], optional: Mapping[str, Form]) -> tuple[Field, ...]:
    needed = (Field(name, form) for name, form in required.items())
    return (*needed, *(Field(name, form, may_be_null=True) for name, form in optional.items()))


CONVERSATION = _fields(
    {"id": ID, "created_at": INSTANT, "updated_at": INSTANT, "last_seq": WHOLE},
    {"external_id": TEXT, "profile": TEXT, "app": TEXT, "options": OBJECT, "ended_at": INSTANT, "end_reason": TEXT},
)
MESSAGE = _fields(
    {
        **{"conversation": ID, "seq": WHOLE, "parent_seq": WHOLE, "role": TEXT, "text": TEXT, "complete": FLAG},
        **{"said_at": INSTANT, "recorded_at": INSTANT, "hash": WHOLE, "erased": WHOLE},
    },
    {"anchor": WHOLE, "name": TEXT, "payload": TEXT},
)
MEMORY = _fields(
    {
        **{"id": ID, "kind": KIND, "state": STATE, "type": TEXT, "category": TEXT, "key": TEXT, "value": TEXT},
        **{"importance": REAL, "confidence": REAL, "speaker": TEXT, "valid_from": INSTANT, "known_from": INSTANT},
        **{"profile": TEXT, "version": TEXT, "uses": WHOLE},
    },
    {
        "text": TEXT,
        "valid_to": INSTANT,
        "closed_at": INSTANT,
        "last_used_at": INSTANT,
        "detail": OBJECT,
        "number": WHOLE,
    },
)
EVIDENCE = _fields(
    {
        **{"conversation": ID, "seq": WHOLE, "hash": WHOLE, "role": TEXT, "speaker": TEXT, "quote": TEXT},
        **{"said_at": INSTANT},
    },
    {},
)
DECISION = _fields(
    {"id": ID, "at": INSTANT, "action": ACTION, "reason": TEXT, "text": TEXT, "profile": TEXT},
    {"memory": ID, "target": ID, "conversation": ID, "seq": WHOLE},
)
FORMATION = _fields(
    {
        **{"conversation": ID, "profile": TEXT, "stage": TEXT, "version": TEXT, "formed_seq": WHOLE},
        **{"asked_seq": WHOLE, "attempts": WHOLE, "parked": FLAG},
    },
    {"due_at": INSTANT, "idle": WHOLE, "error": TEXT},
)
SUBSCRIPTION = _fields({"shared": TEXT, "since": INSTANT}, {})
APP = _fields({"created_at": INSTANT}, {"removed_at": INSTANT})
ERASED = _fields({"mark": WHOLE, "at": INSTANT}, {})
LEDGER = _fields({"key": BYTES}, {"at": INSTANT, "version": WHOLE})


def write(fields: tuple[Field, ...], row: Mapping[str, Any]) -> dict[str, Any]:
    """Write a row, column by column."""
    return {
        field.column: None if row[field.column] is None else field.form.write(row[field.column]) for field in fields
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
    if record.keys() != names:
        wrong = ", ".join(sorted(record.keys() ^ names))
        raise BadRequestError(f"has too much or too little: {wrong}")
    found = {}
    for field in fields:
        value = record[field.column]
        try:
            found[field.column] = None if value is None and field.may_be_null else field.form.read(value)
        except (ValueError, OverflowError) as error:
            raise BadRequestError(f"{field.column} {error}") from None
    return found
