"""The shape of `user`: sentences that stand alone. Pure."""

from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from recollect.extraction.redaction import scrub
from recollect.extraction.schemas.base import OutputSchema
from recollect.extraction.schemas.items import MaybePlace, Target, Text, check_words, list_schema, prompt, updated
from recollect.extraction.schemas.located import locate
from recollect.extraction.sources import ExtractionInput, speaker_of
from recollect.types import Candidate, MemoryKind


class _Item(BaseModel):
    """One sentence of an answer."""

    model_config = ConfigDict(extra="ignore")

    text: Text = Field(validation_alias=AliasChoices("text", "content", "memory"))
    message: MaybePlace = None
    quote: Text = ""
    updates: Target = None


_PROPERTIES: dict[str, Any] = {
    "text": {"type": "string"},
    "message": {"type": "integer"},
    "quote": {"type": "string"},
    "updates": {"type": ["integer", "null"]},
}


def _read(raw: object, source: ExtractionInput) -> Candidate:
    """Read an item; a bare string is a sentence whose source is found by its words."""
    item = _Item.model_validate({"text": raw} if isinstance(raw, str) else raw)
    check_words(item.text)
    found = locate(item.text, item.message, item.quote, source)
    return Candidate(
        kind=MemoryKind.NOTE,
        text=scrub(item.text),
        speaker=speaker_of(found.message),
        seq=found.message.seq,
        quote=found.quote,
        valid_from=found.message.said_at,
        replaces=updated(item.updates, source.neighbours),
    )


SENTENCES = OutputSchema(
    version="sentences-1", system=prompt("sentences.system.txt"), schema=list_schema(_PROPERTIES), read=_read
)
