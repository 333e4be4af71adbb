"""From messages to candidates by rule: facts clause by clause, notes sentence by sentence. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice

from recollect.dates import Direction, parse_dates
from recollect.extraction.irony_and_doubt import is_doubted_taste, is_ironic
from recollect.extraction.quotes import without_quoted
from recollect.extraction.rules.answers import spelled_out
from recollect.extraction.rules.asides import asides_of, facts_in_passing, is_of_a_tale
from recollect.extraction.rules.correction import Correction, correction_of
from recollect.extraction.rules.facts import facts_of
from recollect.extraction.rules.life_changes import updates_of, with_shifts
from recollect.extraction.rules.new_amount import amount_after
from recollect.extraction.rules.notes import (
    continue_note,
    corrected_note,
    day_of,
    forget_of,
    notes_of,
    remembered,
    retraction,
)
from recollect.extraction.rules.parsed_message import DOUBTED, PLAIN, ParsedMessage, each_message
from recollect.extraction.rules.patterns.base import ExtractedFact
from recollect.extraction.rules.patterns.identity import are_anothers
from recollect.extraction.rules.patterns.people import is_naming, named_within
from recollect.extraction.rules.subjects import is_half_subject
from recollect.extraction.rules.verbatim import with_verbatim
from recollect.extraction.sentences import TextSpan, coarse_clauses, fine_clauses, sentences
from recollect.extraction.sources import ExtractionInput, speaker_of
from recollect.extraction.speech_acts import (
    denies_itself,
    ends_in_laughter,
    ends_role_play,
    introduces_figure,
    invents,
    is_command,
    is_hedged,
    is_hyperbole,
    is_hypothetical,
    is_joke,
    is_of_the_one_before,
    is_retraction,
    is_small_talk,
    opens_role_play,
    retracts,
    statement_part,
)
from recollect.text import asks
from recollect.text.updates import Update
from recollect.types import Candidate, LoggedMessage, MemoryKind

RULES_VERSION = "rules-2"
# Statements kept of one message, and as many requests to forget: more is a pasted text.
MAX_CANDIDATES = 20
# Sentences of one message that are read for statements: a long letter has half of them. The rest may ask to forget.
MAX_SENTENCES = 400
_REMEMBER = re.compile(
    r"(?:(?:please|also|and)\s++){0,6}(?:remember|don't\s++forget|keep\s++in\s++mind|note|make\s++a\s++note|"
    r"save)(?:\s++(?:for|to)\s++(?:me|self|myself))?(?:\s++this)?(?:\s*+:|\s++that)\s++(?P<what>.{8,400})$",
    re.IGNORECASE | re.DOTALL,
)
# What stands between commas; in fewer words it only rounds off what stands before it.
_PART = re.compile(r"[^,;:]+")
_WORDS_OF_A_PART = 3
# An order that holds beyond the task at hand says so.
_LASTS = re.compile(
    r"\b(?:always|never|from\s++now\s++on|in\s++(?:the\s++)?future|going\s++forward|by\s++default|as\s++a\s++rule|generally|everywhere|"
    r"every\s++time|(?:in|for)\s++(?:all|any|every)\s++(?:my\s++|of\s++my\s++|our\s++)?\w++|ever)\b",
    re.IGNORECASE,
)
# Words that mean what was named before; in a long clause they have hardly more than that to lean on.
_REFERS = re.compile(r"\b(?:there|it|them|him|her)\b", re.IGNORECASE)
_MAX_REFERRING_WORDS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesReading:
    """What the rules found."""

    candidates: Sequence[Candidate] = ()
    left_out: Mapping[int, str] = field(default_factory=dict)
    """How much was not read or kept of messages with too many statements, by their `seq`."""


def extract_by_rules(source: ExtractionInput) -> list[Candidate]:
    """Extract what the messages say that lasts about who says it: see `read_by_rules`."""
    return list(read_by_rules(source).candidates)


def read_by_rules(source: ExtractionInput) -> RulesReading:
    """Read what the messages say that lasts about who says it.

    Facts come from the `user` role alone. The assistant is read only where it speaks under a name, as in a
    recorded talk between people. Order is that of the messages.
    """
    found: list[Candidate] = []
    left_out: dict[int, str] = {}
    for reading in each_message(source):
        kept, why = _of_message(reading)
        found += kept
        if why:
            left_out[reading.message.seq] = why
    return RulesReading(candidates=found, left_out=left_out)


def forget_requests(source: ExtractionInput) -> list[Candidate]:
    """Extract the requests to forget alone: a model that forms memories need not know of them."""
    return [request for reading in each_message(source) for request in _requests(reading, sentences(reading.masked))]


def read_updates(source: ExtractionInput) -> list[tuple[int, Update]]:
    """Read what the user's messages say is no longer as it was, each with the `seq` of its message."""
    return [
        (reading.message.seq, update)
        for reading in each_message(source)
        if reading.message.role == "user"
        for update in updates_of(reading, max_sentences=MAX_SENTENCES)
    ]


