"""Find pasted chats, and a friend who writes at the user's keyboard. Pure."""

import re

from recollect.extraction.labels import is_kin, is_own_label
from recollect.extraction.spans import Span, united

# '[12:03] Ben: ', '3/12/26, 10:32 - Ben Moss: ', 'Ben (10:32): ': a label at the head of a line.
_LABEL = re.compile(
    r"^[ \t>*•-]*+(?:\[?[\d/.:, ]{4,24}(?:[ap]m)?\]?(?:[ \t]*+[-–])?[ \t]*+)?"
    r"(?P<name>[^\W\d_][\w.'’-]{0,24}+(?:[ \t][^\W\d_][\w.'’-]{0,24}+){0,2})"
    r"(?:[ \t]*+\([\d:. apm]{3,12}\))?[ \t]*+:[ \t]++(?=\S)",
    re.MULTILINE | re.IGNORECASE,
)
_OF_ONESELF = re.compile(r"\b(?:i|i'm|i've|my|me|we)\b", re.IGNORECASE)
_ME = frozenset({"me", "i", "myself"})
# So many labelled lines make a transcript; one may be a heading.
_MIN_LABELLED_LINES = 2


def without_transcript(text: str) -> str:
    """Blank out the lines of a pasted chat, keeping every character's place; of lines labelled 'Me' the label alone.

    >>> without_transcript("Look:\\nBen: I ski\\nMe: I swim")
    'Look:\\n          \\n    I swim'
    """
    labels = _labels(text)
    if len(labels) < _MIN_LABELLED_LINES:
        return text
    kept = list(text)
    for label in labels:
        line_end = text.find("\n", label.end())
        stop = len(text) if line_end < 0 else line_end
        until = label.end() if label["name"].casefold() in _ME else stop
        kept[label.start() : until] = " " * (until - label.start())
    return "".join(kept)


def _labels(text: str) -> list["re.Match[str]"]:
    """Find the labels that can name a speaker: 'Me' does, a heading of the user's own does not."""
    return [
        found
        for found in _LABEL.finditer(text)
        if found["name"].casefold() in _ME or not (is_own_label(found["name"]) or is_kin(found["name"]))
    ]


def find_transcript(text: str) -> list[Span]:
    """Find what others say in a pasted chat: its labelled lines, where a name comes twice or a line speaks of "I".

    >>> text = "Look:\\nBen: I ski\\nAnn: No"
    >>> [text[start:end] for start, end in find_transcript(text)]
    ['Ben: I ski\\nAnn: No']
    """
    labels = _labels(text)
    names = [label["name"].casefold() for label in labels]
    if len(labels) < _MIN_LABELLED_LINES:
        return []
    lines = [(label.start(), _line_end(text, label.end())) for label in labels]
    repeated = len(set(names)) < len(names) and len(set(names)) > 1
    if not repeated and not any(_OF_ONESELF.search(text[start:end]) for start, end in lines):
        return []
    spans: list[Span] = []
    for number, ((start, end), name) in enumerate(zip(lines, names, strict=True)):
        following = lines[number + 1][0] if number + 1 < len(lines) else len(text)
        paragraph = text.find("\n\n", end, following)
        until = paragraph if paragraph >= 0 else following
        spans.append((start, labels[number].end() if name in _ME else until))
    return united(spans)


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


_KEYS = r"(?:laptop|phone|computer|account|tablet|keyboard|pc|ipad|mac)"
_STANDS_IN = re.compile(
    r"\b(?:this\s++is|it's|it\s++is|i'm|i\s++am)\s++(?:(?-i:[A-Z])[\w'-]+,?\s++)?(?:(?-i:[A-Z])[\w-]+'s|his|her|their)\s++(?:\w++\s++)?"
    r"(?:wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|sister|brother|son|daughter|friend|flatmate|roommate|"
    r"colleague|boss|assistant|secretary|neighbou?r|cousin|aunt|uncle|grandmother|grandfather)\b"
    rf"|\b(?:typing|writing)\s++(?:this\s++)?(?:on|from|with)\s++(?:(?-i:[A-Z])[\w-]+'s|his|her|their|my\s++\w+'s)\s++{_KEYS}\b"
    rf"|\b(?:borrow(?:ed|ing)|using)\s++(?:(?-i:[A-Z])[\w-]+'s|his|her|their)\s++{_KEYS}\b",
    re.IGNORECASE,
)


def is_third_party(text: str) -> bool:
    """Whether another person says that they write at the user's keyboard.

    >>> is_third_party("Hi, this is Petra, Tom's flatmate. I'm vegan."), is_third_party("This is my flatmate Petra.")
    (True, False)
    """
    return bool(_STANDS_IN.search(text))
