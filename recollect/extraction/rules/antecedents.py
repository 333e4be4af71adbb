"""Resolve pronouns to the user's people that were mentioned just before. Pure.

After "my mum isn't well", the subject of 'she lives in Reading' is 'their mum', and 'I drive her' becomes 'I drive my
mum'. If two people fit, the pronoun stays.
"""

import re
from collections.abc import Sequence

from recollect.extraction.rules.parsed_message import ParsedMessage
from recollect.extraction.rules.vocabulary import PETS, RELATIONS
from recollect.extraction.sentences import TextSpan
from recollect.lazy_pattern import LazyPattern
from recollect.text import STOP_WORDS, words
from recollect.text.speakers import FEMALE, MALE

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
_KIN_MENTION = LazyPattern(
    rf"\b(?:(?:my|our)|the(?=\s++(?:kids|children|twins|boys|girls)\b))\s++(?:own\s++)?(?:[\w-]{{1,20}}+\s++){{0,2}}?(?P<who>{_SEVERAL}|stepdad|stepmum|stepmom|(?:{RELATIONS}|{PETS})\b)"
    rf"(?!'s|s')(?P<name>\s++(?-i:[A-Z])[\w-]{{1,20}}+)?",
    re.IGNORECASE,
)
_SAYS = (
    r"(?:'s|'re|\s++(?:is|are|has|have|lives?|works?|moved|teaches|studies|plays|goes|takes|loves?|hates?|eats?|drinks?|can't|"
    r"doesn't|don't|needs?|wears?|speaks?|turns?|turned|starts?|started|runs?|owns?|drives?|got))\b"
)
_SUBJECT_PRONOUN = LazyPattern(
    rf"(?:(?:and|so|but|also|because|since)\s++){{0,2}}(?P<who>he|she|they){_SAYS}(?!\s++(?:here|back|home|ok|okay|fine|right|wrong|so|"
    r"gonna|going\s++to|just|like|all|really|not|great|good|nice|a\s++bit|sure)\b)",
    re.IGNORECASE,
)
MIN_CONTENT_WORDS = 2


def find_antecedent(clause: str, before: Sequence[str]) -> str:
    """Return whom the pronoun at the start of a clause means, such as 'their mum'; empty if that is uncertain.

    Args:
        clause: A clause of the user, without its lead.
        before: The user's text before it, nearest first.

    >>> find_antecedent("she lives in Reading with Ken", ("my mum isn't well",))
    'their mum'
    >>> find_antecedent("she lives in Reading with Ken", ("my mum and my sister aren't talking",))
    ''
    """
    found = _SUBJECT_PRONOUN.match(clause)
    if found is None or not _tells(clause[found.end() :]):
        return ""
    pronoun = found["who"].lower()
    for text in before:
        meant = {mention["who"].lower(): mention for mention in _KIN_MENTION.finditer(text[-MAX_LOOKED_BACK:])}
        fitting = [mention for who, mention in meant.items() if _fits(pronoun, who)]
        if len(fitting) == 1:
            name = fitting[0]["name"] or ""
            return f"their {fitting[0]['who'].lower()}{'' if name.strip().lower() in STOP_WORDS else name}"
        if fitting:
            return ""
    return ""


# Characters of a message that are searched for an antecedent.
MAX_LOOKED_BACK = 400


def _tells(rest: str) -> bool:
    content_words = [word for word in words(rest) if word not in STOP_WORDS]
    return len(content_words) >= MIN_CONTENT_WORDS or any(word[0].isdigit() for word in content_words)


def _fits(pronoun: str, relation: str) -> bool:
    if re.fullmatch(_SEVERAL, relation):
        return pronoun == "they"
    if pronoun == "they":
        return False
    return relation not in (_WOMEN if pronoun == "he" else _MEN)


_PEOPLE = "|".join(sorted(FEMALE | MALE, key=len, reverse=True))
_MINE = LazyPattern(
    rf"\bmy\s++(?:[\w-]{{1,20}}\s++){{0,2}}?(?P<who>{_PEOPLE})\b(?!'s)(?:,?\s++(?P<name>(?-i:[A-Z])[\w-]{{1,30}}+))?",
    re.IGNORECASE,
)
_ANY_PERSON = LazyPattern(rf"\b(?:{_PEOPLE})\b", re.IGNORECASE)
# A name after 'in' or 'to' is a place.
_NAME = LazyPattern(r"(?<=[a-z,] )(?<!\bin )(?<!\bto )(?<!\bat )(?<!\bfrom )(?<!\bnear )(?!I\b)[A-Z][a-z][\w-]{0,30}")
_HIM = LazyPattern(r"\bhim\b", re.IGNORECASE)
_HER = LazyPattern(
    r"\bher\b(?=\s*+(?:$|[,.;!?]|(?:to|at|on|every|in|for|with|from|by|and|but|now|up|out|off|home|about|because|when|"
    r"while|"
    r"each|there|once|twice|\w{3,6}days?)\b))",
    re.IGNORECASE,
)
# Characters before a clause that are searched for a person.
_MAX_BEFORE = 500


def name_pronoun(reading: ParsedMessage, clause: TextSpan, written: str) -> str:
    """Replace 'him' or 'her': 'I drive him' after 'my grandad Angus' becomes 'I drive my grandad Angus'.

    Args:
        reading: The message.
        clause: The part of it that becomes a note.
        written: The words of the note, in the first person.
    """
    if reading.between_people or _ANY_PERSON.search(written) or _NAME.search(written):
        return written
    for pronoun, kind in ((_HIM, MALE), (_HER, FEMALE)):
        if (match := pronoun.search(written)) and (who := _meant(reading, clause, kind)):
            return f"{written[: match.start()]}{who}{written[match.end() :]}"
    return written


def _meant(reading: ParsedMessage, clause: TextSpan, kind: frozenset[str]) -> str:
    """Return the only person of that kind before a clause, or else in the previous message; else empty."""
    before = reading.masked[max(0, clause.start - _MAX_BEFORE) : clause.start]
    for text in (before, *(message[:_MAX_BEFORE] for message in reading.previous_texts[:1])):
        people = {match["who"].lower(): match for match in _MINE.finditer(text)}
        if not people:
            continue
        of_kind = [match for who, match in people.items() if who in kind]
        others = {name for name in _NAME.findall(text) if all(name != match["name"] for match in of_kind)}
        if len(of_kind) != 1 or others:
            return ""
        name = of_kind[0]["name"]
        return f"my {of_kind[0]['who'].lower()}{f' {name}' if name else ''}"
    return ""
