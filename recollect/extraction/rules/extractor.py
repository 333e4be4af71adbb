"""Extract candidates from messages by rule: facts clause by clause, notes sentence by sentence. Pure.

'I moved to Oslo and my sister visits on Sunday' yields the fact `location: Oslo` and one note for each statement.
Jokes, suppositions and requests to forget are read first: they decide what the other sentences of a message mean.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice

from recollect.dates import Direction, parse_dates
from recollect.extraction.irony_and_doubt import is_doubted_taste, is_ironic
from recollect.extraction.quotes import without_quoted
from recollect.extraction.rules.asides import facts_in_passing, find_asides, mentions_fiction
from recollect.extraction.rules.bare_correction import Correction, read_correction
from recollect.extraction.rules.clause_facts import facts_of
from recollect.extraction.rules.clause_notes import (
    continue_note,
    corrected_note,
    forget_previous,
    note_of_day,
    note_on_request,
    notes_of,
    read_forget_request,
)
from recollect.extraction.rules.clause_subjects import is_half_subject
from recollect.extraction.rules.gated_quotes import GatedMessage
from recollect.extraction.rules.new_amount import amount_after
from recollect.extraction.rules.parsed_message import DOUBTED, PLAIN, ParsedMessage, parse_messages
from recollect.extraction.rules.patterns.fact_pattern import ExtractedFact
from recollect.extraction.rules.patterns.household_health import find_household_health
from recollect.extraction.rules.patterns.people import find_named_people, gives_name
from recollect.extraction.rules.patterns.personal_details import are_of_another_person
from recollect.extraction.rules.short_answers import answer_as_statement
from recollect.extraction.rules.stated_changes import attach_shifts, find_updates
from recollect.extraction.rules.verbatim import add_quotations
from recollect.extraction.sentences import TextSpan, coarse_clauses, fine_clauses, sentences
from recollect.extraction.sources import ExtractionInput, speaker_of
from recollect.extraction.speech_acts import (
    ends_in_laughter,
    ends_role_play,
    introduces_figure,
    is_command,
    is_hedged,
    is_hyperbole,
    is_hypothetical,
    is_invented,
    is_joke,
    is_retraction,
    is_self_denial,
    is_small_talk,
    opens_role_play,
    statement_part,
    takes_back_all,
    takes_back_previous,
)
from recollect.lazy_pattern import LazyPattern
from recollect.text import asks
from recollect.text.updates import Update
from recollect.types import Candidate, LoggedMessage, MemoryKind

RULES_VERSION = "rules-2"
# Statements kept per message, and as many requests to forget: a message with more is a pasted text.
MAX_CANDIDATES = 20
# Sentences per message that are searched for statements; a long letter has half as many. The rest is searched for
# requests to forget only.
MAX_SENTENCES = 400
_REMEMBER_REQUEST = LazyPattern(
    r"(?:(?:please|also|and)\s++){0,6}(?:remember|don't\s++forget|keep\s++in\s++mind|note|make\s++a\s++note|"
    r"save)(?:\s++(?:for|to)\s++(?:me|self|myself))?(?:\s++this)?(?:\s*+:|\s++that)\s++(?P<what>.{8,400})$",
    re.IGNORECASE | re.DOTALL,
)
# Text between commas; a shorter part only rounds off the one before it.
_PART = LazyPattern(r"[^,;:]+")
_MIN_PART_WORDS = 3
# Words that make an order hold beyond the task at hand.
_STANDING_ORDER = LazyPattern(
    r"\b(?:always|never|from\s++now\s++on|in\s++(?:the\s++)?future|going\s++forward|by\s++default|as\s++a\s++rule|generally|everywhere|"
    r"every\s++time|(?:in|for)\s++(?:all|any|every)\s++(?:my\s++|of\s++my\s++|our\s++)?\w++|ever)\b",
    re.IGNORECASE,
)
# Words that refer to the previous clause. A short clause with one of them cannot stand alone.
_BACK_REFERENCE = LazyPattern(r"\b(?:there|it|them|him|her)\b", re.IGNORECASE)
_MAX_REFERRING_WORDS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesResult:
    """What the rules found in messages."""

    candidates: Sequence[Candidate] = ()
    left_out: Mapping[int, str] = field(default_factory=dict)
    """By `seq`: how much of a message with too many statements was not read or not kept."""


@dataclass(frozen=True, slots=True)
class _StatedFact:
    """A fact, and the clause that states it."""

    candidate: Candidate
    clause: TextSpan


def extract_by_rules(source: ExtractionInput) -> list[Candidate]:
    """Extract lasting statements about the speakers: see `read_by_rules`."""
    return list(read_by_rules(source).candidates)


def read_by_rules(source: ExtractionInput) -> RulesResult:
    """Read lasting statements about the speakers, in the order of the messages.

    Facts come from the `user` role alone. The assistant is read only if it speaks under a name, as in a recorded
    conversation between people.
    """
    candidates: list[Candidate] = []
    left_out: dict[int, str] = {}
    for reading in parse_messages(source):
        kept, why = _of_message(reading)
        candidates += kept
        if why:
            left_out[reading.message.seq] = why
    return RulesResult(candidates=candidates, left_out=left_out)


def forget_requests(source: ExtractionInput) -> list[Candidate]:
    """Extract only the requests to forget, which are read by rule even where a model extracts the rest."""
    return [request for reading in parse_messages(source) for request in _requests(reading, sentences(reading.masked))]


def read_updates(source: ExtractionInput) -> list[tuple[int, Update]]:
    """Read what the user's messages say has changed or ended, each with the `seq` of its message."""
    return [
        (reading.message.seq, update)
        for reading in parse_messages(source)
        if reading.message.role == "user"
        for update in find_updates(reading, max_sentences=MAX_SENTENCES)
    ]


