"""Facts of health and diet of other people: the speaker's household, family, friends and guests. Pure.

"My daughter is coeliac" matters whenever the speaker cooks, although it is not about the speaker.
"""

import re
from collections.abc import Iterator

from recollect.extraction.rules.clause_subjects import with_apostrophes
from recollect.extraction.rules.patterns.fact_pattern import ExtractedFact, short_pattern
from recollect.extraction.rules.patterns.household_matters import Matter, cannot_have, read_matters
from recollect.extraction.rules.patterns.household_members import (
    Person,
    described_people,
    later_subjects,
    read_subject,
)
from recollect.lazy_pattern import LazyPattern
from recollect.text import STOP_WORDS

KEY = "household_health"
# As important as an allergy of the speaker: a standing fact.
IMPORTANCE = 0.88
_LEAD = LazyPattern(
    r"(?:(?:and|but|so|also|plus|oh|well|because|since|as|btw|fyi|by\s++the\s++way|just\s++so\s++you\s++know|actually|"
    r"please|(?:please\s++)?(?:remember|note|keep\s++in\s++mind|don't\s++forget|bear\s++in\s++mind|know)(?:\s++that)?|"
    r"(?:the\s++)?(?:doctor|doc|gp|paediatrician|pediatrician|allergist)\s++(?:says?|said|confirmed)(?:\s++that)?)"
    r"\b[\s,.:!–-]*+){1,6}",
    re.IGNORECASE,
)
# The thing first: 'Peanuts are off limits for Tom', 'Nuts could kill my son'.
_THING_FIRST = short_pattern(
    r"(?<![\w'])(?P<v>[\w']{1,20}+(?:[\s-][\w']{1,20}+){0,3}?) "
    r"(?:(?:is|are) (?:off[\s-]limits|an? (?:absolute )?no-?go|forbidden|deadly|dangerous|poison|"
    r"taboo) (?:for|to)|(?:could|would|can|will|might) (?:kill|seriously harm)|makes? (?=.{2,40}(?:sick|ill)\b)) "
    r"(?P<who>.+)"
)
# 'There is a nut allergy in our family'.
_IN_THE_HOUSE = short_pattern(
    r"(?:there's|there is|there are|we have|we've got|i have|i've got)"
    r"(?P<rest> (?:an? )?[\w']{1,20}+(?:[\s-][\w']{1,20}+){0,3}?[\s-]allerg(?:y|ies)) "
    r"(?:in (?:the|our|my) (?:house|family|household|home)|at home)\b"
)
_HOUSEHOLD = Person(words="household", key="household", owned=True, plural=False)


def find_household_health(clause: str, before: str = "") -> Iterator[ExtractedFact]:
    """Find what a clause says about the health and diet of other people.

    Args:
        clause: In the speaker's words.
        before: Text of the message before it, which names the person a pronoun means.

    >>> [fact.value for fact in find_household_health("my son Leo is allergic to eggs and can't have dairy")]
    ['son Leo is allergic to eggs', 'son Leo cannot have dairy']
    >>> [fact.value for fact in find_household_health("she is coeliac", "I cook for my daughter; ")]
    ['daughter is coeliac']
    >>> [fact.ends for fact in find_household_health("Tom isn't allergic to nuts anymore")]
    [True]
    """
    body = with_apostrophes(clause)
    lead = _LEAD.match(body)
    body = body[lead.end() if lead else 0 :].rstrip(" .!")
    subject = read_subject(body, before)
    facts = _facts(subject.person, subject.rest) if subject else []
    house = _IN_THE_HOUSE.match(body)
    if house:
        facts = _facts(_HOUSEHOLD, f" has{house['rest']}")
    yield from facts or _of_thing(body)
    if not facts:
        for later in later_subjects(body):
            yield from _facts(later.person, later.rest)


def find_described_health(text: str) -> Iterator[ExtractedFact]:
    """Find the health of people that a question describes: 'What can I cook for my son, who is allergic to nuts?'"""
    for subject in described_people(text.rstrip(" .!?")):
        yield from _facts(subject.person, subject.rest)


def _of_thing(body: str) -> Iterator[ExtractedFact]:
    """Read what names the thing first: 'Peanuts are off limits for Tom'."""
    thing = _THING_FIRST.match(body)
    whom = read_subject(thing["who"]) if thing else None
    if thing and whom:
        yield from (_fact(whom.person, matter) for matter in cannot_have(thing["v"].lower()))


def _facts(person: Person, rest: str) -> list[ExtractedFact]:
    # A sentence of another kind may begin with what looks like a name: 'To avoid confusion, …'.
    if not person.owned and person.words.casefold() in STOP_WORDS:
        return []
    return [_fact(person, matter) for matter in read_matters(rest)]


def _fact(person: Person, matter: Matter) -> ExtractedFact:
    told = matter.many if person.plural else matter.one
    return ExtractedFact(
        category="constraint",
        key=f"{KEY}:{person.key} {matter.key}".casefold(),
        # An end closes its slot whatever the words of its value.
        value="" if matter.ends else f"{person.words} {told}",
        says=f"'s {person.words} {told}" if person.owned else told,
        about="" if person.owned else person.words,
        importance=IMPORTANCE,
        ends=matter.ends,
    )
