"""Let what a sentence forms end what it says has changed: no old value stands where the new one is not read. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from recollect.form.dates import write_out
from recollect.form.rules.asides import asides_of, is_of_a_tale
from recollect.form.rules.facts import lead_of
from recollect.form.rules.notes import reports
from recollect.form.rules.reading import READ, Reading
from recollect.form.rules.shifts import shifts_of, subject_restored
from recollect.form.rules.stand_alone import stand_alone
from recollect.form.sentences import Piece, fine_clauses, fold
from recollect.form.sources import speaker_of
from recollect.form.tone import exaggerates, hedges, invents, laughs, statement_part, supposes
from recollect.types import Candidate, LifeState, MemoryKind, Shift

# A taste that has passed; who 'dropped' a thing may have let it fall.
_CLEARLY_OVER = re.compile(
    r"\b(?:scratch|so\s++much\s++for|enough\s++of|gone\s++off|over|done\s++with|off|grown\s++out\s++of|outgrown|stopped)\b",
    re.IGNORECASE,
)
# What is said of things as well: 'moved the button to the left'.
_MOVES_THINGS = re.compile(r"\b(?:moved?|swapped|shifted|scrapped|delayed|dropped)\b", re.IGNORECASE)
# Importance of a note that keeps a change of which the rules read no more.
_IMPORTANCE = 0.6


def with_shifts(reading: Reading, sentence: Piece, found: Sequence[Candidate]) -> list[Candidate]:
    """Let a note of a sentence end what the sentence says has changed; make one where there is none.

    Args:
        reading: The message.
        sentence: A part of it, others' words blanked.
        found: What was read out of the sentence.
    """
    if reading.talk or reading.message.role != "user" or any(candidate.forgets for candidate in found):
        return list(found)
    shifts: dict[Shift, Piece] = {}
    for clause in _stated(sentence):
        for shift in shifts_of(clause.text, reading.inside(clause), reading.message):
            shifts.setdefault(shift, clause)
    if not shifts:
        return list(found)
    note = next((place for place, one in enumerate(found) if one.kind is MemoryKind.NOTE), None)
    if note is None and not any(_is_worth_a_note(reading, *said) for said in shifts.items()):
        return list(found)
    if note is None:
        return [*found, _kept(reading, next(iter(shifts.values())), tuple(shifts))]
    return [replace(one, shifts=tuple(shifts)) if place == note else one for place, one in enumerate(found)]


def _is_worth_a_note(reading: Reading, shift: Shift, clause: Piece) -> bool:
    """Whether a change is clear by its own words: 'left Kestrel', and not 'left the party'."""
    if shift.state is LifeState.PLAN:
        return bool(reading.inside(clause)) or not _MOVES_THINGS.search(clause.text)
    if shift.state is LifeState.TASTE and _CLEARLY_OVER.search(clause.text):
        return True
    return not shift.needs_old or shift.old[:1].isupper()


def _stated(sentence: Piece) -> list[Piece]:
    """Return the clauses that tell of the speaker's own life, in earnest; a question's asides are some."""
    text = sentence.text
    if invents(text) or is_of_a_tale(text) or laughs(text) or hedges(text) or supposes(text):
        return []
    stated = statement_part(text)
    pieces = fine_clauses(Piece(stated, sentence.start)) if stated else list(asides_of(sentence))
    return [piece for piece in pieces if not (exaggerates(piece.text) or reports(piece.text[lead_of(piece.text) :]))]


def _kept(reading: Reading, clause: Piece, shifts: tuple[Shift, ...]) -> Candidate:
    """Keep the words of a change as a note."""
    quote = reading.quote(clause)
    written = write_out(fold(quote), reading.inside(clause))
    return Candidate(
        kind=MemoryKind.NOTE,
        text=stand_alone(subject_restored(written[lead_of(written) :]), reading.speaker),
        type="fact",
        importance=_IMPORTANCE,
        confidence=READ,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=quote,
        valid_from=reading.message.said_at,
        shifts=shifts,
    )
