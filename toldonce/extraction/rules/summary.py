"""Summarize a part of a chat without a model: its most informative statements, as they were said. Pure.

A summary contains sentences of the messages, their speakers, and dates in place of words such as "yesterday". Injected,
quoted and secret text is removed before anything is chosen, and so are orders that may have been planted.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from math import log, sqrt
from typing import NamedTuple

from toldonce.dates import Direction, parse_dates, write_out
from toldonce.extraction.redaction import is_scrubbed
from toldonce.extraction.review_gate import planted_order, review_reason
from toldonce.extraction.sources import Exchange, readable, speaker_label, speaker_of
from toldonce.memo import remembering
from toldonce.providers.offline_model import MODEL
from toldonce.reading.heads import judge_alone, judge_each
from toldonce.reading.sentences import fold, sentences
from toldonce.text import asks, is_small_talk, squeeze, terms
from toldonce.text.byte_runs import BYTE_MARK
from toldonce.time_zones import zone_of
from toldonce.types import Candidate, LoggedMessage, MemoryKind

NOTHING_SAID = "Nothing was said in words."
"""Text of an empty summary. It is not embedded, since it is near no question."""

# Characters of a sentence that is used whole; a longer one is a list or a paste, and is cut.
MAX_STATEMENT_CHARACTERS = 200
# Sentences that are read of a message: more belong to a pasted page.
_MAX_SENTENCES = 40
# Statements outweigh requests, and the user's words outweigh the assistant's.
_ASSISTANT, _ASKED = 0.5, 0.3
# A second statement of a turn counts half, so that every turn is represented before one has two.
_SAME_TURN = 0.5
_ENDS = (".", "!", "?", "…", "。", "！", "？")


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Summary of a part of a chat."""

    text: str
    """Empty if nothing was said in words."""
    pieces: tuple[str, ...]
    """Its statements, each worth being found by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A sentence that may be used."""

    message: LoggedMessage
    turn: int
    text: str
    terms: frozenset[str]
    weight: float
    """Weight of its kind; its terms add to it."""


def summarize_by_rules(turns: Sequence[Exchange], *, zone: tzinfo, max_characters: int) -> Summary:
    """Choose the most informative statements, and write them in their original order.

    Args:
        turns: Turns to summarize, in order.
        zone: Time zone of the speakers' days.
        max_characters: Maximum number of characters.
    """
    with remembering():
        found = list(_statements(turns, with_small_talk=False)) or list(_statements(turns, with_small_talk=True))
    chosen = [spoken for _, spoken in sorted(_chosen(found, zone, max_characters).items())]
    return Summary(text=_written(chosen), pieces=tuple(f"{spoken.speaker}: {spoken.text}" for spoken in chosen))


class _Spoken(NamedTuple):
    """A statement as it is written."""

    speaker: str
    text: str
    """With dates written out."""


def _chosen(found: Sequence[_Statement], zone: tzinfo, room: int) -> dict[int, _Spoken]:
    """Choose statements that fit and add something, the most informative first; return them by place."""
    rarity = _rarity(found)
    left = set(range(len(found)))
    covered: set[str] = set()
    in_turn: Counter[int] = Counter()
    chosen: dict[int, _Spoken] = {}
    while left and room > 0:
        place = max(left, key=lambda number: (_worth(found[number], rarity, covered, in_turn), -number))
        left.remove(place)
        best = found[place]
        if best.terms <= covered and chosen:
            continue
        spoken = _Spoken(speaker_label(best.message), _dated(best, zone))
        cost = len(spoken.speaker) + len(spoken.text) + len(": . ")
        if cost > room and chosen:
            continue
        if cost > room:
            spoken = spoken._replace(text=_cut(spoken.text, max(1, room - (cost - len(spoken.text)))))
        room -= cost
        covered |= best.terms
        in_turn[best.turn] += 1
        chosen[place] = spoken
    return chosen


def is_safe_to_show(text: str, message: LoggedMessage) -> bool:
    """Return whether a sentence may be shown to a model: it gives no order that may have been planted."""
    if planted_order(text):
        return False
    stated = Candidate(
        kind=MemoryKind.NOTE,
        text=text,
        speaker=speaker_of(message),
        seq=message.seq,
        quote=text,
        valid_from=message.said_at,
    )
    return review_reason(stated, message.role) is None


def are_safe_to_show(message: LoggedMessage) -> bool:
    """Return whether no sentence of a message gives an order that may have been planted."""
    return all(is_safe_to_show(piece.text, message) for piece in sentences(fold(readable(message))))


def _statements(turns: Sequence[Exchange], *, with_small_talk: bool) -> Iterator[_Statement]:
    """Yield the sentences that may be used; `with_small_talk` includes greetings and thanks."""
    for number, turn in enumerate(turns):
        for message in turn:
            # The built-in model quotes memories, which must not come back as new statements.
            if message.role not in ("user", "assistant") or message.name == MODEL:
                continue
            said = [squeeze(piece.text) for piece in sentences(fold(readable(message)))[:_MAX_SENTENCES]]
            if message.role == "user":
                judge_each(said)  # together: `_weight` finds each of them judged
            for text in said:
                if not squeeze(BYTE_MARK.sub(" ", text)):
                    continue
                if (with_small_talk or _tells(text, message.role)) and is_safe_to_show(text, message):
                    yield _Statement(
                        message=message,
                        turn=number,
                        text=_cut(text),
                        terms=frozenset(terms(text)),
                        weight=_weight(text, message.role),
                    )


def _tells(text: str, role: str) -> bool:
    """Return whether a sentence is no greeting, had no secret, and is no question of the assistant."""
    return not is_small_talk(text) and not is_scrubbed(text) and (role == "user" or not asks(text))


def _weight(text: str, role: str) -> float:
    """Return the weight of a sentence's kind; of a user's, the heads tell whether it only asks for something."""
    if role != "user":
        return _ASSISTANT
    return 1.0 if judge_alone(text).states(0) else _ASKED


def _rarity(statements: Sequence[_Statement]) -> dict[str, float]:
    """Return the weight of each term: the fewer statements have it, the higher."""
    having = Counter(term for statement in statements for term in statement.terms)
    return {term: log(1 + len(statements) / count) for term, count in having.items()}


def _worth(statement: _Statement, rarity: dict[str, float], covered: set[str], in_turn: Counter[int]) -> float:
    """Return how much a statement adds to those already chosen."""
    fresh = sum(rarity[term] for term in statement.terms - covered)
    return statement.weight * _SAME_TURN ** in_turn[statement.turn] * fresh / sqrt(len(statement.terms) or 1)


def _dated(statement: _Statement, zone: tzinfo) -> str:
    said_at = statement.message.said_at
    return write_out(
        statement.text,
        parse_dates(statement.text, said_at=said_at, zone=zone_of(said_at, zone), default=Direction.AHEAD),
    )


def _cut(text: str, max_characters: int = MAX_STATEMENT_CHARACTERS) -> str:
    if len(text) <= max_characters:
        return text
    head = text[: max_characters - 1]
    return f"{head[: head.rfind(' ')] if ' ' in head else head}…"


def _written(spoken: Sequence[_Spoken]) -> str:
    """Write statements in a row, with the speaker before the first of each."""
    parts: list[str] = []
    before = ""
    for speaker, text in spoken:
        ended = text if text.endswith(_ENDS) else f"{text}."
        parts.append(ended if speaker == before else f"{speaker}: {ended}")
        before = speaker
    return " ".join(parts)
