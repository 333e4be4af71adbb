"""Whether a date without a year is in the future or the past, by the tense of its clause. Pure.

In doubt neither is said: the wrong day is worse than none.
"""

import re
from enum import StrEnum

from toldonce.lazy_pattern import LazyPattern
from toldonce.text.sentence_ends import sentence_ends

# Number of characters of a sentence before and after a date that are read for its verb.
MAX_BEFORE, MAX_AFTER = 160, 80

_SEMICOLON = LazyPattern(";")
# Separate clauses: 'I moved in May, and my lease is up on 3 June'.
_CLAUSE_END = LazyPattern(
    r",|\sso\s(?=(?:i|we|you|he|she|they|it|that|my|our|the|can|could|do|how|what|now|there|please)\b)"
    r"|\s(?:and|but|because|then|while|although|though|which|where|when|if|whether|after|before|than)\s",
    re.I,
)
# Things booked or signed up for are in the future, although the verb is in the past tense, and are on one day.
_BOOKED = LazyPattern(
    r"\b(?:(?:signed\s++up|registered|enrol?led|entered|tickets?|booked|reserved|invited|scheduled|planned|confirmed"
    r"|arranged|set\s++for)\b[^.!?]{0,80}$"
    r"|\bgot\s++(?:an?|my|the|our|us|him|her)\s++(?:[\w'-]{1,20}+\s++){0,3}(?:appointment|appt|interview|slot|reservation"
    r"|booking)\b[^.!?]{0,40}$"
    r"|(?<!had\smy\s)(?<!was\smy\s)(?<!had\sa\s)\blast\s++(?:day|shift)(?:\s++(?:at|of|in|there|here)(?:\s++[\w'-]{1,20}+){0,3}?)?"
    r"(?:'s|\s++is|\s++will\s++be)?(?:\s*+[:,])?(?:\s++(?:on|in))?\s*+$"
    r"|\b(?:signed|accepted|got|found|rented|agreed|offered|landed|renewed)\b[^.!?]{1,80}?\b(?:starting|beginning|commencing"
    r"|effective|valid|running|lasting|expiring|ending)(?:\s++(?:on|in|from|until|till))?\s*+$"
    r"|\b(?:decided|agreed|arranged|promised|chosen|chose|offered)\s++to\s++\w[^.!?]{0,80}?\b(?:from|starting|beginning|as\s++of)"
    r"\s*+$)",
    re.IGNORECASE,
)
# So are things postponed; but a weekly class is moved to a weekday, too.
_ARRANGED = LazyPattern(
    r"\b(?:(?:moved|pushed|postponed|rescheduled|shifted|changed|delayed|put\s++off|put\s++back"
    r"|brought\s++forward|extended)"
    r"(?:\s++(?:back|it|forward|again))?\s++(?:from\s++[\w ]{1,40}\s)?(?:to|until|till|by)\s*+$"
    r"|due\b[^.!?]{0,80}$)",
    re.IGNORECASE,
)
# 'Got' is a past form with one of these alone: 'got exams on Friday' means that one has them.
_GOT_SURELY = r"(?:back|home|here|there|away|out|up|in|rid|married|engaged|divorced|\w{2,20}ed)\b"
_HAVE = r"(?:(?:have|has|'ve|'s)\s++(?:just\s++|finally\s++|also\s++|now\s++)?)"
_MOVED_TO = LazyPattern(
    r"\b(?:moved|pushed|postponed|rescheduled|shifted|changed|delayed|put\s++(?:it\s++)?(?:off|back)|brought\s++(?:it\s++)?forward|extended|switched|bumped)"
    r"(?:\s++(?:back|it|forward|again|my|our|the|everything)){0,2}(?:\s++[\w'-]{1,20}+){0,3}?\s*+$",
    re.IGNORECASE,
)
_MOVED_HOUSE = LazyPattern(
    r"\b(?:i|we|he|she|they|you|who|i've|we've|have|has|had|just|recently|finally)\s++moved(?:\s++(?:back|over|house))?\s*+$",
    re.IGNORECASE,
)
_IS = r"(?:am|is|are|i'm|we're|they're|you're|he's|she's|it's|there's|that's|[a-z]{2,30}'s)"
_BESIDE = r"(?:(?:\w{1,20}ly|not|all|also|now|so|very|too|just|still|quite|pretty|kinda)\s++)"
_BASE = (
    r"start|begin|leave|fly|move|travel|arrive|visit|go|come|get|turn|meet|see|work|play|run|take|give|land"
    r"|return|marry|sit|have|need|want"
)
# Verbs that tell the tense; the nearest one before the date counts.
_VERB = LazyPattern(
    rf"\b(?:(?P<future>(?:{_IS}\s++{_BESIDE}?\w{{2,20}}ing(?:\s++to)?|will|won't|shall|gonna|\w{{1,20}}'ll)\b"
    r"(?:\s++(?:be|have|get)\b)?(?:\s++\w{2,20}ed\b)?"
    r"|(?:intends?|hop(?:e|ing)\s++to|plan(?:s|ning)?\s++(?:to|on|for)|look(?:ing)?\s++forward|about\s++to|upcoming"
    r"|coming\s++up|remind)\b)"
    rf"|(?P<either>{_IS}\s++{_BESIDE}{{0,2}}\w{{2,20}}ed\b(?:\s++\w{{2,20}}ed\b)?|got(?:ta)?\b(?!\s++{_GOT_SURELY}))"
    rf"|(?P<present>(?:i|we|they|you|he|she)(?:\s++|(?=')){_HAVE}(?:(?:decided|agreed|arranged|promised|chosen|offered)\s++to\s++\w{{2,20}}"
    rf"|got(?!\s++{_GOT_SURELY}))\b"
    rf"|(?:i|we|they|you)\s++(?:\w{{1,20}}ly\s++|also\s++|both\s++)?(?:{_BASE})\b"
    rf"|(?:{_IS}|be|isn't|aren't|has|have|don't|doesn't|does|must|should|can|may|might"
    r"|wants?\s++to|needs?\s++to|expires?"
    r"|starts|begins|ends|opens|closes"
    r"|leaves|arrives|departs|takes\s++place|flies|moves|travels|visits|goes|comes|gets|turns|meets|works|plays"
    r"|runs|takes|gives|lands|returns"
    r"|tomorrow|deadline|until|till)\b)"
    r"|(?P<past>(?:was|were|wasn't|weren't|did|didn't|had|hadn't|been|went|got|made|took|won|lost|came|saw|met"
    r"|bought|ate|left|flew|drove"
    r"|ran|began|broke|fell|found|gave|heard|held|knew|paid|said|sold|sent|slept|spent|told|taught|thought|wore"
    r"|wrote|became|built"
    r"|caught|chose|drank|felt|forgot|fought|grew|kept|led|lent|quit|rode|rang|sang|sat|shot|spoke|stood|stole"
    r"|swam|threw|woke"
    r"|born|gone|since|ago|\w{2,30}(?<!ne)(?<!inde)(?<!spe)(?<!fe)(?<!se)(?<!\bsh)(?<!sle)ed)\b))",
    re.IGNORECASE,
)
_DID = LazyPattern(r"\b(?:did|didn't)\b", re.IGNORECASE)
_ANNIVERSARY = LazyPattern(
    r"\b(?:birthdays?|b-?days?|anniversar(?:y|ies)|name\s++day|date\s++of\s++birth|dob|annually|yearly|once\s++a\s++year)\b",
    re.IGNORECASE,
)
# In such clauses a number of days is how long something took, or how much it is: 'not in 3 days', 'how many in a week'.
_MEASURED = LazyPattern(
    r"\b(?:not|never|no|nothing|nobody|none|hardly|\w{2,10}n't|first|last|best|worst|how\s++(?:many|much|often|far)"
    r"|(?:have|has|'ve)\s++(?:\w{2,20}ly\s++|just\s++|already\s++|also\s++)?"
    r"(?:\w{1,20}(?:ed|wn|ung|ught|ost|elt|ept|ade|en)|been|done|gone|read|run|seen|written|come|put|set|cut|hit|won|met))\b",
    re.IGNORECASE,
)
# 'My 30th birthday' does not recur.
_COUNTED = LazyPattern(r"\b\d{1,3}(?:st|nd|rd|th)\b", re.IGNORECASE)
_WORD = LazyPattern(r"\w")
_INFINITIVE = LazyPattern(r"\bto\s++\w", re.IGNORECASE)
_HABIT = LazyPattern(r"\b(?:always|usually|every|each|often|normally|typically|mostly|celebrates?)\b", re.IGNORECASE)


