"""Find chats that were copied into a message, and a friend who types at the user's keyboard. Pure.

In a copied chat each message is below or after its writer and time: 'Bruno  9:41 AM' and 'I ski' say nothing about the
user. A thread may continue over blank lines, so it runs to the end of the message.
"""

import re
from collections.abc import Sequence

from toldonce.extraction.spans import Span, merge_spans
from toldonce.lazy_pattern import LazyPattern

# '[12:03] Ben: ', '3/12/26, 10:32 - Ben Moss: ', 'Ben (10:32): ': a label at the start of a line.
_LABEL = LazyPattern(
    r"^[ \t>*•-]*+(?:\[?[\d/.:, ]{4,24}(?:[ap]m)?\]?(?:[ \t]*+[-–])?[ \t]*+)?"
    r"(?P<name>[^\W\d_][\w.'’-]{0,24}+(?:[ \t][^\W\d_][\w.'’-]{0,24}+){0,2})"
    r"(?:[ \t]*+\([\d:. apm]{3,12}\))?[ \t]*+:[ \t]++(?=\S)",
    re.MULTILINE | re.IGNORECASE,
)
_ME = frozenset({"me", "i", "myself"})
# Roles whose lines are a dialogue even if each speaks once.
_ROLES = frozenset(
    """user assistant human ai bot agent customer client interviewer interviewee guest host moderator caller speaker q a
    question answer frage antwort pregunta respuesta pergunta resposta domanda risposta vraag antwoord""".split()
)


def without_transcript(text: str) -> str:
    """Blank out the lines of a pasted chat, keeping every character's place; of lines by 'Me' only the label.

    >>> without_transcript("Look:\\nBen: I ski\\nMe: I swim\\nBen: Oh")
    'Look:\\n          \\n    I swim\\n       '
    """
    labels = _dialogue(text)
    if not labels:
        return text
    kept = list(text)
    for label in labels:
        line_end = text.find("\n", label.end())
        stop = len(text) if line_end < 0 else line_end
        until = label.end() if label["name"].casefold() in _ME else stop
        kept[label.start() : until] = " " * (until - label.start())
    return "".join(kept)


def is_dialogue(names: Sequence[str]) -> bool:
    """Return whether labels are those of a dialogue: two speakers, one of whom speaks twice.

    >>> is_dialogue(["Ben", "Ann", "Ben"]), is_dialogue(["Breakfast", "Lunch", "Dinner"]), is_dialogue(["User", "AI"])
    (True, False, True)
    """
    folded = [name.casefold().rstrip("0123456789 _") for name in names]
    apart = {name.casefold() for name in names}
    return len(apart) > 1 and (len(apart) < len(names) or _ROLES.issuperset(folded))


def _dialogue(text: str) -> list["re.Match[str]"]:
    """Find the labels of a pasted chat; none where they are labels of something else."""
    labels = list(_LABEL.finditer(text))
    return labels if is_dialogue([label["name"] for label in labels]) else []


def find_transcript(text: str) -> list[Span]:
    """Find others' lines in a pasted chat.

    >>> text = "Look:\\nBen: I ski\\nAnn: No\\nBen: Why?"
    >>> [text[start:end] for start, end in find_transcript(text)]
    ['Ben: I ski\\nAnn: No\\nBen: Why?']
    """
    labels = _dialogue(text)
    spans: list[Span] = []
    for number, label in enumerate(labels):
        following = labels[number + 1].start() if number + 1 < len(labels) else len(text)
        paragraph = text.find("\n\n", _line_end(text, label.end()), following)
        until = paragraph if paragraph >= 0 else following
        spans.append((label.start(), label.end() if label["name"].casefold() in _ME else until))
    return merge_spans(spans)


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


