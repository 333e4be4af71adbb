"""Records without a model: every message worth keeping, with its type, importance and summary. Pure."""

from recollect.extraction.salience import assess_salience
from recollect.extraction.scene import record_detail
from recollect.extraction.schemas.typed import type_named
from recollect.extraction.sources import ExtractionInput, readable, speaker_of, who
from recollect.types import Candidate, MemoryKind

RECORDS_VERSION = "records-1"
# Longest content of a record, in characters: what runs on longer is a document, and its beginning must do.
MAX_CONTENT_CHARACTERS = 8_000


def extract_records(source: ExtractionInput, *, types: tuple[str, ...], replies_only: bool) -> list[Candidate]:
    """Keep each message worth a record, whole, under the name of who said it.

    Args:
        source: The messages.
        types: The classes a record can have.
        replies_only: Read the assistant's replies alone, rather than both sides of the recent turns.
    """
    found: list[Candidate] = []
    for message in source.messages:
        if message.role not in source.sources or (replies_only and message.role != "assistant"):
            continue
        content = readable(message)[:MAX_CONTENT_CHARACTERS].strip()
        worth = assess_salience(content)
        if not worth.keep:
            continue
        found.append(
            Candidate(
                kind=MemoryKind.NOTE,
                text=f"{who(message)} said: {content}",
                type=type_named(worth.type, types),
                importance=worth.importance / 10,
                speaker=speaker_of(message),
                seq=message.seq,
                quote=worth.lead,
                valid_from=message.said_at,
                detail=record_detail(message, source, summary=worth.summary),
            )
        )
    return found