def _requests(reading: ParsedMessage, pieces: Sequence[TextSpan]) -> list[Candidate]:
    """Read the first `MAX_CANDIDATES` requests to forget; 'jk' asks to forget the previous message."""
    asked = (read_forget_request(reading, piece) for piece in pieces if not is_retraction(piece.text))
    found = list(islice((request for request in asked if request), MAX_CANDIDATES))
    if pieces and not found and takes_back_all(pieces[0].text):
        found += forget_previous(reading, pieces[0])
    return found


def _of_message(reading: ParsedMessage) -> tuple[list[Candidate], str]:
    """Read one message; return the candidates that are kept, and how much was left out."""
    pieces = sentences(reading.masked)
    candidates = _stated(reading, pieces[:MAX_SENTENCES])
    if len(pieces) > MAX_SENTENCES:
        candidates += _requests(reading, pieces[MAX_SENTENCES:])
    # "Don't keep this: …" also covers what follows it.
    candidates.sort(key=lambda candidate: reading.message.seq in candidate.forgets_seqs)
    candidates = _unique(candidates)
    statements = [candidate for candidate in candidates if not candidate.forgets]
    requests = [candidate for candidate in candidates if candidate.forgets]
    beyond = {id(candidate) for candidate in (*statements[MAX_CANDIDATES:], *requests[MAX_CANDIDATES:])}
    unread = max(0, len(pieces) - MAX_SENTENCES)
    left_out = [f"{unread} of {len(pieces)} sentences"] if unread else []
    left_out += [f"{len(beyond)} of {len(candidates)} statements"] if beyond else []
    return [candidate for candidate in candidates if id(candidate) not in beyond], " and ".join(left_out)


def _stated(reading: ParsedMessage, pieces: Sequence[TextSpan]) -> list[Candidate]:
    candidates: list[Candidate] = []
    last_joked = 0
    before: TextSpan | None = None
    imagined = False
    gated = GatedMessage(reading, pieces)
    for place, sentence in enumerate(pieces):
        supposed = imagined or opens_role_play(sentence.text) or introduces_figure(sentence.text)
        imagined = not reading.between_people and not ends_role_play(sentence.text) and supposed
        if imagined:
            continue
        if is_joke(sentence.text) or (not reading.between_people and takes_back_all(sentence.text)):
            del candidates[
                last_joked if takes_back_previous(sentence.text) or takes_back_all(sentence.text) else len(candidates) :
            ]
            candidates += forget_previous(reading, sentence) if before is None and takes_back_all(sentence.text) else ()
            continue
        further = (
            continue_note(reading, candidates[-1], before, sentence)
            if before and len(candidates) > last_joked
            else None
        )
        previous, before = before, sentence
        if previous is None and is_self_denial(sentence.text) and not asks(reading.previous_reply):
            candidates += forget_previous(reading, sentence)
        if further:
            candidates[-1] = further
            continue
        last_joked = len(candidates)
        if previous and not reading.between_people and gives_name(sentence.text):
            candidates.extend(_named_since(reading, previous, sentence))
        read = _corrected(reading, sentence) or list(_of_sentence(reading, sentence))
        found = add_quotations(reading, sentence, attach_shifts(reading, sentence, read))
        candidates += found or gated.quotation(place)
    return gated.decide(candidates)


