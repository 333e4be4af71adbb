"""Facts of constraints: allergies, diets, conditions. Pure."""

import re
from collections.abc import Iterable

from recollect.extraction.rules.patterns.fact_pattern import (
    ExtractedFact,
    FactPattern,
    bare_value,
    fact_pattern,
    list_values,
    slot,
    value_of,
)
from recollect.extraction.rules.vocabulary import CONDITION_ADJECTIVES, CONDITIONS, DIETS, RULES_OF_FOOD
from recollect.lazy_pattern import LazyPattern

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


def _allergies(raw: str | None, *, ends: bool) -> Iterable[ExtractedFact]:
    for thing in list_values(raw):
        says = f"is {'not' if ends else ''} allergic to {thing}".replace("  ", " ")
        yield ExtractedFact(
            category="constraint",
            key=slot("allergy", thing),
            value=thing,
            says=says,
            importance=0.9,
            ends=ends,
            dated=ends,
        )


def _allergic(match: re.Match[str]) -> Iterable[ExtractedFact]:
    return _allergies(match["v"], ends=False)


def _not_allergic(match: re.Match[str]) -> Iterable[ExtractedFact]:
    return _allergies(match["v"], ends=True)


def _diet(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = match["v"].lower().replace("pescetarian", "pescatarian")
    says = f"eats {value}" if value.startswith("plant") else f"is {value}"
    yield ExtractedFact(category="constraint", key="diet", value=value, says=says, importance=0.85, dated=True)


def _diet_no_more(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = match["v"].lower()
    says = f"is no longer {value}"
    yield ExtractedFact(
        category="constraint", key="diet", value=value, says=says, importance=0.85, ends=True, dated=True
    )


def _food_rule(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = re.sub(r"[\s-]++", "-", match["v"].lower())
    says = f"follows a {value} diet"
    yield ExtractedFact(
        category="constraint", key=slot("food_rule", value), value=value, says=says, importance=0.85, dated=True
    )


def _avoids(match: re.Match[str]) -> Iterable[ExtractedFact]:
    verb = match["verb"].lower()
    if NOT_FOOD.match(match["v"]):
        return
    for thing in list_values(TRAILING.sub("", match["v"])):
        if thing.split()[0].lower() in NOT_EATEN:
            continue
        says = f"does not {verb} {thing}"
        yield ExtractedFact(
            category="constraint", key=slot("avoid", thing), value=thing, says=says, importance=0.8, dated=True
        )


# Diets that end when such food is eaten again.
_DIETS_WITHOUT = (
    (
        LazyPattern(r"\b(?:fish|seafood|salmon|tuna|prawns?|shrimps?|sushi|mackerel|cod)\b", re.IGNORECASE),
        ("vegan", "vegetarian", "plant-based"),
    ),
    (
        LazyPattern(r"\b(?:meat|chicken|beef|pork|bacon|steaks?|turkey|lamb|ham|sausages?|burgers?)\b", re.IGNORECASE),
        ("vegan", "vegetarian", "pescatarian", "plant-based"),
    ),
    (
        LazyPattern(r"\b(?:dairy|cheese|milk|eggs?|butter|yogh?urt|honey|cream)\b", re.IGNORECASE),
        ("vegan", "plant-based"),
    ),
)


def _takes_again(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for thing in list_values(match["v"]):
        says = f"no longer avoids {thing}"
        yield ExtractedFact(
            category="constraint", key=slot("avoid", thing), value=thing, says=says, ends=True, dated=True
        )
        for foods, diets in _DIETS_WITHOUT:
            for diet in diets if foods.search(thing) else ():
                says = f"is no longer {diet}"
                yield ExtractedFact(category="constraint", key="diet", value=diet, says=says, ends=True, dated=True)


def _ruled_out(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for thing in list_values(match["v"]):
        if len(thing.split()) <= _MAX_FOOD_WORDS and thing.lower() not in _NO_FOOD:
            says = f"does not have {thing}"
            key = slot("avoid", thing)
            yield ExtractedFact(category="constraint", key=key, value=thing, says=says, importance=0.75, dated=True)


# Things in 'no … for me' that are no food: 'no problem for me', 'no rush for me'.
_NO_FOOD = frozenset(
    "problem rush idea issue way need hurry time thanks thank question chance more one news work plans".split()
)
_MAX_FOOD_WORDS = 2


def _avoids_plain(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for thing in list_values(match["v"]):
        if len(thing.split()) <= 3 and not thing.endswith("ing"):
            says = f"avoids {thing}"
            yield ExtractedFact(
                category="constraint", key=slot("avoid", thing), value=thing, says=says, importance=0.75
            )


def _gave_up(match: re.Match[str]) -> Iterable[ExtractedFact]:
    thing = {"smoking": "smoking", "drinking": "alcohol"}.get(match["v"].lower(), bare_value(value_of(match["v"])))
    if thing:
        says = f"gave up {thing}"
        yield ExtractedFact(
            category="constraint", key=slot("avoid", thing), value=thing, says=says, importance=0.75, dated=True
        )


def _condition(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = re.sub(r"^an?\s++", "", match["v"].lower())
    verb = match.groupdict().get("verb") or ""
    says = f"is {value}" if verb == "" else f"has {value}"
    yield ExtractedFact(
        category="constraint", key=slot("condition", value), value=value, says=says, importance=0.85, dated=True
    )


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
        r"i(?:'m| am) (?:not|no longer)(?: actually| really)? allergic to (?P<v>.{1,200}?)<NOMORE>?\s*+$", _not_allergic
    ),
    fact_pattern(
        r"(?:<I>|<HAVE>) (?:outgrew|have outgrown|outgrown|got over|don't have)(?: my| an?| the)? "
        r"(?P<v>[\w-]+(?: [\w-]+)?) allergy\b",
        _not_allergic,
    ),
    fact_pattern(
        rf"<AM>(?: going| an?| becoming)?(?: \w+ly)? (?P<v>{DIETS})\b(?! (?:option|meal|recipe|restaurant|dish|food))",
        _diet,
    ),
    fact_pattern(rf"(?:<HAVE>|<I>) (?:been|became|become|turned|went|gone)(?: an?)? (?P<v>{DIETS})\b", _diet),
    fact_pattern(rf"<I> (?:eat|follow|keep|am on)(?: an?)?(?: \w+ly)? (?P<v>{DIETS})\b", _diet),
    fact_pattern(rf"i(?:'m| am) (?:not|no longer)(?: an?)? (?P<v>{DIETS})\b", _diet_no_more),
    fact_pattern(rf"<I> (?:used to be|stopped being|quit being)(?: an?)? (?P<v>{DIETS})\b", _diet_no_more),
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
    fact_pattern(r"<I> (?:eat|drink)(?: any)? (?P<v>.{1,200}?) (?:again|now|these days|nowadays)\s*+$", _takes_again),
    fact_pattern(r"<I> (?:started|began) (?:eating|drinking) (?P<v>.{1,200}?)(?: again)?\s*+$", _takes_again),
    fact_pattern(
        r"(?:<HAVE>|<I>|<AM>) (?:decided (?:to|i'd)|going|started|begun|began|back|allowed|able)(?: to)? (?:eat|"
        r"have|drink|eating|having|drinking|on)"
        r"(?: some)? (?P<v>[^,;.]{2,60}?)(?: again)?(?:,.*)?$",
        lambda m: _takes_again(m) if re.search(r"\bagain\b|\bback\b", m.group(), re.I) else (),
    ),
    fact_pattern(
        r"<I> (?:can|may|could)(?: now| finally)? (?:eat|have|drink)(?: some)? (?P<v>[^,;.]{2,60}?) again\b",
        _takes_again,
    ),
    fact_pattern(
        r"(?:(?:.{1,100}?\b)?(?:the|my) )?(?P<v>[\w-]{2,30}) (?:ban|fast|break)(?:'s| is| has been) (?:lifted|over|"
        r"off|done)\b",
        _takes_again,
    ),
    fact_pattern(
        r"(?P<v>[\w-]{2,30}(?: [\w-]{2,30})?)(?:'s| is| are) (?:back on|on) the (?:menu|table) again\b", _takes_again
    ),
    fact_pattern(r"(?P<v>[\w-]{2,30}(?: [\w-]{2,30})?)(?:'s| is| are) back on the (?:menu|table)\b", _takes_again),
    fact_pattern(
        r"no(?: more)? (?P<v>[\w-]{2,30}(?: [\w-]{2,30})?) for me\b(?! (?:today|tonight|now|thanks|this time))",
        _ruled_out,
    ),
    fact_pattern(r"<I> only (?:drink|eat) [^,;.]{2,40}?, (?:no|never|not) (?P<v>[\w-]{2,30})\b", _ruled_out),
    fact_pattern(
        r"(?:(?:the|my) )?(?P<v>[\w-]{2,30}(?: [\w-]{2,30})?) (?:thing|allergy|intolerance)(?: is| was|'s)? "
        r"(?:was |is )?(?:never|not|no longer|gone|not actually|"
        r"just a false|a false|a misdiagnosis|cleared up|not an?)\b",
        _not_allergic,
    ),
    fact_pattern(r"<AM> not(?: actually| really)? allergic to (?P<v>.{1,200}?) after all\s*+$", _not_allergic),
    fact_pattern(r"i was never(?: actually| really)? allergic to (?P<v>.{1,200}?)\s*+$", _not_allergic),
    fact_pattern(rf".{{1,80}}?\bmy (?P<v>{CONDITIONS})\b(?!'s)", lambda m: _condition_said(m)),
    fact_pattern(r"<I> (?:avoid|stay away from|steer clear of) (?P<v>.+)", _avoids_plain),
    fact_pattern(
        r"(?:<HAVE>|<I>) (?:quit|stopped|gave up|given up) (?:(?:eating|drinking) )?"
        r"(?P<v>(?:smoking|drinking|vaping)(?=\s*+$)|alcohol|sugar|meat|dairy|coffee|caffeine|gluten|nicotine|cigarettes)\b",
        _gave_up,
    ),
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
        says=f"has {value}",
        importance=0.85,
        dated=True,
    )
