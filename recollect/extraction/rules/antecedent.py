"""Whom a pronoun means that begins a clause: one of the user's people, named just before. Pure."""

import re
from collections.abc import Sequence

from recollect.extraction.rules.lexicon import PETS, RELATIONS
from recollect.text import STOP_WORDS, words

_MEN = frozenset(
    """husband boyfriend father dad brother son grandson grandad granddad grandfather grandpa uncle nephew stepdad
    stepfather stepson stepbrother godson godfather fiancé fiance ex-husband father-in-law brother-in-law""".split()
)
_WOMEN = frozenset(
    """wife girlfriend mother mom mum sister daughter granddaughter grandma grandmother gran granny nan aunt niece
    stepmum stepmom stepmother stepdaughter stepsister goddaughter godmother fiancée fiancee ex-wife mother-in-law
    sister-in-law""".split()
)
_SEVERAL = (
    r"kids|children|parents|twins|grandparents|in-laws|boys|girls|sons|daughters|sisters|brothers|cousins|nephews|"
    r"nieces|grandkids|grandchildren|cats|dogs|hens|chickens|rabbits|kittens|puppies|flatmates|neighbours|neighbors"
)
_MENTION = re.compile(
    rf"\b(?:(?:my|our)|the(?=\s++(?:kids|children|twins|boys|girls)\b))\s++(?:own\s++)?(?:[\w-]{{1,20}}+\s++){{0,2}}?(?P<who>{_SEVERAL}|stepdad|stepmum|stepmom|(?:{RELATIONS}|{PETS})\b)"
    rf"(?!'s|s')(?P<name>\s++(?-i:[A-Z])[\w-]{{1,20}}+)?",
    re.IGNORECASE,
)
_SAYS = (
    r"(?:'s|'re|\s++(?:is|are|has|have|lives?|works?|moved|teaches|studies|plays|goes|takes|loves?|hates?|eats?|drinks?|can't|"
    r"doesn't|don't|needs?|wears?|speaks?|turns?|turned|starts?|started|runs?|owns?|drives?|got))\b"
)
_PRONOUN = re.compile(
    rf"(?:(?:and|so|but|also|because|since)\s++){{0,2}}(?P<who>he|she|they){_SAYS}(?!\s++(?:here|back|home|ok|okay|fine|right|wrong|so|"
    r"gonna|going\s++to|just|like|all|really|not|great|good|nice|a\s++bit|sure)\b)",
    re.IGNORECASE,
)
MIN_CONTENT_WORDS = 2


def antecedent_of(clause: str, before: Sequence[str]) -> str:
    """Return whom the pronoun at the head of a clause means, such as 'their mum'; empty where that is not certain.

    Args:
        clause: A clause of the user, without words that only lead to it.
        before: What the user said before it, the nearest first.

    >>> antecedent_of("she lives in Reading with Ken", ("my mum isn't well",))
    'their mum'
    >>> antecedent_of("she lives in Reading with Ken", ("my mum and my sister aren't talking",))
    ''
    """
    found = _PRONOUN.match(clause)
    if found is None or not _tells(clause[found.end() :]):
        return ""
    pronoun = found["who"].lower()
    for text in before:
        meant = {mention["who"].lower(): mention for mention in _MENTION.finditer(text[-MAX_LOOKED_BACK:])}
        fitting = [mention for who, mention in meant.items() if _fits(pronoun, who)]
        if len(fitting) == 1:
            name = fitting[0]["name"] or ""
            return f"their {fitting[0]['who'].lower()}{'' if name.strip().lower() in STOP_WORDS else name}"
        if fitting:
            return ""
    return ""


# How much of a message is looked at for whom a pronoun means, in characters.
MAX_LOOKED_BACK = 400


def _tells(rest: str) -> bool:
    said = [word for word in words(rest) if word not in STOP_WORDS]
    return len(said) >= MIN_CONTENT_WORDS or any(word[0].isdigit() for word in said)


def _fits(pronoun: str, who: str) -> bool:
    if re.fullmatch(_SEVERAL, who):
        return pronoun == "they"
    if pronoun == "they":
        return False
    return who not in (_WOMEN if pronoun == "he" else _MEN)
