"""Notes that quote the user: statements about their life that no rule can rewrite with certainty. Pure.

"Rent there's 695", "they made me permanent", "moro em Setúbal" are stored word for word, so that nothing is read into
them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.extraction.rules.antecedents import find_antecedent
from recollect.extraction.rules.clause_facts import lead_length
from recollect.extraction.rules.clause_notes import event_time
from recollect.extraction.rules.foreign_languages import foreign_language
from recollect.extraction.rules.foreign_statements import (
    continues_statement,
    find_named_relative,
    foreign_statements,
    stated_facts,
)
from recollect.extraction.rules.note_weight import is_of_the_moment
from recollect.extraction.rules.parsed_message import PLAIN, READ, ParsedMessage
from recollect.extraction.rules.verbatim_patterns import is_reported, is_unmeant, tells_of_illness, tells_of_life
from recollect.extraction.sentences import TextSpan, fine_clauses, fold, sentences, write_out
from recollect.extraction.sources import speaker_of
from recollect.extraction.speech_acts import ends_in_laughter, is_command, statement_part
from recollect.lazy_pattern import LazyPattern
from recollect.types import Candidate, MemoryKind

# Characters that one note quotes: of longer text, only the clauses that state something.
MAX_QUOTED = 200
# Characters of a clause that is quoted together with the clauses before it.
MAX_WITH_CONTEXT = 140
# Characters of a sentence and of a message that are read: a longer one is a text, not a remark.
MAX_SENTENCE, MAX_MESSAGE = 600, 1000
_IMPORTANCE = 0.5


# A clause that begins with one of these refers to the previous one.
_REFERS = LazyPattern(r"(?:it|that|there|those|these|its)(?:'s|\b)", re.IGNORECASE)


# Questions without a mark, and orders: 'which city does my sister live in', 'pick a colour for my bike'.
_ASKS = LazyPattern(
    r"(?:(?:and|so|ok|but)\s++)?(?:what|where|which|whose|who|why|how|when(?=\s++(?:is|are|was|were|do|does|did|will|can)\b)|is|are|do|does|did|can|"
    r"could|pick|choose|tell|remind|put|set|book|order|draw|guess)\b(?!')",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Quoted:
    """Quoted part of a message."""

    piece: TextSpan
    of: str = ""
    """The person its pronoun refers to: 'their sister'. Empty without one."""
    mentions: bool = False
    """It only names a person, and states nothing."""
    is_foreign: bool = False
    """It is in another language: its words stay as they are, and only its dates in that language count."""


def add_quotations(reading: ParsedMessage, sentence: TextSpan, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Add notes that quote statements of a sentence which no candidate contains.

    Args:
        reading: The message.
        sentence: A part of it, others' words blanked.
        candidates: Candidates of the sentence.
    """
    if reading.message.role != "user" or any(candidate.forgets for candidate in candidates):
        return list(candidates)
    if len(sentence.text) > MAX_SENTENCE or len(reading.text) > MAX_MESSAGE:
        return list(candidates)
    language = foreign_language(sentence.text, reading.masked)
    if reading.between_people and not (language and reading.to_assistant):
        return list(candidates)
    quoted = _foreign(reading, sentence, language) if language else _in_english(reading, sentence, candidates)
    facts = _foreign_facts(reading, sentence, language) if language else []
    return [*candidates, *facts, *(_note(reading, quotation) for quotation in quoted)]


def quotation(reading: ParsedMessage, piece: TextSpan, *, is_foreign: bool) -> Candidate:
    """Return a note that quotes a part of a message.

    Args:
        reading: The message.
        piece: The part.
        is_foreign: It is in another language than English, where words may look like dates.
    """
    return _note(reading, _Quoted(piece, is_foreign=is_foreign))


def is_quotation(candidate: Candidate) -> bool:
    """Return whether a candidate is a note that quotes its speaker."""
    return candidate.kind is MemoryKind.NOTE and candidate.text.endswith(('."', '?"'))


def asks_or_orders(text: str) -> bool:
    """Return whether an English clause begins as a question without a mark does, or an order.

    >>> asks_or_orders("which city does my sister live in"), asks_or_orders("where I live it rains")
    (True, True)
    """
    return bool(_ASKS.match(text))


def may_be_quoted(sentence: str, message: str) -> bool:
    """Return whether a sentence may state something about the user's life that is worth quoting.

    >>> may_be_quoted("got the nikon ones in the end", ""), may_be_quoted("the sky is blue", "")
    (True, False)
    """
    language = foreign_language(sentence, message)
    if language:
        finders = (foreign_statements, find_named_relative, stated_facts)
        return any(find(sentence, message, language) for find in finders)
    stated = statement_part(sentence)
    return bool(stated) and not is_unmeant(stated) and tells_of_life(stated[lead_length(stated) :], dated=True)


def _foreign(reading: ParsedMessage, sentence: TextSpan, language: str) -> list[_Quoted]:
    stated = foreign_statements(sentence.text, reading.masked, language)
    if stated:
        found = [TextSpan(sentence.text[start:end], sentence.start + start) for start, end in stated]
        found[-1] = _with_next(reading, sentence, found[-1], language)
        return [_Quoted(piece, is_foreign=True) for piece in found]
    named = find_named_relative(sentence.text, reading.masked, language)
    if named is None:
        return []
    start, end = named
    is_all = start == 0 and end == len(sentence.text)
    return [_Quoted(TextSpan(sentence.text[start:end], sentence.start + start), mentions=not is_all, is_foreign=True)]