def corrections(source: ExtractionInput, *, amounts_alone: bool = False) -> list[tuple[LoggedMessage, Correction]]:
    """Find the messages in which speakers correct what they said before, or give a new amount for it."""
    return [
        (reading.message, fix)
        for reading in parse_messages(source)
        for sentence in sentences(reading.masked)[:MAX_SENTENCES]
        if (fix := amount_after(reading, sentence) or (None if amounts_alone else _correction(reading, sentence)))
    ]


def _correction(reading: ParsedMessage, sentence: TextSpan) -> Correction | None:
    """Read a sentence as a correction of an earlier one; a message that begins with a star is one: '*Pickles'."""
    if reading.between_people or is_hypothetical(sentence.text):
        return None
    before = (reading.masked[: sentence.start], *reading.previous_texts)
    starred = reading.masked[: sentence.start].endswith("*") and not reading.masked[: sentence.start].strip(" *")
    star = "*" if starred and sentence.end >= len(reading.masked.rstrip()) else ""
    return read_correction(f"{star}{sentence.text}", before, previous_reply=reading.previous_reply)


def _corrected(reading: ParsedMessage, sentence: TextSpan) -> list[Candidate]:
    """Read a correction as the corrected statement: the earlier sentence with the new value."""
    fix = _correction(reading, sentence)
    if fix is None:
        return []
    if fix.meant:
        said = replace(reading.message, text=fix.meant)
        mentions = parse_dates(fix.meant, said_at=said.said_at, zone=reading.zone, default=Direction.AHEAD)
        meant = replace(reading, message=said, text=fix.meant, mentions=mentions, masked=without_quoted(fix.meant))
        found = [candidate for piece in sentences(meant.masked) for candidate in _of_sentence(meant, piece)]
    else:
        found = list(_of_sentence(reading, sentence))
    if all(candidate.kind is not MemoryKind.NOTE for candidate in found):
        found.append(corrected_note(reading, sentence, fix.meant))
    quote = reading.quote(sentence)
    return [replace(candidate, quote=quote, corrects=fix.old) for candidate in found if not candidate.forgets]


def _of_sentence(reading: ParsedMessage, sentence: TextSpan) -> Iterator[Candidate]:
    forget = read_forget_request(reading, sentence)
    if forget:
        yield forget
        if not is_retraction(sentence.text):
            return
    if not reading.between_people:
        yield from _in_passing(reading, sentence)
    stated = statement_part(sentence.text)
    if not stated or is_small_talk(stated):
        return
    if not reading.between_people and any(
        is_unmeant(sentence.text) for is_unmeant in (is_invented, is_ironic, is_doubted_taste)
    ):
        return
    answered = (
        "" if reading.between_people else answer_as_statement(sentence.text, reading.masked, reading.previous_reply)
    )
    if answered:
        yield from (
            _candidate(reading, sentence, fact, reading.message.said_at, doubted=False)
            for fact in facts_of(answered, [])
        )
        return
    remember = _REMEMBER_REQUEST.match(stated)
    sentence = TextSpan(stated, sentence.start)
    if ends_in_laughter(sentence.text) and not reading.between_people:
        sentence = _before_the_laugh(sentence)
    facts = [fact for clause in fine_clauses(sentence) for fact in _facts(reading, clause)]
    yield from (fact.candidate for fact in facts)
    if remember:
        if not facts:
            yield note_on_request(reading, sentence, remember["what"])
        return
    yield from _notes(reading, sentence, facts)


def _named_since(reading: ParsedMessage, before: TextSpan, sentence: TextSpan) -> Iterator[Candidate]:
    """Read the name of someone the previous sentence mentioned: 'We got a puppy! We called him Rolf.'"""
    both = TextSpan(reading.masked[before.start : sentence.end], before.start)
    if reading.message.role == "user" and not is_hypothetical(both.text) and not mentions_fiction(both.text):
        for fact in find_named_people(both.text):
            yield _candidate(reading, both, fact, reading.message.said_at, doubted=is_hedged(both.text))


def _in_passing(reading: ParsedMessage, sentence: TextSpan) -> Iterator[Candidate]:
    """Read what a question or an order states in passing."""
    text = sentence.text
    if reading.message.role != "user" or is_hypothetical(text) or is_hyperbole(text) or mentions_fiction(text):
        return
    for fact in facts_in_passing(text):
        yield _candidate(reading, sentence, fact, reading.message.said_at, doubted=is_hedged(text))
    for aside in find_asides(sentence):
        facts = [fact.candidate for fact in _facts(reading, aside)]
        yield from facts
        yield from notes_of(reading, aside, stated=bool(facts))


