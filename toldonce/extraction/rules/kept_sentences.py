"""Which sentences of a user's message are worth keeping or are standing wishes, by the trained heads. Loads them once.

The heads are the same for every language. What is not meant, words of others and sentences with secrets are not kept,
however likely.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from toldonce.extraction.redaction import is_scrubbed
from toldonce.extraction.rules.parsed_message import ParsedMessage
from toldonce.extraction.sentences import TextSpan, fold
from toldonce.reading.head_features import HeadInput
from toldonce.reading.heads import Head, Judgement, shipped_heads
from toldonce.text.byte_runs import BYTE_MARK

# Probability of a message from which its sentences are kept.
MESSAGE_THRESHOLD = 0.25
# Probability of a sentence from which it is kept beside the likeliest one of its message.
FURTHER_THRESHOLD = 0.15
# Probability from which a sentence is taken for unmeant, another's or mere courtesy.
VETO_THRESHOLD = 0.5
# Probability from which a sentence is a standing wish, shown whatever is asked, and from which it may be planted.
WISH_THRESHOLD, PLANTED_THRESHOLD = 0.8, 0.3
# Characters of a sentence and of a message that is kept from: a longer one is a text, not a remark.
MAX_SENTENCE, MAX_MESSAGE = 400, 2_000
_TELLING = (Head.KEPT, Head.PREFERENCE, Head.WISH)
_VETOES = (Head.UNMEANT, Head.OTHERS, Head.COURTESY)


@dataclass(frozen=True, slots=True)
class KeptSentence:
    """A sentence worth keeping."""

    piece: TextSpan
    probability: float
    """Of its message, 0 to 1."""


def kept_sentences(
    reading: ParsedMessage, pieces: Sequence[TextSpan], judgement: Judgement | None
) -> list[KeptSentence]:
    """Return the sentences of a user's message that are worth keeping, in order.

    Args:
        reading: The message.
        pieces: Its sentences, others' words blanked.
        judgement: What the heads say of it.
    """
    if judgement is None or judgement.kept < MESSAGE_THRESHOLD:
        return []
    likely = sorted(
        ((max(judgement.of(place, head) for head in _TELLING), place) for place in range(len(pieces))), reverse=True
    )
    kept = [
        pieces[place]
        for rank, (probability, place) in enumerate(likely)
        if (not rank or probability >= FURTHER_THRESHOLD) and _is_meant(reading, pieces[place], judgement, place)
    ]
    return [KeptSentence(piece, judgement.kept) for piece in sorted(kept, key=lambda piece: piece.start)]


def standing_wishes(reading: ParsedMessage, pieces: Sequence[TextSpan], judgement: Judgement | None) -> frozenset[int]:
    """Return the starts of the sentences that say how to answer from now on; see `kept_sentences`."""
    if judgement is None or reading.between_people:
        return frozenset()
    return frozenset(
        piece.start
        for place, piece in enumerate(pieces)
        if judgement.of(place, Head.WISH) >= WISH_THRESHOLD
        and judgement.of(place, Head.PLANTED) < PLANTED_THRESHOLD
        and _is_meant(reading, piece, judgement, place)
    )


def judge(reading: ParsedMessage, pieces: Sequence[TextSpan]) -> Judgement | None:
    """Let the heads judge a message and its sentences; None for what is no user's remark."""
    if not pieces or reading.message.role != "user" or len(reading.text) > MAX_MESSAGE:
        return None
    source = HeadInput(
        text=reading.text,
        sentences=[reading.quote(piece) for piece in pieces],
        previous_reply=reading.previous_reply,
        previous_texts=reading.previous_texts,
        turn=reading.message.seq - 1,
    )
    return shipped_heads().judge(source)


def _is_meant(reading: ParsedMessage, sentence: TextSpan, judgement: Judgement, place: int) -> bool:
    """Return whether a sentence is said by the user alone and in earnest, is no text, and holds no secret."""
    text = sentence.text
    if any(judgement.of(place, head) >= VETO_THRESHOLD for head in _VETOES):
        return False
    if len(text) > MAX_SENTENCE or fold(reading.quote(sentence)) != text:
        return False  # too long, or others' words within it are blanked
    return bool(BYTE_MARK.sub("", text).strip()) and not is_scrubbed(text)