_KEYS = r"(?:laptop|phone|computer|account|tablet|keyboard|pc|ipad|mac)"
_OTHER_AT_KEYBOARD = LazyPattern(
    r"\b(?:this\s++is|it's|it\s++is|i'm|i\s++am)\s++(?:(?-i:[A-Z])[\w'-]+,?\s++)?(?:(?-i:[A-Z])[\w-]+'s|his|her|their)\s++(?:\w++\s++)?"
    r"(?:wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|sister|brother|son|daughter|friend|flatmate|roommate|"
    r"colleague|boss|assistant|secretary|neighbou?r|cousin|aunt|uncle|grandmother|grandfather)\b"
    rf"|\b(?:typing|writing)\s++(?:this\s++)?(?:on|from|with)\s++(?:(?-i:[A-Z])[\w-]+'s|his|her|their|my\s++\w+'s)\s++{_KEYS}\b"
    rf"|\b(?:borrow(?:ed|ing)|using)\s++(?:(?-i:[A-Z])[\w-]+'s|his|her|their)\s++{_KEYS}\b",
    re.IGNORECASE,
)


def is_third_party(text: str) -> bool:
    """Return whether another person says that they are typing at the user's keyboard.

    >>> is_third_party("Hi, this is Petra, Tom's flatmate. I'm vegan."), is_third_party("This is my flatmate Petra.")
    (True, False)
    """
    return bool(_OTHER_AT_KEYBOARD.search(text))