def _before_the_laugh(sentence: TextSpan) -> TextSpan:
    """Drop the last part of a sentence: a laugh takes it back."""
    parts = [part for part in _PART.finditer(sentence.text) if len(part.group().split()) >= _MIN_PART_WORDS]
    end = parts[-1].start() if parts else len(sentence.text)
    return TextSpan(sentence.text[:end].rstrip(" ,;:"), sentence.start)


def _notes(reading: ParsedMessage, sentence: TextSpan, stated: Sequence[_StatedFact]) -> Iterator[Candidate]:
    day = None if reading.between_people else note_of_day(reading, sentence)
    if day:
        yield day
        return
    for clause in _tied(reading, coarse_clauses(sentence)):
        within = [fact.candidate.category for fact in stated if clause.start <= fact.clause.start < clause.end]
        if "instruction" in within:
            continue
        yield from notes_of(reading, clause, stated=bool(within))


def _tied(reading: ParsedMessage, clauses: Sequence[TextSpan]) -> list[TextSpan]:
    """Join a clause to the previous one if it refers to that: 'and I go there every morning'.

    The first half of a joint subject stays with its verb: 'Dan and I broke up'.
    """
    found: list[TextSpan] = []
    for clause in clauses:
        refers = len(clause.text.split()) <= _MAX_REFERRING_WORDS and _BACK_REFERENCE.search(clause.text)
        if found and ((refers and not reading.between_people) or is_half_subject(found[-1].text)):
            start = found.pop().start
            clause = TextSpan(reading.masked[start : clause.end], start)
        found.append(clause)
    return found


def _facts(reading: ParsedMessage, clause: TextSpan) -> Iterator[_StatedFact]:
    if reading.message.role != "user" or is_hypothetical(clause.text) or is_hyperbole(clause.text):
        return
    inside = reading.mentions_in(clause)
    yield from _of_others(reading, clause)
    for fact in facts_of(clause.text, inside):
        ordered = fact.ordered or fact.key.startswith("rule:")
        if (reading.between_people and ordered) or are_of_another_person(
            fact, clause.text, reading.masked[: clause.start]
        ):
            continue  # said to another person, or of one
        if fact.ordered and _is_for_a_task(reading, clause):
            continue
        when = min((mention.start for mention in inside if fact.dated), default=reading.message.said_at)
        if when > reading.message.said_at:
            continue  # 'I move next month' is a plan, not a fact yet
        yield _StatedFact(_candidate(reading, clause, fact, when, doubted=is_hedged(clause.text)), clause)


def _of_others(reading: ParsedMessage, clause: TextSpan) -> Iterator[_StatedFact]:
    """Read the health and diet of other people; what the speaker only guesses is left out."""
    if is_hedged(clause.text) or mentions_fiction(clause.text):
        return
    for fact in find_household_health(clause.text, reading.masked[: clause.start]):
        yield _StatedFact(_candidate(reading, clause, fact, reading.message.said_at, doubted=False), clause)


def _is_for_a_task(reading: ParsedMessage, order: TextSpan) -> bool:
    """Return whether an order is for a task in the same message: 'Write a parser. Keep lines under 100.'"""
    if _STANDING_ORDER.search(order.text):
        return False
    others = [piece for piece in sentences(reading.masked) if piece.start != order.start]
    return any(is_command(piece.text) or asks(piece.text) for piece in others)


def _candidate(
    reading: ParsedMessage, clause: TextSpan, fact: ExtractedFact, when: datetime, *, doubted: bool
) -> Candidate:
    possessive = fact.says.startswith("'s ")
    return Candidate(
        kind=MemoryKind.FACT,
        text=f"{fact.about or reading.speaker.name}{'' if possessive else ' '}{fact.says}.",
        type=fact.category if fact.category in ("instruction", "preference") else "fact",
        category=fact.category,
        key=fact.key,
        value=fact.value,
        importance=fact.importance,
        confidence=DOUBTED if doubted else PLAIN,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=reading.quote(clause),
        valid_from=when,
        ends=fact.ends,
    )


def _unique(candidates: Sequence[Candidate]) -> list[Candidate]:
    unique: dict[tuple[str, str, str, bool], Candidate] = {}
    for candidate in candidates:
        key = (candidate.kind, candidate.key or candidate.text, candidate.value.casefold(), candidate.ends)
        unique.setdefault(key, candidate)
    return list(unique.values())
