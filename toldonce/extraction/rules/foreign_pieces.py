"""Cut a sentence in another language into pieces, and find out which of them state something. Pure.

Of 'ich bin Veganer, was koche ich heute' the first piece states and the second asks; nothing after 'stell dir vor' is
meant.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from toldonce.extraction.own_text.announced import works_on_text
from toldonce.extraction.own_text.quotes import ends_in_speaking
from toldonce.extraction.rules.foreign_exclusions import GIVEN_TEXT, HYPOTHETICAL, ORDERS, TEXT_WORK
from toldonce.extraction.rules.foreign_facts import LANGUAGES
from toldonce.extraction.rules.foreign_questions import ASKS_UNSPACED, QUESTION_WORDS
from toldonce.lazy_pattern import LazyPattern
from toldonce.text import asks
from toldonce.text.normalize import fold
from toldonce.text.questions import opens_asking

UNSPACED = frozenset({"ja", "zh"})
"""Languages without blanks between words."""
# Characters of a message whose statements are kept: a longer one is mostly a text to work on.
MAX_MESSAGE, MAX_MESSAGE_UNSPACED = 500, 200
# German conditionals; without their accents they would be the past tense.
_UNREAL = LazyPattern(r"\b(?:hätte|wäre|würde|möchte|könnte)\w{0,3}\b")
# Where another piece may begin; after 'and' only if that opens a statement or an order.
_PARTS = LazyPattern(
    r"[,;،؛]\s*+(?:(?:und|et|y|e|en|maar|aber|mais|pero|mas|ma|а|но|и)\s++)?|\s[-–—]\s|:\s++|[，；：、]|\.{3}\s*+|…\s*+"
    r"|(?P<and>(?<=\w)\s++(?:(?:und|et|y|e|en|и|а|но|aber|pero|mas|mais|maar|ma|car|denn)\s++|(?=و\w)))"
)


class PieceKind(Enum):
    """What a piece of a sentence does."""

    STATES = "states"
    ASKS = "asks"
    ORDERS = "orders"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a sentence."""

    start: int
    end: int
    kind: PieceKind


def plain_text(text: str) -> str:
    """Return a text as the patterns of other languages read it: small letters without accents.

    >>> plain_text("J’habite à Évreux")
    "j'habite a evreux"
    """
    return fold(text.lower().replace("’", "'"))


def is_talk(sentence: str, message: str, language: str) -> bool:
    """Return whether a message is the user's own talk, not a text to work on or a game."""
    longest = MAX_MESSAGE_UNSPACED if language in UNSPACED else MAX_MESSAGE
    return len(message) <= longest and not GIVEN_TEXT[language].search(plain_text(message or sentence))


def is_supposed(text: str, language: str) -> bool:
    """Return whether a text supposes or wishes: 'wenn ich reich wäre'."""
    unreal = language == "de" and _UNREAL.search(text.lower())
    return bool(unreal or HYPOTHETICAL[language].search(plain_text(text)))


def pieces_of(sentence: str, message: str, language: str) -> list[Piece]:
    """Cut a sentence into pieces, up to the first that supposes something or begins a text.

    Args:
        sentence: A sentence of the message.
        message: The whole message; empty if there is only the sentence.
        language: Its language.

    >>> [(piece.start, piece.kind.name) for piece in pieces_of("ich bin Veganer, was koche ich heute", "", "de")]
    [(0, 'STATES'), (17, 'ASKS')]
    """
    if not is_talk(sentence, message, language):
        return []
    before = message[: max(0, message.find(sentence))]
    if TEXT_WORK[language].search(plain_text(before)) or _announces(before):
        return []
    found: list[Piece] = []
    asked_from = _asked_from(sentence, language)
    for start, end in _cut(sentence, language):
        text = sentence[start:end]
        if is_supposed(text, language) or _reports(sentence[:start], language):
            break
        if TEXT_WORK[language].search(plain_text(text)) or _announces(sentence[:start]):
            break
        found.append(Piece(start, end, _kind(text, language, is_asked=start >= asked_from)))
    return found


def _reports(before: str, language: str) -> bool:
    """Return whether what follows is told by another: 'meine Mutter sagt,'. Dutch 'dit' is no French verb."""
    said = before.rstrip(" ,:;")
    return bool(said) and ends_in_speaking(said.replace(" dit ", " ") if language == "nl" else said)


def _announces(before: str) -> bool:
    """Return whether a text ends with an order to work on what follows: 'verbessere:'."""
    line = before.rstrip(" \n").rpartition("\n")[2]
    return line.endswith((":", "：")) and works_on_text(line)


def _kind(text: str, language: str, *, is_asked: bool) -> PieceKind:
    plain = plain_text(text)
    if is_asked or QUESTION_WORDS[language].match(plain) or opens_asking(text):
        return PieceKind.ASKS
    if language in UNSPACED and ASKS_UNSPACED[language].search(text):
        return PieceKind.ASKS
    return PieceKind.ORDERS if ORDERS[language].match(plain) else PieceKind.STATES


def _asked_from(sentence: str, language: str) -> int:
    """Return where the last piece of a question begins; the length of a sentence that does not ask."""
    is_asking = asks(sentence) or (language in UNSPACED and bool(ASKS_UNSPACED[language].search(sentence[-6:])))
    return max((start for start, _ in _cut(sentence, language)), default=0) if is_asking else len(sentence)


def _cut(sentence: str, language: str) -> Iterator[tuple[int, int]]:
    """Yield where pieces begin and end."""
    start = 0
    for joint in _PARTS.finditer(sentence):
        if (joint["and"] is not None and not _opens(sentence, joint, language)) or (
            joint.group() == "、" and language != "ja"
        ):
            continue
        if joint.start() > start:
            yield start, joint.start()
        start = joint.end()
    if start < len(sentence):
        yield start, len(sentence)


def _opens(sentence: str, joint: re.Match[str], language: str) -> bool:
    """Return whether the text after 'and' is another statement, not the second half of a subject."""
    rest = plain_text(sentence[joint.end() :])
    if rest.startswith(("ich sind", "ich haben", "moi ", "ik zijn")):
        return False
    return any(slot.pattern.match(rest) for slot in LANGUAGES[language].slots) or bool(ORDERS[language].match(rest))
