"""Fact patterns: what they find, how values are cleaned, and patterns of recurring times. Pure.

A pattern matches at the start of a clause; in its short form a blank matches white space and `<AM>` for "I'm", "im",
"I am really" and so on: `<AM> allergic to (?P<v>.+)` finds the fact `allergy:peanuts`.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from toldonce.lazy_pattern import LazyPattern
from toldonce.text import squeeze


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedFact:
    """A slot and its value, found in one clause."""

    category: str
    key: str
    value: str
    importance: float = 0.8
    dated: bool = False
    """A date in the clause says since when (or until when) it holds."""
    ordered: bool = False
    """An order that does not say how long it holds: next to a task it is for that task only."""


Finder = Callable[[re.Match[str]], "Iterable[ExtractedFact]"]


@dataclass(frozen=True, slots=True)
class FactPattern:
    """A pattern at the start of a clause, and the function that reads its match."""

    pattern: LazyPattern[str]
    find: Finder


def fact_pattern(pattern: str, find: Finder) -> FactPattern:
    """Build a fact pattern from its short form (see `short_pattern`)."""
    return FactPattern(short_pattern(pattern), find)


def short_pattern(pattern: str) -> LazyPattern[str]:
    """Declare a short pattern: a blank matches white space, `<AM>` etc. for the forms in `_SHORT`."""
    pattern = pattern.replace(" ", r"(?:\s++)")
    for short, long in _SHORT.items():
        pattern = pattern.replace(f"<{short}>", long)
    return LazyPattern(pattern, re.IGNORECASE)


def apply_patterns(rules: Iterable[FactPattern], clause: str) -> list[ExtractedFact]:
    """Apply patterns to a clause; each may find several facts."""
    return [fact for rule in rules if (match := rule.pattern.match(clause)) for fact in rule.find(match)]


_ADVERB = (
    r"(?:really|also|actually|still|now|currently|just|absolutely|very|quite|severely|highly|deathly|"
    r"extremely|pretty|so|totally"
    r"|definitely|always|mostly|strictly|already|both|a\s++bit|a\s++little|recently|originally|usually|"
    r"generally|mainly|truly|simply"
    r"|personally|myself|even|seriously|particularly|especially|much|rather|somewhat|mildly|proudly|happily|officially|do)"
)
_SHORT = {
    "ADV": rf"(?:\s++{_ADVERB}){{0,6}}",
    "AM": rf"i(?:'m|\s++am|m)(?:\s++{_ADVERB}){{0,6}}",
    "I": rf"i(?:\s++{_ADVERB}){{0,6}}",
    "HAVE": r"i(?:'ve|\s++have)(?:\s++(?:just|recently|now|also|always|already)){0,6}",
    "NOMORE": r"(?:\s++(?:any\s?more|any\s++longer))",
}

# Where a value ends and the sentence continues.
_VALUE_END = LazyPattern(
    r"(?:[;:!?(]|\s[-–—]++\s|\.(?:\s|$)|\b(?:because|since|so|when|"
    r"whenever|while|if|but|although|though|which|who"
    r"|that|where|after|before|until|due\s++to|thanks\s++to|right\s++now|at\s++the\s++moment|any\s?more|"
    r"these\s++days|nowadays|too|as\s++well"
    r"|myself|ourselves|please|even\s++though|and\s++(?:i|my|we|it|he|she|they|have|has|am|is|was|work|live|love|"
    r"like|hate|got|want|need|would|can|do|don't)"
    r"|currently|for\s++(?:about\s++|over\s++|almost\s++)?(?:\d+|a|an|one|two|three|four|five|six|"
    r"seven|eight|nine|ten|many|several|some)"
    r"\s++(?:years?|months?|weeks?|days?|decades?|while|long)|by\s++the\s++way|btw|to\s++be\s++honest|lol|haha|actually)\b)",
    re.IGNORECASE,
)
# Where a list ends and a remark about it begins: 'cilantro, tastes like soap'.
_NO_THING = LazyPattern(
    r",\s*+(?=(?:it|they|that|this|he|she)(?:'s|\b)|(?:just|always|only|really|mostly|especially|even|never|which|almost|nearly|literally|basically)\s++\w+"
    r"|(?:tastes?|smells?|looks?|feels?|sounds?|makes?|gives?|drives?|reminds?|is|are|was|were|has|have|had|does|did|can|"
    r"gets?|goes|got|seems?|helps?|keeps?|hurts?|takes?|needs?|costs?|no|not|without|with)\b)",
    re.IGNORECASE,
)
_BETWEEN_ITEMS = LazyPattern(r"[,;&/]|\b(?:and|or|nor)\b")
_DETERMINER = LazyPattern(
    r"^(?:the|a|an|my|our|some|any|all|all\s++kinds\s++of|all\s++sorts\s++of|most|many)\s++", re.IGNORECASE
)
_VAGUE = LazyPattern(
    r"^(?:it|this|that|these|those|them|him|her|you|your|me|one|sorry|thanks|everything|anything|nothing|something|"
    r"someone|what|how|when|to|the\s++(?:idea|way"
    r"|sound|look|fact|thought|first|second|last|former|latter|same|above|below|answer|result|"
    r"output|following)|not|no|here|there|so|such"
    r"|his|their|its|another|more|much|any|each|either|where|why|who|myself|things?|stuff|people\s++like|lots?)\b",
    re.IGNORECASE,
)


# An adjective, a participle or an adverb at the start of a lower-case value.
_DESCRIBES = LazyPattern(
    r"(?:(?:very|so|too|quite|really|pretty|rather|kind\sof|sort\sof|a\sbit|a\slot|always|never|often|usually|sometimes|still|"
    r"already|not|now|no|almost|also|just|probably|in|on|at|under|up|going|doing|getting|being|about\sto|to|what|how|why|where)\b"
    r"|(?:hard|easy|fun|great|good|bad|fine|ok|okay|nice|awful|terrible|horrible|tough|tiring|safe|gone|new|old|long|short|big|small|"
    r"busy|dull|dead|alive|lost|over|done|open|closed|full|empty|late|secure|remote|part[\s-]time|full[\s-]time|seasonal|temporary|"
    r"permanent|awesome|amazing|perfect|cool|stupid|weird|rare|common|unusual|unique|different|important|stressful|meaningless|"
    r"dangerous|lovely|crap|shit|hell|important|quiet|loud|cheap|expensive|broke|sick|ill|asleep|upset|angry|happy|sad)\b"
    r"|\w{2,20}(?:ed|en|ing)(?:\s\w{1,20}){0,8}$|\w{3,20}ly\s\w)",
    re.IGNORECASE,
)
# After a comma the sentence turns to a request or another statement: 'bottle green, can you suggest curtains'.
_TURNS = LazyPattern(
    r"(?<!\s)\s{0,9}+,\s{1,9}+(?:(?:so|and|but|then)\s++)?(?:can|could|would|will|should|may|do|does|did|is|are|am|was|were|has|have|had|what|which|"
    r"how|where|who|why|any|need|needs|got|get|give|help|suggest|recommend|find|make|write|show|tell|plan|looking|please|thanks?|"
    r"in\s++case|just|only|though|tho|not|it|it's|that|this|they|he|she|we|you|i|i'm|my|our|\w{1,30}ing)\b",
    re.IGNORECASE,
)
# Words at the end that only say 'now', or soften a statement.
_NOW = LazyPattern(
    r"(?<![\s,])[\s,]++(?:now|again|lately|ever|officially|instead|for\s++now|from\s++now\s++on|btw|lol|haha|tho|though|pls|please|yay|obviously|"
    r"tbh|after\s++all|if\s++possible|all\s++the\s++way)\s*+$",
    re.IGNORECASE,
)
# A value may end in several such words.
_MAX_ENDINGS = 3


def value_of(raw: str | None, *, max_words: int = 6) -> str:
    """Reduce a raw capture to the value; empty if it is vague or too long.

    >>> value_of("the coast of Norway because it is calm"), value_of("moss green now, any ideas for a rug")
    ('the coast of Norway', 'moss green')
    >>> value_of("that you said so")
    ''
    """
    value = squeeze(raw or "").strip(" ,.'\"")
    for end in (_VALUE_END.search(value), _TURNS.search(value)):
        value = value[: end.start()] if end else value
    value = value.strip(" ,.'\"")
    for _ in range(_MAX_ENDINGS):
        value = _NOW.sub("", value)
    value = value.strip(" ,.'\"")
    if not value or _VAGUE.match(value) or len(value.split()) > max_words:
        return ""
    return value


def list_values(raw: str | None, *, max_items: int = 6, max_words: int = 4) -> list[str]:
    """Split a list into its values: 'peanuts, shellfish and soy'.

    >>> list_values("peanuts, shellfish, and soy because of my genes")
    ['peanuts', 'shellfish', 'soy']
    """
    value = value_of(raw, max_words=max_items * (max_words + 1))
    value = _NO_THING.split(value, maxsplit=1)[0]
    parts = [part.strip(" .") for part in _BETWEEN_ITEMS.split(value)]
    kept = [bare_value(part) for part in parts if part]
    return [thing for thing in kept if thing and len(thing.split()) <= max_words and not _VAGUE.match(thing)][
        :max_items
    ]


def bare_value(value: str) -> str:
    """Remove the determiner: 'the coast' becomes 'coast'."""
    return _DETERMINER.sub("", value).strip()


def is_named(value: str) -> bool:
    """Return whether a value begins like a proper name."""
    return value[:1].isupper()


def is_described(value: str) -> bool:
    """Return whether a value describes something rather than names it: 'hard', 'misspelled everywhere', 'struggling'.

    >>> is_described("often forgotten"), is_described("boring"), is_described("Stirling"), is_described("data analyst")
    (True, True, False, False)
    """
    return not is_named(value) and bool(_DESCRIBES.match(value))


def slot(prefix: str, value: str) -> str:
    """Build the key of a slot that can hold several values.

    >>> slot("allergy", "Tree Nuts")
    'allergy:tree nuts'
    """
    return f"{prefix}:{squeeze(value).casefold()}"


_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PART = r"(?:morning|afternoon|evening|night|lunchtime)"
_HOUR = r"\d{1,2}(?:[:.]\d\d)?(?: ?[ap]\.?m\b\.?)?"
CLOCK = rf"(?:{_HOUR}(?: o'clock)?|noon|midnight|midday|lunch(?:time)?|work|school|dinner)"
"""An hour of the day, also as 'noon' or 'lunch'."""
HOURS = rf"(?:from )?{_HOUR} ?(?:to|till|until|-|–) ?{_HOUR}"
"""'9 to 5', 'from 8:30 until 16:00'."""
DAY_RANGE = rf"(?:from )?{_DAY}s? ?(?:to|through|till|until|-|–) ?{_DAY}s?"
"""'Monday to Wednesday'."""
_NTH = r"(?:first|second|third|last|1st|15th|\d{1,2}(?:st|nd|rd|th))"
NTH_DAY = rf"(?:the )?{_NTH} (?:(?:{_DAY}|weekend|day|week) )?of (?:the|every|each) (?:month|week|quarter|sprint|year)"
"""'The last Friday of the month'."""
_REPEATED = (
    rf"(?:on |in |at |during )?(?:the |most |early |late |my ){{0,2}}(?:{_DAY} |weekday |weekend |work )?{_PART}s",
    rf"(?:on |most )?{_DAY}s(?:(?:,? and |,? or |, | ?/ ?| ?& ?){_DAY}s){{0,4}}",
    DAY_RANGE,
    rf"(?:every|each)(?: single| other| second| third)? (?:{_DAY}|weekday|weekend|{_PART}|day|week|month)(?: {_PART})?",
    rf"(?:on )?{NTH_DAY}",
    r"at the (?:end|beginning|start|middle) of (?:the|each|every) (?:day|week|month|sprint|quarter|year)",
    r"(?:once|twice|\w{3,6} times|\d{1,2} times|\d{1,2}x) (?:a|per|every) (?:day|week|weekend|month|year|fortnight)",
    r"every (?:few|\w{3,6}|\d{1,3}) (?:days|weeks|months|hours|years)",
    r"(?:daily|weekly|fortnightly|monthly|quarterly|yearly|nightly)",
    r"(?:on |at |during |over )?(?:the )?(?:weekdays|weekends|school holidays|working days|week ?nights|bank holidays)",
    r"(?:on|at|over|during) the weekend",
    rf"(?:in the|at) (?:early |late )?(?:{_PART}|lunch)",
)
_HOURLY = (
    HOURS,
    rf"(?:between|from) {CLOCK} (?:and|to) {CLOCK}",
    rf"(?:before|after|until|till|from|past|by|earlier than|later than) {CLOCK}",
)
_UNIT = rf"(?:{'|'.join((*_REPEATED, *_HOURLY))})"
REPEATED = rf"(?:{'|'.join(_REPEATED)})"
"""A day or a part of it that comes round: 'on Fridays', 'every other week'."""
RECURRING = rf"{_UNIT}(?:,? {_UNIT}){{0,2}}"
"""The same, or hours: 'after 6 pm', 'weekdays between 9 and 12'. Blanks match white space as in `fact_pattern`."""
