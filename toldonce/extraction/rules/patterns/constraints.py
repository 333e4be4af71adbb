"""Facts of constraints: allergies, diets, conditions. Pure."""

import re
from collections.abc import Iterable

from toldonce.extraction.rules.patterns.fact_pattern import (
    ExtractedFact,
    FactPattern,
    fact_pattern,
    list_values,
    slot,
)
from toldonce.extraction.rules.vocabulary import CONDITION_ADJECTIVES, CONDITIONS, DIETS, RULES_OF_FOOD
from toldonce.lazy_pattern import LazyPattern

NOT_FOOD = LazyPattern(
    r"^(?:another|anything|any\s?more|out|it|that|this|more|much|today|tonight|now|at|in|alone|"
    r"enough|well|properly|breakfast|lunch|dinner"
    r"|there|here|like|for|before|after|late|together|with|while|because|when)\b",
    re.IGNORECASE,
)
# Words after an avoided food that are no part of it: 'raisins ever', 'shellfish either'.
TRAILING = LazyPattern(
    r"(?<!\s)\s++(?:either|ever|at\s++all|anymore|any\s++more|tho|though|pls|sadly|alas)(?=[\s.,!]*+$)",
    re.IGNORECASE,
)
# Things after "can't have" that are no food.
NOT_EATEN = frozenset(
    """kids children visitors guests pets dogs cats both access time nice fun that's everything people friends surgery
    clue idea questions""".split()
)


_MAX_FOOD_WORDS = 2


def _allergic(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for thing in list_values(match["v"]):
        yield ExtractedFact(category="constraint", key=slot("allergy", thing), value=thing, importance=0.9)


def _diet(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = match["v"].lower().replace("pescetarian", "pescatarian")
    yield ExtractedFact(category="constraint", key="diet", value=value, importance=0.85, dated=True)


def _food_rule(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = re.sub(r"[\s-]++", "-", match["v"].lower())
    yield ExtractedFact(category="constraint", key=slot("food_rule", value), value=value, importance=0.85, dated=True)


def _avoids(match: re.Match[str]) -> Iterable[ExtractedFact]:
    if NOT_FOOD.match(match["v"]):
        return
    for thing in list_values(TRAILING.sub("", match["v"]), max_words=_MAX_FOOD_WORDS):
        if thing.split()[0].lower() in NOT_EATEN:
            continue
        yield ExtractedFact(category="constraint", key=slot("avoid", thing), value=thing, importance=0.8, dated=True)


def _condition(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = re.sub(r"^an?\s++", "", match["v"].lower())
    yield ExtractedFact(category="constraint", key=slot("condition", value), value=value, importance=0.85, dated=True)


RULES: tuple[FactPattern, ...] = (
    fact_pattern(r"<AM> allergic to (?P<v>.+)", _allergic),
    fact_pattern(
        r"(?:<HAVE>|<I>)(?: have)?(?: got)? an? (?:(?:severe|bad|serious|mild|strong|slight) )"
        r"?(?P<v>(?!allerg)[\w-]+(?: [\w-]+)?) allergy\b",
        _allergic,
    ),
    fact_pattern(
        r"(?:<HAVE>|<I>)(?: have)?(?: got)? an? (?:(?:severe|bad|serious|mild|strong|slight) )"
        r"?(?:allergy|intolerance) to (?P<v>.+)",
        _allergic,
    ),
    fact_pattern(r"my allerg(?:y|ies)(?: is| are|:| include) (?:to )?(?P<v>.+)", _allergic),
    fact_pattern(
        rf"<AM>(?: going| an?| becoming)?(?: \w+ly)? (?P<v>{DIETS})\b(?! (?:option|meal|recipe|restaurant|dish|food))",
        _diet,
    ),
    fact_pattern(rf"(?:<HAVE>|<I>) (?:been|became|become|turned|went|gone)(?: an?)? (?P<v>{DIETS})\b", _diet),
    fact_pattern(rf"<I> (?:eat|follow|keep|am on)(?: an?)?(?: \w+ly)? (?P<v>{DIETS})\b", _diet),
    fact_pattern(
        rf"(?:<AM>|(?:<I>|we) (?:eat|follow|keep|do|have been)|<HAVE> been) (?:on )?(?:an? )?(?:strict(?:ly)"
        rf"? )?(?P<v>{RULES_OF_FOOD})(?: diet)?\b",
        _food_rule,
    ),
    fact_pattern(
        r"<I> (?:can't|cannot|can not|don't|do not|never|shouldn't|mustn't|may not|am not allowed "
        r"to)(?: ever)? (?P<verb>eat|drink|have|consume|tolerate|digest)(?: any)? (?P<v>.+)",
        lambda m: (
            _avoids(m)
            if m["verb"].lower() != "have" or re.match(r"i can|i should|i must|i may", m.group(), re.I)
            else ()
        ),
    ),
    fact_pattern(r"<I> (?P<verb>eat|drink) (?:no|neither) (?P<v>(?!more\b|less\b).+)", _avoids),
    fact_pattern(
        rf"(?:<I>|<HAVE>)(?: (?:also|been diagnosed with|was diagnosed with|suffer from|live with)"
        rf"){{0,3}} (?P<verb>have |suffer from |got |get )?(?P<v>{CONDITIONS})\b",
        lambda m: _condition_said(m),
    ),
    fact_pattern(
        rf"<AM> (?:an? )?(?P<v>{CONDITION_ADJECTIVES})(?=\s*+(?:$|[,.;:!?)(]|\b(?:so|and|but|since|because|btw|which|"
        rf"by|too|now|for|with|in my)\b))",
        _condition,
    ),
)


def _condition_said(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = re.sub(r"^an?\s++", "", match["v"].lower())
    yield ExtractedFact(
        category="constraint",
        key=slot("condition", value),
        value=value,
        importance=0.85,
        dated=True,
    )
