"""Numbers that describe a user's message as a whole, for the second stage of the learned gate. Pure.

The first stage reads words, sentence by sentence. These say what it cannot: how its judgements are spread over the
message, how the message is written, and how it relates to what was said before. None depends on a language.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toldonce.extraction.gate_features import MAX_TEXT
from toldonce.lazy_pattern import LazyPattern
from toldonce.text import asks, words

# Sentences whose questions are counted, and characters of earlier messages and of the reply before.
_MAX_SENTENCES, _MAX_EARLIER, _MAX_REPLY, _MAX_ASKED = 20, 300, 1_500, 300
# Log odds from which a sentence counts as likely, and as possible.
_LIKELY, _POSSIBLE = -1.5, -2.5
# Given for the second sentence of a message that has only one.
_NO_SENTENCE = -9.0
# A gap where the words of others were blanked.
_GAP = LazyPattern(r" {6}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageContext:
    """A message, and what was said before it."""

    text: str
    """Its own words, those of others blanked."""
    sentences: Sequence[str]
    """At least one."""
    previous_reply: str = ""
    previous_texts: Sequence[str] = ()
    """The speaker's earlier messages, newest first."""
    turn: int = 0
    """Messages of the conversation before this one."""


def message_numbers(context: MessageContext, likely: Sequence[float]) -> NDArray[np.float32]:
    """Return the numbers of a message: shape (`MESSAGE_NUMBERS`,).

    Args:
        context: The message.
        likely: Log odds that the first stage gives the whole message, then those of its sentences.
    """
    text = context.text[:MAX_TEXT]
    values = (*_of_judgements(context, likely), *_of_writing(context, text), *_of_context(context, text))
    return np.array(values, np.float32)


def _of_judgements(context: MessageContext, likely: Sequence[float]) -> tuple[float, ...]:
    """Describe how the judgements are spread over the sentences."""
    whole, judged = likely[0], likely[1:]
    ranked = sorted(judged, reverse=True)
    best = list(judged).index(ranked[0])
    sentence = context.sentences[best][:MAX_TEXT]
    return (
        whole,
        ranked[0],
        ranked[1] if len(ranked) > 1 else _NO_SENTENCE,
        sum(ranked) / len(ranked),
        sum(each > _LIKELY for each in ranked),
        sum(each > _POSSIBLE for each in ranked),
        best / len(ranked),
        len(sentence),
        asks(sentence),
    )


def _of_writing(context: MessageContext, text: str) -> tuple[float, ...]:
    """Describe how a message is written."""
    written = text.split()
    letters, count = max(len(text), 1), max(len(written), 1)
    asked = [asks(sentence[:MAX_TEXT]) for sentence in context.sentences[:_MAX_SENTENCES]]
    return (
        len(context.text),
        len(written),
        text.count("\n"),
        text.rstrip().endswith((":", "：")),
        sum(map(str.isdigit, text)) / letters,
        sum(not (character.isalnum() or character.isspace()) for character in text) / letters,
        sum(word[0].isupper() for word in written) / count,
        text[:1].islower(),
        bool(_GAP.search(text)),
        asks(text),
        sum(asked) / len(asked),
        len(context.sentences),
    )


def _of_context(context: MessageContext, text: str) -> tuple[float, ...]:
    """Describe how a message relates to what was said before."""
    said, reply, earlier = set(words(text)), context.previous_reply, context.previous_texts
    repeated = (_similarity(said, set(words(before[:_MAX_EARLIER]))) for before in earlier)
    return (
        context.turn,
        len(earlier),
        max(repeated, default=0.0),
        len(said & set(words(reply[-_MAX_REPLY:]))) / max(len(said), 1),
        len(reply),
        asks(reply[-_MAX_ASKED:]),
        sum(map(len, earlier)) / max(len(earlier), 1),
    )


def _similarity(one: set[str], other: set[str]) -> float:
    """Return the share of the words of two texts that both have."""
    return len(one & other) / max(len(one | other), 1)
