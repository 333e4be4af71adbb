"""What can be said about a person's health and diet: allergies, illnesses, medicines, forbidden food. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from recollect.extraction.rules.patterns.constraints import NOT_EATEN, NOT_FOOD, TRAILING
from recollect.extraction.rules.patterns.fact_pattern import bare_value, list_values, short_pattern
from recollect.extraction.rules.patterns.health import MEDICINES
from recollect.extraction.rules.vocabulary import CONDITION_ADJECTIVES, CONDITIONS, DIETS, RULES_OF_FOOD
from recollect.lazy_pattern import LazyPattern
from recollect.text import squeeze

# Joints of a clause that may begin another predicate of the same subject.
_MAX_PREDICATES = 4
_JOINT = LazyPattern(
    r"(?<!\s)(?:\s*+,\s++|\s++)(?:and|but|so|because|since|as)\s++(?:(?:he|she|they|now|also)\b)?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Matter:
    """What is said about a person."""

    key: str
    one: str
    """The predicate of one person: 'is allergic to nuts'."""
    many: str
    ends: bool = False


_Finder = Callable[["re.Match[str]"], Iterable[Matter]]

# What people say they are allergic to in jest.
_NO_ALLERGEN = LazyPattern(
    r"(?:anything|nothing|everything|(?:hard )?work(?:ing)?|mornings?|mondays?|commitment|bullshit|bs|stupidity|effort|"
    r"exercise|meetings?|homework|chores|cleaning|fun|change|people|me|us|you|life|money|responsibility|school|"
    r"being .*)$",
    re.IGNORECASE,
)
_VAGUE_ALLERGY = LazyPattern(r"(?:food|multiple|several|many|various|lots of|some|bad|severe|serious)$", re.IGNORECASE)


def _things(raw: str | None) -> list[str]:
    kept = list_values(TRAILING.sub("", raw or ""))
    return [thing for thing in kept if not _NO_ALLERGEN.match(thing)]


def _foods(raw: str | None) -> list[str]:
    if NOT_FOOD.match(raw or ""):
        return []
    return [thing for thing in _things(raw) if thing.split()[0].lower() not in NOT_EATEN]


def cannot_have(things: str, verb: str = "have") -> Iterator[Matter]:
    """Yield what a person cannot have, from a list of things.

    >>> [matter.one for matter in cannot_have("milk or cheese")]
    ['cannot have milk', 'cannot have cheese']
    """
    for thing in _foods(things):
        yield Matter(f"avoid {thing}", f"cannot {verb} {thing}", f"cannot {verb} {thing}")


def _allergic(match: re.Match[str]) -> Iterator[Matter]:
    for thing in _things(match["v"]):
        yield Matter(f"allergy {thing}", f"is allergic to {thing}", f"are allergic to {thing}")


def _has_allergy(match: re.Match[str]) -> Iterator[Matter]:
    for thing in _things(match["v"]):
        if _VAGUE_ALLERGY.match(thing):
            yield Matter(f"allergy {thing}", f"has {thing} allergies", f"have {thing} allergies")
        else:
            told = f"{'an' if thing[0].lower() in 'aeiou' else 'a'} {thing} allergy"
            yield Matter(f"allergy {thing}", f"has {told}", f"have {told}")


def _not_allergic(match: re.Match[str]) -> Iterator[Matter]:
    for thing in list_values(TRAILING.sub("", match["v"])):
        told = f"no longer allergic to {thing}"
        yield Matter(f"allergy {thing}", f"is {told}", f"are {told}", ends=True)


def _is(match: re.Match[str]) -> Iterator[Matter]:
    value = squeeze(match["v"].lower())
    key = "food" if re.fullmatch(DIETS, value, re.IGNORECASE) else f"condition {bare_value(value)}"
    yield Matter(key, f"is {value}", f"are {value}")


def _is_not(match: re.Match[str]) -> Iterator[Matter]:
    for matter in _is(match):
        value = squeeze(match["v"].lower())
        yield replace(matter, one=f"is no longer {value}", many=f"are no longer {value}", ends=True)


def _has(match: re.Match[str]) -> Iterator[Matter]:
    value = squeeze(match["v"])
    value = value if any(character.isupper() for character in value[:1]) else value.lower()
    article = match.groupdict().get("article") or ""
    told = f"{article.lower()} {value}".strip()
    yield Matter(f"condition {bare_value(value)}", f"has {told}", f"have {told}")


def _has_not(match: re.Match[str]) -> Iterator[Matter]:
    for matter in _has(match):
        one, many = matter.one.replace("has", "no longer has", 1), matter.many.replace("have", "no longer have", 1)
        yield replace(matter, one=one, many=many, ends=True)


def _intolerant(match: re.Match[str]) -> Iterator[Matter]:
    for thing in _foods(match["v"]):
        yield Matter(f"avoid {thing}", f"does not tolerate {thing}", f"do not tolerate {thing}")


def _must_not(match: re.Match[str]) -> Iterator[Matter]:
    verb = (match.groupdict().get("verb") or "have").lower()
    return cannot_have(match["v"], "have" if verb in ("do", "handle") else verb)


def _does_not(match: re.Match[str]) -> Iterator[Matter]:
    verb = match["verb"].lower().removesuffix("s")
    for thing in _foods(match["v"]):
        yield Matter(f"avoid {thing}", f"does not {verb} {thing}", f"do not {verb} {thing}")


def _may_again(match: re.Match[str]) -> Iterator[Matter]:
    for thing in _foods(match["v"]):
        for kind in ("avoid", "allergy"):
            yield Matter(f"{kind} {thing}", f"can have {thing} again", f"can have {thing} again", ends=True)


def _drinks_not(match: re.Match[str]) -> Iterator[Matter]:
    yield Matter("avoid alcohol", "does not drink alcohol", "do not drink alcohol")


def _eats(match: re.Match[str]) -> Iterator[Matter]:
    value = squeeze(match["v"].lower())
    yield Matter(f"food rule {value}", f"eats only {value} food", f"eat only {value} food")


def _keep_words(key: str, one: str, many: str) -> _Finder:
    """Return a finder that keeps the words it matched after a verb."""

    def find(match: re.Match[str]) -> Iterator[Matter]:
        value = squeeze(match["v"].lower())
        yield Matter(f"{key} {bare_value(value)}", f"{one} {value}", f"{many} {value}")

    return find


def _carries(match: re.Match[str]) -> Iterator[Matter]:
    things = _things(match["v"])
    reason = f" because of {' and '.join(things)}" if things else ""
    yield Matter(f"carries epipen{reason}", f"carries an EpiPen{reason}", f"carry an EpiPen{reason}")


_BE = r"(?:'s| is|'re| are)<ADV>"
_NOT = r"(?: isn't| is not|'s not| aren't| are not| no longer is|'s no longer| is no longer| are no longer)<ADV>"
_HAS = (
    r"(?: has got| have got|'s got| has| have|'s had| suffers? from| lives? with| struggles? with|"
    r"(?: was| were|'s| is| are| has been| have been|'s been| got)(?: just| recently| also| now){0,2} diagnosed with)"
    r"<ADV>"
)
_HAS_NOT = r"(?: doesn't| does not| don't| do not| no longer)<ADV>(?: have| has| suffer from| suffers from)?"
_SOME = (
    r"(?:(?:an?|some|bad|really|very|severe|serious|strong|mild|terrible|life-threatening|the|his|her|their|chronic)"
    r" ){0,4}"
)
_END = (
    r"(?=\s*+(?:$|[,.;:!?()–-]|(?:and|so|but|since|because|too|now|btw|who|which|this|at|as|for|with|by|or|last|in|"
    r"anymore|any more)\b))"
)
_CANNOT = (
    r"(?: can't| cannot| can not| mustn't| must not| may not| shouldn't| should not| can never| must never|"
    r"(?: isn't| is not|'s not| aren't| are not)(?: really)? (?:allowed|supposed|meant|permitted) to)<ADV>"
)
_TAKEN = "eat|have|drink|tolerate|digest|consume|chew|swallow|do|handle|be around|be near"
_STATES = (
    rf"(?:{CONDITION_ADJECTIVES}|pregnant|expecting|breastfeeding|immunosuppressed|anaphylactic|teetotal|"
    r"in a wheelchair|on chemo(?:therapy)?|on dialysis|undergoing chemo(?:therapy)?|having chemo(?:therapy)?|"
    r"in recovery|an? recovering (?:alcoholic|addict)|recovering from (?:alcoholism|an eating disorder|anorexia|"
    r"bulimia|addiction)|an? (?:alcoholic|diabetic|coeliac|celiac|asthmatic))"
)
_ILLNESSES = (
    rf"(?:{CONDITIONS}|down'?s? syndrome|dementia|alzheimer'?s|(?:bad|weak) heart|heart (?:condition|problems|failure)|"
    r"kidney (?:disease|failure|problems)|liver (?:disease|problems)|cystic fibrosis|cerebral palsy|eating disorder|"
    r"anorexia|bulimia|pku|g6pd deficiency|prediabetes|gestational diabetes|copd|pots|ehlers-danlos|mcas|"
    r"immune deficiency|(?:nut|food|lactose|gluten|fructose|dairy|histamine|egg|wheat) intolerance)"
)
_MEDICATION = (
    rf"(?:(?:strong |daily |heart |blood[\s-]pressure |seizure |epilepsy |anxiety )?(?:medication|medicine|meds)|"
    rf"{MEDICINES}|blood[\s-]thinners?|immunosuppressants?|antibiotics|painkillers|steroids|"
    r"anticoagulants|antidepressants)"
)
_OFF = r"(?:dairy|gluten|sugar|alcohol|meat|caffeine|carbs|wheat|nuts|milk|eggs|salt|red meat|lactose|booze)"
_AIDS = r"(?:wheelchair|walking frame|walking stick|hearing aids?|crutches|guide dog|insulin pump|stairlift)"
_SOFT_FOOD = r"(?:soft|pureed|bland|low[\s-]\w{2,10}|\w{2,10}[\s-]free) (?:food|meals|diet)"
_AN_ALLERGY = r"(?P<v>[\w']{1,20}+(?:[\s-][\w']{1,20}+){0,3}?)[\s-]allerg(?:y|ies)\b"

# What ends comes first: 'no longer allergic' is not 'allergic'.
_ENDINGS: tuple[tuple[str, _Finder], ...] = (
    (rf"{_NOT} allergic to (?P<v>.+)", _not_allergic),
    (rf"{_HAS_NOT} {_SOME}{_AN_ALLERGY}", _not_allergic),
    (
        r"(?:'s| has| have)? (?:outgrew|outgrown|grew out of|grown out of|got over|gotten over) (?:his|her|their|the) "
        rf"{_AN_ALLERGY}",
        _not_allergic,
    ),
    (rf"{_NOT} (?:an? )?(?P<v>{DIETS}|{_STATES}){_END}", _is_not),
    (rf"{_HAS_NOT} {_SOME}(?P<v>{_ILLNESSES}){_END}", _has_not),
    (r" can(?: now)? (?:eat|have|drink|tolerate) (?P<v>[^,.;!?]{1,60}?) (?:again|now)\b", _may_again),
    (r"(?:'s| is| are|'re)(?: now)? (?:eating|drinking) (?P<v>[^,.;!?]{1,60}?) again\b", _may_again),
    (r" (?:eats?|drinks?) (?P<v>[^,.;!?]{1,60}?) again\b", _may_again),
)
_ALLERGIES: tuple[tuple[str, _Finder], ...] = (
    (rf"{_BE} (?:allergic|anaphylactic) to (?P<v>.+)", _allergic),
    (rf"{_HAS} {_SOME}(?:allergy|allergies|allergic reactions?|anaphylaxis) to (?P<v>.+)", _allergic),
    (rf"{_HAS} {_SOME}{_AN_ALLERGY}", _has_allergy),
    (r" reacts?(?: very| really)? (?:badly|severely|strongly|allergically) to (?P<v>.+)", _allergic),
    (
        r" (?:gets?|comes? out in|breaks? out in|has|have)<ADV> (?:hives|a rash|rashes|an? (?:allergic|anaphylactic) "
        r"(?:reaction|shock)|anaphylaxis|ill|sick|migraines?) (?:from|after(?: eating)?|to|(?:when|if) (?:he|she|they) "
        r"(?:eats?|drinks?|has|touch(?:es)?)) (?P<v>.+)",
        _allergic,
    ),
)
_CONDITIONS: tuple[tuple[str, _Finder], ...] = (
    (
        rf"(?:{_BE}| went| turned| became| has gone| has become)(?: an?)?(?: \S{{1,9}} (?:weeks|months))? "
        rf"(?P<v>{DIETS}|{_STATES})s?{_END}",
        _is,
    ),
    (rf"{_BE} (?P<v>(?!drug|in)[a-z]{{3,12}})[\s-]intolerant\b", _intolerant),
    (
        rf"{_BE} (?:intolerant (?:to|of)|sensitive to) (?P<v>(?!criticism|noise|light|sound|smell|heat|cold).+)",
        _intolerant,
    ),
    (rf"{_HAS} (?:(?P<article>an?) )?{_SOME}(?P<v>{_ILLNESSES}){_END}", _has),
    (
        rf"(?: takes?|{_BE} on| needs?) (?:some |daily |his |her |their )?(?P<v>{_MEDICATION}){_END}",
        _keep_words("medication", "takes", "take"),
    ),
    (rf" (?:uses?|needs?|relies on|wears?) (?P<v>(?:an? )?{_AIDS})\b", _keep_words("aid", "uses", "use")),
    (
        r" (?:carries|carry|has|have|needs?) (?:an? |his |her |their )?(?:epi-?pens?|adrenaline pens?|auto-?injectors?)"
        r"(?: (?:because of|for|in case of|due to|against) (?P<v>.+))?",
        _carries,
    ),
)
_FOOD: tuple[tuple[str, _Finder], ...] = (
    (rf"{_CANNOT} (?P<verb>{_TAKEN}) (?P<v>.+)", _must_not),
    (rf"{_CANNOT} take (?P<v>{MEDICINES})\b", _must_not),
    (r"(?: isn't| is not|'s not| aren't| are not) allowed (?!to\b)(?P<v>.+)", _must_not),
    (
        r"(?: has to| have to| needs? to| must| should)? (?:avoids?|stays? off|steers? clear of|stays? away from|"
        r"keeps? off) (?P<v>.+)",
        _must_not,
    ),
    (rf"{_BE} off (?P<v>{_OFF}){_END}", _must_not),
    (
        r"(?: doesn't| does not| don't| do not| won't| never)<ADV> "
        r"(?P<verb>eats?|drinks?|tolerates?|digests?) (?P<v>.+)",
        _does_not,
    ),
    (rf"(?: doesn't| does not| don't| do not| no longer)<ADV> drinks?{_END}", _drinks_not),
    (
        rf" (?:needs?|has to have|have to have|can only (?:eat|have)|eats? only|only eats?) (?P<v>{_SOFT_FOOD})\b",
        _keep_words("food", "needs", "need"),
    ),
    (
        rf"(?: only| strictly)? (?:eats?|keeps?|follows?)(?: only| strictly| an?){{0,2}} (?P<v>{RULES_OF_FOOD}|{DIETS})"
        rf"(?: food| meat| meals| diet)?{_END}",
        _eats,
    ),
    (rf"{_BE} on an? (?:strict )?(?P<v>{RULES_OF_FOOD}|{DIETS}) diet\b", _eats),
)
_PREDICATES = tuple(
    (short_pattern(rf"(?<!\s){pattern}"), find) for pattern, find in _ENDINGS + _ALLERGIES + _CONDITIONS + _FOOD
)


def read_matters(rest: str) -> Iterator[Matter]:
    """Read the predicates after a subject: the first, and those after 'and', 'so' and the like.

    >>> [matter.one for matter in read_matters("'s allergic to nuts and soy, and doesn't eat fish")]
    ['is allergic to nuts', 'is allergic to soy', 'does not eat fish']
    """
    start = 0
    for joint in islice(_JOINT.finditer(rest), _MAX_PREDICATES - 1):
        if _first_predicate(rest[joint.end() :]):
            yield from _read_matter(rest[start : joint.start()])
            start = joint.end()
    yield from _read_matter(rest[start:])


def _first_predicate(told: str) -> tuple[re.Match[str], _Finder] | None:
    told = told if told.startswith(("'", " ")) else f" {told}"
    return next(((match, find) for pattern, find in _PREDICATES if (match := pattern.match(told))), None)


def _read_matter(told: str) -> Iterable[Matter]:
    predicate = _first_predicate(told)
    return predicate[1](predicate[0]) if predicate else ()
