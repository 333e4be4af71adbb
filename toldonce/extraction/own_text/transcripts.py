"""Find the lines of others in a chat with labels, and a friend who types at the user's keyboard. Pure."""

import re

from toldonce.extraction.own_text.carriers import is_dialogue, pattern
from toldonce.extraction.own_text.spans import Span, blank_out, merge_spans

_LABEL = pattern("speakers", "label")
_OTHER_AT_KEYBOARD = pattern("speakers", "at_keyboard")
_ME = frozenset({"me", "i", "myself"})


def find_transcript(text: str) -> list[Span]:
    """Find others' lines in a pasted chat; a line goes on to the next label or to a blank line.

    >>> text = "Look:\\nBen: I ski\\nAnn: No\\nBen: Why?"
    >>> [text[start:end] for start, end in find_transcript(text)]
    ['Ben: I ski\\nAnn: No\\nBen: Why?']
    """
    labels = _dialogue(text)
    ends = [*(label.start() for label in labels[1:]), len(text)]
    return (
        merge_spans(
            (label.start(), label.end() if _is_me(label) else _end(text, "\n\n", label.end(), end))
            for label, end in zip(labels, ends, strict=True)
        )
        if labels
        else []
    )


def without_transcript(text: str) -> str:
    """Blank out the lines of a pasted chat, keeping every character's place; of lines by 'Me' only the label.

    >>> without_transcript("Look:\\nBen: I ski\\nMe: I swim\\nBen: Oh")
    'Look:\\n          \\n    I swim\\n       '
    """
    return blank_out(
        text,
        (
            (label.start(), label.end() if _is_me(label) else _end(text, "\n", label.end(), len(text)))
            for label in _dialogue(text)
        ),
    )


def is_third_party(text: str) -> bool:
    """Return whether another person says that they are typing at the user's keyboard.

    >>> is_third_party("Hi, this is Petra, Tom's flatmate. I'm vegan."), is_third_party("This is my flatmate Petra.")
    (True, False)
    """
    return bool(_OTHER_AT_KEYBOARD.search(text))


def _dialogue(text: str) -> list["re.Match[str]"]:
    """Find the labels of a pasted chat; none where they are labels of something else."""
    labels = list(_LABEL.finditer(text))
    return labels if is_dialogue([label["name"] for label in labels]) else []


def _is_me(label: "re.Match[str]") -> bool:
    return label["name"].casefold() in _ME


def _end(text: str, mark: str, start: int, stop: int) -> int:
    end = text.find(mark, start, stop)
    return stop if end < 0 else end