class Direction(StrEnum):
    """Whether a date without a year is in the future or the past."""

    AHEAD = "ahead"
    BEHIND = "behind"


class Tense(StrEnum):
    """What the words of a clause tell of its time."""

    PAST = "past"
    PRESENT = "present"
    """Of now, of every week, or of the future."""
    FUTURE = "future"
    EITHER = "either"
    """A past form that may be no past: 'got exams on Friday', 'I'm stressed about Friday'."""


_LIES = {
    Tense.PAST: Direction.BEHIND,
    Tense.PRESENT: Direction.AHEAD,
    Tense.FUTURE: Direction.AHEAD,
    Tense.EITHER: None,
}


def is_put_off(text: str, start: int) -> bool:
    """Return whether the words before a date say that something was moved to it.

    >>> is_put_off("The match got moved to the 16th", 23), is_put_off("I walked to the 16th hole", 11)
    (True, False)
    """
    before = text[max(0, start - MAX_BEFORE) : start]
    return bool(_MOVED_TO.search(before)) and not _MOVED_HOUSE.search(before)


def direction(text: str, start: int, end: int, *, default: Direction | None) -> Direction | None:
    """Return whether a date is in the future or the past, by the words around it; None if that is in doubt.

    Args:
        text: Any text.
        start: Start of the date in it.
        end: End of the date.
        default: For a date whose clause has no verb that tells the tense.

    >>> text = "My exam is on Tuesday"
    >>> direction(text, 11, 21, default=Direction.BEHIND)
    <Direction.AHEAD: 'ahead'>
    """
    before, after = _sentence(text, start, end)
    if _BOOKED.search(before) or _ARRANGED.search(before):
        return Direction.AHEAD
    tense = _tense(before, after)
    return default if tense is None else _LIES[tense]


