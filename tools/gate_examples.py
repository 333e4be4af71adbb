"""Training examples of the learned gate: users' messages of AlpsBench's chats, and who took them for evidence. Pure.

The gate learns from whole messages and is asked about sentences: people and models name the message that holds the
evidence for a memory, and a sentence of it seldom holds all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from benchmarks.alps_chats import AlpsChat
from benchmarks.alps_skips import logged_messages
from recollect.extraction.gate_features import GateFeatures, features_of
from recollect.extraction.rules.gated_quotes import gate_input
from recollect.extraction.rules.parsed_message import parse_messages
from recollect.extraction.sentences import TextSpan, sentences
from recollect.extraction.sources import ExtractionInput
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
    sentences: int
    gold: float
    """1 if the message is evidence for a verified memory, otherwise 0."""
    taken: float
    """Share of the models that took it for evidence."""


def examples_of(place: int, chat: AlpsChat) -> Iterator[GateExample]:
    """Read the user's messages of a chat, but those in which the rules read nothing."""
    source = ExtractionInput(
        messages=tuple(logged_messages(chat)), subject=Subject("user", "alps"), time_zone=ZoneInfo("UTC")
    )
    models = [frozenset(at for item in items for at in item.utterances) for items in chat.recorded.values()]
    for reading in parse_messages(source):
        pieces = sentences(reading.masked)
        if not pieces:
            continue
        at = reading.message.seq - 1
        yield GateExample(
            chat=place,
            place=at,
            features=features_of(gate_input(reading, [TextSpan(reading.masked, 0)])),
            of_sentences=features_of(gate_input(reading, pieces)),
            sentences=len(pieces),
            gold=float(at in chat.gold_utterances),
            taken=sum(at in taken for taken in models) / max(len(models), 1),
        )
