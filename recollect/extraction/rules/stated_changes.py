"""What a message says has changed: updates, and notes that end the state they replace. Pure.

'Handed in my notice' ends the job that is stored, even though no new job can be read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from recollect.extraction.irony_and_doubt import is_ironic
from recollect.extraction.rules.asides import find_asides, mentions_fiction
from recollect.extraction.rules.clause_facts import lead_length
from recollect.extraction.rules.note_weight import is_reported_speech
from recollect.extraction.rules.parsed_message import READ, ParsedMessage
from recollect.extraction.rules.rewrite import stand_alone
from recollect.extraction.rules.shifts import find_shifts, with_subject
from recollect.extraction.sentences import TextSpan, fine_clauses, fold, sentences, write_out
from recollect.extraction.sources import speaker_of
from recollect.extraction.speech_acts import (
    ends_in_laughter,
    is_hedged,
    is_hyperbole,
    is_hypothetical,
    is_invented,
    is_joke,
    opens_role_play,
    statement_part,
)
from recollect.lazy_pattern import LazyPattern
from recollect.text.granted import granted_part, granted_span
from recollect.text.updates import Update, read_update
from recollect.types import Candidate, LifeState, MemoryKind, Shift

# Updates per message; one with more is a pasted list.
MAX_UPDATES = 10
_UNMEANT = (is_hypothetical, is_invented, is_joke, is_hedged, is_ironic)
# Joints within a clause: 'the survey was bad so we pulled out', 'sold the boat, moved ashore'.
_PARTS = LazyPattern(r"(?<!\s)(?:\s*+[,;:]\s++|\s++[-–—]++\s++|\s++(?:so|because|cause|cos|bc|but)\s++)")
# Characters before a presupposition that opens a sentence: 'and ever since'.
_MAX_LEAD = 30
# Parts per clause; one with more is a list.
_MAX_PARTS = 6


def find_updates(reading: ParsedMessage, *, max_sentences: int) -> list[Update]:
    """Read the clauses of a message that change or end something; none if it opens a game."""
    pieces = sentences(reading.masked)[:max_sentences]
    if reading.between_people or any(opens_role_play(piece.text) for piece in pieces):
        return []
    found: list[Update] = []
    for piece in pieces:
        for clause, within in _told(piece.text):
            update = read_update(clause, within=within)
            if update and update not in found:
                found.append(update)
    return found[:MAX_UPDATES]


def _told(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the clauses that a sentence states or presupposes, each with its context."""
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


# Words that end a taste; 'dropped' is not one, since a thing may have fallen.
_CLEARLY_OVER = LazyPattern(
    r"\b(?:scratch|so\s++much\s++for|enough\s++of|gone\s++off|over|done\s++with|off|grown\s++out\s++of|outgrown|"
    r"stopped)\b",
    re.IGNORECASE,
)
# Verbs that also apply to things: 'moved the button to the left'.
_MOVES_THINGS = LazyPattern(r"\b(?:moved?|swapped|shifted|scrapped|delayed|dropped)\b", re.IGNORECASE)
# 'Now that I'm at Arup': a workplace, if the sentence is about work.
_AT = LazyPattern(
    r"(?:i'm|im|i am)\s(?:at|with|over at)\s(?P<new>[A-Z][\w'’&.-]{1,30}+(?:\s[A-Z][\w'’&.-]{1,30}+){0,2})",
    re.IGNORECASE,
)
_WORK_WORD = LazyPattern(
    r"\b(?:job|work|pension|colleagues?|boss|manager|office|salary|wage|commute|shifts?|notice|contract|payslip|hr|"
    r"employer|"
    r"career|workplace|coworkers?|uniform)\b",
    re.IGNORECASE,
)
# 'We're in!' means a home if the message is about moving.
_WE_ARE_IN = LazyPattern(r"(?:i'm|im|i am|we're|we are)(?:\s(?:finally|all|officially)){0,2}\sin\s*+$", re.IGNORECASE)
_MOVING_WORD = LazyPattern(
    r"\b(?:new\s++(?:place|house|flat|home|apartment|gaff|pad)|boxes|unpack\w{0,4}|moved|moving|removal|keys|"
    r"first\s++night)\b",
    re.IGNORECASE,
)
# Importance of a note about a change whose new state is not read.
_IMPORTANCE = 0.6


