"""Schema of the profile `app`: one paragraph about a conversation that ended. Pure."""

from functools import lru_cache, partial
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from toldonce.extraction.provenance import paragraph_detail
from toldonce.extraction.redaction import redact
from toldonce.extraction.schemas.output_schema import (
    OfTen,
    OutputSchema,
    Places,
    Text,
    Texts,
    UnusableError,
    check_words,
    prompt,
)
from toldonce.extraction.sources import ExtractionInput, readable, speaker_of
from toldonce.reading.sentences import first_sentences, within
from toldonce.types import Candidate, MemoryKind

# Characters of a paragraph if the profile sets no limit.
USUAL_CHARACTERS = 200
_MAX_TAGS, _MAX_TAG_CHARACTERS = 8, 40


class _Item(BaseModel):
    """The paragraph."""

    model_config = ConfigDict(extra="ignore")

    text: Text = Field(validation_alias=AliasChoices("text", "content", "summary", "paragraph"))
    messages: Places = []
    importance: OfTen = 0.5
    tags: Texts = []


_PROPERTIES: dict[str, Any] = {
    "text": {"type": "string"},
    "messages": {"type": "array", "items": {"type": "integer"}},
    "importance": {"type": "integer"},
    "tags": {"type": "array", "items": {"type": "string"}},
}
_SCHEMA = {
    "type": "object",
    "properties": _PROPERTIES,
    "required": list(_PROPERTIES),
    "additionalProperties": False,
}


def _items(data: object) -> list[object] | None:
    """Return the single paragraph of an answer; None for a list of several."""
    if isinstance(data, dict) and "text" not in data and isinstance(data.get("memories"), list):
        data = data["memories"]
    if isinstance(data, str):
        data = {"text": data}
    if isinstance(data, list):
        return data if len(data) == 1 else None
    return [data] if isinstance(data, dict) else None


def _read(raw: object, source: ExtractionInput, *, max_sentences: int, characters: int) -> Candidate:
    item = _Item.model_validate({"text": raw} if isinstance(raw, str) else raw)
    if not item.text:
        raise UnusableError("the model saw nothing in the conversation that is worth a memory")
    text = within(first_sentences(item.text, max_sentences), characters)
    check_words(text)
    shown = range(1, len(source.messages) + 1)
    spoken = [m for m in source.messages if m.role in source.sources and readable(m)]
    named = [source.messages[number - 1] for number in sorted(set(item.messages)) if number in shown]
    rests_on = [message for message in named if message in spoken] or spoken
    if not rests_on:
        raise UnusableError("no message of a source was shown")
    return Candidate(
        kind=MemoryKind.NOTE,
        text=redact(text),
        type="event",
        importance=item.importance,
        speaker=speaker_of(rests_on[0]),
        seq=rests_on[0].seq,
        quote="",
        sums_up=tuple(message.seq for message in rests_on),
        valid_from=rests_on[-1].said_at,
        detail=paragraph_detail(source, tuple(tag[:_MAX_TAG_CHARACTERS] for tag in item.tags if tag)[:_MAX_TAGS]),
    )


@lru_cache(maxsize=32)
def paragraph(max_sentences: int, characters: int) -> OutputSchema:
    """Build the schema of a paragraph with a maximum of sentences and characters (0: the usual number)."""
    characters = characters or USUAL_CHARACTERS
    system = prompt("paragraph.system.txt").replace("{sentences}", str(max_sentences))
    return OutputSchema(
        version="paragraph-1",
        system=system.replace("{characters}", str(characters)),
        schema=_SCHEMA,
        read=partial(_read, max_sentences=max_sentences, characters=characters),
        user="paragraph.user.txt",
        items=_items,
        missing="the answer holds no paragraph",
        whole=True,
    )
