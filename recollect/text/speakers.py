"""Whom a clause is about, by its first words: its speaker, or one of their people. Pure."""

from collections.abc import Sequence

from recollect.text.normalize import fold

ME = "me"
"""The speaker, or what is theirs."""
OTHER = "other"
"""Someone who is called he, she or they."""
RELATIONS = frozenset(
    fold(word)
    for word in """mum mom mother mam dad father parents sister brother sis bro son daughter wife husband hubby partner
    girlfriend boyfriend gf bf fiance fiancée spouse ex friend mate bestie roommate flatmate housemate neighbour
    neighbor neighbours neighbors boss manager colleague coworker cousin aunt auntie uncle niece nephew nan gran grandma
    grandmother granny grandad granddad grandpa grandfather grandson granddaughter stepmum stepdad stepson
    stepdaughter landlord landlady teacher client twin twins toddler baby stepsister stepbrother godson goddaughter
    family inlaws""".split()
)
FEMALE = frozenset(
    fold(word)
    for word in """mum mom mother mam sister sis daughter wife girlfriend gf fiancée aunt auntie niece nan
    gran grandma grandmother granny granddaughter stepmum stepdaughter landlady stepsister goddaughter""".split()
)
MALE = frozenset(
    """dad father brother bro son husband hubby boyfriend bf uncle nephew grandpa grandfather grandad
    granddad grandson stepdad stepson stepbrother godson""".split()
)
_LEADS = frozenset(
    """and but so also since now that because ever after when then oh well ok okay btw anyway actually honestly plus
    cause cos bc while as sadly yeah yes no hi hey lol ugh update sorry luckily finally""".split()
)
_OTHERS = frozenset("he she they his her their him them".split())
# Words between 'my' and what is mine.
_MAX_OWNED = 3


def owner_of(words: Sequence[str]) -> str:
    """Return whom a clause is about: `ME`, `OTHER`, a word of `RELATIONS`, or empty for a name or a thing.

    Args:
        words: Folded, as `read_clause` gives them.

    >>> owner_of(["my", "sister", "runs"]), owner_of(["i", "run"]), owner_of(["nora", "runs"])
    ('sister', 'me', '')
    """
    start = next((place for place, word in enumerate(words) if word not in _LEADS), len(words))
    rest = list(words[start:])
    if rest[:2] == ["the", "user"]:
        rest = ["my", *rest[3:]] if rest[2:3] == ["s"] else ["i", *rest[2:]]
    if not rest:
        return ""
    if rest[0] in ("my", "our"):
        return next((word for word in rest[1 : 1 + _MAX_OWNED] if word in RELATIONS), ME)
    if rest[0] in ("i", "we", "im", "ive", "me", "us"):
        return ME
    return OTHER if rest[0] in _OTHERS else ""


_OF_WOMEN = FEMALE | {"she", "her", "hers"}
_OF_MEN = MALE | {"he", "him", "his"}


def may_be_the_same(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether 'he' or 'she' of one clause may mean whom another one names.

    >>> may_be_the_same(["i", "call", "him"], ["i", "call", "my", "sister"])
    False
    """
    one, other = frozenset(words), frozenset(others)
    for mine, theirs in ((_OF_WOMEN, _OF_MEN), (_OF_MEN, _OF_WOMEN)):
        if (
            not one.isdisjoint(mine)
            and one.isdisjoint(theirs)
            and not other.isdisjoint(theirs)
            and other.isdisjoint(mine)
        ):
            return False
    return True


def may_share_owner(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether two clauses may be about the same person: 'my son's chess' is not one's own.

    >>> may_share_owner(["my", "son", "s", "chess"], ["i", "play", "chess"])
    False
    """
    one, other = owner_of(words), owner_of(others)
    if one in RELATIONS and other in RELATIONS:
        return one == other
    if one in RELATIONS:
        return other != ME or one in others
    if other in RELATIONS:
        return one != ME or other in words
    return True
