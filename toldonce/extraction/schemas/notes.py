"""Schemas whose items are notes: sentences (`user`) and memories of named types (`session`, `character`). Pure."""

from functools import lru_cache, partial
from typing import Any

from pydantic import AliasChoices, Field

from toldonce.extraction.provenance import record_detail
from toldonce.extraction.redaction import redact
from toldonce.extraction.salience import shorten
from toldonce.extraction.schemas.comparison import ComparedItem, known_targets
from toldonce.extraction.schemas.output_schema import (
    MaybePlace,
    OutputSchema,
    Text,
    Weight,
    check_words,
    list_schema,
    locate,
    prompt,
)
from toldonce.extraction.sources import ExtractionInput, speaker_of
from toldonce.profiles.policies import FormPolicy
from toldonce.reading.sentences import first_sentences
from toldonce.types import NO_DETAIL, Candidate, MemoryKind


class _SentenceItem(ComparedItem):
    """One sentence of an answer."""

    text: Text = Field(validation_alias=AliasChoices("text", "content", "memory"))
    message: MaybePlace = None
    quote: Text = ""


_SENTENCE_PROPERTIES: dict[str, Any] = {
    "text": {"type": "string"},
    "message": {"type": "integer"},
    "quote": {"type": "string"},
    "repeats": {"type": ["integer", "null"]},
    "updates": {"type": ["integer", "null"]},
}


def _read_sentence(raw: object, source: ExtractionInput) -> Candidate:
    """Read an item; the source of a bare string is found by its words."""
    item = _SentenceItem.model_validate({"text": raw} if isinstance(raw, str) else raw)
    check_words(item.text)
    found = locate(item.text, item.message, item.quote, source)
    targets = known_targets(item, source)
    return Candidate(
        kind=MemoryKind.NOTE,
        text=redact(item.text),
        speaker=speaker_of(found.message),
        seq=found.message.seq,
        quote=found.quote,
        valid_from=found.message.said_at,
        replaces=targets.updates,
        replaces_item=targets.updates_item,
        comparison=targets.comparison,
    )


SENTENCES = OutputSchema(
    version="sentences-1",
    system=prompt("sentences.system.txt"),
    schema=list_schema(_SENTENCE_PROPERTIES),
    read=_read_sentence,
)


class _TypedItem(ComparedItem):
    """One memory of an answer."""

    type: Text = ""
    content: Text = Field(validation_alias=AliasChoices("content", "text", "memory"))
    summary: Text = ""
    importance: Weight = 0.5
    message: MaybePlace = None
    quote: Text = ""


def _read_typed(raw: object, source: ExtractionInput, *, form: FormPolicy) -> Candidate:
    item = _TypedItem.model_validate(raw)
    check_words(item.content)
    content = first_sentences(item.content, form.max_sentences)
    found = locate(content, item.message, item.quote, source)
    targets = known_targets(item, source)
    type_ = known_type(item.type, form.types)
    return Candidate(
        kind=MemoryKind.NOTE,
        text=redact(content),
        type=type_ or form.types[-1],
        has_unknown_type=type_ is None,
        importance=item.importance,
        speaker=speaker_of(found.message),
        seq=found.message.seq,
        quote=found.quote,
        valid_from=found.message.said_at,
        replaces=targets.updates,
        replaces_item=targets.updates_item,
        comparison=targets.comparison,
        detail=record_detail(found.message, source, summary=redact(shorten(item.summary or content)))
        if form.summary
        else NO_DETAIL,
    )


def type_named(name: str, types: tuple[str, ...]) -> str:
    """Return the type with a name, however it is spelled; the last type if none matches.

    >>> type_named("Error lesson", ("NOTE", "ERROR_LESSON", "UNKNOWN")), type_named("?", ("NOTE", "UNKNOWN"))
    ('ERROR_LESSON', 'UNKNOWN')
    """
    return known_type(name, types) or types[-1]


def known_type(name: str, types: tuple[str, ...]) -> str | None:
    """Return the type with a name, however it is spelled; None if none matches."""
    plain = name.strip().replace(" ", "_").replace("-", "_").casefold()
    return next((known for known in types if known.casefold() == plain), None)


@lru_cache(maxsize=32)
def typed(form: FormPolicy) -> OutputSchema:
    """Build the schema of a policy: its types, the length of a memory, and whether each has a summary."""
    properties: dict[str, Any] = {
        "type": {"type": "string", "enum": list(form.types)},
        "content": {"type": "string"},
        **({"summary": {"type": "string"}} if form.summary else {}),
        "importance": {"type": "number"},
        "message": {"type": "integer"},
        "quote": {"type": "string"},
        "repeats": {"type": ["integer", "null"]},
        "updates": {"type": ["integer", "null"]},
    }
    meanings = dict(line.split(": ", 1) for line in prompt("types.txt").splitlines())
    described = "; ".join(
        f"{name} ({meanings[name.casefold()]})" if name.casefold() in meanings else name for name in form.types
    )
    system = prompt("typed.system.txt").replace("{types}", described).replace("{sentences}", str(form.max_sentences))
    lines = [line for line in system.splitlines() if form.summary or not line.startswith("- summary:")]
    return OutputSchema(
        version="typed-1",
        system="\n".join(lines),
        schema=list_schema(properties),
        read=partial(_read_typed, form=form),
    )
