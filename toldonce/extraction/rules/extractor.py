"""Read messages without a model: slots, requests to forget, and sentences worth keeping. Pure.

'I moved to Oslo and my sister visits on Sunday' fills the slot `location` with Oslo. What is stored of a message is its
speaker's own words: the sentence that states a slot, or one that the trained heads keep.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from toldonce.dates import DateMention
from toldonce.extraction.forget_requests import find_requests
from toldonce.extraction.rules.asides import facts_in_passing, find_asides, mentions_fiction
from toldonce.extraction.rules.clause_facts import facts_of
from toldonce.extraction.rules.foreign_languages import foreign_language
from toldonce.extraction.rules.foreign_statements import stated_facts
from toldonce.extraction.rules.forget_candidates import forget_previous, read_forget_request, requests_of
from toldonce.extraction.rules.kept_sentences import judge, kept_sentences, standing_wishes
from toldonce.extraction.rules.parsed_message import DOUBTED, PLAIN, ParsedMessage, parse_messages
from toldonce.extraction.rules.patterns.fact_pattern import ExtractedFact
from toldonce.extraction.rules.patterns.personal_details import are_of_another_person
from toldonce.extraction.rules.quotation import Slot, fact, note
from toldonce.extraction.rules.short_answers import answer_as_statement
from toldonce.extraction.sentences import TextSpan, fine_clauses, sentences
from toldonce.extraction.sources import ExtractionInput
from toldonce.extraction.speech_acts import (
    ends_role_play,
    introduces_figure,
    is_command,
    is_hedged,
    is_hyperbole,
    is_hypothetical,
    is_invented,
    is_joke,
    is_small_talk,
    opens_role_play,
    statement_part,
    takes_back_previous,
)
from toldonce.lazy_pattern import LazyPattern
from toldonce.reading.forget_words import ForgetRequest, retracts, takes_back
from toldonce.text import asks, bare
from toldonce.text.byte_runs import without_bytes
from toldonce.types import Candidate

RULES_VERSION = "rules-3"
# Statements kept per message, and as many requests to forget: a message with more is a pasted text.
MAX_CANDIDATES = 20
# Sentences per message that are searched for statements; a long letter has half as many. The rest is searched for
# requests to forget only.
MAX_SENTENCES = 400
# Characters of a sentence and of a message in which slots of other languages than English are read.
_MAX_FOREIGN_SENTENCE, _MAX_FOREIGN_MESSAGE = 600, 1_000
# Characters of a message above which only constraints, such as allergies, are read: letters, drafts and stories are
# longer, and half of what they state in the first person is not about their writer.
MAX_SLOT_MESSAGE = 600
# Share of a sentence's letters that its slots may leave unquoted, such as an "and" between them.
_MAX_UNQUOTED = 0.2
WISH_IMPORTANCE = 0.8
# Words that make an order hold beyond the task at hand.
_STANDING_ORDER = LazyPattern(
    r"\b(?:always|never|from\s++now\s++on|in\s++(?:the\s++)?future|going\s++forward|by\s++default|as\s++a\s++rule|generally|everywhere|"
    r"every\s++time|(?:in|for)\s++(?:all|any|every)\s++(?:my\s++|of\s++my\s++|our\s++)?\w++|ever)\b",
    re.IGNORECASE,
)
_FROM_NOW_ON = LazyPattern(
    r"\b(?:from\s++now\s++on|in\s++(?:the\s++)?future|going\s++forward|by\s++default)\b", re.IGNORECASE
)
# Words that may come before an order: "Remember: always …", "Ok, and please always …".
_MAX_LEAD_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesResult:
    """What the rules found in messages."""

    candidates: Sequence[Candidate] = ()
    kept: Mapping[int, float] = field(default_factory=dict)
    """By `seq`: the probability of a message worth keeping, which says more than its facts quote."""
    left_out: Mapping[int, str] = field(default_factory=dict)
    """By `seq`: how much of a message with too many statements was not read or not kept."""


def read_by_rules(source: ExtractionInput) -> RulesResult:
    """Read slots, requests to forget and, with `source.keeps_sentences`, sentences; in the order of the messages.

    Facts come from the `user` role alone. The assistant is read only if it speaks under a name, as in a recorded
    conversation between people.
    """
    candidates: list[Candidate] = []
    kept: dict[int, float] = {}
    left_out: dict[int, str] = {}
    for reading in parse_messages(source):
        seq = reading.message.seq
        read, why, worth = _of_message(reading, keeps_sentences=source.keeps_sentences)
        candidates += read
        if worth:
            kept[seq] = max(worth, kept.get(seq, 0.0))
        if why:
            left_out[seq] = why
    return RulesResult(candidates=candidates, kept=kept, left_out=left_out)


def forget_requests(source: ExtractionInput) -> list[Candidate]:
    """Extract only the requests to forget, which are read by rule even where a model extracts the rest."""
    return [
        request
        for reading in parse_messages(source)
        for request in requests_of(reading, sentences(reading.masked), limit=MAX_CANDIDATES)
    ]


def _of_message(reading: ParsedMessage, *, keeps_sentences: bool) -> tuple[list[Candidate], str, float]:
    """Read one message; return the candidates, how much was left out, and how much the message is worth keeping."""
    pieces = sentences(reading.masked)
    candidates, worth = _stated(reading, pieces[:MAX_SENTENCES], keeps_sentences=keeps_sentences)
    candidates += requests_of(reading, pieces[MAX_SENTENCES:], limit=MAX_CANDIDATES)
    # "Don't keep this: …" also covers what follows it.
    candidates = _unique(sorted(candidates, key=lambda candidate: reading.message.seq in candidate.forgets_seqs))
    statements = [candidate for candidate in candidates if not candidate.forgets]
    requests = [candidate for candidate in candidates if candidate.forgets]
    beyond = {id(candidate) for candidate in (*statements[MAX_CANDIDATES:], *requests[MAX_CANDIDATES:])}
    unread = max(0, len(pieces) - MAX_SENTENCES)
    left_out = [f"{unread} of {len(pieces)} sentences"] if unread else []
    left_out += [f"{len(beyond)} of {len(candidates)} statements"] if beyond else []
    return [candidate for candidate in candidates if id(candidate) not in beyond], " and ".join(left_out), worth


def _stated(
    reading: ParsedMessage, pieces: Sequence[TextSpan], *, keeps_sentences: bool
) -> tuple[list[Candidate], float]:
    """Read the sentences that are meant; one that takes itself back as a joke may take the one before with it.

    Returns:
        Slots, requests to forget and, with `keeps_sentences`, notes; and the probability of the message, 0 if it says
        nothing worth keeping that the slots do not quote.
    """
    judgement = judge(reading, pieces)
    kept = {each.piece.start: each.probability for each in kept_sentences(reading, pieces, judgement)}
    wishes = standing_wishes(reading, pieces, judgement)
    by_sentence: list[tuple[TextSpan, list[Candidate]]] = []
    requests = {found.piece.start: found.request for found in find_requests(reading.masked, pieces)}
    imagined = False
    for place, sentence in enumerate(pieces):
        supposed = imagined or opens_role_play(sentence.text) or introduces_figure(sentence.text)
        imagined = not reading.between_people and not ends_role_play(sentence.text) and supposed
        if imagined:
            continue
        if not reading.between_people and takes_back(sentence.text):
            by_sentence = [(sentence, [*forget_previous(reading, sentence)])] if not place else []
        elif is_joke(sentence.text):
            by_sentence = by_sentence[:-1] if takes_back_previous(sentence.text) else by_sentence
        else:
            said = [*_of_sentence(reading, sentence, requests.get(sentence.start))]
            by_sentence.append((sentence, said or [_wish(reading, sentence)] if sentence.start in wishes else said))
    judged = [(sentence, kept.get(sentence.start, 0.0)) for sentence, _ in by_sentence]
    worth = _worth(reading, judged, [candidate for _, said in by_sentence for candidate in said])
    if keeps_sentences:
        by_sentence = [
            (sentence, said or [note(reading, sentence)] if sentence.start in kept else said)
            for sentence, said in by_sentence
        ]
    return [candidate for _, candidates in by_sentence for candidate in candidates], worth


def _worth(reading: ParsedMessage, judged: Sequence[tuple[TextSpan, float]], found: Sequence[Candidate]) -> float:
    """Return the probability of a message's likeliest sentence, of those that no slot quotes all of.

    It is 0 where more than half of the message are others' words: what is left of it is mostly an order about these.
    """
    if 2 * _letters(reading.masked) < _letters(without_bytes(reading.message.text)):
        return 0.0
    quotes = sorted((candidate.quote for candidate in found), key=len, reverse=True)
    return max((odds for piece, odds in judged if odds and not _is_quoted(reading.quote(piece), quotes)), default=0.0)


def _wish(reading: ParsedMessage, sentence: TextSpan) -> Candidate:
    """Return a standing wish: a rule for all answers, in the user's words."""
    words = " ".join(reading.quote(sentence).split())
    return fact(
        reading, sentence, Slot("instruction", f"rule:{bare(words)}", words, WISH_IMPORTANCE, reading.message.said_at)
    )