def _requests(reading: ParsedMessage, pieces: Sequence[TextSpan]) -> list[Candidate]:
    """Read the first `MAX_CANDIDATES` requests to forget; 'jk' takes back the message before it."""
    asked = (forget_of(reading, piece) for piece in pieces if not is_retraction(piece.text))
    found = list(islice((request for request in asked if request), MAX_CANDIDATES))
    if pieces and not found and retracts(pieces[0].text):
        found += retraction(reading, pieces[0])
    return found


def _of_message(reading: ParsedMessage) -> tuple[list[Candidate], str]:
    """Read one message; return what is kept of it, and how much is not."""
    pieces = sentences(reading.masked)
    found = _stated(reading, pieces[:MAX_SENTENCES])
    if len(pieces) > MAX_SENTENCES:
        found += _requests(reading, pieces[MAX_SENTENCES:])
    # "Don't keep this: …" means what stands behind it as well.
    found.sort(key=lambda candidate: reading.message.seq in candidate.forgets_seqs)
    found = _unique(found)
    stated = [one for one in found if not one.forgets][MAX_CANDIDATES:]
    asked = [one for one in found if one.forgets][MAX_CANDIDATES:]
    beyond = {id(one) for one in (*stated, *asked)}
    unread = max(0, len(pieces) - MAX_SENTENCES)
    told = [f"{unread} of {len(pieces)} sentences"] if unread else []
    told += [f"{len(beyond)} of {len(found)} statements"] if beyond else []
    return [one for one in found if id(one) not in beyond], " and ".join(told)


def _stated(reading: ParsedMessage, pieces: Sequence[TextSpan]) -> list[Candidate]:
    found: list[Candidate] = []
    last_joked = 0
    before: TextSpan | None = None
    imagined = False
    for sentence in pieces:
        supposed = imagined or opens_role_play(sentence.text) or introduces_figure(sentence.text)
        imagined = not reading.talk and not ends_role_play(sentence.text) and supposed
        if imagined:
            continue
        if is_joke(sentence.text) or (not reading.talk and retracts(sentence.text)):
            del found[last_joked if is_of_the_one_before(sentence.text) or retracts(sentence.text) else len(found) :]
            found += retraction(reading, sentence) if before is None and retracts(sentence.text) else ()
            continue
        further = continue_note(reading, found[-1], before, sentence) if before and len(found) > last_joked else None
        previous, before = before, sentence
        if previous is None and denies_itself(sentence.text) and not asks(reading.answers):
            found += retraction(reading, sentence)
        if further:
            found[-1] = further
            continue
        last_joked = len(found)
        if previous and not reading.talk and is_naming(sentence.text):
            found.extend(_named_since(reading, previous, sentence))
        said = _corrected(reading, sentence) or list(_of_sentence(reading, sentence))
        found += with_verbatim(reading, sentence, with_shifts(reading, sentence, said))
    return found


