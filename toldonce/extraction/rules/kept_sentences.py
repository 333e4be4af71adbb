"""Which sentences of a user's message are worth keeping, by the learned gate. Loads the gate once.

The gate is trained, for every language alike. Small talk, suppositions, sentences with secrets and words of others are
not kept, however likely.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from toldonce.extraction.gate_features import MAX_TEXTS, GateInput, features_of
from toldonce.extraction.message_numbers import MessageContext, message_numbers
from toldonce.extraction.redaction import is_scrubbed
from toldonce.extraction.rules.foreign_languages import foreign_language
from toldonce.extraction.rules.foreign_pieces import is_supposed
from toldonce.extraction.rules.parsed_message import ParsedMessage
from toldonce.extraction.sentences import TextSpan, fold, sentences
from toldonce.extraction.sources import readable, speaker_kind
from toldonce.extraction.speech_acts import is_hypothetical, is_small_talk
from toldonce.extraction.statement_gate import StatementGate, shipped_gate
from toldonce.text.byte_runs import BYTE_MARK
from toldonce.types import LoggedMessage

# Probability of a message from which its sentences are kept.
MESSAGE_THRESHOLD = 0.22
# Probability of a sentence from which it is kept beside the likeliest one of its message.
FURTHER_THRESHOLD = 0.3
# Characters of a sentence and of a message that is kept from: a longer one is a text, not a remark.
MAX_SENTENCE, MAX_MESSAGE = 400, 2_000
_UNKEPT = (is_small_talk, is_hypothetical, is_scrubbed)


@dataclass(frozen=True, slots=True)
class KeptSentence:
    """A sentence worth keeping."""

    piece: TextSpan
    probability: float
    """Of its message, 0 to 1."""


def kept_sentences(reading: ParsedMessage, pieces: Sequence[TextSpan]) -> list[KeptSentence]:
    """Return the sentences of a user's message that are worth keeping, in order.

    Args:
        reading: The message.
        pieces: Its sentences, others' words blanked.
    """
    if not pieces or reading.message.role != "user" or len(reading.text) > MAX_MESSAGE:
        return []
    gate = shipped_gate()
    judged = log_odds_of(gate, reading, pieces)
    probability = gate.of_message(message_numbers(context_of(reading, pieces), judged))
    if probability < MESSAGE_THRESHOLD:
        return []
    likely = sorted(zip(judged[1:], pieces, strict=False), key=lambda pair: -pair[0])
    further = log(FURTHER_THRESHOLD / (1 - FURTHER_THRESHOLD))
    # A sentence that is not meant may be what made the message likely: the others are judged by themselves.
    kept = [
        piece
        for rank, (odds, piece) in enumerate(likely)
        if (not rank or odds >= further) and _is_meant(reading, piece)
    ]
    return [KeptSentence(piece, probability) for piece in sorted(kept, key=lambda piece: piece.start)]


def log_odds_of(gate: StatementGate, reading: ParsedMessage, pieces: Sequence[TextSpan]) -> list[float]:
    """Return the log odds that the first stage gives a whole message, then those of its sentences."""
    texts = [reading.masked, *(piece.text for piece in pieces)]
    source = GateInput(
        texts=texts,
        previous_reply=reading.previous_reply,
        previous_texts=reading.previous_texts,
        turn=reading.message.seq - 1,
    )
    return [float(each) for each in gate.log_odds(features_of(source), min(len(texts), MAX_TEXTS))]


def context_of(reading: ParsedMessage, pieces: Sequence[TextSpan]) -> MessageContext:
    """Return what the second stage describes of a message."""
    return MessageContext(
        text=reading.masked,
        sentences=[piece.text for piece in pieces],
        previous_reply=reading.previous_reply,
        previous_texts=reading.previous_texts,
        turn=reading.message.seq - 1,
    )


def statement_probability(message: LoggedMessage, around: Sequence[LoggedMessage]) -> float:
    """Return how likely the likeliest sentence of a user's message states something lasting; 0 for anybody else's.

    Args:
        message: A new message.
        around: Messages around it; the gate looks at those before it.
    """
    pieces = sentences(fold(readable(message)))
    if speaker_kind(message.role, message.name) != "user" or not pieces:
        return 0.0
    before = [other for other in around if other.seq < message.seq]
    source = GateInput(
        texts=[piece.text for piece in pieces],
        previous_reply=next((other.text for other in reversed(before) if other.role == "assistant"), ""),
        previous_texts=[fold(readable(other)) for other in reversed(before) if other.role == "user"],
        turn=message.seq - 1,
    )
    return float(shipped_gate().probabilities(source).max())


def _is_meant(reading: ParsedMessage, sentence: TextSpan) -> bool:
    """Return whether a sentence is said by the user alone, and in earnest."""
    text = sentence.text
    if len(text) > MAX_SENTENCE or fold(reading.quote(sentence)) != text:
        return False  # too long, or others' words within it are blanked
    if not BYTE_MARK.sub("", text).strip():
        return False
    language = foreign_language(text, reading.masked)
    if language and is_supposed(text, language):
        return False
    return not any(is_unkept(text) for is_unkept in _UNKEPT)
