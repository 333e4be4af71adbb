"""Facts of relations: family, friends, pets. Pure."""

import re
from collections.abc import Iterable

from recollect.extraction.rules.patterns.fact_pattern import ExtractedFact, FactPattern, fact_pattern, slot
from recollect.extraction.rules.vocabulary import LANGUAGES, NATIONALITIES, ONE_OF, PETS, RELATIONS
from recollect.lazy_pattern import LazyPattern

_SAME = {
    "mom": "mother",
    "mum": "mother",
    "dad": "father",
    "puppy": "dog",
    "pup": "dog",
    "kitten": "cat",
    "kitty": "cat",
}
_PARTNERS = frozenset("wife husband partner spouse fiance fiancee fiancé fiancée girlfriend boyfriend".split())
# Capitalised words after 'my dog' that are no name.
_NOT_NAMES = (
    frozenset(
        """i is was has had and who that which the will can does did would in on at to for from with dr mr mrs ms monday
        tuesday wednesday thursday friday saturday sunday january february march april may june july august
        september october november december christmas easter english maths biology chemistry physics ai chatgpt
        google zoom teams whatsapp instagram facebook""".split()
    )
    | NATIONALITIES
    | LANGUAGES
)


def _named(match: re.Match[str]) -> Iterable[ExtractedFact]:
    return _named_as(match["rel"], match["v"])


def _named_as(relation: str, names: str) -> Iterable[ExtractedFact]:
    relation = re.sub(r"\s++", " ", relation.lower())
    for name in re.findall(r"[A-Z][\w'-]+(?:\s++[A-Z][\w-]+)?", names):
        name = name.removesuffix("'s")
        if any(word.lower() in _NOT_NAMES for word in name.split()):
            continue
        singular = _singular(relation)
        kind = _SAME.get(singular, singular)
        key = "partner" if kind in _PARTNERS else kind if kind in ONE_OF else slot(kind, name)
        says = f"'s {singular} is called {name}"
        yield ExtractedFact(category="identity", key=key.replace(" ", "_", 1), value=name, says=says, importance=0.75)
        if key in ONE_OF or key == "partner":
            return


def _singular(relation: str) -> str:
    irregular = {"children": "child", "wives": "wife", "puppies": "puppy", "kitties": "kitty", "babies": "baby"}
    return irregular.get(relation) or (relation[:-1] if relation.endswith("s") and relation != "boss" else relation)


def _lives_with(match: re.Match[str]) -> Iterable[ExtractedFact]:
    who = re.sub(r"\s++", " ", match["rel"].lower())
    key = slot("household", _singular(who) if who in ("kids", "children") else who)
    yield ExtractedFact(
        category="identity", key=key, value=who, says=f"lives with their {who}", importance=0.7, dated=True
    )


def _status(match: re.Match[str]) -> Iterable[ExtractedFact]:
    status = match["v"].lower()
    yield ExtractedFact(
        category="identity", key="marital_status", value=status, says=f"is {status}", importance=0.6, dated=True
    )
    partner = match.groupdict().get("who")
    if partner and partner.strip()[0].isupper():
        name = partner.strip()
        says = f"'s partner is called {name}"
        yield ExtractedFact(category="identity", key="partner", value=name, says=says, importance=0.75)


def _wed(match: re.Match[str]) -> Iterable[ExtractedFact]:
    status = {"married": "married", "engaged": "engaged", "divorced": "divorced"}[match["v"].lower()]
    yield ExtractedFact(
        category="identity", key="marital_status", value=status, says=f"is {status}", importance=0.6, dated=True
    )


# Names must be capitalised although the patterns ignore case: `(?-i:…)`.
_NAME = r"(?-i:[A-Z])[\w'-]*+(?: (?-i:[A-Z])[\w-]*+)?"
_NAMES = rf"{_NAME}(?:(?:\s*+(?:,(?: and)?|&)| and)\s*+{_NAME})*"
_KIN = rf"(?:{RELATIONS}|{PETS})"
_KINS = rf"(?:{_KIN}s?|children|wives|puppies|kitties|babies)"
_DESCRIBED = r"(?:[\w-]+ ){0,3}?"

RULES: tuple[FactPattern, ...] = (
    fact_pattern(
        rf"(?:this is |meet |here's |here is )?(?:my|our) {_DESCRIBED}(?P<rel>{_KINS}),? (?P<v>{_NAMES})"
        r"(?=\s*+(?:$|[,.!'(]|\w))",
        _named,
    ),
    fact_pattern(
        rf"(?:<I>|we) (?:live|share an? (?:flat|apartment|house))(?: in .{{1,60}}?)?(?: together)? "
        rf"with my {_DESCRIBED}(?P<rel>{_KINS})\b",
        _lives_with,
    ),
    fact_pattern(rf"(?:my|our) {_DESCRIBED}(?P<rel>{_KINS})(?:'s)? names? (?:is|are) (?P<v>{_NAMES})", _named),
    fact_pattern(
        rf"(?:my|our) {_DESCRIBED}(?P<rel>{_KINS})(?:'s name is| is| are|'s)(?: called| named)? (?P<v>{_NAMES})\s*+$",
        _named,
    ),
    fact_pattern(
        rf"(?:(?:<I>|we) (?:have|had|got|adopted)|(?:<HAVE>|we(?:'ve| have))(?: got| adopted)?) (?:an?|two|three|four|"
        rf"five|one|\d) {_DESCRIBED}"
        rf"(?P<rel>{_KINS})(?: (?:called|named)|,|:| -)? (?P<v>{_NAMES})",
        _named,
    ),
    fact_pattern(
        r"<AM> (?P<v>married|engaged|divorced|widowed|single|separated)(?: to (?P<who>[\w-]+))?\s*+$", _status
    ),
    fact_pattern(r"(?:<HAVE>|<I>|we(?:'ve| have)?(?: just)?) got (?P<v>married|engaged|divorced)\b", _wed),
)

