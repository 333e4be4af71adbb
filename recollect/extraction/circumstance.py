"""What was said just before a message: the circumstance in which a record was learned. Pure."""

from dataclasses import dataclass

from recollect.extraction.requests import asks_to_forget
from recollect.extraction.review_gate import planted_order
from recollect.extraction.salience import informative, is_pleasantry, short
from recollect.extraction.sentences import TextSpan, fold, sentences
from recollect.extraction.sources import ExtractionInput, readable, speaker_of, who
from recollect.text import asks
from recollect.types import LoggedMessage

# Words that a context quotes, in characters: a row of a prompt has room for a sentence.
MAX_QUOTED = 120
# Messages before a record's own that are looked at: the one before it, or one before some small talk.
MAX_BEFORE = 4
# Sentences of such a message that are looked at; the last ones lead to what follows.
_MAX_SENTENCES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstance:
    """What led to a message."""

    text: str
    """Who spoke, and the words: 'Marcus asked: Why did you leave?'"""
    message: LoggedMessage
    """The message that holds them."""


def circumstance(message: LoggedMessage, source: ExtractionInput) -> Circumstance | None:
    """Find what another speaker said just before a message; None where nothing of weight was said.

    Args:
        message: A record's own message.
        source: The messages around it.
    """
    spoken = [said for said in (*source.earlier, *source.messages) if said.role in ("user", "assistant")]
    before = [said for said in spoken if said.seq < message.seq][-MAX_BEFORE:]
    for said in reversed(before):
        if speaker_of(said) == speaker_of(message):
            continue
        words = readable(said)
        if asks_to_forget(words):
            return None
        told = _telling(words, said.role)
        if told is not None:
            verb = "asked" if asks(told) else "said"
            return Circumstance(text=f"{who(said)} {verb}: {short(told, MAX_QUOTED)}", message=said)
    return None


def _telling(words: str, role: str) -> str | None:
    """Return what leads on: the last question, else the sentence that tells most; None in small talk."""
    read = [piece for piece in sentences(fold(words))[-_MAX_SENTENCES:] if not is_pleasantry(piece.text)]
    read = [piece for piece in read if planted_order(piece.text, role) is None]
    questions = [piece for piece in read if asks(piece.text)]
    chosen = questions[-1] if questions else max(read, key=_weight, default=None)
    return " ".join(chosen.text.split()) if chosen else None


def _weight(piece: TextSpan) -> tuple[float, int]:
    """Weigh a sentence by what it tells; of two alike the later one leads on."""
    return informative(piece.text), piece.start