def attach_shifts(reading: ParsedMessage, sentence: TextSpan, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Attach the changes of a sentence to its note; make a note if there is none.

    Args:
        reading: The message.
        sentence: A part of it, others' words blanked.
        candidates: Candidates of the sentence.
    """
    if reading.between_people or reading.message.role != "user" or any(candidate.forgets for candidate in candidates):
        return list(candidates)
    shifts = _shifts(reading, sentence)
    if not shifts:
        return list(candidates)
    note = next((place for place, candidate in enumerate(candidates) if candidate.kind is MemoryKind.NOTE), None)
    if note is None and not any(_is_worth_a_note(reading, shift, clause) for shift, clause in shifts.items()):
        return list(candidates)
    if note is None:
        return [*candidates, _kept(reading, next(iter(shifts.values())), tuple(shifts))]
    changed = replace(candidates[note], shifts=tuple(shifts))
    return [*candidates[:note], changed, *candidates[note + 1 :]]


def _shifts(reading: ParsedMessage, sentence: TextSpan) -> dict[Shift, TextSpan]:
    """Find the changes that a sentence states, each with its clause."""
    shifts: dict[Shift, TextSpan] = {}
    for clause in _stated(sentence):
        for shift in find_shifts(clause.text, reading.mentions_in(clause), reading.message):
            shifts.setdefault(shift, clause)
        if _WE_ARE_IN.match(clause.text.strip(" !.,")) and _MOVING_WORD.search(reading.masked):
            shifts.setdefault(Shift(state=LifeState.HOME), clause)
    granted = _granted(sentence)
    if granted:
        for shift in find_shifts(granted.text, reading.mentions_in(granted), reading.message, is_news=True):
            shifts.setdefault(shift, granted)
        if (at := _AT.match(granted.text)) and _WORK_WORD.search(sentence.text):
            shifts.setdefault(Shift(state=LifeState.JOB, new=at["new"]), granted)
    return shifts


def _is_worth_a_note(reading: ParsedMessage, shift: Shift, clause: TextSpan) -> bool:
    """Return whether a change is clear by its own words: 'left Kestrel', not 'left the party'."""
    if shift.state is LifeState.PLAN:
        return bool(reading.mentions_in(clause)) or not _MOVES_THINGS.search(clause.text)
    if shift.state is LifeState.TASTE and _CLEARLY_OVER.search(clause.text):
        return True
    return not shift.needs_old or shift.old[:1].isupper()


def _stated(sentence: TextSpan) -> list[TextSpan]:
    """Return the clauses about the speaker's own life that are meant, including asides of a question."""
    text = sentence.text
    if not _is_meant(text):
        return []
    stated = statement_part(text)
    pieces = fine_clauses(TextSpan(stated, sentence.start)) if stated else list(find_asides(sentence))
    return [
        piece
        for piece in pieces
        if not (is_hyperbole(piece.text) or is_reported_speech(piece.text[lead_length(piece.text) :]))
    ]


def _granted(sentence: TextSpan) -> TextSpan | None:
    """Return the clause that a sentence presupposes, also in a question: "now that I'm at Arup"."""
    span = granted_span(sentence.text)
    if not span or not _is_meant(sentence.text):
        return None
    return TextSpan(sentence.text[slice(*span)].rstrip(), sentence.start + span[0])


def _is_meant(text: str) -> bool:
    return not (
        is_invented(text)
        or mentions_fiction(text)
        or ends_in_laughter(text)
        or is_hedged(text)
        or is_hypothetical(text)
        or is_ironic(text)
    )


def _kept(reading: ParsedMessage, clause: TextSpan, shifts: tuple[Shift, ...]) -> Candidate:
    """Make a note of the words of a change."""
    quote = reading.quote(clause)
    written = write_out(fold(quote), reading.mentions_in(clause))
    return Candidate(
        kind=MemoryKind.NOTE,
        text=stand_alone(with_subject(written[lead_length(written) :]), reading.speaker),
        type="fact",
        importance=_IMPORTANCE,
        confidence=READ,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=quote,
        valid_from=reading.message.said_at,
        shifts=shifts,
    )
