"""Read messages without a model: slots, requests to forget, and sentences worth keeping. Pure.

'I moved to Oslo and my sister visits on Sunday' fills the slot `location` with Oslo. What is stored of a message is its
speaker's own words: the sentence that states a slot, or one that the trained heads keep.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from toldonce.dates import DateMention, leave_out_doubtful, write_out
from toldonce.extraction.forget_requests import find_requests
from toldonce.extraction.rules.forget_candidates import forget_previous, read_forget_request, requests_of
from toldonce.extraction.rules.kept_sentences import (
    coming_sentences,
    is_earnest,
    is_in_jest,
    is_told,
    judge,
    kept_sentences,
    standing_wishes,
)
from toldonce.extraction.rules.parsed_message import PLAIN, ParsedMessage, parse_messages
from toldonce.extraction.sources import ExtractionInput, speaker_of
from toldonce.reading.forget_words import ForgetRequest, names_joke, retracts, takes_back
from toldonce.reading.heads import Judgement, judge_alone
from toldonce.reading.sentences import TextSpan, sentences
from toldonce.reading.slots import answered_slots, stated_slots
from toldonce.text import bare
from toldonce.text.byte_runs import without_bytes
from toldonce.text.source_marks import said
from toldonce.types import Candidate, MemoryKind

IMPORTANCE = 0.5
"""Of a kept sentence that no slot is read from."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot with its value, such as `location: Oslo`."""

    category: str
    key: str
    value: str
    importance: float
    since: datetime
    """When it became true."""
    confidence: float = PLAIN


def quoted(reading: ParsedMessage, piece: TextSpan) -> str:
    """Return the text of a memory that quotes a part of a message."""
    days = leave_out_doubtful(reading.mentions_in(piece), reading.message.said_at)
    words = write_out(reading.quote(piece), days)
    return said(reading.speaker, " ".join(words.split()))


def note(reading: ParsedMessage, piece: TextSpan, *, importance: float = IMPORTANCE) -> Candidate:
    """Return a note that quotes a part of a message."""
    return Candidate(
        kind=MemoryKind.NOTE,
        text=quoted(reading, piece),
        type="fact",
        importance=importance,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=reading.quote(piece),
        valid_from=_began(reading, piece),
    )


def fact(reading: ParsedMessage, piece: TextSpan, slot: Slot) -> Candidate:
    """Return a fact that quotes the part of a message that states it."""
    return Candidate(
        kind=MemoryKind.FACT,
        text=quoted(reading, piece),
        type=slot.category if slot.category in ("instruction", "preference") else "fact",
        category=slot.category,
        key=slot.key,
        value=slot.value,
        importance=slot.importance,
        confidence=slot.confidence,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=reading.quote(piece),
        valid_from=slot.since,
    )


def _began(reading: ParsedMessage, piece: TextSpan) -> datetime:
    """Return when what a part tells began: the first day it names that is not ahead, else when it was said."""
    said_at = reading.message.said_at
    starts = [day.start for day in reading.mentions_in(piece) if day.start <= said_at and not day.recurs]
    return min(starts, default=said_at)


RULES_VERSION = "rules-4"
# Statements kept per message, and as many requests to forget: a message with more is a pasted text.
MAX_CANDIDATES = 20
# Sentences per message that are searched for statements; a long letter has half as many. The rest is searched for
# requests to forget only.
MAX_SENTENCES = 400
# Characters of a message above which only constraints, such as allergies, are read: letters, drafts and stories are
# longer, and half of what they state in the first person is not about their writer.
MAX_SLOT_MESSAGE = 600
# Share of a sentence's letters that its slots may leave unquoted, such as an "and" between them.
_MAX_UNQUOTED = 0.2
WISH_IMPORTANCE = 0.8
# Categories of what the user lays down; such a sentence reads like a task.
_ORDERS = ("instruction", "preference")


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
    reading = reading.with_coming(coming_sentences(pieces, judgement))
    kept = {each.piece.start: each.probability for each in kept_sentences(reading, pieces, judgement)}
    wishes = standing_wishes(reading, pieces, judgement)
    by_sentence: list[tuple[TextSpan, list[Candidate]]] = []
    requests = {found.piece.start: found.request for found in find_requests(reading.masked, pieces)}
    for place, sentence in enumerate(pieces):
        if not reading.between_people and takes_back(sentence.text):
            by_sentence = [(sentence, [*forget_previous(reading, sentence)])] if not place else []
            continue
        if is_in_jest(judgement, place) and names_joke(sentence.text):
            by_sentence = by_sentence[:-1]
            continue
        is_beyond = sum(len(said) for _, said in by_sentence) >= MAX_CANDIDATES
        said = [*_of_sentence(reading, sentence, requests.get(sentence.start), judgement, place, is_beyond=is_beyond)]
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


def _of_sentence(
    reading: ParsedMessage,
    sentence: TextSpan,
    asked: ForgetRequest | None,
    judgement: Judgement | None,
    place: int,
    *,
    is_beyond: bool,
) -> Iterator[Candidate]:
    """Read the request to forget and the slots of a sentence; what is beyond those kept is counted, not judged."""
    request = read_forget_request(reading, sentence, asked)
    if request:
        yield request
        if not retracts(sentence.text):
            return
    if reading.message.role == "user" and (judgement is None or is_earnest(judgement, place)):
        yield from _slots(reading, sentence, judgement, place, is_beyond=is_beyond)


def _slots(
    reading: ParsedMessage, sentence: TextSpan, judgement: Judgement | None, place: int, *, is_beyond: bool
) -> Iterator[Candidate]:
    """Read the slots that a sentence states; where it states several, each quotes its own clause.

    Sentences of a message that is too long to be judged as a whole are judged one by one.
    """
    stated = [] if reading.between_people else answered_slots(sentence, reading.masked, reading.previous_reply)
    days = reading.mentions_in(sentence)
    stated = stated or stated_slots(
        sentence, [day.span for day in days], recurring=[day.span for day in days if day.recurs]
    )
    for each in stated:
        if len(reading.text) > MAX_SLOT_MESSAGE and each.category != "constraint":
            continue
        if not reading.to_assistant and each.category == "instruction":
            continue  # said to another person
        if not is_beyond:
            judged, at = (judge_alone(sentence.text), 0) if judgement is None else (judgement, place)
            is_order = each.category in _ORDERS
            if not is_earnest(judged, at) or not is_told(each.part, sentence, judged, at, is_order=is_order):
                continue
        since = _begins(reading, reading.mentions_in(each.clause)) if each.is_dated else reading.message.said_at
        yield fact(reading, each.clause, Slot(each.category, each.key, each.value, each.importance, since))


def _begins(reading: ParsedMessage, days: Sequence[DateMention]) -> datetime:
    """Return when a statement becomes true: on the first day that it names, which may be to come, else when said."""
    return min((day.start for day in days if not day.recurs), default=reading.message.said_at)


def _unique(candidates: Sequence[Candidate]) -> list[Candidate]:
    unique: dict[tuple[str, str, str], Candidate] = {}
    for candidate in candidates:
        key = (candidate.kind, candidate.key or candidate.text, candidate.value.casefold())
        unique.setdefault(key, candidate)
    return list(unique.values())
