"""Subjects that informal English leaves out, restored so that the patterns of slots find them. Pure.

'swim on Mondays' is read as 'I swim on Mondays'; what is stored is what was written.
"""

import re

from recollect.extraction.rules.verbs import is_adverb
from recollect.lazy_pattern import LazyPattern

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

# Routines need a day or a rhythm after the verb: 'swim on Mondays' is one, 'walk me through it' is an order.
_RHYTHM = (
    r"(?:(?:on\s++|every\s++)?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|every\s++(?:other\s++)?(?:day|morning|"
    r"evening|night|week|weekend)\b"
    r"|(?:once|twice|\w{3,6}\s++times|\d\s*+(?:x|times))\s++(?:a|per)\s++(?:day|week|month)\b|most\s++(?:days|"
    r"mornings|evenings|weekends)\b)"
)
_ROUTINE = LazyPattern(
    r"(?:usually\s++|mostly\s++|always\s++|also\s++)?(?:swim|swimming|jog|jogging|cycle|cycling|climb|climbing|row|"
    r"rowing|lift|yoga|pilates|gym|choir|"
    r"football|tennis|judo|karate|boxing|ballet|volunteer|volunteering|babysit|babysitting|commute|rehearse|train|"
    r"training|run|running|"
    r"(?:band|choir)\s++(?:practice|rehearsal)|night\s++shifts?|day\s++shifts?|therapy|physio)\s++"
    rf"(?!(?:me|the|this|that|these|your|a|an|it|us)\b)(?:(?!(?:you|me|"
    rf"please)\b)[\w'/&-]{{1,20}}+\s++){{0,5}}?{_RHYTHM}",
    re.IGNORECASE,
)
# Possessions that are mentioned without 'my'.
_OWN = (
    r"(?:wedding\s++anniversary|anniversary|driving\s++test|(?:dentist|doctor'?s?|gp|hospital|vet|visa|passport|eye|"
    r"physio|therapy|"
    r"police|bank|notary)\s++(?:appointment|appt|appoint|visit)|due\s++date|house\s++number|flat\s++number|"
    r"room\s++number|shoe\s++size|"
    r"ring\s++size|dress\s++size|locker(?:\s++(?:number|at\s++(?:the\s++)?\w++(?:\s++\w++)?))?|seat(?:\s++number)?|"
    r"passport|"
    r"driving\s++licen[cs]e|membership\s++number|customer\s++number|licen[cs]e\s++plate|number\s++plate|blood\s++type|"
    r"job\s++interview|flight|thesis\s++defen[cs]e|phd\s++defen[cs]e|viva)"
)
_WITHOUT_MY = LazyPattern(
    rf"(?:(?:new|next|first|second|old|other)\s++)?{_OWN}\s++(?:(?:number\s++)?(?:is|are|was)\s++(?:(?:now|only|also)\s++)*+"
    r"(?:on|at|in|valid|good|until|till|next|tomorrow|size|number|the\s++\d|in\s++\w|\w{0,4}\d|(?-i:[A-Z]))"
    r"|(?:ends|expires|runs\s++out)\s++(?:in|on|at|next|this|with)\b|on\s++(?:\d|the\s++\d|(?-i:[A-Z]))|at\s++\d|tomorrow\b|next\s++\w)",
    re.IGNORECASE,
)
_WITHOUT_IS = LazyPattern(
    rf"((?:(?:new|next|first|second|old|other)\s++)?{_OWN})(?:\s++(?:is|are|was))?\s++(.*)", re.IGNORECASE | re.DOTALL
)
_AM = (
    r"(?:(?:severely\s++|highly\s++|deathly\s++|also\s++)?(?:allergic|intolerant)\s++to|terrified\s++of|afraid\s++of|"
    r"scared\s++of|"
    r"not\s++a\s++(?:big\s++|huge\s++)?fan\s++of|(?:doing|writing|finishing)\s++(?:a|my)\s++(?:phd|doctorate|masters?|"
    r"thesis|novel|degree)|"
    r"studying\s++(?!for\b|the\b|this\b)\w++\s++(?:at|in)|learning\s++(?-i:[A-Z])\w++|training\s++for|"
    r"expecting\s++(?:a\s++baby|twins|our|my))"
)
_LACKS_AM = LazyPattern(rf"(?:currently\s++|still\s++)?{_AM}\b", re.IGNORECASE)
_VERBS = LazyPattern(
    r"(?:(?:can't|cannot|can\s++not|could\s++never|never|don't)\s++(?:eat|drink|have|do|touch|smoke|drive|own)\s++"
    r"(?!(?:it|that|this|them|these|those|the|an?\s++(?:idea|clue|problem|question)|any\s++(?:idea|clue|questions?)|"
    r"much|more|anything|time|worry|"
    r"you|your|both|what|so|to)\b)\w"
    r"|can't\s++(?:swim|drive|cook|stand\s++\w)|have\s++(?:an?\s++(?:nut|peanut|dairy|wheat|latex)\s++allergy|asthma|"
    r"diabetes|coeliac|celiac)"
    r"|passed\s++(?!away\b|by\b|out\b|on\b|in\b|as\b|it\b|this\b|that\b|to\b)(?:\w++\s++){0,3}?(?:with\b|\d|exams?\b|"
    r"test\b|finals\b)"
    r"|(?:finished|completed|ran|won|did)\s++(?:my|a|the)\s++(?:first\s++|second\s++|third\s++|last\s++|full\s++|"
    r"local\s++)?"
    r"(?:marathon|half\s++marathon|half|\d{1,3}k\b|10k|5k|triathlon|ironman|phd|doctorate|masters?|degree|thesis|"
    r"dissertation|novel|apprenticeship|"
    r"race|championship|tournament|course)"
    r"|passed\s++(?!(?:tests?|checks?|away|by|out|on|it|this|that|through|successfully|along|over|validation|review|down|me|the|all)\b)"
    r"[a-z]{4,20}(?:\s++[a-z]{4,20})?(?=\s*+(?:$|[!,.]))"
    r"|(?:having|getting)\s++(?:surgery|an?\s++operation|married|divorced|braces)\b(?!\s++(?:is|was|can|has|means|sounds)\b)"
    r"|scored\s++\d|no\s++(?:kids|children|siblings|pets|car|oven|dishwasher|balcony|garden|allergies)\b"
    r"|been\s++on\s++[a-z]{5,20}\s++(?:for|since)\b|faint\s++at\b|got\s++into\s++(?-i:[A-Z]))",
    re.IGNORECASE,
)
_IN_ING = LazyPattern(r"(?:having|getting|taking)\s", re.IGNORECASE)
_LACKS_HAVE = LazyPattern(r"(?:no|been)\s", re.IGNORECASE)
_LIKES = LazyPattern(
    r"(?:(?:really|absolutely|also)\s++)?(?:love|hate|adore|loathe|prefer)\s++(?!(?:it|that|this|these|those|you|your|"
    r"how|when|what|to|the|them|him|her|"
    r"letters?|songs?|story|stories)\b)\w",
    re.IGNORECASE,
)
_SAYS_OF_IT = LazyPattern(r"\b(?:is|are|was|were|can|will|has|makes|means|conquers)\b", re.IGNORECASE)
_SHORT = 100  # characters of a clause that begins with a verb of taste


