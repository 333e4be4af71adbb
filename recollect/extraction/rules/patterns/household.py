"""Facts of the household: who lives with the speaker, and separations. Pure."""

import re
from collections.abc import Iterable

from recollect.extraction.rules.patterns.fact_pattern import ExtractedFact, FactPattern, fact_pattern, slot
from recollect.extraction.rules.vocabulary import PETS, RELATIONS

# Names must be capitalised although the patterns ignore case: `(?-i:…)`.
_NAME = r"(?-i:[A-Z])[\w'-]{1,40}+"
_NAMES = rf"{_NAME}(?:(?:,| and| &|, and) {_NAME}){{0,5}}"
_NO_NAMES = frozenset("i i'm i've she he they we it the my her his our this that there who someone everybody".split())
_PAIRED = "wife|husband|partner|spouse|girlfriend|boyfriend|fianc[eé]e?"
_MANY = "kids|children|twins|sons|daughters|cats|dogs|pets|brothers|sisters|rabbits|chickens|hens|horses|girls|boys"
_ONE_OF_MANY = {"kids": "child", "children": "child", "girls": "child", "boys": "child", "hens": "hen"}


def _lives_with(name: str, *, ends: bool = False) -> ExtractedFact:
    says = f"no longer lives with {name}" if ends else f"lives with {name}"
    key = slot("household", name)
    return ExtractedFact(category="identity", key=key, value=name, says=says, importance=0.7, ends=ends, dated=True)


def _names(raw: str) -> list[str]:
    return [name for name in re.findall(r"[A-Z][\w'-]{1,40}+", raw) if name.lower() not in _NO_NAMES]


def _shares(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for name in _names(match["v"]):
        yield _lives_with(name)


def _moved_in(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for name in _names(match["v"]):
        yield _lives_with(name)


def _moved_out(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for name in _names(match["v"] or ""):
        yield _lives_with(name, ends=True)
    kin = match.groupdict().get("rel")
    if kin:
        yield _lives_with(kin.lower(), ends=True)


def _parted(match: re.Match[str]) -> Iterable[ExtractedFact]:
    """End the partner, and read the marital status if one is stated."""
    married = "divorc" in match.group().lower()
    says = "is getting divorced" if re.search(r"getting|filed|filing", match.group(), re.IGNORECASE) else "is divorced"
    if married:
        yield ExtractedFact(
            category="identity", key="marital_status", value=says[3:], says=says, importance=0.6, dated=True
        )
    else:
        status = "no longer in a relationship"
        yield ExtractedFact(
            category="identity", key="marital_status", value="", says=f"is {status}", ends=True, dated=True
        )
    yield ExtractedFact(
        category="identity", key="partner", value="", says="no longer has a partner", ends=True, dated=True
    )


def _listed(match: re.Match[str]) -> Iterable[ExtractedFact]:
    many = match["rel"].lower()
    kind = _ONE_OF_MANY.get(many, many.removesuffix("s"))
    for name in _names(match["v"]):
        says = f"'s {kind} is called {name}"
        yield ExtractedFact(category="identity", key=slot(kind, name), value=name, says=says, importance=0.75)


RULES: tuple[FactPattern, ...] = (
    fact_pattern(
        r"(?:<I>|we)(?: live| share (?:an?|the|our) (?:[\w-]+ )?(?:flat|apartment|house|place|home|room))"
        rf"(?: in .{{1,60}}?)? with (?:(?:two|three|four|my) (?:friends|flatmates|roommates|housemates)[,:]? "
        rf")?(?P<v>{_NAMES})",
        _shares,
    ),
    fact_pattern(
        rf"my (?:flatmates|roommates|housemates) (?:are|are called)?(?: called)? ?(?P<v>{_NAMES})\s*+$",
        _shares,
    ),
    fact_pattern(
        rf"(?P<v>{_NAMES})(?: has| have|'s)?(?: just| finally| also){{0,2}} moved in"
        r"(?: (?:with (?:me|us)|here|too|on|last|this|since|in|yesterday|today|to (?:the|our) (?:spare|empty|"
        r"old|free)? ?room)\b.*|\s*+[,.!:;(].*|)$",
        _moved_in,
    ),
    fact_pattern(
        rf"(?P<v>{_NAMES})(?: has| have|'s)?(?: just| finally){{0,2}} moved out\b",
        _moved_out,
    ),
    fact_pattern(
        rf"my (?P<rel>{RELATIONS})(?:,? (?P<v>{_NAMES}))?(?: has| have|'s)?(?: just| finally){{0,2}} moved out\b",
        _moved_out,
    ),
    fact_pattern(
        rf"(?:<AM>(?= getting| filing)|<HAVE>(?= filed)|<I>(?= filed)|we(?:'re| are|'ve| have)?|(?:my "
        rf"(?:{_PAIRED})|[\w'-]{{2,40}}+)(?: [\w'-]{{2,40}}+)? and i(?: are| have|'ve|'re)?)"
        r"(?: (?:now|finally|just|actually|both|officially|have|are)){0,3} "
        r"(?:getting (?:a )?divorced?|filed for (?:a )?divorce|filing for (?:a )?divorce|divorcing|separated|"
        r"separating|split(?:ting)? up|"
        r"broke(?:n)? up|breaking up|no longer together|not together any ?more|got divorced|divorced)\b",
        _parted,
    ),
    fact_pattern(
        rf"my (?:{_PAIRED})(?: [\w'-]{{2,40}}+)? (?:has |just ){{0,2}}(?:left me|broke up with me|dumped me|"
        rf"divorced me)\b",
        _parted,
    ),
    fact_pattern(rf"(?:<HAVE>|<I>) (?:broke up with|split up with|divorced|left|dumped) my (?:{_PAIRED})\b", _parted),
    fact_pattern(rf"(?:<HAVE>|<I>) (?:broke up|broken up|split up) with (?P<v>{_NAME})", _parted),
    fact_pattern(
        rf"(?:my|our|the) (?:(?:two|three|four|five) )?(?P<rel>{_MANY}) ?(?:\(|are (?:called )?|are named |, "
        rf")(?P<v>{_NAME}"
        rf"(?: ?\(?\d{{1,2}}\)?)?(?:(?:,| and| &|, and) {_NAME}(?: ?\(?\d{{1,2}}\)?)?){{1,6}})",
        _listed,
    ),
    fact_pattern(
        rf"(?:<I>|we) (?!have|had|want)[a-z]{{2,20}}(?: after| for| with)? my (?:[\w-]{{2,20}} "
        rf")?(?P<rel>{RELATIONS}|{PETS}),? (?P<v>{_NAME})",
        lambda m: _relative(m),
    ),
)


def _relative(match: re.Match[str]) -> Iterable[ExtractedFact]:
    kind = re.sub(r"\s++", " ", match["rel"].lower())
    for name in _names(match["v"]):
        says = f"'s {kind} is called {name}"
        yield ExtractedFact(
            category="identity", key=slot(kind.replace(" ", "_"), name), value=name, says=says, importance=0.75
        )
