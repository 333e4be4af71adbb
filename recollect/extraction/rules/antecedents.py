"""Name whom 'him' and 'her' mean in a note, where what was said just before names one person alone. Pure."""

import re

from recollect.extraction.rules.parsed_message import ParsedMessage
from recollect.extraction.sentences import TextSpan
from recollect.text.speakers import FEMALE, MALE

_PEOPLE = "|".join(sorted(FEMALE | MALE, key=len, reverse=True))
_MINE = re.compile(
    rf"\bmy\s++(?:[\w-]{{1,20}}\s++){{0,2}}?(?P<who>{_PEOPLE})\b(?!'s)(?:,?\s++(?P<name>(?-i:[A-Z])[\w-]{{1,30}}+))?",
    re.IGNORECASE,
)
_ANY_PERSON = re.compile(rf"\b(?:{_PEOPLE})\b", re.IGNORECASE)
# A name behind 'in' or 'to' is a place.
_NAME = re.compile(r"(?<=[a-z,] )(?<!\bin )(?<!\bto )(?<!\bat )(?<!\bfrom )(?<!\bnear )(?!I\b)[A-Z][a-z][\w-]{0,30}")
_HIM = re.compile(r"\bhim\b", re.IGNORECASE)
_HER = re.compile(
    r"\bher\b(?=\s*+(?:$|[,.;!?]|(?:to|at|on|every|in|for|with|from|by|and|but|now|up|out|off|home|about|because|when|"
    r"while|"
    r"each|there|once|twice|\w{3,6}days?)\b))",
    re.IGNORECASE,
)
# Characters before a clause in which a person is looked for.
_MAX_BEFORE = 500


def with_antecedent(reading: ParsedMessage, clause: TextSpan, written: str) -> str:
    """Write whom 'him' or 'her' means: 'I drive him' behind 'my grandad Angus' is 'I drive my grandad Angus'.

    Args:
        reading: The message.
        clause: The part of it that is written.
        written: Its words, in the first person.
    """
    if reading.talk or _ANY_PERSON.search(written) or _NAME.search(written):
        return written
    for pronoun, kind in ((_HIM, MALE), (_HER, FEMALE)):
        if (match := pronoun.search(written)) and (who := _meant(reading, clause, kind)):
            return f"{written[: match.start()]}{who}{written[match.end() :]}"
    return written


def _meant(reading: ParsedMessage, clause: TextSpan, kind: frozenset[str]) -> str:
    """Return the only person of that kind in what stands before, or else in the message before; empty if not one."""
    before = reading.masked[max(0, clause.start - _MAX_BEFORE) : clause.start]
    for text in (before, *(message[:_MAX_BEFORE] for message in reading.before[:1])):
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