def with_apostrophes(text: str) -> str:
    """Add the apostrophes that informal writing leaves out.

    >>> with_apostrophes("im sure i cant and dont")
    "I'm sure i can't and don't"
    """
    return _UNMARKED_WORD.sub(lambda found: _UNMARKED[found.group().lower()], text)


def lacks_i(clause: str) -> bool:
    """Return whether a clause states a routine, a taste, a success or a state without its 'I'.

    >>> lacks_i("swim on Mondays"), lacks_i("allergic to latex"), lacks_i("love is blind"), lacks_i("run it every day")
    (True, True, False, False)
    """
    if _ROUTINE.match(clause) or _LACKS_AM.match(clause) or _VERBS.match(clause):
        return True
    return len(clause) <= _SHORT and bool(_LIKES.match(clause)) and not _SAYS_OF_IT.search(clause)


def lacks_my(clause: str) -> bool:
    """Return whether a clause mentions a possession without 'my'.

    >>> lacks_my("wedding anniversary is on 30 May"), lacks_my("flight to Rome is late")
    (True, False)
    """
    return bool(_WITHOUT_MY.match(clause))


def restore_subject(clause: str) -> str:
    """Restore the subject that `lacks_i` or `lacks_my` found missing; any other clause stays unchanged.

    >>> restore_subject("dentist appt on 3 May"), restore_subject("shoe size is 43")
    ('My dentist appt is on 3 May', 'My shoe size is 43')
    >>> restore_subject("swim on Mondays"), restore_subject("gym every day"), restore_subject("Allergic to nuts")
    ('I swim on Mondays', 'I have gym every day', 'I am allergic to nuts')
    """
    if lacks_my(clause):
        return _WITHOUT_IS.sub(lambda found: f"My {_small(found[1])} is {found[2]}", clause, count=1)
    if not lacks_i(clause):
        return clause
    if _LACKS_AM.match(clause) or _IN_ING.match(clause):
        return f"I am {_small(clause)}"
    if _LACKS_HAVE.match(clause):
        return f"I have {_small(clause)}"
    routine = _ROUTINE.match(clause)
    first = clause.split()[0].lower()
    if routine and first.endswith("ing"):
        return f"I go {_small(clause)}" if first not in _NOT_GONE else f"I have {_small(clause)}"
    if routine and first in _OCCASIONS:
        return f"I have {_small(clause)}"
    return f"I {_small(clause)}"


