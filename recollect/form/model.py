"""The extractor that asks a language model: one call, an answer checked item by item. Awaits the model it is given."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from recollect.dates.mention import midnight, written
from recollect.form.scrub import scrub
from recollect.form.sources import FormInput, readable, speaker_of
from recollect.providers.protocol import LanguageModel, ModelUsage
from recollect.text import clean, squeeze
from recollect.types import Candidate, LoggedMessage, Memory, MemoryId, MemoryKind

MODEL_VERSION = "model-1"
# Caps on one answer: what is beyond them is an extractor gone wild, or somebody's hand on it.
MOST_CANDIDATES = 20
LONGEST_MEMORY_BYTES = 2048
# Longest stretch of one message and of a known memory that is shown, in characters.
_SHOWN_MESSAGE, _SHOWN_EARLIER, _SHOWN_MEMORY = 8_000, 600, 400
SCHEMA_NAME = "memories"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelExtraction:
    """What the model proposed, and what was dropped of it."""

    candidates: tuple[Candidate, ...]
    usage: ModelUsage | None
    calls: int
    dropped: tuple[str, ...]
    """One sentence for each item that was not taken, without its words."""


def _number(value: object) -> object:
    """Read a number as models write it: '3', 3.0, '[3]'."""
    if isinstance(value, str):
        value = value.strip(" []#()")
        return None if value.lower() in ("", "null", "none") else value
    return value


def _unit(value: object) -> object:
    """Bring a weight into 0 to 1; models also count to 10 or to 100."""
    if isinstance(value, bool) or value is None:
        return 0.5
    try:
        number = float(str(value).strip(" %"))
    except ValueError:
        return value
    scale = 1.0 if number <= 1 else 10.0 if number <= 10 else 100.0
    return min(max(number / scale, 0.0), 1.0) if number == number else 0.5


def _day(value: object) -> object:
    """Read a day; what is no full date counts as none, for it only dates the memory."""
    if not isinstance(value, str):
        return None
    try:
        return date.fromisoformat(value.strip()[:10])
    except ValueError:
        return None


def _text(value: object) -> object:
    return "" if value is None else squeeze(clean(value)) if isinstance(value, str) else value


_Text = Annotated[str, BeforeValidator(_text)]
_Weight = Annotated[float, Field(ge=0, le=1), BeforeValidator(_unit)]


class _Item(BaseModel):
    """One memory of an answer."""

    model_config = ConfigDict(extra="ignore")

    kind: Literal["note", "fact"] = "note"
    text: _Text
    category: _Text = ""
    key: _Text = ""
    value: _Text = ""
    type: _Text = ""
    importance: _Weight = 0.5
    confidence: _Weight = 0.8
    message: Annotated[int, BeforeValidator(_number)]
    quote: _Text
    updates: Annotated[int | None, BeforeValidator(_number)] = None
    ended: bool = False
    valid_from: Annotated[date | None, BeforeValidator(_day)] = None


_CATEGORIES = ("identity", "preference", "constraint", "instruction")

_PROPERTIES: dict[str, Any] = {
    "kind": {"type": "string", "enum": ["note", "fact"]},
    "text": {"type": "string"},
    "category": {"type": "string", "enum": ["", *_CATEGORIES]},
    "key": {"type": "string"},
    "value": {"type": "string"},
    "type": {"type": "string", "enum": ["fact", "preference", "event", "plan", "relation", "instruction"]},
    "importance": {"type": "number"},
    "confidence": {"type": "number"},
    "message": {"type": "integer"},
    "quote": {"type": "string"},
    "updates": {"type": ["integer", "null"]},
    "ended": {"type": "boolean"},
    "valid_from": {"type": ["string", "null"]},
}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": _PROPERTIES,
                "required": list(_PROPERTIES),
                "additionalProperties": False,
            },
        }
    },
    "required": ["memories"],
    "additionalProperties": False,
}


@lru_cache(maxsize=8)
def _prompt(name: str) -> str:
    return (files("recollect.form") / "prompts" / name).read_text("utf-8").strip()


async def extract_by_model(source: FormInput, model: LanguageModel) -> ModelExtraction:
    """Extract with one question to a model.

    The model names messages and known memories by the numbers it was shown, and nothing else: no subject, no id. A
    bad item is dropped with its reason; the others are kept. Secrets are scrubbed from what is asked and answered.

    Raises:
        ModelError: the model failed; nothing was extracted.
    """
    readers = [m for m in source.messages if m.role in source.sources and readable(m)]
    if not readers:
        return ModelExtraction(candidates=(), usage=None, calls=0, dropped=())
    answer = await model.answer(
        system=_prompt("extract.system.txt"), user=_question(source), schema=SCHEMA, schema_name=SCHEMA_NAME
    )
    candidates, dropped = _read(answer.data, source)
    return ModelExtraction(candidates=tuple(candidates), usage=answer.usage, calls=answer.calls, dropped=tuple(dropped))


def _question(source: FormInput) -> str:
    known = [f"[{n}] {_quoted(scrub(m.text), _SHOWN_MEMORY)}" for n, m in enumerate(source.neighbours, start=1)]
    shown = [_line(message, source, number) for number, message in enumerate(source.messages, start=1)]
    before = [_line(message, source, None) for message in source.earlier]
    speakers = sorted({speaker_of(m) for m in source.messages if m.role in source.sources})
    parts = {
        "{time_zone}": source.time_zone.key,
        "{speakers}": ", ".join(_quoted(one, 80) for one in speakers),
        "{known}": "\n".join(known) or "none",
        "{earlier}": "\n".join(before) or "none",
        "{messages}": "\n".join(shown),
    }
    lines = _prompt("extract.user.txt").splitlines()
    # Line by line, one placeholder a line: words of a message that look like a placeholder are never replaced.
    return "\n".join(_filled(line, parts) for line in lines)


def _filled(line: str, parts: Mapping[str, str]) -> str:
    for name, words in parts.items():
        if name in line:
            return line.replace(name, words)
    return line


def _line(message: LoggedMessage, source: FormInput, number: int | None) -> str:
    day = message.said_at.astimezone(source.time_zone).date()
    head = "-" if number is None else f"[{number}]"
    longest = _SHOWN_EARLIER if number is None else _SHOWN_MESSAGE
    words = _quoted(readable(message), longest)
    return f"{head} {day:%A} {written(day)}, {_quoted(speaker_of(message), 80)}: {words}"


def _quoted(text: str, longest: int) -> str:
    """Write text as one JSON string: no line feed or quote in it can end the quotation."""
    return json.dumps(text[:longest], ensure_ascii=False)


def _read(data: object, source: FormInput) -> tuple[list[Candidate], list[str]]:
    items = data.get("memories") if isinstance(data, dict) else data
    if not isinstance(items, list):
        return [], ["the answer holds no list of memories"]
    dropped = (
        [f"{len(items) - MOST_CANDIDATES} items beyond the first {MOST_CANDIDATES}"]
        if len(items) > MOST_CANDIDATES
        else []
    )
    candidates: list[Candidate] = []
    for place, raw in enumerate(items[:MOST_CANDIDATES], start=1):
        try:
            candidates.append(_candidate(_Item.model_validate(raw), source))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "item"
            dropped.append(f"item {place}: {where}: {first['msg']}")
        except _UnusableError as error:
            dropped.append(f"item {place}: {error}")
    return candidates, dropped


class _UnusableError(Exception):
    """An item has the right shape and cannot be used; never leaves this module."""


def _candidate(item: _Item, source: FormInput) -> Candidate:
    if not 1 <= item.message <= len(source.messages):
        raise _UnusableError(f"message {item.message} was not shown")
    message = source.messages[item.message - 1]
    fact = item.kind == "fact"
    _check(item, fact=fact)
    return Candidate(
        kind=MemoryKind.FACT if fact else MemoryKind.NOTE,
        text=scrub(item.text),
        type=item.type[:40],
        category=item.category.lower() if fact else "",
        key=item.key.casefold() if fact else "",
        value=scrub(item.value) if fact else "",
        importance=item.importance,
        confidence=item.confidence,
        speaker=speaker_of(message),
        seq=message.seq,
        quote=item.quote,
        valid_from=_since(item.valid_from, message, source),
        ends=item.ended,
        replaces=_replaced(item.updates, source.neighbours),
    )


def _check(item: _Item, *, fact: bool) -> None:
    if not item.text:
        raise _UnusableError("the text is empty")
    if len(f"{item.text}{item.key}{item.value}".encode()) > LONGEST_MEMORY_BYTES:
        raise _UnusableError(f"longer than {LONGEST_MEMORY_BYTES} bytes")
    if fact and item.category.lower() not in _CATEGORIES:
        raise _UnusableError(f"a fact's category is one of {', '.join(_CATEGORIES)}")
    if fact and not (item.key and item.value):
        raise _UnusableError("a fact needs key and value")


def _replaced(number: int | None, neighbours: Sequence[Memory]) -> MemoryId | None:
    if number is None:
        return None
    if not 1 <= number <= len(neighbours):
        raise _UnusableError(f"memory {number} was not shown")
    return neighbours[number - 1].id


def _since(day: date | None, message: LoggedMessage, source: FormInput) -> datetime:
    if day is None:
        return message.said_at
    try:
        start = midnight(day, source.time_zone)
    except OverflowError:
        return message.said_at
    return min(start, message.said_at.astimezone(UTC))
