"""Which sentences of a user's message are worth keeping or are standing wishes, by the trained heads. Loads them once.

The heads are the same for every language. What is not meant, words of others and sentences with secrets are not kept,
however likely.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from toldonce.extraction.redaction import is_scrubbed
from toldonce.extraction.rules.parsed_message import ParsedMessage
from toldonce.reading.head_features import HeadInput, telling_reply
from toldonce.reading.heads import Head, Judgement, judge_alone, shipped_heads
from toldonce.reading.sentences import TextSpan, fold
from toldonce.text.byte_runs import BYTE_MARK

# Probability of a message from which its sentences are kept.
MESSAGE_THRESHOLD = 0.25
# Probability of a sentence from which it is kept beside the likeliest one of its message.
FURTHER_THRESHOLD = 0.15
# Probability from which a sentence is taken for unmeant, another's or mere courtesy.
VETO_THRESHOLD = 0.5
# Probability from which a sentence is a standing wish, shown whatever is asked, and from which it may be planted.
WISH_THRESHOLD, PLANTED_THRESHOLD = 0.55, 0.3
# A sentence that asks so surely, and tells so little, is not kept.
_SURELY_ASKS, _TELLS_LITTLE = 0.9, 0.05
# The same for slots, whose frames are evidence of their own; and how likely a question tells something, at least.
SLOT_VETO, SLOT_ASKS, SLOT_TOLD = 0.5, 0.8, 0.2
# By how much a sentence is likelier unmeant than telling, if it is: many plain ones have a little of both.
SLOT_MARGIN = 0.15
# Probabilities from which and up to which a sentence tells of one day ahead. On the 222 sentences of
# tests/dates/weekdays.toml that are no past: 22 of 73 plans, one of 149 weekly days.
COMING_THRESHOLD, HABITUAL_THRESHOLD = 0.5, 0.15
# Characters of a sentence and of a message that is kept from: a longer one is a text, not a remark.
MAX_SENTENCE, MAX_MESSAGE = 400, 2_000
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
    likely = sorted(((judgement.told(place), place) for place in range(len(pieces))), reverse=True)
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


def is_earnest(judgement: Judgement, place: int) -> bool:
    """Return whether a sentence is meant, and said by the user alone."""
    told = judgement.told(place)
    others = max(judgement.of(place, head) for head in (Head.OTHERS, Head.PLANTED))
    return others < SLOT_VETO and judgement.of(place, Head.UNMEANT) < max(SLOT_VETO, told + SLOT_MARGIN)


def is_told(part: TextSpan, sentence: TextSpan, judgement: Judgement, place: int, *, is_order: bool) -> bool:
    """Return whether the part of a sentence that states a slot tells it, rather than asks for something.

    A part of a question is judged by itself: 'what can I cook, I'm coeliac?'. An order holds beyond its message if it
    is alone in it, and is for the task beside it else.
    """
    if not _only_asks(judgement, place):
        return True
    if len(part.text) < len(sentence.text.rstrip(".?!")):
        alone = judge_alone(part.text)
        return not _only_asks(alone, 0) and is_earnest(alone, 0)
    return is_order and len(judgement.sentences) == 1


def _only_asks(judgement: Judgement, place: int) -> bool:
    return judgement.told(place) < SLOT_TOLD and judgement.of(place, Head.ASKS) >= SLOT_ASKS


def is_in_jest(judgement: Judgement | None, place: int) -> bool:
    """Return whether a sentence is unmeant: a joke, irony, a supposition, fiction."""
    return judgement is not None and judgement.of(place, Head.UNMEANT) >= VETO_THRESHOLD


def coming_sentences(pieces: Sequence[TextSpan], judgement: Judgement | None) -> list[tuple[int, int]]:
    """Return the spans of the sentences that tell of one day ahead, not of every week: 'My exam is on Tuesday'."""
    return [
        (piece.start, piece.end)
        for place, piece in enumerate(pieces if judgement else ())
        if judgement
        and judgement.of(place, Head.COMING) >= COMING_THRESHOLD
        and judgement.of(place, Head.HABITUAL) < HABITUAL_THRESHOLD
    ]


def judge(reading: ParsedMessage, pieces: Sequence[TextSpan]) -> Judgement | None:
    """Let the heads judge a message and its sentences; None for what is no user's remark."""
    if not pieces or reading.message.role != "user" or len(reading.text) > MAX_MESSAGE:
        return None
    source = HeadInput(
        text=reading.text,
        sentences=[reading.quote(piece) for piece in pieces],
        previous_reply=reading.previous_reply if reading.between_people else telling_reply(reading.previous_reply),
        previous_texts=reading.previous_texts,
        turn=reading.message.seq - 1,
    )
    return shipped_heads().judge(source)


def _is_meant(reading: ParsedMessage, sentence: TextSpan, judgement: Judgement, place: int) -> bool:
    """Return whether a sentence is said by the user alone and in earnest, is no text, and holds no secret."""
    text = sentence.text
    if any(judgement.of(place, head) >= VETO_THRESHOLD for head in _VETOES):
        return False
    if judgement.of(place, Head.ASKS) >= _SURELY_ASKS and judgement.told(place) < _TELLS_LITTLE:
        return False
    if len(text) > MAX_SENTENCE or fold(reading.quote(sentence)) != text:
        return False  # too long, or others' words within it are blanked
    return bool(BYTE_MARK.sub("", text).strip()) and not is_scrubbed(text)