_NOT_GONE = frozenset({"training", "volunteering", "babysitting", "boxing"})
_OCCASIONS = frozenset(
    "yoga pilates gym choir football tennis judo karate ballet band night day therapy physio".split()
)


def _small(clause: str) -> str:
    return clause.lower() if clause.isupper() else clause[0].lower() + clause[1:]


# Statements about one's life without 'I': 'sold my car', 'got laid off', 'passed the exam'.
_LEFT_OUT = LazyPattern(
    r"(?:(?:just|finally|already|officially|recently|basically|actually|also|even)\s++){0,6}+"
    r"(?:moved|relocated|adopted|gave\s++up|given\s++up|graduated|retired|booked|became|broke\s++(?:my|up)|tore\s++my|"
    r"sprained\s++my|lost\s++my|sold\s++(?:my|our|the|(?-i:[A-Z])\w++)|bought\s++(?:my|an?|our|the)|passed\s++(?:my|the)|failed\s++(?:my|the)|"
    r"picked\s++up\s++(?:my|the|our)|signed\s++up|quit\s++(?!being\b|it\b|with\b|that\b|saying\b|asking\b|talking\b|using\b)|"
    r"left\s++(?:my|our)|joined|switched\s++(?:to|from)|stopped\s++\w++(?<=ing)|"
    r"started\s++(?:at|as|my|an?|working|learning|teaching|studying)|"
    r"got\s++(?:laid\s++off|fired|promoted|hired|married|engaged|divorced|diagnosed|accepted|my|an?|"
    r"the\s++(?:job|results?|keys?|flat|house|place))"
    r"|turned\s++\d|(?:flying|travelling|traveling|heading)\s++to|staying\s++(?:in|at|with)|live\s++(?:in|with)|living\s++(?:in|with)|work(?:ing)?\s++(?:at|as|for)|"
    r"been\s++(?:living|working|learning|vegan|vegetarian|married|single))\b",
    re.IGNORECASE,
)
_STATES_IN_ING = frozenset({"living", "working", "flying", "travelling", "traveling", "heading", "staying"})
# Objects of work on a text or a program: 'got an error' is not about a life.
_OF_WORK = LazyPattern(
    r"(?<!\s)\s++(?:\w++\s++)?(?:error|exception|traceback|warning|bug|message|response|answer|result|output|file|function|table|line|button|"
    r"server|process|query|string|null|\d)",
    re.IGNORECASE,
)
# 'Going to those places is my dream': the verb in -ing is itself the subject.
_GERUND_SUBJECT = LazyPattern(
    r"^\w+ing\b[^,;]*\b(?:is|are|was|were|has|had|makes?|made|helps?|helped|feels?|felt|gives?|"
    r"gave|can|brings?|keeps?)\b",
    re.I,
)


def leaves_out_i(clause: str) -> bool:
    """Return whether a clause is about its speaker's life but leaves out 'I'.

    >>> leaves_out_i("sold my car"), leaves_out_i("Sold out again"), leaves_out_i("got an error")
    (True, False, False)
    """
    found = _LEFT_OUT.match(clause)
    return bool(found) and not _OF_WORK.match(clause, found.end() if found else 0) and not _GERUND_SUBJECT.match(clause)


def restore_i(clause: str) -> str:
    """Restore the 'I' that a clause left out.

    >>> restore_i("just sold my car"), restore_i("living in Oslo"), restore_i("been vegan for years")
    ('I just sold my car', 'I am living in Oslo', 'I have been vegan for years')
    """
    first = next((word for word in clause.lower().split() if not is_adverb(word)), "")
    helps = " am" if first in _STATES_IN_ING else " have" if first in ("been", "given") else ""
    rest = clause.lower() if clause.isupper() else clause[0].lower() + clause[1:]
    return f"I{helps} {rest}"
