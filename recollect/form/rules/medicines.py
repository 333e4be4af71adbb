"""Facts of the medicines somebody takes, and how much of each. Pure."""

import re
from collections.abc import Iterable

from recollect.form.rules.fact import Fact, Rule, rule, slot

_DOSE = r"\d[\d.,]{0,6}+\s?(?:mg|mcg|µg|g|ml|iu|units?|tablets?|pills?|drops?|puffs?|capsules?|sachets?)\b"
_TAKEN = re.compile(
    rf"(?P<dose>{_DOSE})(?:\s++(?:of|a\s++day\s++of))?\s++(?!(?:in|at|a|an|per|every|and|or|once|twice|daily|before|after|with)\b)"
    r"(?P<drug>[a-z][a-z-]{2,40}+)"
    rf"|(?!(?:and|plus|with|then|also|the|take|taking|about|only|now|to|of|on)\b)(?P<named>[a-z][a-z-]{{2,40}}+)(?:\s*+,)?\s++(?P<much>{_DOSE})",
    re.IGNORECASE,
)
# Measured like medicines, and none.
_NO_MEDICINE = frozenset(
    """protein sugar flour butter water milk rice salt coffee tea caffeine creatine pasta oats carbs fat fibre fiber
    meat cheese chocolate juice yeast oil cream the my it them this that these those which what""".split()
)
# One that gives or changes a prescription, in front of the verb.
_BY = (
    r"(?:(?:<I>|<HAVE>|we(?:'ve)?|he|she|they|(?:my|the) (?:new )?(?:doctor|doc|gp|dr|physician|cardiologist|"
    r"psychiatrist|specialist|"
    r"consultant|nurse|vet)|dr[.\u2024]? \w{1,30}+|doctor \w+)(?:'s|'ve| has| have| also| just| now| finally| "
    r"had){0,3} )?"
)
_DRUG = r"(?P<drug>(?!\w{1,40}ing\b|(?:it|that|them|those|all|eating)\b)[a-z][a-z-]{2,40}+)"


def _medicine(drug: str, dose: str, *, ends: bool = False) -> Iterable[Fact]:
    drug = drug.lower()
    if drug in _NO_MEDICINE:
        return
    dose = re.sub(r"\s++", " ", dose)
    says = f"no longer takes {drug}" if ends else f"takes {dose} of {drug}"
    value = "" if ends else dose
    yield Fact(
        category="constraint",
        key=slot("medication", drug),
        value=value,
        says=says,
        importance=0.8,
        ends=ends,
        dated=True,
    )


def _takes(match: re.Match[str]) -> Iterable[Fact]:
    for found in _TAKEN.finditer(match["v"]):
        yield from _medicine(found["drug"] or found["named"], found["dose"] or found["much"])


def _changed(match: re.Match[str]) -> Iterable[Fact]:
    return _medicine(match["drug"], match["dose"])


def _stopped(match: re.Match[str]) -> Iterable[Fact]:
    return _medicine(match["drug"], "", ends=True)


RULES: tuple[Rule, ...] = (
    rule(rf"(?:<I> take|<AM>(?: taking| on)|{_BY}(?:put me on|prescribed me|started me on)) (?P<v>.{{1,200}})", _takes),
    rule(
        rf"{_BY}(?:put|increased|raised|upped|bumped|cut|lowered|reduced|changed|adjusted|doubled|halved|dropped|set|took|moved|switched)"
        rf"(?: up| down)? (?:my |the )?(?:dose of |dosage of )?{_DRUG}(?: dose| dosage)?(?: up| down| back){{0,2}}"
        rf" (?:from .{{1,20}}? )?to (?P<dose>{_DOSE})",
        _changed,
    ),
    rule(
        rf"(?:my|the) {_DRUG}(?: dose| dosage)?(?:'s| is| went| got){{1,2}}(?: now| up| down| increased| raised|"
        rf" cut){{0,3}}(?: to)? (?P<dose>{_DOSE})",
        _changed,
    ),
    rule(rf"my (?:dose|dosage) of {_DRUG} (?:is|went)(?: now| up| down){{0,2}}(?: to)? (?P<dose>{_DOSE})", _changed),
    rule(
        rf"{_BY}(?:stopped|discontinued|came off|come off|got off|took me off|taken me off|weaned me off)"
        rf"(?: taking)? (?:my |the )?{_DRUG}\b(?! (?:job|from|out|in|at|to|by|with)\b)",
        _stopped,
    ),
    rule(
        rf"(?:<I> (?:no longer|don't|do not) take|<AM> (?:no longer (?:on|taking)|off)) (?:my |the |any )?{_DRUG}\b",
        _stopped,
    ),
)