_ANYONES = rf"(?:my|our)\s++(?:[\w-]{{1,20}}+\s++){{0,2}}?(?P<rel>{_KINS})"
_NAME_WITHIN = r"(?-i:[A-Z])[\w-]{1,30}+(?:\s(?-i:[A-Z])[\w-]{1,30}+)?"
# 'what can I get for my nephew Tomas': people named in passing.
_WITHIN = LazyPattern(rf"\b{_ANYONES}(?:,|\s++(?:called|named))?\s++(?P<v>{_NAME_WITHIN})(?!\w)", re.IGNORECASE)
# 'the kids (Lotte 12 and Siem 9)', 'my sons (Ravi and Dev)'.
_LISTED = LazyPattern(
    rf"\b(?:(?:my|our)\s++(?:[\w-]{{1,20}}+\s++){{0,2}}?(?P<rel>{_KINS})|(?:the|our|my)\s++(?P<group>kids|children|"
    rf"twins|boys|girls|cats|dogs))\s++"
    r"\((?P<v>(?-i:[A-Z])[^()]{1,80})\)",
    re.IGNORECASE,
)
# 'we picked up our kitten today, she's called Nala', 'a puppy! we named him Rolf'.
_AFTERWARDS = LazyPattern(
    rf"\b(?:(?:my|our)\s++(?:[\w-]{{1,20}}+\s++){{0,2}}?|(?:got|adopted|bought|rescued|have|foster|picked\s++up|"
    rf"found)\s++(?:an?|another|our)\s++(?:[\w-]{{1,20}}+\s++){{0,3}}?)"
    rf"(?P<rel>{_KINS})\b(?P<gap>[^?\"]{{0,60}}?)[\s,.!;:–-]++(?:(?:he|she|it|they)(?:'s|'re|\s++is|"
    rf"\s++are)\s++(?:called|named)|(?:his|her|its|their)\s++names?(?:'s|\s++is|\s++are)|"
    rf"(?:we|i)(?:'ve|\s++have)?\s++(?:named|called)\s++(?:him|her|it|them))\s++(?P<v>{_NAME_WITHIN})(?!\w)",
    re.IGNORECASE,
)
# 'Trundle the tortoise': only at the start, else it may be a character of a story.
_THE_PET = LazyPattern(
    rf"(?:(?:oh|and|so|but|also|well|omg|ugh|now),?\s++){{0,3}}(?P<v>(?-i:[A-Z])[\w-]{{1,30}}+)(?:\s++the\s++|"
    rf",\s++(?:my|our)\s++(?:[\w-]{{1,20}}\s++)?)(?P<rel>{_KINS})(?=\s++(?:is|has|was|got|\w{{1,20}}ed|keeps|can|needs|"
    rf"hates|loves|won't|died|ate|ran)\b|,|'s\b|\s*+$)",
    re.IGNORECASE,
)
_GROUP = {"twins": "child", "boys": "son", "girls": "daughter", "kids": "child", "children": "child"}


_NAMING = LazyPattern(
    r"(?:and\s++|so\s++)?(?:(?:he|she|it|they)(?:'s|'re|\s++is|\s++are)\s++(?:called|named)|(?:his|her|its|their)\s++names?(?:'s|\s++is|\s++are)|"
    r"(?:we|i)(?:'ve|\s++have)?\s++(?:named|called)\s++(?:him|her|it|them))\s",
    re.IGNORECASE,
)


def gives_name(text: str) -> bool:
    """Return whether a sentence names the person or animal of the previous sentence."""
    return bool(_NAMING.match(text))


def find_named_people(text: str) -> Iterable[ExtractedFact]:
    """Find the speaker's people and pets that a sentence names, anywhere in it.

    >>> [fact.says for fact in find_named_people("What can I get for my nephew Tomas?")]
    ["'s nephew is called Tomas"]
    """
    for pattern in (_WITHIN, _AFTERWARDS):
        for match in pattern.finditer(text):
            yield from _named(match)
    head = _THE_PET.match(text)
    if head:
        yield from _named(head)
    for match in _LISTED.finditer(text):
        singular = match["rel"] or _GROUP.get(match["group"].lower(), match["group"].lower())
        yield from _named_as(singular, match["v"])
