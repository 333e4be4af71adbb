"""Which memories tell the present state of a part of the user's life: the job, the home, the partner. Pure."""

import re

from recollect.lazy_pattern import LazyPattern
from recollect.resolution.slots import canonical_key
from recollect.text.professions import PROFESSIONS
from recollect.types import LifeState

# The user, in a memory or in their own words, with what may come before the verb.
_USER = (
    r"\b(?:the\s++user|i|we)(?:'m|'re|'ve|\s++am|\s++are|\s++is|\s++has|\s++have)?"
    r"(?:\s++(?:[a-z]{2,12}ly|still|also|just|now|both|all|been|only|always)){0,3}"
)
# 'Me and Ro are', 'the user and their partner are'.
_AND_ANOTHER = (
    r"\b(?:the\s++user|i|we|me)(?:\s++and\s++(?:[\w'-]{1,20}+\s++){0,2}?[\w'-]{1,20}+)?(?:'m|'re|\s++(?:am|are|is))"
    r"(?:\s++(?:still|also|just|now|both|all|currently|living|staying|renting)){0,3}"
)
_OWNED = r"(?:\bthe\s++user's|\bmy|\bour)\s++(?:[\w-]{1,20}+\s++){0,2}?"
_TRADE = "|".join(sorted(PROFESSIONS, key=len, reverse=True))
_DWELLING = (
    r"(?:flat|apartment|house|home|place|address|landlord|landlady|rent|room|flatmates?|roommates?|neighbou?rs?)"
)
_PAIRED = r"(?:husband|wife|partner|girlfriend|boyfriend|fianc\w{1,2}|spouse)"
_A_TRADE = (
    rf"(?:an?|the|our|their)\s++(?:[\w-]{{1,20}}+\s++){{0,4}}?(?:{_TRADE}|(?:team\s++|shift\s++|"
    rf"store\s++)?(?:lead|dev|head))\b"
    r"(?!\s++(?:at\s++heart|by\s++(?:training|birth)))"
)
_POSITION = (
    rf"{_USER}\s++(?:an?\s++|the\s++)?(?:work\w*\s++as\s|employed\s++as\s|start\w*\s++as\s|promoted|{_A_TRADE})"
    rf"|{_USER}\s++as\s++{_A_TRADE}|{_OWNED}(?:job\s++title|title|position|role|profession)\b"
)
_SIGNS = {
    LifeState.POSITION: LazyPattern(
        _POSITION,
        re.IGNORECASE,
    ),
    LifeState.JOB: LazyPattern(
        rf"{_POSITION}|{_USER}\s++(?:works?|working|employed|freelanc\w{{1,4}}|retired|unemployed|jobless|"
        r"self-employed|(?:start|join)(?:s|ed|ing)?\s++(?:at|as|with|(?-i:[A-Z]))|runs?\s++(?:an?|the|my|their)\s)"
        r"(?!\s++(?:out|on\s++(?:my|their)\s++(?:health|fitness))\b)"
        rf"|{_OWNED}(?:job|employer|company|workplace|office|shifts?|boss|manager|commute)\b"
        r"|\b(?:hours|shifts?)\b[^.!?]{0,60}?\b(?:at|in)\s++(?:the|a|an|"
        r"our)\s++(?:[\w-]{1,20}\s++)?(?:call\s++cent(?:er|re)|"
        r"warehouse|office|factory|bakery|kitchen|hospital|ward|shop|store|bar|restaurant|school|nursery|care\s++home|"
        r"depot|"
        r"hotel|salon|lab|garage|supermarket|till|checkout)\b[^.!?]{0,40}?\b(?:every\s++day|a\s++day|each\s++day|"
        r"every\s++week|daily)\b",
        re.IGNORECASE,
    ),
    LifeState.STUDIES: LazyPattern(
        rf"{_USER}\s++(?:stud(?:y|ies|ying)|major(?:s|ing)?\s++in|enrolled|doing\s++(?:an?|my|"
        rf"their)\s++(?:\w{{1,15}}+\s++)?"
        r"(?:degree|phd|masters?|bachelor)|(?:an?\s++)?(?:[\w-]{1,20}+\s++){0,3}?student\b|at\s++(?:uni|university|"
        r"college)|"
        r"in\s++(?:my|their|the)\s++(?:\w{1,10}+\s++)?(?:year|semester|term)\b)"
        rf"|{_OWNED}(?:degree|major|course|studies|thesis|university|uni|college|professors?|lecturers?)\b",
        re.IGNORECASE,
    ),
    LifeState.HOME: LazyPattern(
        rf"{_USER}\s++(?:lives?|living|resides?|residing|based|settled|rents?|renting|"
        rf"shares?\s++an?\s|moved\s++(?:in|to|into|back)|"
        rf"stay(?:s|ing)?\s++(?:with|at)\s++(?:my|their|our)|at\s++home\s++in)\b|{_OWNED}{_DWELLING}\b"
        rf"|{_AND_ANOTHER}\s++(?:staying|stay|living|live|renting|rent|squeezed|camping|crashing|based)\s++(?:in|at|"
        rf"with|on|an?)\b"
        rf"|{_AND_ANOTHER}\s++in\s++(?:an?\s++|the\s++|my\s++|our\s++|their\s++)?(?:[\w-]{{1,20}}+\s++){{0,3}}?"
        rf"(?:flat|apartment|house|bungalow|studio|bedsit|accommodation|house\s?-?share|flat\s?-?share|caravan|annexe?|"
        rf"lodgings|digs|air\s?bnb|sublet|halls|dorm)\b",
        re.IGNORECASE,
    ),
    LifeState.NAME: LazyPattern(
        r"\b(?:the\s++user|i)(?:'m|\s++am|"
        r"\s++is)\s++(?-i:[A-Z])[\w-]{1,30}+(?:\s++(?-i:[A-Z])[\w-]{1,30}+)?(?=\s*+(?:$|[,.;!]))"
        r"|(?:\bthe\s++user's|\bmy)\s++(?:(?:full|first|last|real|legal|given|family)\s++)?(?:name|surname)\b",
        re.IGNORECASE,
    ),
    LifeState.PARTNER: LazyPattern(
        rf"{_USER}\s++(?:married|engaged|dating|getting\s++married|in\s++a\s++relationship|"
        rf"seeing\s++(?-i:[A-Z]))"
        rf"|{_OWNED}{_PAIRED}\b",
        re.IGNORECASE,
    ),
    LifeState.TASTE: LazyPattern(
        rf"{_USER}\s++(?:likes?|loves?|enjoys?|prefers?|uses?|plays?|drinks?|eats?|wears?|reads?|watch(?:es)?|takes?|"
        r"goes|go|does|do|into)\b|\bfavou?rite\b|\bmy\b",
        re.IGNORECASE,
    ),
    LifeState.PLAN: LazyPattern(r"\b(?:i|i'm|i've|i'll|we|we're|we've|we'll|my|our|the\s++user)\b", re.IGNORECASE),
    LifeState.STATUS: LazyPattern(
        rf"{_USER}\s++(?:single|unmarried|not\s++(?:married|engaged)|engaged|divorced|widowed|"
        rf"dating|getting\s++(?:married|divorced)|married)\b",
        re.IGNORECASE,
    ),
}
_TASTES = frozenset({"like", "prefer", "hobby", "tool", "seat", "sport", "instrument", "subscription"})
_KEYS = {
    LifeState.POSITION: frozenset({"job"}),
    LifeState.JOB: frozenset({"job", "employer", "work_hours", "boss"}),
    LifeState.STUDIES: frozenset({"field_of_study", "school"}),
    LifeState.HOME: frozenset({"location"}),
    LifeState.NAME: frozenset({"name", "full_name", "first_name", "last_name"}),
    LifeState.PARTNER: frozenset({"partner"}),
    LifeState.STATUS: frozenset({"marital_status"}),
}
_WORDS = {
    LifeState.POSITION: "work works working job position role title supervisor manager",
    LifeState.JOB: "work works working job employer company workplace office shifts boss starts joined runs",
    LifeState.STUDIES: "study studies studying student university college degree major course year semester",
    LifeState.HOME: """staying stay renting accommodation rented live lives living lived moved flat apartment house home
    place room rents shares based settled""",
    LifeState.NAME: "name called named surname",
    LifeState.PARTNER: "husband wife partner girlfriend boyfriend fiance fiancee fiancé fiancée married engaged dating",
    LifeState.PLAN: """exam test appointment interview flight trip wedding party meeting concert course race
    hotel booked conference holiday booking going flying travelling staying starts training operation visit""",
    LifeState.STATUS: "single married engaged divorced dating",
}
# What no longer is, or is not yet, is no present state.
_NOT_NOW = LazyPattern(
    r"\b(?:used\s++to|no\s++longer|formerly|previously|left|quit|lost|until(?!\s++(?:the|then|our|my|their|we|i)\b)|"
    r"wants?\s++to|would|dreams?\s++of|"
    r"one\s++day|(?:grew|born)\b)",
    re.IGNORECASE,
)


def keys_of(state: LifeState) -> frozenset[str]:
    """Return the slots of facts that hold a state."""
    return _KEYS.get(state, frozenset())


def words_of(state: LifeState) -> str:
    """Return words that memories of a state have."""
    return _WORDS.get(state, "")


def is_slot_of(state: LifeState, key: str, value: str) -> bool:
    """Return whether a fact's slot holds a state.

    >>> is_slot_of(LifeState.HOME, "city", "Oslo"), is_slot_of(LifeState.HOME, "pet:rex", "Rex")
    (True, False)
    """
    name = canonical_key(key, value).partition(":")[0]
    if state is LifeState.TASTE:
        return name in _TASTES or name.startswith("favorite_")
    return name in keys_of(state)


def tells_state(state: LifeState, text: str) -> bool:
    """Return whether a sentence, in the third or the first person, tells a state of the user's life.

    >>> tells_state(LifeState.JOB, "The user is a nurse in Hull."), tells_state(LifeState.JOB, "My sister is a nurse.")
    (True, False)
    """
    sign = _SIGNS.get(state)
    return bool(sign and sign.search(text)) and not _NOT_NOW.search(text)
