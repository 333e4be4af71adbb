"""Find games and thought experiments in a user's messages: they last until they are clearly ended. Pure.

In "I ski. Let's role-play: you are a dragon. I live in a cave. Game over!" only 'I ski.' is about the user.
"""

import re

from toldonce.extraction.own_text.spans import Span
from toldonce.extraction.role_play_patterns import (
    ACTS_AS,
    ANNOUNCES_TEXT,
    CLOSES_EARLIER,
    ENDS_GAME,
    GIVES_PART,
    IN_EARNEST,
    MAX_SEEN_CHARACTERS,
    OPENS_GAME,
    OPENS_SUPPOSITION,
    RESUMES_GAME,
    VOICES_FIGURE,
)
from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.reading.sentences import TextSpan, fold, sentences

# An action in a game: '*walks into the tavern*'. Gestures are made outside games as well: '*hugs you*'.
_DOES = LazyPattern(
    r"(?<![\w*])\*(?!(?:hug|kiss|smil|laugh|giggl|wav|nod|sigh|wink|cri|cry|blush|grin|shrug|chuckl|cheer|clap|bow"
    r"|yawn)\w{0,4}\b)(?-i:[a-z])\w{1,20}(?:s|ing)\s[^*\n]{2,200}\*(?!\w)",
    re.IGNORECASE,
)
_OF_ONESELF = LazyPattern(
    r"\b(?:i|i'm|i've|my|we|me|ich|wir|du|mein\w{0,2}|je|j'\w{1,9}|nous|tu|yo|soy|fuera|estoy|vivo|tengo|mi|eu|sou|moro|tenho|meus?|minhas?|io|sono|ho|abito|mi[oa]|ik|wij|mijn)\b",
    re.IGNORECASE,
)


def find_role_play(text: str) -> list[Span]:
    """Find the parts of a message that belong to a game or a supposition.

    >>> text = "I ski. Let's role-play: you are a dragon. I live in a cave. Game over! I live in Oslo."
    >>> [text[start:end] for start, end in find_role_play(text)]
    ["Let's role-play: you are a dragon. I live in a cave. "]
    """
    spans, _ = find_games(text, is_open=False)
    return spans


def find_games(text: str, *, is_open: bool) -> tuple[list[Span], bool]:
    """Find the games in a text, and whether one is still open at its end.

    Args:
        text: A message.
        is_open: An earlier message of the conversation opened a game.
    """
    spans, is_still_open = _games(text, is_open)
    return list(spans), is_still_open


@remembered
def _games(text: str, is_open: bool) -> tuple[tuple[Span, ...], bool]:
    spans: list[Span] = []
    is_open = is_open or bool(_DOES.search(text))
    start: int | None = 0 if is_open else None
    game, given = is_open, False
    pieces = sentences(fold(text))
    for number, sentence in enumerate(pieces):
        seen = sentence.text[:MAX_SEEN_CHARACTERS]
        if start is None and number and ENDS_GAME.search(seen) and CLOSES_EARLIER.search(seen):
            spans.append((0, sentence.start))
        elif start is not None and _ends(seen, game=game, given=given) and not _opens(seen):
            spans.append((start, sentence.start))
            start, game = None, False
        elif _opens(seen):
            start, game = sentence.start if start is None else start, True
        elif start is None and GIVES_PART.search(seen):
            start, given = sentence.start, True
        elif start is None:
            start = _opens_supposition(text, sentence)
    if start is not None:
        spans.append((start, len(text)))
    # Text of an earlier game that says nothing about its speaker may stay.
    if is_open and spans and not game and not _OF_ONESELF.search(text, *spans[0]):
        spans = spans[1:]
    return tuple(spans), game


def _opens_supposition(text: str, sentence: TextSpan) -> int | None:
    """Return where the words begin that a sentence puts into another's mouth, or supposes; None if there are none."""
    seen = sentence.text[:MAX_SEEN_CHARACTERS]
    voiced = VOICES_FIGURE.search(seen)
    if voiced and _OF_ONESELF.search(text, _at(sentence, voiced)):
        return _at(sentence, voiced)
    if ANNOUNCES_TEXT.search(seen):
        return sentence.end
    supposes = OPENS_SUPPOSITION.match(seen) and _OF_ONESELF.search(seen) and not ACTS_AS.match(seen)
    return sentence.start if supposes else None


def _at(sentence: TextSpan, match: re.Match[str]) -> int:
    """Return the place in the text where a match within a sentence ends."""
    return sentence.start + match.end()


def _ends(sentence: str, *, game: bool, given: bool) -> bool:
    """Return whether a sentence ends what is open: a game, a part given to the assistant, or a supposition."""
    return bool((game or given) and ENDS_GAME.search(sentence)) or (not game and bool(IN_EARNEST.match(sentence)))


def _opens(sentence: str) -> bool:
    return bool(OPENS_GAME.search(sentence) or RESUMES_GAME.search(sentence))
