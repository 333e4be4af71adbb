"""What a message says is no longer as it was, whether or not the new state can be read. Pure."""

import re
from collections.abc import Iterator

from recollect.extraction.irony import is_ironic
from recollect.extraction.rules.parsed_message import ParsedMessage
from recollect.extraction.sentences import TextSpan, fine_clauses, sentences
from recollect.extraction.speech_acts import (
    invents,
    is_hedged,
    is_hypothetical,
    is_joke,
    opens_role_play,
    statement_part,
)
from recollect.text.granted import granted_part, granted_span
from recollect.text.updates import Update, read_update

# Of one message; more is a pasted list.
MAX_UPDATES = 10
_UNMEANT = (is_hypothetical, invents, is_joke, is_hedged, is_ironic)
# Within a clause: 'the survey was bad so we pulled out', 'sold the boat, moved ashore'.
_PARTS = re.compile(r"(?<!\s)(?:\s*+[,;:]\s++|\s++[-–—]++\s++|\s++(?:so|because|cause|cos|bc|but)\s++)")
# Characters before what a sentence takes for granted, where that opens it: 'and ever since'.
_MAX_LEAD = 30
# Of one clause; more is a list.
_MAX_PARTS = 6


def updates_of(reading: ParsedMessage, *, max_sentences: int) -> list[Update]:
    """Read the clauses of a message that change or end something; none where it opens a game."""
    pieces = sentences(reading.masked)[:max_sentences]
    if reading.talk or any(opens_role_play(piece.text) for piece in pieces):
        return []
    found: list[Update] = []
    for piece in pieces:
        for clause, within in _told(piece.text):
            update = read_update(clause, within=within)
            if update and update not in found:
                found.append(update)
    return found[:MAX_UPDATES]


def _told(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the clauses that a sentence states or takes for granted, each with what it stands in."""
    granted = granted_part(sentence)
    if granted and not any(is_unmeant(granted) for is_unmeant in _UNMEANT):
        yield granted, f"now {granted}"
    stated = statement_part(sentence)
    start, end = granted_span(sentence) or (0, 0)
    if granted and start <= _MAX_LEAD:
        stated = stated[end:].lstrip(" ,;:")
    if not stated or any(is_unmeant(stated) for is_unmeant in _UNMEANT):
        return
    within = f"now {stated}" if granted else stated
    for clause in fine_clauses(TextSpan(stated, 0)):
        yield clause.text, within
        parts = [part for part in _PARTS.split(clause.text, maxsplit=_MAX_PARTS) if part.strip()]
        if len(parts) > 1:
            yield from ((part, within) for part in parts)