def _is_quoted(sentence: str, quotes: Sequence[str]) -> bool:
    """Return whether slots quote a sentence, all of it or clause by clause."""
    left = sentence
    for quote in quotes:
        left = "" if sentence in quote else left.replace(quote, " ")
    return _letters(left) <= _MAX_UNQUOTED * _letters(sentence)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _of_sentence(reading: ParsedMessage, sentence: TextSpan, asked: ForgetRequest | None) -> Iterator[Candidate]:
    """Read the request to forget and the slots of a sentence."""
    request = read_forget_request(reading, sentence, asked)
    if request:
        yield request
        if not retracts(sentence.text):
            return
    if reading.message.role != "user":
        return
    yield from _slots(reading, sentence)


def _slots(reading: ParsedMessage, sentence: TextSpan) -> Iterator[Candidate]:
    """Read what a sentence states; where it states several things, each quotes its own clause."""
    language = foreign_language(sentence.text, reading.masked)
    found = [*_in_english(reading, sentence)]  # of a few words, a name may look like another language
    found += _in_another_language(reading, sentence, language) if language else ()
    if len(reading.text) > MAX_SLOT_MESSAGE:
        found = [each for each in found if each.slot.category == "constraint"]
    clauses = {(each.clause.start, each.clause.end) for each in found}
    for each in found:
        is_within = sentence.start <= each.clause.start
        yield fact(reading, sentence if is_within and len(clauses) == 1 else each.clause, each.slot)


