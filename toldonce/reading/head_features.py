"""What the heads see of a message: vectors of its sentences and of what is said around them, and a few numbers. Pure.

The vectors are those of the packaged sentence encoder, whichever embedder the store uses. Training and forming compute
the same features.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toldonce.reading.marks import MARKS, marks_of
from toldonce.text import asks

DIM = 512
"""Length of a vector of the encoder."""
FEATURES_VERSION = 4
"""Changes with the features: weights that were trained with other ones cannot be used."""
# Sentences of a message that are judged, and characters that are read: of a sentence, of the message as a whole, of the
# end of the reply before it, and of an earlier message of the speaker.
MAX_SENTENCES, MAX_SENTENCE, MAX_TEXT, MAX_REPLY, MAX_EARLIER = 40, 400, 1_500, 300, 600
# Earlier messages of the speaker that are read.
MAX_BEFORE = 4
_SENTENCE_NUMBERS, _MESSAGE_NUMBERS = 9 + MARKS, 8
SENTENCE_COLUMNS = 5 * DIM + _SENTENCE_NUMBERS
"""Length of the row that describes a sentence."""
# Characters of a reply that asks nothing and is taken for an acknowledgement, which the corpora hardly have before a
# message. Of 150 of their statements the heads keep 91 % by themselves, 60 to 80 % after "Noted." and the like in seven
# languages; of 41 messages with evidence after such replies in AlpsBench, 20 with the reply and 18 without.
_MAX_ACKNOWLEDGEMENT = 40
# How much the groups count: the sentence itself most. Others change F1 by less than a point.
_ITSELF, _AROUND, _NUMBERS, _WORDING = 8.0, 4.0, 2.0, 6.0


def message_columns(heads: int) -> int:
    """Return the length of the row that describes a message of which so many heads judged the sentences."""
    return 3 * DIM + _MESSAGE_NUMBERS + 2 * heads


def telling_reply(reply: str) -> str:
    """Return the reply that a message is judged by: none if it only acknowledges what was said before.

    What a played character does is no acknowledgement.

    >>> telling_reply("Noted."), telling_reply("Where do you live?"), telling_reply("*nods*")
    ('', 'Where do you live?', '*nods*')
    """
    told = reply.strip()
    return reply if len(told) > _MAX_ACKNOWLEDGEMENT or told.startswith("*") or asks(told) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadInput:
    """A user's message, and what it is judged by besides its own words."""

    text: str
    sentences: Sequence[str]
    """At least one."""
    previous_reply: str = ""
    """What the other side said last."""
    previous_texts: Sequence[str] = ()
    """The speaker's earlier messages, newest first."""
    turn: int = 0
    """Messages of the conversation before this one."""

    @property
    def read_sentences(self) -> list[str]:
        """The sentences that are judged, as far as they are read."""
        return [sentence[:MAX_SENTENCE] for sentence in self.sentences[:MAX_SENTENCES]]

    @property
    def texts(self) -> list[str]:
        """All that is embedded: the sentences, the message, the reply, and earlier messages."""
        earlier = [text[:MAX_EARLIER] for text in self.previous_texts[:MAX_BEFORE]]
        return [*self.read_sentences, self.text[:MAX_TEXT], self.previous_reply[-MAX_REPLY:], *earlier]


Rows = NDArray[np.float32]


def sentence_rows(source: HeadInput, vectors: Rows) -> Rows:
    """Describe the sentences of a message: shape (sentences, `SENTENCE_COLUMNS`).

    Args:
        source: The message.
        vectors: Of `source.texts`, zeros for a blank one.
    """
    texts = source.read_sentences
    count = len(texts)
    own, nothing = vectors[:count], np.zeros((1, DIM), np.float32)
    around = (
        np.broadcast_to(vectors[count], own.shape),
        np.broadcast_to(vectors[count + 1], own.shape),
        np.concatenate((nothing, own[:-1])),
        np.concatenate((own[1:], nothing)),
    )
    size, lines, replied = np.log1p(len(source.text)) / 6, "\n" in source.text, bool(source.previous_reply.strip())
    numbers = [
        (
            place == 0,
            place == count - 1,
            np.log1p(count) / 2,
            np.log1p(place) / 2,
            replied,
            np.log1p(len(text)) / 4,
            asks(text),
            size,
            lines,
        )
        for place, text in enumerate(texts)
    ]
    asking = np.array([marks_of(text) for text in texts], np.float32)
    parts = (
        _ITSELF * own,
        *(_AROUND * each for each in around),
        _NUMBERS * np.array(numbers, np.float32),
        _WORDING * asking,
    )
    return np.concatenate(parts, axis=1).astype(np.float32)


def message_row(source: HeadInput, vectors: Rows, judged: Rows) -> Rows:
    """Describe a message as a whole: shape (`message_columns`,).

    Args:
        source: The message.
        vectors: Of `source.texts`, zeros for a blank one.
        judged: Log odds of its sentences, shape (sentences, heads).
    """
    count = len(judged)
    message, reply, earlier = vectors[count], vectors[count + 1], vectors[count + 2 :]
    alike = earlier @ message
    mean = earlier.mean(axis=0) if len(earlier) else np.zeros(DIM, np.float32)
    numbers = (
        alike.max() if len(alike) else 0.0,
        alike[0] if len(alike) else 0.0,
        alike.mean() if len(alike) else 0.0,
        min(source.turn, 40) / 20,
        source.turn == 0,
        np.log1p(len(source.text)) / 8,
        np.log1p(count) / 3,
        bool(source.previous_reply.strip()),
    )
    pooled = np.concatenate((judged.max(axis=0), judged.mean(axis=0))) / 4
    parts = (
        _ITSELF * message,
        _AROUND * reply,
        _AROUND * mean,
        _NUMBERS * np.array(numbers, np.float32),
        _NUMBERS * pooled,
    )
    return np.concatenate(parts).astype(np.float32)
