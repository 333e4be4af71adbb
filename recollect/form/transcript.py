"""Lines of a chat that somebody pasted: other people's first persons, blanked before rules read them. Pure."""

import re

# '[12:03] Ben: ', '3/12/26, 10:32 - Ben Moss: ', 'Ben (10:32): ': a label at the head of a line, with or without a time.
_LABEL = re.compile(
    r"^[ \t>*•-]*(?:\[?[\d/.:, ]{4,24}(?:[ap]m)?\]?[ \t]*[-–]?[ \t]*)?"
    r"(?P<name>[^\W\d_][\w.'’-]{0,24}(?:[ \t][^\W\d_][\w.'’-]{0,24}){0,2})(?:[ \t]*\([\d:. apm]{3,12}\))?[ \t]*:[ \t]+(?=\S)",
    re.MULTILINE | re.IGNORECASE,
)
_ME = frozenset({"me", "i", "myself"})
# Labels of a list about oneself or a task, not of somebody who speaks.
_HEADINGS = frozenset(
    """about address age allergies allergy answer background birthday budget city company cons context date day diet
    dislikes edit education email employer example experience family friday goal goals gender health height hobbies
    hobby home input instructions interests job language languages like likes location monday morning name note notes
    occupation output phone plan preferences problem profession pros ps question reminder role rules saturday skills
    status subject summary sunday task thursday time title todo tuesday update weight wednesday where when why what
    how work situation""".split()
)
# So many labelled lines make a transcript; one may be a heading.
_FEWEST = 2


def without_transcript(text: str) -> str:
    """Blank out the lines of a pasted chat, keeping every character's place; lines labelled 'Me' stay, without the label.

    >>> without_transcript("Look:\\nBen: I ski\\nMe: I swim")
    'Look:\\n          \\n    I swim'
    """
    labels = [found for found in _LABEL.finditer(text) if not _names_nobody(found["name"])]
    if len(labels) < _FEWEST:
        return text
    kept = list(text)
    for label in labels:
        line_end = text.find("\n", label.end())
        stop = len(text) if line_end < 0 else line_end
        until = label.end() if label["name"].casefold() in _ME else stop
        kept[label.start() : until] = " " * (until - label.start())
    return "".join(kept)


def _names_nobody(name: str) -> bool:
    """Whether a label is a heading or the beginning of a sentence rather than a name: 'I have two rules: …'."""
    first, *more = name.casefold().split()
    if first in _HEADINGS:
        return True
    return bool(more) and first in ("i", "i'm", "my", "the", "this", "here", "here's", "we", "our", "it")