def deadline(text: str, start: int, end: int, *, ends: bool) -> Direction | None:
    """Return the direction of the date after 'by' or 'until', by its own clause alone; None if that is in doubt.

    What was promised or begun in the past has its end ahead: 'I promised to send it by Friday'.

    Args:
        text: Any text.
        start: Start of the date in it.
        end: End of the date.
        ends: The word is 'until': what lasted until a day in the past does not say whether that has come.
    """
    before, after = _sentence(text, start, end)
    own, rest = _clause(before, after)
    if _BOOKED.search(before):
        return Direction.AHEAD
    tense = _told(own, rest)
    if tense is Tense.PAST and (ends or _INFINITIVE.search(own)):
        return None
    return _LIES[tense] if tense else None


def surely_ahead(text: str, start: int, end: int) -> bool:
    """Return whether the words around a date say for sure that it is in the future.

    >>> surely_ahead("I'll marry on 2 April", 11, 21), surely_ahead("I worry after what he said on 2 April", 27, 37)
    (True, False)
    """
    before, after = _sentence(text, start, end)
    return bool(_BOOKED.search(before)) or _tense(before, after) is Tense.FUTURE


def is_ahead(text: str, start: int, end: int, *, rate: bool) -> bool:
    """Return whether 'in 3 days' means a time ahead, and not how long something takes or took.

    Args:
        text: Any text.
        start: Start of the words in it.
        end: Their end.
        rate: They name a single unit, which is mostly a measure: '24 hours in a day'.

    >>> is_ahead("It starts in 3 days", 10, 19, rate=False), is_ahead("I haven't slept in 3 days", 16, 25, rate=False)
    (True, False)
    """
    before, after = _sentence(text, start, end)
    own, rest = _clause(before, after)
    if _MEASURED.search(own) or _MEASURED.match(rest.lstrip()):
        return False
    tense = _tense(before, after)
    return tense is Tense.FUTURE if rate else tense in (None, Tense.PRESENT, Tense.FUTURE)


def recurs(text: str, start: int, end: int) -> bool:
    """Return whether a date recurs every year: a birthday, an anniversary, an event of every May."""
    clause = " ".join(_clause(*_sentence(text, start, end)))
    return bool(_ANNIVERSARY.search(clause) and not _COUNTED.search(clause)) or bool(_HABIT.search(clause))


def one_day(text: str, start: int, end: int) -> Direction | None:
    """Return the direction of the one day or weekend that words such as 'on Monday' mean; None if they may recur.

    A sentence in the present tense may tell of either: 'My day off is Tuesday', 'My exam is on Tuesday'. One in the
    past tense, or of the future alone, tells of one day.
    """
    before, after = _sentence(text, start, end)
    if _HABIT.search(" ".join(_clause(before, after))):
        return None
    if _BOOKED.search(before):
        return Direction.AHEAD
    own, rest = _clause(before, after)
    # A clause whose verb is not known does not take its tense from another clause.
    return certain(_told(own, rest) if _WORD.search(own + rest) else _told(before, after))


def certain(tense: Tense | None) -> Direction | None:
    """Return where a tense alone puts a day; None if it does not."""
    return _LIES[tense] if tense in (Tense.PAST, Tense.FUTURE) else None


def _tense(before: str, after: str) -> Tense | None:
    """Return the tense of the clause around a date, else that of its sentence."""
    return _told(*_clause(before, after)) or _told(before, after)


def _told(before: str, after: str) -> Tense | None:
    """Return what the nearest verb before a date tells, else the first after it."""
    verbs = list(_VERB.finditer(before))
    verb = verbs[-1] if verbs else _VERB.search(after)
    if verb is None:
        return None
    return Tense.PAST if _DID.search(before) else Tense(str(verb.lastgroup))


def _sentence(text: str, start: int, end: int) -> tuple[str, str]:
    """Return the text before and after a date in its sentence."""
    before = text[max(0, start - MAX_BEFORE) : start].replace("’", "'")
    after = text[end : end + MAX_AFTER].replace("’", "'")
    begin, stop = max(_ends(before), default=0), min(_ends(after), default=len(after))
    return before[begin:], after[:stop]


def _ends(text: str) -> list[int]:
    """Return where the sentences of a text end, and what semicolons part."""
    return [*sentence_ends(text), *(found.end() for found in _SEMICOLON.finditer(text))]


def _clause(before: str, after: str) -> tuple[str, str]:
    """Return the text before and after a date in its clause."""
    begins = [joint.end() for joint in _CLAUSE_END.finditer(before)]
    stop = _CLAUSE_END.search(after)
    return before[begins[-1] if begins else 0 :], after[: stop.start()] if stop else after
