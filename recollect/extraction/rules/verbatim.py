"""Notes that quote the user: statements of their life that no rule can rewrite with certainty. Pure.

"Rent there's 695", "they made me permanent", "moro em Setúbal": the words stay as they were said, so that nothing is
read into them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.extraction.rules.antecedents import find_antecedent
from recollect.extraction.rules.facts import lead_length
from recollect.extraction.rules.foreign_statements import (
    continues_statement,
    find_named_relative,
    foreign_language,
    foreign_statements,
)
from recollect.extraction.rules.note_weight import is_of_the_moment
from recollect.extraction.rules.parsed_message import READ, ParsedMessage
from recollect.extraction.rules.verbatim_patterns import is_reported, is_unmeant, tells_of_illness, tells_of_life
from recollect.extraction.sentences import TextSpan, fine_clauses, fold, sentences, write_out
from recollect.extraction.sources import speaker_of
from recollect.extraction.speech_acts import ends_in_laughter, is_command, statement_part
from recollect.types import Candidate, MemoryKind

# Longest stretch that one note quotes, in characters: of a longer one only the clauses that tell something.
MAX_QUOTED = 200
# Longest that is quoted together with the clauses before it, in characters.
MAX_WITH_CONTEXT = 140
# Longest sentence, and message, that is looked at, in characters: beyond them it is a text and no remark.
MAX_SENTENCE, MAX_MESSAGE = 600, 1000
_IMPORTANCE = 0.5


# What begins with one of these means what stood before it.
_REFERS = re.compile(r"(?:it|that|there|those|these|its)(?:'s|\b)", re.IGNORECASE)


# A question without its mark, and what is asked for: 'which city does my sister live in', 'pick a colour for my bike'.
_ASKS = re.compile(
    r"(?:(?:and|so|ok|but)\s++)?(?:what|where|which|whose|who|why|how|when(?=\s++(?:is|are|was|were|do|does|did|will|can)\b)|is|are|do|does|did|can|"
    r"could|pick|choose|tell|remind|put|set|book|order|draw|guess)\b(?!')",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Quoted:
    """What a note quotes."""

    piece: TextSpan
    of: str = ""
    """Whom its pronoun means: 'their sister'. Empty: it has none."""
    mentions: bool = False
    """It is no statement by itself, but names somebody."""
    is_abroad: bool = False
    """In another language: what looks like a day there may be none ('mon')."""


def add_quotations(reading: ParsedMessage, sentence: TextSpan, found: Sequence[Candidate]) -> list[Candidate]:
    """Add notes that quote what a sentence tells of the user's life and no candidate holds.

    Args:
        reading: The message.
        sentence: A part of it, others' words blanked.
        found: What was read out of the sentence.
    """
    if reading.between_people or reading.message.role != "user" or any(candidate.forgets for candidate in found):
        return list(found)
    if len(sentence.text) > MAX_SENTENCE or len(reading.text) > MAX_MESSAGE:
        return list(found)
    language = foreign_language(sentence.text, reading.masked)
    quoted = _abroad(reading, sentence, language) if language else _in_english(reading, sentence, found)
    return [*found, *(_note(reading, each) for each in quoted)]


def may_be_quoted(sentence: str, message: str) -> bool:
    """Return whether a sentence may tell something of the user's life that is kept in their words.

    >>> may_be_quoted("got the nikon ones in the end", ""), may_be_quoted("the sky is blue", "")
    (True, False)
    """
    language = foreign_language(sentence, message)
    if language:
        return bool(foreign_statements(sentence, message, language) or find_named_relative(sentence, message, language))
    stated = statement_part(sentence)
    return bool(stated) and not is_unmeant(stated) and tells_of_life(stated[lead_length(stated) :], dated=True)


def _abroad(reading: ParsedMessage, sentence: TextSpan, language: str) -> list[_Quoted]:
    stated = foreign_statements(sentence.text, reading.masked, language)
    if stated:
        found = [TextSpan(sentence.text[start:end], sentence.start + start) for start, end in stated]
        found[-1] = _with_next(reading, sentence, found[-1], language)
        return [_Quoted(piece, is_abroad=True) for piece in found]
    named = find_named_relative(sentence.text, reading.masked, language)
    if named is None:
        return []
    start, end = named
    is_all = start == 0 and end == len(sentence.text)
    return [_Quoted(TextSpan(sentence.text[start:end], sentence.start + start), mentions=not is_all, is_abroad=True)]


def _with_next(reading: ParsedMessage, sentence: TextSpan, stated: TextSpan, language: str) -> TextSpan:
    """Let a statement go on with the next sentence, where that tells more of the same: 'Femke heet ze'."""
    behind = sentences(reading.masked[sentence.end : sentence.end + MAX_QUOTED])[:1]
    if stated.end < sentence.end - 3 or not behind or sentence.end + behind[0].end - stated.start > MAX_QUOTED:
        return stated
    if not continues_statement(behind[0].text, reading.masked, language):
        return stated
    end = sentence.end + behind[0].end
    return TextSpan(reading.masked[stated.start : end], stated.start)


def _in_english(reading: ParsedMessage, sentence: TextSpan, found: Sequence[Candidate]) -> list[_Quoted]:
    stated = statement_part(sentence.text)
    if not stated or is_unmeant(stated) or (ends_in_laughter(stated) and not tells_of_illness(stated)):
        return []
    clauses = fine_clauses(TextSpan(stated, sentence.start))
    quoted: list[_Quoted] = []
    for run in _runs(reading, clauses, found):
        quoted += _of_run(reading, run)
    return quoted


def _of_run(reading: ParsedMessage, run: Sequence[TextSpan]) -> list[_Quoted]:
    """Quote each clause that tells something, with what stands before it: 'Madeira it is, I'll go on the 16th'."""
    quoted: list[_Quoted] = []
    at = run[0].start
    for clause in run:
        told = _told(reading, clause)
        if told is None:
            continue
        start, end = told.piece.start, told.piece.end
        if _REFERS.match(told.piece.text) and quoted and end - quoted[-1].piece.start <= MAX_QUOTED:
            start = quoted.pop().piece.start
        elif not told.of and end - at <= MAX_WITH_CONTEXT and not is_reported(reading.masked[at:start]):
            start = at
        quoted.append(_Quoted(TextSpan(reading.masked[start:end], start), of=told.of))
        at = end
    return quoted