@dataclass(frozen=True, slots=True)
class _Stated:
    """A slot, and the clause that states it."""

    slot: Slot
    clause: TextSpan


def _in_another_language(reading: ParsedMessage, sentence: TextSpan, language: str) -> Iterator[_Stated]:
    is_long = len(sentence.text) > _MAX_FOREIGN_SENTENCE or len(reading.text) > _MAX_FOREIGN_MESSAGE
    if is_long or not reading.to_assistant:
        return
    for found in stated_facts(sentence.text, reading.masked, language):
        clause = TextSpan(sentence.text[found.start : found.end], sentence.start + found.start)
        since = _begins(reading, _days_of(reading, sentence, clause))
        slot = Slot(found.category, found.key, found.value, found.importance, since)
        yield _Stated(slot, clause)


def _days_of(reading: ParsedMessage, sentence: TextSpan, clause: TextSpan) -> list[DateMention]:
    """Return the days that a clause names, and the one right before it: 'à partir de mars, j'habite à Oslo'."""
    at = clause.start - sentence.start
    named = [day for day in reading.mentions_in(sentence) if day.span[1] <= at]
    before = [day for day in named if not sentence.text[day.span[1] : at].strip(" ,，、")]
    return [*before, *reading.mentions_in(clause)]


def _in_english(reading: ParsedMessage, sentence: TextSpan) -> Iterator[_Stated]:
    if not reading.between_people:
        yield from _in_passing(reading, sentence)
    stated = statement_part(sentence.text)
    if not stated or is_small_talk(stated):
        return
    if not reading.between_people:
        if is_invented(sentence.text):
            return
        answered = answer_as_statement(sentence.text, reading.masked, reading.previous_reply)
        if answered:
            slots = facts_of(answered, [])
            yield from (_Stated(_slot(found, reading.message.said_at, answered), sentence) for found in slots)
            return
    for clause in fine_clauses(TextSpan(stated, sentence.start)):
        # 'He likes the lessons and always gives his best' ends like an order.
        lead = reading.masked[sentence.start : clause.start]
        is_order = len(lead.split()) <= _MAX_LEAD_WORDS or _FROM_NOW_ON.search(lead + clause.text)
        yield from (found for found in _of_clause(reading, clause) if is_order or found.slot.category != "instruction")


def _in_passing(reading: ParsedMessage, sentence: TextSpan) -> Iterator[_Stated]:
    """Read what a question or an order states in passing."""
    text = sentence.text
    if is_hypothetical(text) or is_hyperbole(text) or mentions_fiction(text):
        return
    for found in facts_in_passing(text):
        yield _Stated(_slot(found, reading.message.said_at, text), sentence)
    for aside in find_asides(sentence):
        yield from _of_clause(reading, aside)


def _of_clause(reading: ParsedMessage, clause: TextSpan) -> Iterator[_Stated]:
    if is_hypothetical(clause.text) or is_hyperbole(clause.text):
        return
    inside, said_at = reading.mentions_in(clause), reading.message.said_at
    for found in facts_of(clause.text, inside):
        ordered = found.ordered or found.key.startswith("rule:")
        if (reading.between_people and ordered) or are_of_another_person(
            found, clause.text, reading.masked[: clause.start]
        ):
            continue  # said to another person, or of one
        if found.ordered and _is_for_a_task(reading, clause):
            continue
        when = _begins(reading, inside) if found.dated else said_at
        yield _Stated(_slot(found, when, clause.text), clause)


def _begins(reading: ParsedMessage, days: Sequence[DateMention]) -> datetime:
    """Return when a statement becomes true: on the first day that it names, which may be to come, else when said."""
    return min((day.start for day in days if not day.recurs), default=reading.message.said_at)


def _slot(found: ExtractedFact, when: datetime, text: str) -> Slot:
    confidence = DOUBTED if is_hedged(text) else PLAIN
    return Slot(found.category, found.key, found.value, found.importance, when, confidence=confidence)


def _is_for_a_task(reading: ParsedMessage, order: TextSpan) -> bool:
    """Return whether an order is for a task in the same message: 'Write a parser. Keep lines under 100.'"""
    if _STANDING_ORDER.search(order.text):
        return False
    others = [piece for piece in sentences(reading.masked) if piece.start != order.start]
    return any(is_command(piece.text) or asks(piece.text) for piece in others)


def _unique(candidates: Sequence[Candidate]) -> list[Candidate]:
    unique: dict[tuple[str, str, str], Candidate] = {}
    for candidate in candidates:
        key = (candidate.kind, candidate.key or candidate.text, candidate.value.casefold())
        unique.setdefault(key, candidate)
    return list(unique.values())
