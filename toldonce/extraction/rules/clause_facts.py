"""Apply all fact patterns to one clause. Pure.

"By the way, I'm allergic to peanuts" first loses its lead and its dates; the rest gives the fact `allergy:peanuts`.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from toldonce.dates import DateMention, Precision
from toldonce.dates.mention import MONTHS
from toldonce.extraction.rules.clause_subjects import restore_subject, with_apostrophes
from toldonce.extraction.rules.patterns import (
    constraints,
    health,
    instructions,
    occupations,
    people,
    personal_details,
    places,
    preferences,
)
from toldonce.extraction.rules.patterns.fact_pattern import ExtractedFact, FactPattern, apply_patterns
from toldonce.extraction.rules.patterns.work_habits import work_facts
from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered

_ALL: tuple[FactPattern, ...] = (
    *personal_details.RULES,
    *places.RULES,
    *occupations.RULES,
    *people.RULES,
    *constraints.RULES,
    *health.RULES,
)
_LEAD = LazyPattern(
    r"(?:(?:and|but|so|well|oh|also|plus|anyway|actually|because|since|though|although|while|hi|"
    r"hey|hello|yes|yeah|yep|no(?=\s*+[,.!]|\s++(?:i|my|we|it|actually|not)\b)|nope|ok|okay"
    r"|btw|fyi|by\s++the\s++way|just\s++so\s++you\s++know|for\s++(?:your\s++)?(?:future\s++)?reference|"
    r"honestly|sorry|ps|nowadays|these\s++days|now|omg|wow|argh+|urgh+|ugh+|welp|yay+|phew|hmm+|nice|good|fine|welcome|note|also\s++note|so"
    r"|(?:it\s++)?turns\s++out(?:\s++that)?|big\s++news|new\s++year\s++new\s++me|in\s++the\s++end|change\s++of\s++plans?"
    r"|as\s++(?:i\s++said|you\s++know)|to\s++be\s++honest|thanks?|thank\s++you|unfortunately|sadly|luckily|"
    r"today|recently|welp|omg|ugh|urgh|argh|phew|yay|whoa|wow|guys|(?:and\s++)?in\s++(?:real\s++life|reality|truth|fact)|irl|in\s++case\s++it\s++matters|for\s++the\s++record"
    r"|(?:but\s++)?seriously(?:\s++though)?|for\s++real|no\s++jok(?:e|es|ing)|jok(?:es|ing)\s++aside|all\s++jokes\s++aside|guess\s++what|much\s++better"
    r"|(?:quick|small|short|big|good|great|bad|sad)\s++(?:update|news)|update|tbh|haha+|lol|great|cool|nice|perfect|right|sure"
    r"|also)\b[\s,.!:;–-]*+){1,12}",
    re.IGNORECASE,
)
# Time or reason before the statement itself: 'since my knee op I prefer …', 'from 1 March I'm …'.
_SINCE = LazyPattern(
    r"(?:(?:since|after|because\s++of|due\s++to|with)\s++(?:my|the|our|this)\s++[\w'-]{1,30}+(?:\s++[\w'-]{1,30}+){0,2}?(?:\s*+,)?\s++|"
    r"(?:from|since|as\s++of|starting|on|in)(?:\s*+,\s++|\s{2,}+))(?=(?:i|i'm|i've|we)\b)",
    re.IGNORECASE,
)
_TOLD = LazyPattern(
    r"(?:i\s++(?:think|guess|believe|suppose|know|mean|mentioned|said|told\s++you|should\s++(?:mention|"
    r"add|say)|have\s++to\s++(?:say|admit)"
    r"|must\s++(?:say|admit)|forgot\s++to\s++(?:say|mention))|(?:just\s++)?(?:note|remember|keep\s++in\s++mind|"
    r"know|bear\s++in\s++mind)"
    r"|(?:please\s++)(?:note|remember|keep\s++in\s++mind|know)|you\s++should\s++know|remember\s++this|"
    r"the\s++(?:thing|fact|truth)\s++is"
    # Statements of a doctor about the speaker count as the speaker's.
    r"|(?:my|the|our)\s++(?:doctor|doc|gp|allergist|specialist|consultant|dermatologist|cardiologist|dietitian|dietician|"
    r"nurse|midwife|psychiatrist)\s++(?:just\s++|now\s++)?(?:says?|said|confirmed|told\s++me|thinks))"
    r"(?:\s*+[:,]|\s++that)?\s++(?=(?:i|my|i'm|i've|we|our)\b)",
    re.IGNORECASE,
)
# Words between a birth and a date of something else: 'I was born in Kenya and have lived in Wales since 2010'.
_ANOTHER_TIME = LazyPattern(
    r"\b(?:and|but|then|since|until|till|moved|lived|grew|came|raised|have|has|had|been|went|left|before|after|,\s++(?:i|we))\b",
    re.IGNORECASE,
)
# Replaces the point of an abbreviation or an initial, which ends no value, while patterns read a clause.
_DOT = "\u2024"
_DOTTED = LazyPattern(
    r"(?<!\w)(?:(?:[A-Z]\.){2,6}|[A-Z]\.(?=\s[A-Z])|(?:St|Ste|Sta|Mt|Ft|Pt|Dr|Mr|Mrs|Ms|Mme|Prof|Rev|Gen|Capt|Lt|Col|Sgt|Gov|Sen|vs)\."
    r"(?=\s?\w)|(?:No|Nr)\.(?=\s?\d)|(?:Inc|Ltd|Co|Corp|Bros|Jr|Sr|LLC|Ave|Blvd|Rd|Univ|Dept)\.|(?:[a-z]\.){2,4})"
)
_BIRTHDAY = LazyPattern(
    r"(?:my\s++birthday(?:'s|\s++is)|my\s++date\s++of\s++birth\s++is|i\s++was\s++born|my\s++dob\s++is)\b", re.IGNORECASE
)


@remembered
def lead_length(clause: str) -> int:
    """Return the length of the lead of a clause: words before the statement, such as 'by the way'."""
    at = 0
    for pattern in (_SINCE, _LEAD, _SINCE, _TOLD, _LEAD, _SINCE):
        head = pattern.match(clause, at)
        at = head.end() if head else at
    return at


def facts_of_topic(topic: str) -> list[ExtractedFact]:
    """Find the facts that a request to forget names, what its author likes among them."""
    return apply_patterns(preferences.TASTES, statement_body(topic, ())) or facts_of(topic, ())


def facts_of(clause: str, mentions: Sequence[DateMention]) -> list[ExtractedFact]:
    """Find the facts that a clause states about its speaker.

    Args:
        clause: With plain quotes, in the speaker's words; others' words blanked.
        mentions: Its dates, with spans from its start.
    """
    body = statement_body(clause, mentions)
    found = [_dotted(fact) for fact in apply_patterns(_ALL, body)]
    lead = lead_length(clause)
    found += apply_patterns(instructions.RULES, clause[lead:].strip(" ,.!;:"))
    found += work_facts(clause, mentions, start=lead)
    if mentions and is_birthday(clause) and _is_of_birth(clause[: mentions[0].span[0]], mentions[0]):
        found.append(_birthday(mentions[0]))
    unique: dict[str, ExtractedFact] = {}
    if any(not fact.key.startswith("rule:") for fact in found):
        found = [fact for fact in found if not fact.key.startswith("rule:")]
    for fact in found:
        unique.setdefault(fact.key, fact)
    return list(unique.values())


def statement_body(clause: str, mentions: Sequence[DateMention]) -> str:
    """Return a clause as patterns read it: with its 'I', without dates and lead."""
    undated = _undated(clause, mentions)
    body = _DOTTED.sub(_joined, undated)[lead_length(undated) :].strip(" ,.!;:")
    return restore_subject(with_apostrophes(body))


def _joined(abbreviation: "re.Match[str]") -> str:
    return abbreviation.group().replace(".", _DOT)


def _dotted(fact: ExtractedFact) -> ExtractedFact:
    return replace(fact, key=fact.key.replace(_DOT, "."), value=fact.value.replace(_DOT, "."))


def is_birthday(clause: str) -> bool:
    """Return whether a clause gives a birthday, which recurs every year and is no past moment."""
    return bool(_BIRTHDAY.match(clause, lead_length(clause)))


def _is_of_birth(before: str, day: DateMention) -> bool:
    """Return whether a date in a statement of birth is the date of birth, by the text before it."""
    return not _ANOTHER_TIME.search(before) and day.tie not in ("since", "until", "before", "after")


def _undated(clause: str, mentions: Sequence[DateMention]) -> str:
    for mention in mentions:
        start, end = mention.span
        clause = clause[:start] + " " * (end - start) + clause[end:]
    return clause


def _birthday(day: DateMention) -> ExtractedFact:
    if day.precision is Precision.DAY:
        value = f"{day.first.day} {MONTHS[day.first.month - 1]}" + (f" {day.first.year}" if day.explicit else "")
        key = "birthday"
    else:
        value, key = day.absolute, "birth_year" if day.precision is Precision.YEAR else "birthday"
    return ExtractedFact(category="identity", key=key, value=value, importance=0.75)
