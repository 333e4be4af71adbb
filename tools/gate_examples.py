"""Training examples of the learned gate: users' messages of AlpsBench's chats, and who took them for evidence. Pure.

The first stage learns from whole messages and is asked about sentences: people and models name the message that holds
the evidence for a memory, and a sentence of it seldom holds all. The second stage learns from messages as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from benchmarks.alps_chats import AlpsChat
from benchmarks.alps_skips import logged_messages
from recollect.extraction.gate_features import MAX_TEXTS, GateFeatures, features_of
from recollect.extraction.rules import read_by_rules
from recollect.extraction.rules.gated_quotes import gate_input
from recollect.extraction.rules.message_features import PLACES_OF_LOG_ODDS, message_features
from recollect.extraction.rules.parsed_message import parse_messages
from recollect.extraction.sentences import TextSpan, sentences
from recollect.extraction.sources import ExtractionInput
from recollect.extraction.statement_gate import StatementGate
from recollect.types import Subject


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
    found = read_by_rules(source).candidates
    for reading in parse_messages(source):
        pieces = sentences(reading.masked)
        if not pieces:
            continue
        at, whole = reading.message.seq - 1, TextSpan(reading.masked, 0)
        of_it = [candidate for candidate in found if candidate.seq == reading.message.seq]
        yield GateExample(
            chat=place,
            place=at,
            features=features_of(gate_input(reading, [whole])),
            of_sentences=features_of(gate_input(reading, [whole, *pieces])),
            texts=min(len(pieces) + 1, MAX_TEXTS),
            numbers=message_features(reading, pieces, [0.0, 0.0], of_it),
            gold=float(at in chat.gold_utterances),
            taken=sum(at in taken for taken in models) / max(len(models), 1),
        )
