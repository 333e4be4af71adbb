"""Facts of relations: family, friends, pets; and marital status. Pure.

A relation is written in small letters, and its name is complete: 'My Cat Is A Lemon' and headings name no one.
"""

import re
from collections.abc import Iterable

from toldonce.extraction.rules.patterns.fact_pattern import ExtractedFact, FactPattern, fact_pattern, slot
from toldonce.extraction.rules.vocabulary import LANGUAGES, NATIONALITIES, ONE_OF, PETS, RELATIONS
from toldonce.lazy_pattern import LazyPattern

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
# Words before 'partner' with which it is a partner in life; a business or dance partner is none.
_IN_LIFE = LazyPattern(r"(?:(?:new|romantic|life|long-?term|current)\s++)*+", re.IGNORECASE)
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
# Names must be capitalised, and relations must not, although the patterns ignore case: `(?-i:…)`.
_NAME = r"(?-i:[A-Z])[\w'-]*+(?: (?-i:[A-Z])[\w-]*+){0,2}+(?! (?-i:[A-Z])\w)"
_NAMES = rf"{_NAME}(?:(?:\s*+(?:,(?: and)?|&)| and)\s*+{_NAME})*"
_KIN = rf"(?:{RELATIONS}|{PETS})"
_KINS = rf"(?-i:{_KIN}s?|children|wives|puppies|kitties|babies)"
_DESCRIBED = r"(?P<described>(?:[\w-]{1,20}+ ){0,3}?)"
_WRITTEN = LazyPattern(_NAME.replace(" ", r"\s++"))


def _named(match: re.Match[str]) -> Iterable[ExtractedFact]:
    relation = re.sub(r"\s++", " ", match["rel"].lower())
    if relation == "partner" and not _IN_LIFE.fullmatch(match["described"]):
        return
    for found in _WRITTEN.finditer(match["v"] or match.groupdict().get("w") or ""):
        name = re.sub(r"\s++", " ", found.group()).removesuffix("'s")
        if any(word.lower() in _NOT_NAMES for word in name.split()):
            continue
        singular = _singular(relation)
        kind = _SAME.get(singular, singular)
        key = "partner" if kind in _PARTNERS else kind if kind in ONE_OF else slot(kind.replace(" ", "_"), name)
        yield ExtractedFact(category="identity", key=key, value=name, importance=0.75)
        if key in ONE_OF or key == "partner":
            return


def _singular(relation: str) -> str:
    irregular = {"children": "child", "wives": "wife", "puppies": "puppy", "kitties": "kitty", "babies": "baby"}
    return irregular.get(relation) or (relation[:-1] if relation.endswith("s") and relation != "boss" else relation)


def _status(match: re.Match[str]) -> Iterable[ExtractedFact]:
    status = match["v"].lower()
    yield ExtractedFact(category="identity", key="marital_status", value=status, importance=0.6, dated=True)
    partner = match.groupdict().get("who")
    if partner and partner[0].isupper():
        yield ExtractedFact(category="identity", key="partner", value=partner, importance=0.75)


RULES: tuple[FactPattern, ...] = (
    fact_pattern(rf"(?:my|our) {_DESCRIBED}(?P<rel>{_KINS})(?:'s)? names? (?:is|are) (?P<v>{_NAMES})", _named),
    fact_pattern(
        rf"(?:my|our) {_DESCRIBED}(?P<rel>{_KINS})(?: is| are|'s) (?:called|named) (?P<v>{_NAMES})\s*+$", _named
    ),
    fact_pattern(
        rf"(?:(?:<I>|we) (?:have|had|got|adopted)|(?:<HAVE>|we(?:'ve| have))(?: got| adopted)?) (?:an?|two|three|four|"
        rf"five|one|\d) {_DESCRIBED}(?P<rel>{_KINS})(?: (?:called|named)|,|:| -)? (?P<v>{_NAMES})",
        _named,
    ),
    fact_pattern(
        r"<AM> (?P<v>married|engaged|divorced|widowed|single|separated)(?: to (?P<who>[\w-]+))?\s*+$", _status
    ),
    fact_pattern(r"(?:<HAVE>|<I>|we(?:'ve| have)?(?: just)?) got (?P<v>married|engaged|divorced)\b", _status),
)

# 'what can I get for my nephew Tomas', 'my mom, Wendy, says': people named in passing. 'From my dad, Flash.' need not
# name him.
_WITHIN = LazyPattern(
    (
        rf"\b(?:my|our) {_DESCRIBED}(?P<rel>{_KINS})(?:(?: called| named)? (?P<v>{_NAME})|, (?P<w>{_NAME})(?=,))"
        r"(?![\w'-])"
    ).replace(" ", r"\s++"),
    re.IGNORECASE,
)


def find_named_people(text: str) -> Iterable[ExtractedFact]:
    """Find the speaker's people and pets that a sentence names, anywhere in it.

    >>> [(fact.key, fact.value) for fact in find_named_people("What can I get for my nephew Tomas?")]
    [('nephew:tomas', 'Tomas')]
    """
    for match in _WITHIN.finditer(text):
        yield from _named(match)