def _foreign_facts(reading: ParsedMessage, sentence: TextSpan, language: str) -> list[Candidate]:
    """Make facts of the slots that a sentence in another language states; their text quotes it."""
    facts: list[Candidate] = []
    for fact in stated_facts(sentence.text, reading.masked, language):
        piece = TextSpan(sentence.text[fact.start : fact.end], sentence.start + fact.start)
        quoting = _note(reading, _Quoted(piece, is_foreign=True))
        facts.append(
            replace(
                quoting,
                kind=MemoryKind.FACT,
                type="instruction" if fact.category == "instruction" else "fact",
                category=fact.category,
                key=fact.key,
                value=fact.value,
                importance=fact.importance,
                confidence=PLAIN,
                ends=fact.ends,
            )
        )
    return facts


def _with_next(reading: ParsedMessage, sentence: TextSpan, stated: TextSpan, language: str) -> TextSpan:
    """Extend a statement by the next sentence if that continues it: 'Femke heet ze'."""
    following = sentences(reading.masked[sentence.end : sentence.end + MAX_QUOTED])[:1]
    if stated.end < sentence.end - 3 or not following or sentence.end + following[0].end - stated.start > MAX_QUOTED:
        return stated
    if not continues_statement(following[0].text, reading.masked, language):
        return stated
    end = sentence.end + following[0].end
    return TextSpan(reading.masked[stated.start : end], stated.start)


def _in_english(reading: ParsedMessage, sentence: TextSpan, candidates: Sequence[Candidate]) -> list[_Quoted]:
    stated = statement_part(sentence.text)
    if not stated or is_unmeant(stated) or (ends_in_laughter(stated) and not tells_of_illness(stated)):
        return []
    clauses = fine_clauses(TextSpan(stated, sentence.start))
    quoted: list[_Quoted] = []
    for run in _runs(reading, clauses, candidates):
        quoted += _of_run(reading, run)
    return quoted


def _of_run(reading: ParsedMessage, run: Sequence[TextSpan]) -> list[_Quoted]:
    """Quote each clause that states something, with its context: "Madeira it is, I'll go on the 16th"."""
    quoted: list[_Quoted] = []
    at = run[0].start
    for clause in run:
        clause_text = _told(reading, clause)
        if clause_text is None:
            continue
        start, end = clause_text.piece.start, clause_text.piece.end
        if _REFERS.match(clause_text.piece.text) and quoted and end - quoted[-1].piece.start <= MAX_QUOTED:
            start = quoted.pop().piece.start
        elif not clause_text.of and end - at <= MAX_WITH_CONTEXT and not is_reported(reading.masked[at:start]):
            start = at
        quoted.append(_Quoted(TextSpan(reading.masked[start:end], start), of=clause_text.of))
        at = end
    return quoted


def _runs(reading: ParsedMessage, clauses: Sequence[TextSpan], candidates: Sequence[Candidate]) -> list[list[TextSpan]]:
    """Return runs of adjacent clauses that no candidate was read from."""
    covering = (item for item in candidates if item.kind is MemoryKind.NOTE or item.category == "instruction")
    notes = [fold(item.quote) for item in covering]
    runs: list[list[TextSpan]] = [[]]
    for clause in clauses:
        words = fold(reading.quote(clause))
        if any(words in note or note in words for note in notes):
            runs.append([])
        else:
            runs[-1].append(clause)
    return [run for run in runs if run]


def _told(reading: ParsedMessage, clause: TextSpan) -> _Quoted | None:
    """Return the statement of a clause about the user's life; None if it is not worth a note."""
    lead = lead_length(clause.text)
    body = clause.text[lead:]
    dated = bool(reading.mentions_in(clause))
    if is_command(body) or asks_or_orders(body) or is_of_the_moment(body, dated=dated):
        return None
    piece = TextSpan(body, clause.start + lead)
    of = find_antecedent(body, (reading.masked[: clause.start], *reading.previous_texts[:2]))
    return _Quoted(piece, of=of) if of or tells_of_life(body, dated=dated) else None


def _note(reading: ParsedMessage, quoted: _Quoted) -> Candidate:
    quote = reading.quote(quoted.piece)
    inside = [found for found in reading.mentions_in(quoted.piece) if (found.language != "en") == quoted.is_foreign]
    written = write_out(fold(quote), inside).strip(" ,;:.!…。！，").replace('"', "'")
    lead = f"said of {quoted.of}" if quoted.of else "mentioned" if quoted.mentions else "said"
    written = written[lead_length(written) :].lstrip(" ,;:") or written
    end = "" if written.endswith(("?", "？")) else "."
    text = f'{reading.speaker.name} {lead}: "{written[0].upper()}{written[1:]}{end}"'
    return Candidate(
        kind=MemoryKind.NOTE,
        text=text,
        type="fact",
        importance=_IMPORTANCE,
        confidence=READ,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=quote,
        valid_from=event_time(inside, reading.message.said_at) if quoted.is_foreign else reading.message.said_at,
    )
