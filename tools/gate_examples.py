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
from toldonce.extraction.gate_features import MAX_TEXTS, GateFeatures, GateInput, features_of
from toldonce.extraction.message_numbers import MessageContext, message_numbers
from toldonce.extraction.rules.kept_sentences import context_of
from toldonce.extraction.rules.parsed_message import parse_messages
from toldonce.extraction.sentences import sentences
from toldonce.extraction.sources import ExtractionInput
from toldonce.extraction.statement_gate import StatementGate
from toldonce.types import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class GateExample:
    """One message of a user."""

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
    context: MessageContext
    gold: float
    """1 if the message is evidence for a verified memory, otherwise 0."""
    taken: float
    """Share of the models that took it for evidence."""

    def judged(self, gate: StatementGate) -> NDArray[np.float32]:
        """Return the numbers of the message for the second stage."""
        return message_numbers(self.context, gate.log_odds(self.of_sentences, self.texts).tolist())


def examples_of(place: int, chat: AlpsChat) -> Iterator[GateExample]:
    """Read the user's messages of a chat."""
    source = ExtractionInput(
        messages=tuple(logged_messages(chat)), subject=Subject("user", "alps"), time_zone=ZoneInfo("UTC")
    )
    models = [frozenset(at for item in items for at in item.utterances) for items in chat.recorded.values()]
    for reading in parse_messages(source):
        pieces = sentences(reading.masked)
        if not pieces:
            continue
        at, context = reading.message.seq - 1, context_of(reading, pieces)
        yield GateExample(
            chat=place,
            place=at,
            features=features_of(_texts(context, [context.text])),
            of_sentences=features_of(_texts(context, [context.text, *context.sentences])),
            texts=min(len(pieces) + 1, MAX_TEXTS),
            context=context,
            gold=float(at in chat.gold_utterances),
            taken=sum(at in taken for taken in models) / max(len(models), 1),
        )


def _texts(context: MessageContext, texts: list[str]) -> GateInput:
    """Return texts of a message as the first stage judges them."""
    return GateInput(
        texts=texts,
        previous_reply=context.previous_reply,
        previous_texts=context.previous_texts,
        turn=context.turn,
    )
