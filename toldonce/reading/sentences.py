"""Cut a text into sentences and clauses, each with its place in the text, and write its dates out. Pure.

Sentences end where `toldonce.text.sentence_ends` says.
"""

import re
from dataclasses import dataclass

from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.text import is_list_number, sentence_ends

_LEAD = LazyPattern(r"(?:[\s>*•#–—-]++|(?<!\d)\d{1,2}\)\s)+")
_LINE_NUMBER = LazyPattern(r"\d{1,3}(?=\.\s)")

# Characters that rules read as one sentence. A longer one is a list or a paste, and is cut after a word.
MAX_SENTENCE = 2000

_SUBJECT = (
    r"(?:(?:also|now|then|yesterday|today|recently|just|sometimes|even|currently|last\s++\w+|next\s++\w+|from\s++now\s++on|"
    r"(?:from|since|as\s++of|starting)\s++[\w.-]{1,15}+(?:\s++[\w.-]{1,15}+){0,2})"
    r",?\s++)?(?:i|i'm|i've|i'd|i'll|my|mine|we|we're|we've|our|he|she|they|it|it's|you|there|please|"
    r"call|don't|always|never"
    r"|not|im|(?:it\s++)?turns\s++out)\b"
)
_FINE = LazyPattern(
    rf"(?<!\s)(?:\s*+[,;:]|\s++[-–—]++)?\s++(?:and|but|so|because|though|although|while|plus|yet|cause|cuz|bc)\b,?\s++"
    rf"(?={_SUBJECT})(?!i\s++(?:are|were|aren't)\b)"
    rf"|(?<!\s)(?:\s*+[;:,]|\s++[-–—]++|\s*+(?<!-)--++)\s++(?={_SUBJECT})|(?<!\s)\s*+;\s++",
    re.IGNORECASE,
)
_COARSE = LazyPattern(
    r"(?<!\s)(?:\s*+[,;]|\s++[-–—]++)?\s++(?:and|but|so|plus|yet)\b,?\s++(?=(?:i|i'm|i've|my|we|we're|our)\b)(?!i\s++(?:are|were|aren't)\b)"
    r"|(?<!\s)(?:\s*+[;:]|\s++[-–—]++|\s*+(?<!-)--++)\s++(?=(?:i|i'm|i've|my|we|our)\b)",
    re.IGNORECASE,
)
_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "\u00a0": " "})
# What a model or a person writes may be longer than what is asked for, but not twice as long.
HARD_FACTOR = 2


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A part of a text with its place."""

    text: str
    start: int
    """Its start in the text it was cut from."""

    @property
    def end(self) -> int:
        """Its end in that text."""
        return self.start + len(self.text)


def fold(text: str) -> str:
    """Write typographic quotes and dashes plainly, keeping every character's place.

    >>> fold("I’m “here”")
    'I\\'m "here"'
    """
    return text.translate(_PLAIN)


def sentences(text: str) -> list[TextSpan]:
    """Cut a text into sentences with their marks, without list bullets and blanks.

    >>> [piece.text for piece in sentences("Hi Dr. Ray! I moved. Did you?")]
    ['Hi Dr. Ray!', 'I moved.', 'Did you?']
    """
    return list(_sentences(text))


@remembered
def _sentences(text: str) -> tuple[TextSpan, ...]:
    found: list[TextSpan] = []
    at = 0
    for end in sentence_ends(text, pictures=True):
        _keep_all(found, text, at, end)
        at = end
    _keep_all(found, text, at, len(text))
    return tuple(found)


def fine_clauses(sentence: TextSpan) -> list[TextSpan]:
    """Cut a sentence before each new subject, subordinate clauses too: the units of facts."""
    return list(_cut(sentence, _FINE))


def coarse_clauses(sentence: TextSpan) -> list[TextSpan]:
    """Cut a sentence before each main clause about the speaker: the units of notes."""
    return list(_cut(sentence, _COARSE))


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, with the stretch to leave out: the clause and the conjunction that joins it to its neighbour."""

    text: str
    start: int
    end: int


