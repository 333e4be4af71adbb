"""Sum up a stretch of a chat without a model: its most telling statements, as they were said. Pure.

Nothing is put into words here: a summary holds sentences of the messages, who says them, and dates in place of words
such as "yesterday". What was injected, quoted or is secret is gone before anything is chosen, and so are orders that
somebody may have planted.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple
from zoneinfo import ZoneInfo

from recollect.dates import Direction, parse_dates
from recollect.extraction.gate import is_worth_extracting
from recollect.extraction.review_gate import planted_order, review_reason
from recollect.extraction.sentences import fold, sentences, write_out
from recollect.extraction.sources import Exchange, readable, speaker_label, speaker_of
from recollect.extraction.speech_acts import is_command, is_small_talk, statement_part
from recollect.providers.offline_model import MODEL
from recollect.text import squeeze, terms
from recollect.types import Candidate, LoggedMessage, MemoryKind

NOTHING_SAID = "Nothing was said in words."
"""What stands for a summary without a word: it is not embedded, for it is near nothing that is asked."""

# Longest sentence that is taken over whole, in characters; a longer one is a list or a paste and is cut.
MAX_STATEMENT_CHARACTERS = 200
# Sentences looked at of one message: behind them a pasted page goes on.
_MAX_SENTENCES = 40
# What is said of one's own life outweighs what is asked for, and the speaker's words those of the assistant.
_LASTING, _ASSISTANT, _ASKED, _COMMANDED = 1.5, 0.5, 0.5, 0.7
# A second statement of a turn counts half: every turn is to have its say before one has two.
_SAME_TURN = 0.5
_SCRUBBED = re.compile(r"\[(?:secret|card|iban|ssn)\]")
_ENDS = (".", "!", "?", "…", "。", "！", "？")


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a stretch of a chat comes to."""

    text: str
    """Empty where nothing was said in words."""
    pieces: tuple[str, ...]
    """The statements it is made of, each worth being found by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A sentence that may be taken over."""

    message: LoggedMessage
    turn: int
    text: str
    terms: frozenset[str]
    weight: float
    """What its kind is worth; what it says comes on top."""


def summarise(turns: Sequence[Exchange], *, zone: ZoneInfo, longest: int) -> Summary:
    """Choose the statements that tell most, and write them in the order in which they were said.

    Args:
        turns: The stretch, in order.
        zone: Where the speakers' days begin.
        longest: Most characters.
    """
    found = list(_statements(turns, small=False)) or list(_statements(turns, small=True))
    said = [spoken for _, spoken in sorted(_chosen(found, zone, longest).items())]
    return Summary(text=_written(said), pieces=tuple(f"{one.speaker}: {one.text}" for one in said))


class _Spoken(NamedTuple):
    """A statement as it is written."""

    speaker: str
    text: str
    """With dates written out."""


def _chosen(found: Sequence[_Statement], zone: ZoneInfo, room: int) -> dict[int, _Spoken]:
    """Choose, the most telling first, what fits and adds something; return it by its place."""
    rare = _rarity(found)
    left = set(range(len(found)))
    said: set[str] = set()
    in_turn: Counter[int] = Counter()
    chosen: dict[int, _Spoken] = {}
    while left and room > 0:
        place = max(left, key=lambda one: (_worth(found[one], rare, said, in_turn), -one))
        left.remove(place)
        best = found[place]
        if best.terms <= said and chosen:
            continue
        spoken = _Spoken(speaker_label(best.message), _dated(best, zone))
        cost = len(spoken.speaker) + len(spoken.text) + len(": . ")
        if cost > room and chosen:
            continue
        if cost > room:
            spoken = spoken._replace(text=_cut(spoken.text, max(1, room - (cost - len(spoken.text)))))
        room -= cost
        said |= best.terms
        in_turn[best.turn] += 1
        chosen[place] = spoken
    return chosen


def is_safe_to_show(text: str, message: LoggedMessage) -> bool:
    """Tell whether a sentence may be read by a model again: it gives no order that somebody may have planted."""
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


def _statements(turns: Sequence[Exchange], *, small: bool) -> Iterator[_Statement]:
    """Go through what may be taken over; `small`: greetings and thanks as well."""
    for number, turn in enumerate(turns):
        for message in turn:
            # The built-in model quotes what it recalls: that must not come back as something said.
            if message.role not in ("user", "assistant") or message.name == MODEL:
                continue
            for sentence in sentences(fold(readable(message)))[:_MAX_SENTENCES]:
                text = squeeze(sentence.text)
                if (small or _tells(text, message.role)) and is_safe_to_show(text, message):
                    yield _Statement(
                        message=message,
                        turn=number,
                        text=_cut(text),
                        terms=frozenset(terms(text)),
                        weight=_weight(text, message.role),
                    )


def _tells(text: str, role: str) -> bool:
    """Leave out greetings, what a secret was cut out of, and what the assistant asks back."""
    return not is_small_talk(text) and not _SCRUBBED.search(text) and (role == "user" or bool(statement_part(text)))


def _weight(text: str, role: str) -> float:
    weight = 1.0 if role == "user" else _ASSISTANT
    if not statement_part(text):
        return weight * _ASKED
    if role == "user" and is_worth_extracting(text):
        return weight * _LASTING
    return weight * _COMMANDED if is_command(text) else weight


def _rarity(statements: Sequence[_Statement]) -> dict[str, float]:
    """Say of each term how much it tells: the fewer statements have it, the more."""
    having = Counter(term for one in statements for term in one.terms)
    return {term: log(1 + len(statements) / count) for term, count in having.items()}


def _worth(one: _Statement, rare: dict[str, float], said: set[str], in_turn: Counter[int]) -> float:
    """Weigh what a statement adds to those chosen."""
    fresh = sum(rare[term] for term in one.terms - said)
    return one.weight * _SAME_TURN ** in_turn[one.turn] * fresh / sqrt(len(one.terms) or 1)


def _dated(one: _Statement, zone: ZoneInfo) -> str:
    mentions = parse_dates(one.text, said_at=one.message.said_at, zone=zone, default=Direction.AHEAD)
    return write_out(one.text, mentions)


def _cut(text: str, longest: int = MAX_STATEMENT_CHARACTERS) -> str:
    if len(text) <= longest:
        return text
    head = text[: longest - 1]
    return f"{head[: head.rfind(' ')] if ' ' in head else head}…"


def _written(said: Sequence[_Spoken]) -> str:
    """Write statements one behind the other, and the speaker where another one begins."""
    parts: list[str] = []
    before = ""
    for speaker, text in said:
        ended = text if text.endswith(_ENDS) else f"{text}."
        parts.append(ended if speaker == before else f"{speaker}: {ended}")
        before = speaker
    return " ".join(parts)