def corrections(source: ExtractionInput, *, amounts_alone: bool = False) -> list[tuple[LoggedMessage, Correction]]:
    """Find the messages that put right, or give a new amount of, what their speaker said before."""
    return [
        (reading.message, fix)
        for reading in each_message(source)
        for sentence in sentences(reading.masked)[:MAX_SENTENCES]
        if (fix := amount_after(reading, sentence) or (None if amounts_alone else _correction(reading, sentence)))
    ]


def _correction(reading: ParsedMessage, sentence: TextSpan) -> Correction | None:
    """Read a sentence as the correction of another; a star before a whole message opens one: '*Pickles'."""
    if reading.talk or is_hypothetical(sentence.text):
        return None
    before = (reading.masked[: sentence.start], *reading.before)
    starred = reading.masked[: sentence.start].endswith("*") and not reading.masked[: sentence.start].strip(" *")
    star = "*" if starred and sentence.end >= len(reading.masked.rstrip()) else ""
    return correction_of(f"{star}{sentence.text}", before, answers=reading.answers)


def _corrected(reading: ParsedMessage, sentence: TextSpan) -> list[Candidate]:
    """Read a correction as the statement that was meant, in the words of the one that it corrects."""
    fix = _correction(reading, sentence)
    if fix is None:
        return []
    if fix.meant:
        said = replace(reading.message, text=fix.meant)
        mentions = parse_dates(fix.meant, said_at=said.said_at, zone=reading.zone, default=Direction.AHEAD)
        meant = replace(reading, message=said, text=fix.meant, mentions=mentions, masked=without_quoted(fix.meant))
        found = [one for piece in sentences(meant.masked) for one in _of_sentence(meant, piece)]
    else:
        found = list(_of_sentence(reading, sentence))
    if all(one.kind is not MemoryKind.NOTE for one in found):
        found.append(corrected_note(reading, sentence, fix.meant))
    quote = reading.quote(sentence)
    return [replace(one, quote=quote, corrects=fix.old) for one in found if not one.forgets]


def _of_sentence(reading: ParsedMessage, sentence: TextSpan) -> Iterator[Candidate]:
    forget = forget_of(reading, sentence)
    if forget:
        yield forget
        if not is_retraction(sentence.text):
            return
    if not reading.talk:
        yield from _in_passing(reading, sentence)
    stated = statement_part(sentence.text)
    if not stated or is_small_talk(stated):
        return
    if not reading.talk and any(is_unmeant(sentence.text) for is_unmeant in (invents, is_ironic, is_doubted_taste)):
        return
    answered = "" if reading.talk else spelled_out(sentence.text, reading.masked, reading.answers)
    if answered:
        yield from (
            _candidate(reading, sentence, fact, reading.message.said_at, doubted=False)
            for fact in facts_of(answered, [])
        )
        return
    asked = _REMEMBER.match(stated)
    sentence = TextSpan(stated, sentence.start)
    if ends_in_laughter(sentence.text) and not reading.talk:
        sentence = _before_the_laugh(sentence)
    facts = [pair for clause in fine_clauses(sentence) for pair in _facts(reading, clause)]
    yield from (candidate for candidate, _ in facts)
    if asked:
        if not facts:
            yield remembered(reading, sentence, asked["what"])
        return
    yield from _notes(reading, sentence, [(one.category, clause) for one, clause in facts])


def _named_since(reading: ParsedMessage, before: TextSpan, sentence: TextSpan) -> Iterator[Candidate]:
    """Read the name of whom or what the sentence before spoke of: 'We got a puppy! We called him Rolf.'"""
    both = TextSpan(reading.masked[before.start : sentence.end], before.start)
    if reading.message.role == "user" and not is_hypothetical(both.text) and not is_of_a_tale(both.text):
        for fact in named_within(both.text):
            yield _candidate(reading, both, fact, reading.message.said_at, doubted=is_hedged(both.text))


