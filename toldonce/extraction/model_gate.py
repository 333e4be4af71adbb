"""Which messages a form model need not see: those without own words, courtesies, and questions that tell nothing. Pure.

The trained heads judge, the same for every language. In doubt a message is shown: that costs a call, and loses nothing.
"""

from collections.abc import Sequence
from typing import Literal

from toldonce.extraction.evidence import question_before
from toldonce.extraction.own_text.machine_text import find_machine_text
from toldonce.extraction.own_text.spans import blank_out
from toldonce.extraction.own_text.wrappers import find_wrapped
from toldonce.extraction.sources import readable
from toldonce.reading.head_features import HeadInput, telling_reply
from toldonce.reading.heads import Head, Judgement, shipped_heads
from toldonce.reading.sentences import TextSpan, fold, sentences
from toldonce.reading.slots import stated_slots
from toldonce.text import asks, words
from toldonce.types import LoggedMessage

SkipReason = Literal["", "empty", "carried", "code", "courtesy", "question"]
"""Empty if the message must be shown. `carried`: it has no words but those of others; `code`: none but those of
programs; `courtesy`: it only greets, thanks or assents; `question`: it only asks."""
# Probability from which each sentence of a courtesy is one, and below which neither the message nor a sentence may
# state anything lasting: 'Hi, I am Sam' is polite, and tells a name.
COURTESY_THRESHOLD, COURTESY_STATES = 0.5, 0.08
# The same for a message of which every sentence ends asking. On 921 messages of the open chats they leave out 63 of the
# 712 without evidence, and none of the 209 that hold some. That was with the heads of 29 November 2026, which were
# trained on these chats among others.
QUESTION_STATES = 0.06


def skip_of(message: LoggedMessage, around: Sequence[LoggedMessage]) -> SkipReason:
    """Return why a model need not see a message; empty if it may hold something.

    Args:
        message: A new message.
        around: It and the messages around it: the one before may ask what it answers.
    """
    own = readable(message)
    if not any(map(str.isalnum, own)):
        if not any(map(str.isalnum, message.text)):
            return "empty"
        return "code" if _is_of_programs(message.text) else "carried"
    pieces = [piece for piece in sentences(fold(own)) if words(piece.text)]
    if not pieces or message.role != "user" or question_before(message, around):
        return ""
    judgement = _judged(message, own, pieces, around)
    states = max(judgement.kept, *map(judgement.told, range(len(pieces))))
    if states < QUESTION_STATES and all(asks(piece.text) for piece in pieces):
        return "question"
    is_courtesy = all(judgement.of(place, Head.COURTESY) >= COURTESY_THRESHOLD for place in range(len(pieces)))
    if any(stated_slots(piece) for piece in pieces):
        return ""  # 'Hi, I'm Sam'
    return "courtesy" if is_courtesy and states < COURTESY_STATES else ""


def _judged(message: LoggedMessage, own: str, pieces: Sequence[TextSpan], around: Sequence[LoggedMessage]) -> Judgement:
    before = [other for other in reversed(around) if other.seq < message.seq]
    return shipped_heads().judge(
        HeadInput(
            text=own,
            sentences=[own[piece.start : piece.end] for piece in pieces],
            previous_reply=telling_reply(next((other.text for other in before if other.role == "assistant"), "")),
            previous_texts=[readable(other) for other in before if other.role == "user"],
            turn=message.seq - 1,
        )
    )


def _is_of_programs(text: str) -> bool:
    """Return whether a message has no words but those of programs."""
    rest = blank_out(text, find_wrapped(text).spans)
    return not any(map(str.isalnum, blank_out(rest, find_machine_text(rest))))