def joined_clauses(sentence: TextSpan) -> list[Clause]:
    """Split a sentence into clauses, each with the conjunction that joins it to its neighbour."""
    pieces = coarse_clauses(sentence)
    found: list[Clause] = []
    for place, piece in enumerate(pieces):
        start = pieces[place - 1].end if place else piece.start
        end = pieces[1].start if not place and len(pieces) > 1 else piece.end
        found.append(Clause(piece.text, start, end))
    return found


@remembered
def _cut(sentence: TextSpan, between: LazyPattern[str]) -> tuple[TextSpan, ...]:
    found: list[TextSpan] = []
    at = 0
    for joint in between.finditer(sentence.text):
        _keep(found, sentence.text, at, joint.start(), offset=sentence.start)
        at = joint.end()
    _keep(found, sentence.text, at, len(sentence.text), offset=sentence.start)
    return tuple(found)


def _keep_all(found: list[TextSpan], text: str, start: int, end: int) -> None:
    """Keep a sentence; one longer than `MAX_SENTENCE` is cut after words."""
    while end - start > MAX_SENTENCE:
        blank = text.rfind(" ", start + 1, start + MAX_SENTENCE)
        cut = blank if blank > 0 else start + MAX_SENTENCE
        _keep(found, text, start, cut)
        start = cut
    _keep(found, text, start, end)


def _keep(found: list[TextSpan], text: str, start: int, end: int, *, offset: int = 0) -> None:
    start = _after_lead(text, start, end)
    number = _LINE_NUMBER.match(text, start, end)
    if number and is_list_number(text, number.end()):
        start = _after_lead(text, number.end() + 1, end)
    kept = text[start:end].rstrip()
    if any(character.isalnum() for character in kept):
        found.append(TextSpan(kept, offset + start))


def _after_lead(text: str, start: int, end: int) -> int:
    lead = _LEAD.match(text, start, end)
    return lead.end() if lead else start


def first_sentences(text: str, max_sentences: int) -> str:
    """Return the first sentences of a text, at most `max_sentences`.

    >>> first_sentences("I moved. I like it. Do you?", 2)
    'I moved. I like it.'
    """
    found = sentences(text)
    return text if len(found) <= max_sentences else text[: found[max_sentences - 1].end].strip()


def within(text: str, max_characters: int) -> str:
    """Shorten a text to `max_characters`: to whole sentences if two of them fit, else after a word.

    >>> within("I moved. I like it. The sea is near.", 20), within("I moved to a house by the sea.", 18)
    ('I moved. I like it.', 'I moved to a…')
    """
    if len(text) <= max_characters:
        return text
    fitting = [piece.end for piece in sentences(text) if piece.end <= max_characters]
    if len(fitting) > 1:
        return text[: fitting[-1]].strip()
    cut = text[: max_characters - 1]
    kept = cut.rpartition(" ")[0] if not text[max_characters - 1].isspace() and " " in cut else cut
    return f"{kept.rstrip(' ,;:.!?–—-')}…"


def shortened(text: str, max_characters: int) -> str:
    """Cut a text to `max_characters`: after its last whole sentence, else after a word; 0 leaves it unchanged.

    >>> shortened("Ana likes tea. She also likes long walks.", 20)
    'Ana likes tea.'
    >>> shortened("Ana likes tea and long walks.", 20)
    'Ana likes tea and…'
    """
    if not max_characters or len(text) <= max_characters:
        return text
    ends = [end for end in sentence_ends(text) if end <= max_characters]
    # Half of the room at least: a short first sentence alone would lose more than a cut one.
    if ends and 2 * ends[-1] >= max_characters:
        return text[: ends[-1]].rstrip()
    head, blank, _ = text[:max_characters].rpartition(" ")
    return (head if blank else text[: max_characters - 1]).rstrip(" ,;:-") + "…"
