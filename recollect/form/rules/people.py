"""Facts of who and what belongs to somebody: family, friends, pets. Pure."""

import re
from collections.abc import Iterable

from recollect.form.rules.fact import Fact, Rule, rule, slot
from recollect.form.rules.lexicon import ONE_OF, PETS, RELATIONS

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
# Capitalised words behind 'my dog' that are no name.
_NOT_NAMES = frozenset(
    "i is was has had and who that which the will can does did would in on at to for from with".split()
)


def _named(match: re.Match[str]) -> Iterable[Fact]:
    relation = re.sub(r"\s++", " ", match["rel"].lower())
    for name in re.findall(r"[A-Z][\w'-]+(?:\s++[A-Z][\w-]+)?", match["v"]):
        if name.lower() in _NOT_NAMES or not name[0].isupper():
            continue
        singular = _singular(relation)
        kind = _SAME.get(singular, singular)
        key = "partner" if kind in _PARTNERS else kind if kind in ONE_OF else slot(kind, name)
        says = f"'s {singular} is called {name}"
        yield Fact(category="identity", key=key.replace(" ", "_", 1), value=name, says=says, importance=0.75)
        if key in ONE_OF or key == "partner":
            return


def _singular(relation: str) -> str:
    irregular = {"children": "child", "wives": "wife", "puppies": "puppy", "kitties": "kitty", "babies": "baby"}
    return irregular.get(relation) or (relation[:-1] if relation.endswith("s") and relation != "boss" else relation)


def _lives_with(match: re.Match[str]) -> Iterable[Fact]:
    who = re.sub(r"\s++", " ", match["rel"].lower())
    key = slot("household", _singular(who) if who in ("kids", "children") else who)
    yield Fact(category="identity", key=key, value=who, says=f"lives with their {who}", importance=0.7, dated=True)


def _status(match: re.Match[str]) -> Iterable[Fact]:
    status = match["v"].lower()
    yield Fact(category="identity", key="marital_status", value=status, says=f"is {status}", importance=0.6, dated=True)
    partner = match.groupdict().get("who")
    if partner and partner.strip()[0].isupper():
        name = partner.strip()
        says = f"'s partner is called {name}"
        yield Fact(category="identity", key="partner", value=name, says=says, importance=0.75)


def _wed(match: re.Match[str]) -> Iterable[Fact]:
    status = {"married": "married", "engaged": "engaged", "divorced": "divorced"}[match["v"].lower()]
    yield Fact(category="identity", key="marital_status", value=status, says=f"is {status}", importance=0.6, dated=True)


# Names keep their capital although the rules fold case: `(?-i:…)`.
_NAME = r"(?-i:[A-Z])[\w'-]*(?: (?-i:[A-Z])[\w-]*)?"
_NAMES = rf"{_NAME}(?:(?:\s*+(?:,(?: and)?|&)| and)\s*+{_NAME})*"
_KIN = rf"(?:{RELATIONS}|{PETS})"
_KINS = rf"(?:{_KIN}s?|children|wives|puppies|kitties|babies)"
_DESCRIBED = r"(?:[\w-]+ ){0,3}?"

RULES: tuple[Rule, ...] = (
    rule(
        rf"(?:this is |meet |here's |here is )?my {_DESCRIBED}(?P<rel>{_KINS}),? (?P<v>{_NAMES})"
        r"(?=\s*+(?:$|[,.!']|\w))",
        _named,
    ),
    rule(
        rf"(?:<I>|we) (?:live|share an? (?:flat|apartment|house))(?: in .{{1,60}}?)?(?: together)? "
        rf"with my {_DESCRIBED}(?P<rel>{_KINS})\b",
        _lives_with,
    ),
    rule(rf"my {_DESCRIBED}(?P<rel>{_KINS})(?:'s)? names? (?:is|are) (?P<v>{_NAMES})", _named),
    rule(rf"my {_DESCRIBED}(?P<rel>{_KINS})(?:'s name is| is| are|'s)(?: called| named)? (?P<v>{_NAMES})\s*+$", _named),
    rule(
        rf"(?:<I> (?:have|had|got|adopted)|<HAVE>(?: got| adopted)?) (?:an?|two|three|four|five|one|\d) {_DESCRIBED}"
        rf"(?P<rel>{_KINS})(?: (?:called|named)|,|:| -)? (?P<v>{_NAMES})",
        _named,
    ),
    rule(r"<AM> (?P<v>married|engaged|divorced|widowed|single|separated)(?: to (?P<who>[\w-]+))?\s*+$", _status),
    rule(r"(?:<HAVE>|<I>|we(?:'ve| have)?(?: just)?) got (?P<v>married|engaged|divorced)\b", _wed),
)