def _in_passing(reading: ParsedMessage, sentence: TextSpan) -> Iterator[Candidate]:
    """Read what a sentence tells on the way to what it asks or orders."""
    text = sentence.text
    if reading.message.role != "user" or is_hypothetical(text) or is_hyperbole(text) or is_of_a_tale(text):
        return
    for fact in facts_in_passing(text):
        yield _candidate(reading, sentence, fact, reading.message.said_at, doubted=is_hedged(text))
    for aside in asides_of(sentence):
        facts = [candidate for candidate, _ in _facts(reading, aside)]
        yield from facts
        yield from notes_of(reading, aside, stated=bool(facts))


def _before_the_laugh(sentence: TextSpan) -> TextSpan:
    """Leave off the last thing that a sentence says."""
    parts = list(_PART.finditer(sentence.text))
    said = [one for one in parts if len(one.group().split()) >= _WORDS_OF_A_PART]
    end = said[-1].start() if said else len(sentence.text)
    return TextSpan(sentence.text[:end].rstrip(" ,;:"), sentence.start)


def _notes(reading: ParsedMessage, sentence: TextSpan, stated: Sequence[tuple[str, TextSpan]]) -> Iterator[Candidate]:
    day = None if reading.talk else day_of(reading, sentence)
    if day:
        yield day
        return
    for clause in _tied(reading, coarse_clauses(sentence)):
        within = [category for category, span in stated if clause.start <= span.start < clause.end]
        if "instruction" in within:
            continue
        yield from notes_of(reading, clause, stated=bool(within))


def _tied(reading: ParsedMessage, clauses: Sequence[TextSpan]) -> list[TextSpan]:
    """Leave a clause with the one before it where it speaks of what that named: 'and I go there every morning'.

    What is but the one half of a subject stays with its verb: 'Dan and I broke up'.
    """
    found: list[TextSpan] = []
    for clause in clauses:
        refers = len(clause.text.split()) <= _MAX_REFERRING_WORDS and _REFERS.search(clause.text)
        if found and ((refers and not reading.talk) or is_half_subject(found[-1].text)):
            start = found.pop().start
            clause = TextSpan(reading.masked[start : clause.end], start)
        found.append(clause)
    return found


def _facts(reading: ParsedMessage, clause: TextSpan) -> Iterator[tuple[Candidate, TextSpan]]:
    if reading.message.role != "user" or is_hypothetical(clause.text) or is_hyperbole(clause.text):
        return
    inside = reading.inside(clause)
    for fact in facts_of(clause.text, inside):
        ordered = fact.ordered or fact.key.startswith("rule:")
        if (reading.talk and ordered) or are_anothers(fact, clause.text, reading.masked[: clause.start]):
            continue  # said to another person, or of one
        if fact.ordered and _is_for_a_task(reading, clause):
            continue
        when = min((one.start for one in inside if fact.dated), default=reading.message.said_at)
        if when > reading.message.said_at:
            continue  # moves next month: a plan, and no fact yet
        yield _candidate(reading, clause, fact, when, doubted=is_hedged(clause.text)), clause


def _is_for_a_task(reading: ParsedMessage, order: TextSpan) -> bool:
    """Return whether an order belongs to a task in the same message: 'Write a parser. Keep lines under 100.'"""
    if _LASTS.search(order.text):
        return False
    others = [piece for piece in sentences(reading.masked) if piece.start != order.start]
    return any(is_command(piece.text) or asks(piece.text) for piece in others)


def _candidate(
    reading: ParsedMessage, clause: TextSpan, fact: ExtractedFact, when: datetime, *, doubted: bool
) -> Candidate:
    possessive = fact.says.startswith("'s ")
    return Candidate(
        kind=MemoryKind.FACT,
        text=f"{reading.speaker.name}{'' if possessive else ' '}{fact.says}.",
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


def _unique(found: Sequence[Candidate]) -> list[Candidate]:
    unique: dict[tuple[str, str, str, bool], Candidate] = {}
    for one in found:
        unique.setdefault((one.kind, one.key or one.text, one.value.casefold(), one.ends), one)
    return list(unique.values())