def _runs(reading: ParsedMessage, clauses: Sequence[TextSpan], found: Sequence[Candidate]) -> list[list[TextSpan]]:
    """Return the clauses of which nothing was read, those beside one another together."""
    notes = [fold(one.quote) for one in found if one.kind is MemoryKind.NOTE or one.category == "instruction"]
    runs: list[list[TextSpan]] = [[]]
    for clause in clauses:
        words = fold(reading.quote(clause))
        if any(words in note or note in words for note in notes):
            runs.append([])
        else:
            runs[-1].append(clause)
    return [run for run in runs if run]


def _told(reading: ParsedMessage, clause: TextSpan) -> _Quoted | None:
    """Return what a clause tells of the user's life; None where it is not worth a note."""
    lead = lead_length(clause.text)
    body = clause.text[lead:]
    dated = bool(reading.mentions_in(clause))
    if is_command(body) or _ASKS.match(body) or is_of_the_moment(body, dated=dated):
        return None
    piece = TextSpan(body, clause.start + lead)
    of = find_antecedent(body, (reading.masked[: clause.start], *reading.previous_texts[:2]))
    return _Quoted(piece, of=of) if of or tells_of_life(body, dated=dated) else None


def _note(reading: ParsedMessage, quoted: _Quoted) -> Candidate:
    quote = reading.quote(quoted.piece)
    inside = [] if quoted.is_abroad else reading.mentions_in(quoted.piece)
    written = write_out(fold(quote), inside).strip(" ,;:.!…。！，").replace('"', "'")
    lead = f"said of {quoted.of}" if quoted.of else "mentioned" if quoted.mentions else "said"
    written = written[lead_length(written) :].lstrip(" ,;:") or written
    text = f'{reading.speaker.name} {lead}: "{written[0].upper()}{written[1:]}."'
    return Candidate(
        kind=MemoryKind.NOTE,
        text=text,
        type="fact",
        importance=_IMPORTANCE,
        confidence=READ,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=quote,
        valid_from=reading.message.said_at,
    )
