"""Find the message a sentence was drawn from, where the model does not say. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.extraction.schemas.items import UnusableError, message_of
from recollect.extraction.sentences import fold, sentences
from recollect.extraction.sources import ExtractionInput, readable
from recollect.text import terms
from recollect.types import LoggedMessage

# Of a sentence's words so many must stand in a message for it to be the source: fewer meet by chance.
_MIN_SHARED_WORDS = 0.5
# Words that stand for whoever speaks: they are never in the message itself.
_WHO = frozenset({"user", "assistant", "speaker"})
_TRUNCATED = re.compile(r"(?:…|\.\.\.)\s*+$")


@dataclass(frozen=True, slots=True)
class SourceMatch:
    """Where a sentence comes from."""

    message: LoggedMessage
    quote: str


def locate(text: str, number: int | None, quote: str, source: ExtractionInput) -> SourceMatch:
    """Find what a memory rests on: by the number and quote the model gave, else by the words they share.

    A quote that was given counts as given, and is checked against its message like any other.

    Args:
        text: The memory's words.
        number: The message's number; None where the model named none.
        quote: The words it copied; empty where it copied none.
        source: What it was shown.

    Raises:
        UnusableError: the number was not shown, or no message of a source holds enough of the words.
    """
    if number is not None and quote:
        return SourceMatch(message_of(number, source), quote)
    heard = [message_of(number, source)] if number is not None else source.messages
    heard = [message for message in heard if message.role in source.sources]
    if quote:
        held = next((one for one in heard if _holds(one, quote)), None)
        if held is None:
            raise UnusableError("its quote stands in none of the messages")
        return SourceMatch(held, quote)
    return _nearest(text, heard)


def _holds(message: LoggedMessage, quote: str) -> bool:
    plain = _TRUNCATED.sub("", fold(quote)).strip(" \"'").casefold()
    return bool(plain) and plain in " ".join(fold(readable(message)).casefold().split())


def _nearest(text: str, heard: Sequence[LoggedMessage]) -> SourceMatch:
    asked = frozenset(terms(text)) - _WHO
    best: tuple[float, float, SourceMatch] | None = None
    for message in heard:
        spoken = readable(message)
        share = len(asked & frozenset(terms(f"{message.name or ''} {spoken}"))) / max(len(asked), 1)
        if share < _MIN_SHARED_WORDS:
            continue
        for sentence in sentences(spoken):
            inside = len(asked & frozenset(terms(sentence.text))) / max(len(asked), 1)
            if inside and (best is None or (share, inside) > best[:2]):
                best = (share, inside, SourceMatch(message, sentence.text))
    if best is None:
        raise UnusableError("it names no message, and none holds its words")
    return best[2]
