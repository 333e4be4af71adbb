"""Whether a date without a year is in the future or the past, by the tense of its clause. Pure."""

import re
from enum import StrEnum

from recollect.lazy_pattern import LazyPattern
from recollect.text.sentence_ends import sentence_ends

# Number of characters of a sentence before and after a date that are read for its verb.
MAX_BEFORE, MAX_AFTER = 160, 80

_SEMICOLON = LazyPattern(";")
# Separate clauses: 'I moved in May, and my lease is up on 3 June'.
_CLAUSE_END = LazyPattern(
    r",|\s(?:and|but|so|because|then|while|although|though|which|where|when|after|before)\s", re.I
)
# Events one has on a day, for sentences without 'have': 'got my driving test on Tuesday'.
_EVENT = (
    r"(?:tests?|exams?|mocks?|finals|interviews?|appointments?|scans?|meetings?|dentist|doctors?|gp|vet|physio|therapy"
    r"|surgery|operation|op|check-?ups?|class(?:es)?|lessons?|lectures?|seminars?|choir|band|practice|rehearsals?"
    r"|training|match|game|race|marathon|gigs?|concert|party|wedding|funeral|christening|baptism|hen\s++do|stag\s++do"
    r"|shifts?|nights|work|school|parents'?\s++evening|jury\s++duty|court|hearing|deadlines?|presentation|pitch"
    r"|inspection|audit|recital|performance|audition|viewings?|ceremony|graduation|tournament|competition|assessment"
    r"|holidays?|visitors|guests|in-laws)"
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
# So are things postponed, and events that one has got on a day; but a weekly class is moved to a weekday, too.
_ARRANGED = LazyPattern(
    r"\b(?:(?:moved|pushed|postponed|rescheduled|shifted|changed|delayed|put\s++off|put\s++back"
    r"|brought\s++forward|extended)"
    r"(?:\s++(?:back|it|forward|again))?\s++(?:from\s++[\w ]{1,40}\s)?(?:to|until|till|by)\s*+$"
    r"|due\b[^.!?]{0,80}$"
    rf"|\bgot(?:ta)?\s++(?:(?:an?|my|the|our|his|her|their|another|some|two|three|four|\d{{1,2}})\s++)?"
    rf"(?:[\w'-]{{1,20}}+\s++){{0,3}}?{_EVENT}(?:\s++(?:at|with|for)\s++(?:(?:the|my|an?)\s++)?[\w':.-]{{1,20}}+){{0,2}}"
    r"(?:\s++(?:on|in|from|next|this))?\s*+$)",
    re.IGNORECASE,
)
# Decisions, and events that one has got on a day, are in the future.
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
_BESIDE = r"(?:\w{1,20}ly\s++|not\s++|all\s++|also\s++|now\s++)"
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
    rf"|(?P<present>(?:i|we|they|you|he|she)(?:\s++|(?=')){_HAVE}(?:(?:decided|agreed|arranged|promised|chosen|offered)\s++to\s++\w{{2,20}}"
    rf"|got(?!\s++(?:back|home|here|there|away|out|up|in|rid|married|engaged|divorced|\w{{2,20}}ed)\b))\b"
    rf"|{_IS}\s++{_BESIDE}?\w{{2,20}}ed\b(?:\s++\w{{2,20}}ed\b)?"
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
    r"|born|gone|since|ago|\w{2,30}(?<!ne)(?<!inde)(?<!spe)(?<!fe)(?<!se)(?<!sh)(?<!sle)ed)\b))",
    re.IGNORECASE,
)
_DID = LazyPattern(r"\b(?:did|didn't)\b", re.IGNORECASE)
_ANNIVERSARY = LazyPattern(
    r"\b(?:birthdays?|b-?days?|anniversar(?:y|ies)|name\s++day|date\s++of\s++birth|dob|annually|yearly|once\s++a\s++year)\b",
    re.IGNORECASE,
)
# 'My 30th birthday' does not recur.
_COUNTED = LazyPattern(r"\b\d{1,3}(?:st|nd|rd|th)\b", re.IGNORECASE)
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


def is_put_off(text: str, start: int) -> bool:
    """Return whether the words before a date say that something was moved to it.

    >>> is_put_off("The match got moved to the 16th", 23), is_put_off("I walked to the 16th hole", 11)
    (True, False)
    """
    before = text[max(0, start - MAX_BEFORE) : start]
    return bool(_MOVED_TO.search(before)) and not _MOVED_HOUSE.search(before)


def direction(text: str, start: int, end: int, *, default: Direction) -> Direction:
    """Return whether a date is in the future or the past, by the words around it.

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
    return default if tense is None else Direction.BEHIND if tense is Tense.PAST else Direction.AHEAD


def surely_ahead(text: str, start: int, end: int) -> bool:
    """Return whether the words around a date say for sure that it is in the future.

    >>> surely_ahead("I'll marry on 2 April", 11, 21), surely_ahead("I worry after what he said on 2 April", 27, 37)
    (True, False)
    """
    before, after = _sentence(text, start, end)
    return bool(_BOOKED.search(before)) or _tense(before, after) is Tense.FUTURE


def recurs(text: str, start: int, end: int) -> bool:
    """Return whether a date recurs every year: a birthday, an anniversary, an event of every May."""
    clause = " ".join(_clause(*_sentence(text, start, end)))
    return bool(_ANNIVERSARY.search(clause) and not _COUNTED.search(clause)) or bool(_HABIT.search(clause))


def one_day(text: str, start: int, end: int) -> Direction | None:
    """Return the direction of the one day that a weekday means; None if it may mean every week.

    A sentence in the present tense may tell of either: 'My day off is Tuesday', 'My exam is on Tuesday'. One in the
    past tense, or of the future alone, tells of one day.
    """
    before, after = _sentence(text, start, end)
    if _HABIT.search(" ".join(_clause(before, after))):
        return None
    return Direction.AHEAD if _BOOKED.search(before) else certain(_tense(before, after))


def certain(tense: Tense | None) -> Direction | None:
    """Return where a tense alone puts a day; None if it does not."""
    return {Tense.PAST: Direction.BEHIND, Tense.FUTURE: Direction.AHEAD}.get(tense) if tense else None


def _tense(before: str, after: str) -> Tense | None:
    """Return the tense of the clause around a date, else that of its sentence."""
    return _told(*_clause(before, after)) or _told(before, after)


def _told(before: str, after: str) -> Tense | None:
    """Return what the nearest verb before a date tells, else the first after it."""
    verbs = list(_VERB.finditer(before))
    verb = verbs[-1] if verbs else _VERB.search(after)
    if verb is None:
        return None
    return Tense.PAST if verb["past"] or _DID.search(before) else Tense.FUTURE if verb["future"] else Tense.PRESENT


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
