"""Training examples of the learned gate: users' messages of AlpsBench's chats, and who took them for evidence. Pure.

The first stage learns from whole messages and is asked about sentences: people and models name the message that holds
the evidence for a memory, and a sentence of it seldom holds all. The second stage learns from messages as well, and
from the open half of the everyday messages: chats with assistants seldom begin with a plain fact about the world.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from benchmarks.alps_chats import AlpsChat
from benchmarks.alps_skips import logged_messages
from benchmarks.everyday.messages import LANGUAGES, read_messages
from recollect.extraction.gate_features import MAX_TEXTS, GateFeatures, features_of
from recollect.extraction.rules import read_by_rules
from recollect.extraction.rules.gated_quotes import gate_input
from recollect.extraction.rules.message_features import PLACES_OF_LOG_ODDS, message_features
from recollect.extraction.rules.parsed_message import ParsedMessage, parse_messages
from recollect.extraction.sentences import TextSpan, sentences
from recollect.extraction.sources import ExtractionInput
from recollect.extraction.statement_gate import StatementGate
from recollect.types import Candidate, ConversationId, LoggedMessage, Subject

# Weight of an everyday message that states something, and of one that states nothing; a chat's message counts once.
# With more for the latter fewer of them are likely, and so are messages that state something.
_STATING_WEIGHT, _EMPTY_WEIGHT = 0.3, 3.0
_SAID_AT = datetime(2026, 3, 10, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateExample:
    """One message, as the rules read it."""

    chat: int
    """Place of the chat."""
    place: int
    """Place of the message in its chat."""
    features: GateFeatures
    """Of the whole message."""
    of_sentences: GateFeatures
    """Of the whole message, then of its sentences."""
    texts: int
    """How many those are."""
    numbers: NDArray[np.float32]
    """Row for the second stage; the log odds of the first are 0 in it."""
    gold: float
    """1 if the message is evidence for a verified memory, otherwise 0."""
    taken: float
    """Share of the models that took it for evidence."""
    weight: float = 1.0
    """How much it counts."""

    def judged(self, gate: StatementGate) -> NDArray[np.float32]:
        """Return the row with what the first stage says."""
        likely = gate.log_odds(self.of_sentences, self.texts)
        row = self.numbers.copy()
        row[list(PLACES_OF_LOG_ODDS)] = likely[0], likely[1:].max()
        return row


def examples_of(place: int, chat: AlpsChat) -> Iterator[GateExample]:
    """Read the user's messages of a chat, but those in which the rules read nothing."""
    source = ExtractionInput(
        messages=tuple(logged_messages(chat)), subject=Subject("user", "alps"), time_zone=ZoneInfo("UTC")
    )
    models = [frozenset(at for item in items for at in item.utterances) for items in chat.recorded.values()]
    for reading, of_it in _readings(source):
        at = reading.message.seq - 1
        taken = sum(at in taken for taken in models) / max(len(models), 1)
        example = _example(place, reading, of_it, gold=float(at in chat.gold_utterances), taken=taken)
        if example:
            yield example


def everyday_examples() -> Iterator[GateExample]:
    """Read the open half of the everyday messages, each by itself; they belong to no chat."""
    for said in (said for language in LANGUAGES for said in read_messages(language) if not said.held_out):
        source = ExtractionInput(
            messages=(_alone(said.text),), subject=Subject("user", "everyday"), time_zone=ZoneInfo("UTC")
        )
        states = float(bool(said.states))
        for reading, of_it in _readings(source):
            example = _example(-1, reading, of_it, gold=states, taken=states)
            if example:
                yield replace(example, weight=_STATING_WEIGHT if states else _EMPTY_WEIGHT)


def _readings(source: ExtractionInput) -> Iterator[tuple[ParsedMessage, list[Candidate]]]:
    """Read messages, each with what the rules find in it."""
    found = read_by_rules(source).candidates
    for reading in parse_messages(source):
        yield reading, [candidate for candidate in found if candidate.seq == reading.message.seq]


def _example(
    chat: int, reading: ParsedMessage, found: list[Candidate], *, gold: float, taken: float
) -> GateExample | None:
    pieces, whole = sentences(reading.masked), TextSpan(reading.masked, 0)
    if not pieces:
        return None
    return GateExample(
        chat=chat,
        place=reading.message.seq - 1,
        features=features_of(gate_input(reading, [whole])),
        of_sentences=features_of(gate_input(reading, [whole, *pieces])),
        texts=min(len(pieces) + 1, MAX_TEXTS),
        numbers=message_features(reading, pieces, [0.0, 0.0], found),
        gold=gold,
        taken=taken,
    )


def _alone(text: str) -> LoggedMessage:
    return LoggedMessage(
        conversation=ConversationId("everyday"),
        seq=1,
        parent_seq=0,
        role="user",
        text=text,
        name=None,
        said_at=_SAID_AT,
        recorded_at=_SAID_AT,
        complete=True,
        hash=0,
    )
