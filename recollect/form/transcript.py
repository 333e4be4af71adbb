"""Words in a message that are somebody else's: pasted chats, texts to work on, a friend at the keyboard. Pure."""

import re

# '[12:03] Ben: ', '3/12/26, 10:32 - Ben Moss: ', 'Ben (10:32): ': a label at the head of a line.
_LABEL = re.compile(
    r"^[ \t>*•-]*+(?:\[?[\d/.:, ]{4,24}(?:[ap]m)?\]?(?:[ \t]*+[-–])?[ \t]*+)?"
    r"(?P<name>[^\W\d_][\w.'’-]{0,24}+(?:[ \t][^\W\d_][\w.'’-]{0,24}+){0,2})"
    r"(?:[ \t]*+\([\d:. apm]{3,12}\))?[ \t]*+:[ \t]++(?=\S)",
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
    """Blank out the lines of a pasted chat, keeping every character's place; of lines labelled 'Me' the label alone.

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


# A text to work on stands behind such an order and a colon.
_WORK = re.compile(
    r"(?:^|(?<=[.!?\n]))[ \t]*+"
    r"(?:(?:please|pls|can you|could you|would you|now|and|then|ok|okay|help me|how (?:do|would|can) (?:you|i))[ ,]++)*"
    r"(?:translate|rewrite|rephrase|paraphrase|correct|proofread|summari[sz]e|shorten|polish|improve|edit|fix|check|review|analy[sz]e|"
    r"say|grade|rate|classify|reword|simplify|expand|continue)\b[^:\n]{0,120}+:[ \t]*+\n?",
    re.IGNORECASE,
)


def without_material(text: str) -> str:
    """Blank out a text that is to be worked on, to the end of the message; every character keeps its place.

    >>> without_material("Translate into Spanish: I am cold.")
    'Translate into Spanish:           '
    """
    found = _WORK.search(text)
    if not found:
        return text
    kept = text[found.end() :]
    return text[: found.end()] + re.sub(r"[^\n]", " ", kept)


_KEYS = r"(?:laptop|phone|computer|account|tablet|keyboard|pc|ipad|mac)"
_STANDS_IN = re.compile(
    r"\b(?:this\s++is|it's|it\s++is|i'm|i\s++am)\s++(?:(?-i:[A-Z])[\w'-]+,?\s++)?(?:(?-i:[A-Z])[\w-]+'s|his|her|their)\s++(?:\w++\s++)?"
    r"(?:wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|sister|brother|son|daughter|friend|flatmate|roommate|"
    r"colleague|boss|assistant|secretary|neighbou?r|cousin|aunt|uncle|grandmother|grandfather)\b"
    rf"|\b(?:typing|writing)\s++(?:this\s++)?(?:on|from|with)\s++(?:(?-i:[A-Z])[\w-]+'s|his|her|their|my\s++\w+'s)\s++{_KEYS}\b"
    rf"|\b(?:borrow(?:ed|ing)|using)\s++(?:(?-i:[A-Z])[\w-]+'s|his|her|their)\s++{_KEYS}\b",
    re.IGNORECASE,
)


def is_stand_in(text: str) -> bool:
    """Whether somebody else says that they write at the user's keyboard.

    >>> is_stand_in("Hi, this is Petra, Tom's flatmate. I'm vegan."), is_stand_in("This is my flatmate Petra.")
    (True, False)
    """
    return bool(_STANDS_IN.search(text))
