"""Schema of the profile `tiered`: facts only. Pure."""

import re
from typing import Any

from toldonce.extraction.redaction import redact
from toldonce.extraction.schemas.comparison import ComparedItem, known_targets
from toldonce.extraction.schemas.output_schema import (
    CATEGORIES,
    MaybePlace,
    OutputSchema,
    Text,
    UnusableError,
    Weight,
    check_words,
    list_schema,
    locate,
    prompt,
)
from toldonce.extraction.sources import ExtractionInput, speaker_label, speaker_of
from toldonce.lazy_pattern import LazyPattern
from toldonce.types import Candidate, MemoryKind

# Facts about the conversation or the day, which models extract although they do not last.
_PASSING = LazyPattern(
    r"\b(?:we|you\s++and\s++i)\s++(?:discussed|talked\s++about|spoke\s++about|went\s++over)\b"
    r"|\bas\s++(?:we\s++)?discussed\b|\b(?:currently|right\s++now|at\s++the\s++moment|today)\s++(?:\w+\s++)?(?:working|looking|"
    r"reading|editing|debugging|writing|trying|fixing|building)\b"
    r"|\b(?:working|looking|editing|debugging)\s++(?:on|at)\b[^.!?]{0,80}\b(?:currently|right\s++now|at\s++the\s++moment|"
    r"today)\b",
    re.IGNORECASE,
)
_PASSING_KEYS = LazyPattern(
    r"(?:current_?(?:task|work|project|topic|file|activity)|task|topic|discussion|conversation|discussed|mood|"
    r"working_on|question|request)(?::.*)?$"
)


class _Item(ComparedItem):
    """One fact of an answer."""

    category: Text
    key: Text
    value: Text
    confidence: Weight = 1.0
    importance: Weight = 0.8
    message: MaybePlace = None
    quote: Text = ""


_PROPERTIES: dict[str, Any] = {
    "category": {"type": "string", "enum": list(CATEGORIES)},
    "key": {"type": "string"},
    "value": {"type": "string"},
    "confidence": {"type": "number"},
    "importance": {"type": "number"},
    "message": {"type": "integer"},
    "quote": {"type": "string"},
    "updates": {"type": ["integer", "null"]},
}


def _read(raw: object, source: ExtractionInput) -> Candidate:
    item = _Item.model_validate(raw)
    category, key = item.category.lower(), item.key.casefold()
    if category not in CATEGORIES:
        raise UnusableError(f"a fact's category is one of {', '.join(CATEGORIES)}")
    if not (key and item.value):
        raise UnusableError("a fact needs key and value")
    check_words(item.value, key)
    found = locate(item.value, item.message, item.quote, source)
    if is_passing(key, found.quote):
        raise UnusableError("it is about the talk or the task at hand, and passes with it")
    value = redact(item.value)
    targets = known_targets(item, source)
    return Candidate(
        kind=MemoryKind.FACT,
        text=f"{speaker_label(found.message)}'s {key.partition(':')[0].replace('_', ' ')}: {value}.",
        type=category if category in ("preference", "instruction") else "fact",
        category=category,
        key=item.key,
        value=value,
        importance=item.importance,
        confidence=item.confidence,
        speaker=speaker_of(found.message),
        seq=found.message.seq,
        quote=found.quote,
        valid_from=found.message.said_at,
        replaces=targets.updates,
        replaces_item=targets.updates_item,
        comparison=targets.comparison,
    )


def is_passing(key: str, quote: str) -> bool:
    """Return whether a fact is about the conversation or the task at hand, not about a person.

    >>> is_passing("project", "I'm currently working on the login page"), is_passing("job", "I work as a nurse")
    (True, False)
    """
    return bool(_PASSING.search(quote) or _PASSING_KEYS.match(key.replace(" ", "_")))


FACTS = OutputSchema(version="facts-1", system=prompt("facts.system.txt"), schema=list_schema(_PROPERTIES), read=_read)
