"""What recall reads of a memory: the pieces that are embedded, and the terms. Pure."""

from collections import Counter

from recollect.chat.names import spoken_name
from recollect.form.sources import readable_text
from recollect.providers.chunk import chunks
from recollect.text import terms
from recollect.types import Memory, MemoryKind


def pieces_of(memory: Memory) -> list[str]:
    """Return the pieces of a memory's text that are embedded; a fact has none."""
    if memory.kind is MemoryKind.TURN:
        name, text = _said(memory)
        return [f"{name}: {piece}" if name else piece for piece in chunks(text)]
    return [] if memory.kind is MemoryKind.FACT else [memory.text]


def terms_of(memory: Memory) -> Counter[str]:
    """Return the terms of a memory: a quotation is found by its speaker's name as well."""
    if memory.kind is MemoryKind.TURN:
        name, text = _said(memory)
        return terms(f"{name or ''} {text}")
    return terms(memory.text)


def _said(turn: Memory) -> tuple[str | None, str]:
    name = spoken_name(turn.speaker) if turn.speaker not in ("user", "assistant") else None
    return name, readable_text(turn.text)