_TIME = r"\d{1,2}[:.h]\d{2}(?::\d{2})?(?:\s?[ap]\.?\s?m\b\.?)?(?:\sUhr)?"
_DATE = (
    r"(?:\d{1,4}[./-]\d{1,2}[./-](?:\d{2,4})?|\d{1,2}\.?\s[^\W\d_]{3,10}\.?(?:\s(?:de\s)?\d{4})?|[^\W\d_]{3,10}\s\d{1,2},?(?:\s\d{4})?"
    r"|today|yesterday|heute|gestern|aujourd'hui|hier|hoy|ayer|hoje|ontem|oggi|ieri|vandaag|gisteren"
    r"|(?:last\s)?(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
)
_AT = r"(?:,?\s(?:at|um|à|a las|às|alle|om)|,)?\s"
_WHEN = rf"(?:{_DATE}{_AT}{_TIME}|{_TIME}(?:,?\s{_DATE})?)"
# A name as messengers show it: capitalised words, a handle, a number.
_NAME = (
    r"(?:~\s?|@)?(?:[A-ZÀ-ÞΑ-ΩА-Я][\w.'’-]{0,24}(?:,?\s[A-ZÀ-ÞΑ-ΩА-Я][\w.'’()-]{0,24}){0,3}"
    r"|[a-z][\w.-]{0,24}[\d_.][\w.-]{0,24}|\+\d[\d\s()-]{5,20}\d)"
)
_HANDLE = r"[\w.\[\]^{}|`-]{1,30}"
_MESSAGE_HEAD = LazyPattern(
    # '[12/03/26, 09:41] Bruno: …', '12/03/2026, 09:41 - Bruno: …', '[09:41] Bruno' alone, '[00:00:12] Speaker 1: …'
    rf"^[ \t>]{{0,9}}(?:\[{_WHEN}\]|\(?{_DATE}{_AT}{_TIME}\)?\s?[-–—]|\[\d{{1,2}}:\d{{2}}:\d{{2}}\])"
    r"\s?[-–]?\s?[^\n:\[]{1,60}(?::\s|[ \t]*+$)"
    # 'Bruno  9:41 AM', 'Bruno — Today at 9:41 AM', 'Bruno, [12.03.26 09:41]', followed by a message.
    rf"|^[ \t>]{{0,9}}{_NAME}\s{{0,3}}(?:[,·•|–—-]\s?)?\s{{0,3}}[\[(]?(?i:{_WHEN})[\])]?:?[ \t]*+\n(?=[ \t]*+\S)"
    # 'Bruno (09:41): …'
    rf"|^[ \t>]{{0,9}}{_NAME}\s?[\[(](?i:{_WHEN})[\])]\s?:\s"
    # '<bruno> …', '09:41 <bruno> …'
    rf"|^[ \t]{{0,9}}(?:[\[(]?{_TIME}[\])]?\s)?<[@+%~]?{_HANDLE}>[ \t]\S"
    # Subtitles.
    r"|^[ \t]{0,9}(?:\d{1,2}:)?\d{1,2}:\d{2}[.,]\d{3}\s-->|^WEBVTT\b"
    # '### Assistant'
    r"|^[ \t]{0,9}#{1,6}\s(?i:user|human|assistant|ai|system|bot|chatgpt|model|prompter|me|you)\s?:?[ \t]*+$"
    # 'u/name:', '@name:'
    r"|^[ \t]{0,9}(?:/?u/|@)[\w.-]{2,40}(?:\s?[·•]\s?[^\n]{0,40})?(?::\s|:?[ \t]*+\n)",
    re.MULTILINE,
)
# The same with lower-case names and short days. People also write 'gym 7:00' about their own day, so two speakers are
# needed, and one must speak twice.
_SHORT_DAY = r"(?:mon|tues?|wed|thur?s?|fri|sat|sun)"
_LOOSE_WHEN = rf"[\[(]?(?:{_SHORT_DAY}{_AT})?{_WHEN}[\])]?"
_LOOSE_NAME = r"[^\W\d_][\w.'’-]{0,24}(?:\s[^\W\d_][\w.'’-]{0,24}){0,2}"
_LOOSE_HEAD = LazyPattern(
    rf"^[ \t>]{{0,9}}(?:(?P<name>{_LOOSE_NAME})\s{{0,3}}(?:[,·•|–—-]\s)?\s{{0,3}}{_LOOSE_WHEN}"
    rf"|{_LOOSE_WHEN}\s{{0,3}}(?:[·•|–—-]\s)?(?P<after>{_LOOSE_NAME})):?[ \t]*+\n(?=[ \t]*+\S)",
    re.MULTILINE | re.IGNORECASE,
)
_MIN_SPEAKERS = 2
# Signed after the message: 'Bruno Meier, 9:41 AM' at the end.
_SIGNED = LazyPattern(rf"^[ \t]{{0,9}}[-–—]?\s?{_NAME},?\s(?i:{_WHEN})\s*+\Z", re.MULTILINE)
# Of the first minute of a film: people note other times before what they do then.
_FILM_TIME = LazyPattern(r"^[ \t]{0,9}(?:00?:)?00?:\d{2}[ \t]*+\n(?=[ \t]*+\S)", re.MULTILINE)
_SCENE = LazyPattern(r"^[ \t]{0,40}(?:INT|EXT|INT/EXT|I/E)\.\s[A-Z]|^[ \t]{0,40}FADE (?:IN|OUT)\b", re.MULTILINE)
# The speaker in a play: 'BRUNO' on a line of its own, 'BRUNO. …' before the words.
_PLAY_CUE = LazyPattern(
    r"^[ \t]{0,40}(?P<who>[A-ZÀ-Þ]{2,20}(?:\s[A-ZÀ-Þ]{2,20}){0,2})"
    r"(?:\s?\([^()\n]{1,40}\))?(?:[ \t]*+\n(?=[ \t]*+\S)|\.\s(?=\S))",
    re.MULTILINE,
)
_MIN_CUES = 2


def find_thread(text: str) -> list[Span]:
    """Find a copied chat, from its beginning to the end of the message.

    >>> text = "What do I answer?\\nBruno  9:41 AM\\nI ski"
    >>> [text[start:end] for start, end in find_thread(text)]
    ['Bruno  9:41 AM\\nI ski']
    """
    starts = [found.start() for pattern in (_MESSAGE_HEAD, _SCENE) if (found := pattern.search(text))]
    if _SIGNED.search(text):
        starts.append(0)
    heads = list(_LOOSE_HEAD.finditer(text))
    names = [(head["name"] or head["after"]).casefold() for head in heads]
    if _MIN_SPEAKERS <= len(set(names)) < len(names):
        starts.append(heads[0].start())
    for pattern in (_FILM_TIME, _PLAY_CUE):
        cues = list(pattern.finditer(text))
        if len(cues) >= _MIN_CUES:
            starts.append(cues[0].start())
    return [(min(starts), len(text))] if starts else []
