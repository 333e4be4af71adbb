"""Schema of the profile `default`: notes and facts. Pure."""

from typing import Any, Literal

from toldonce.extraction.redaction import redact
from toldonce.extraction.schemas.comparison import ComparedItem, known_targets
from toldonce.extraction.schemas.output_schema import (
    CATEGORIES,
    Day,
    OutputSchema,
    Place,
    Text,
    UnusableError,
    Weight,
    check_words,
    list_schema,
    message_of,
    prompt,
    valid_since,
)
from toldonce.extraction.sources import ExtractionInput, speaker_of
from toldonce.types import Candidate, MemoryKind


class _Item(ComparedItem):
    """One memory of an answer."""

    kind: Literal["note", "fact"] = "note"
    text: Text
    category: Text = ""
    key: Text = ""
    value: Text = ""
    type: Text = ""
    importance: Weight = 0.5
    confidence: Weight = 0.8
    message: Place
    quote: Text
    ended: bool = False
    valid_from: Day = None


_PROPERTIES: dict[str, Any] = {
    "kind": {"type": "string", "enum": ["note", "fact"]},
    "text": {"type": "string"},
    "category": {"type": "string", "enum": ["", *CATEGORIES]},
    "key": {"type": "string"},
    "value": {"type": "string"},
    "type": {"type": "string", "enum": ["fact", "preference", "event", "plan", "relation", "instruction"]},
    "importance": {"type": "number"},
    "confidence": {"type": "number"},
    "message": {"type": "integer"},
    "quote": {"type": "string"},
    "repeats": {"type": ["integer", "null"]},
    "updates": {"type": ["integer", "null"]},
    "ended": {"type": "boolean"},
    "valid_from": {"type": ["string", "null"]},
}


def _read(raw: object, source: ExtractionInput) -> Candidate:
    item = _Item.model_validate(raw)
    message = message_of(item.message, source)
    fact = item.kind == "fact"
    check_words(item.text, item.key, item.value)
    if fact and item.category.lower() not in CATEGORIES:
        raise UnusableError(f"a fact's category is one of {', '.join(CATEGORIES)}")
    if fact and not (item.key and item.value):
        raise UnusableError("a fact needs key and value")
    targets = known_targets(item, source)
    may_come = fact or targets.updates is not None
    return Candidate(
        kind=MemoryKind.FACT if fact else MemoryKind.NOTE,
        text=redact(item.text),
        type=item.type[:40],
        category=item.category.lower() if fact else "",
        key=item.key if fact else "",
        value=redact(item.value) if fact else "",
        importance=item.importance,
        confidence=item.confidence,
        speaker=speaker_of(message),
        seq=message.seq,
        quote=item.quote,
        valid_from=valid_since(item.valid_from, message, source, may_come=may_come),
        ends=item.ended,
        replaces=targets.updates,
        replaces_item=targets.updates_item,
        comparison=targets.comparison,
    )


MEMORIES = OutputSchema(
    version="model-1", system=prompt("memories.system.txt"), schema=list_schema(_PROPERTIES), read=_read
)
