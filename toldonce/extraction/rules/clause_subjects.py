"""Subjects that informal English leaves out, restored so that the patterns of slots find them. Pure.

'allergic to nuts' is read as 'I am allergic to nuts'; what is stored is what was written.
"""

import re

from toldonce.lazy_pattern import LazyPattern

_UNMARKED = {
    "dont": "don't",
    "doesnt": "doesn't",
    "didnt": "didn't",
    "cant": "can't",
    "couldnt": "couldn't",
    "wont": "won't",
    "wouldnt": "wouldn't",
    "shouldnt": "shouldn't",
    "isnt": "isn't",
    "wasnt": "wasn't",
    "arent": "aren't",
    "havent": "haven't",
    "hasnt": "hasn't",
    "im": "I'm",
    "ive": "I've",
    "weve": "we've",
    "theyre": "they're",
}
_UNMARKED_WORD = LazyPattern(rf"(?<![\w'])(?:{'|'.join(_UNMARKED)})(?![\w'])", re.IGNORECASE)

_FIRST = r"(?:(?:just|finally|already|recently|currently|also|still|both)\s++){0,6}+"
_LACKS_AM = LazyPattern(
    rf"{_FIRST}(?:(?:severely\s++|highly\s++|deathly\s++)?(?:allergic|intolerant)\s++to|living\s++in|working\s++(?:at|as|for)|"
    r"studying\s++(?!for\b|the\b|this\b)\w++\s++(?:at|in))\b",
    re.IGNORECASE,
)
_LACKS_HAVE = LazyPattern(rf"{_FIRST}been\s++(?:living|working|vegan|vegetarian|married|single)\b", re.IGNORECASE)
_LACKS_I = LazyPattern(
    rf"{_FIRST}(?:moved\s++(?:to|from|back)|relocated|live\s++in|work\s++(?:at|as|for)|joined|quit\s++my|left\s++my|lost\s++my\s++job|"
    r"got\s++(?:laid\s++off|fired|married|engaged|divorced)|turned\s++\d|started\s++(?:at|as|working)|"
    r"(?:can't|cannot|can\s++not|never|don't)\s++(?:eat|drink)\s++(?!(?:it|that|this|them|these|those|the|much|more|anything)\b)\w|"
    r"have\s++(?:an?\s++(?:\w{1,12}\s++)?allergy|asthma|diabetes|coeliac|celiac))",
    re.IGNORECASE,
)
# 'Living in those places is my dream': the verb in -ing is itself the subject.
_GERUND_SUBJECT = LazyPattern(
    r"^\w+ing\b[^,;]*\b(?:is|are|was|were|has|had|makes?|made|helps?|helped|feels?|felt|gives?|"
    r"gave|can|brings?|keeps?)\b",
    re.I,
)


def with_apostrophes(text: str) -> str:
    """Add the apostrophes that informal writing leaves out.

    >>> with_apostrophes("im sure i cant and dont")
    "I'm sure i can't and don't"
    """
    return _UNMARKED_WORD.sub(lambda found: _UNMARKED[found.group().lower()], text)


def restore_subject(clause: str) -> str:
    """Restore the 'I' that a clause left out; any other clause stays unchanged.

    >>> restore_subject("just moved to Oslo"), restore_subject("living in Oslo"), restore_subject("been vegan")
    ('I just moved to Oslo', 'I am living in Oslo', 'I have been vegan')
    >>> restore_subject("Allergic to nuts"), restore_subject("moved the file"), restore_subject("living here is fun")
    ('I am allergic to nuts', 'moved the file', 'living here is fun')
    """
    if _GERUND_SUBJECT.match(clause):
        return clause
    for pattern, subject in ((_LACKS_AM, "I am"), (_LACKS_HAVE, "I have"), (_LACKS_I, "I")):
        if pattern.match(clause):
            return f"{subject} {clause.lower() if clause.isupper() else clause[0].lower() + clause[1:]}"
    return clause
