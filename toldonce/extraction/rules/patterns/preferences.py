"""What people say they like, as a request to forget names it. Pure.

Of real chats a quarter of such sentences meant the answer before, a figure of a story or something else: they make no
fact.
"""

import re
from collections.abc import Iterable

from toldonce.extraction.rules.patterns.fact_pattern import (
    ExtractedFact,
    FactPattern,
    fact_pattern,
    list_values,
    slot,
)
from toldonce.lazy_pattern import LazyPattern

# Things liked for a moment, or in the present answer, which are no taste.
_PASSING = LazyPattern(
    r"^(?:your|the\s++(?:idea|way|sound|look|answer|first|second|last|new|one)|seeing|hearing|knowing|"
    r"being|having|that|how|when|talking\s++to"
    r"|to\s++(?:see|know|hear|think|be|have|get|say|ask|thank|add|point|make\s++sure|understand|"
    r"use\s++this|help\s++me)|getting|it)\b",
    re.IGNORECASE,
)
# Words of a taste; a longer one is an opinion.
_MAX_TASTE_WORDS = 5


# Degrees of liking.
_DEGREE = LazyPattern(r"(?<!\s)\s++(?:a\s++lot|so\s++much|very\s++much|the\s++most|best|more\s++than\s++\w+)\b")


def _tastes(raw: str | None) -> list[str]:
    if not raw or _PASSING.match(raw.strip()):
        return []
    kept = list_values(
        _DEGREE.split(raw, maxsplit=1)[0],
        max_words=_MAX_TASTE_WORDS,
    )
    return [thing for thing in kept if not _PASSING.match(thing)]


def _tasted(match: re.Match[str], key: str) -> Iterable[ExtractedFact]:
    for thing in _tastes(match["v"]):
        yield ExtractedFact(category="preference", key=slot(key, thing), value=thing, importance=0.55)


def _likes(match: re.Match[str]) -> Iterable[ExtractedFact]:
    return _tasted(match, "like")


def _dislikes(match: re.Match[str]) -> Iterable[ExtractedFact]:
    return _tasted(match, "dislike")


_STRONGLY = r"(?:<I>|i've always|i have always)"

TASTES: tuple[FactPattern, ...] = (
    fact_pattern(
        rf"{_STRONGLY} (?:like|love|enjoy|adore|liked|loved|enjoyed)(?<!d)(?: (?:to|eating|drinking|"
        rf"playing)(?= \w+ing))? (?P<v>.+)",
        _likes,
    ),
    fact_pattern(r"i(?:'ve| have) always (?:liked|loved|enjoyed) (?P<v>.+)", _likes),
    fact_pattern(
        r"<AM> (?:an? )?(?:(?:big|huge|massive|great|real|lifelong|die-?hard|avid) )*(?:fan of|"
        r"fond of|crazy about|passionate about) (?P<v>.+)",
        _likes,
    ),
    fact_pattern(
        r"<AM> (?:an? )?(?P<v>coffee|tea|wine|beer|dog|cat|night|early|morning|city|beach|outdoor|"
        r"book|music|movie|chocolate)[\s-](?:lover|person|enthusiast|addict|buff|fanatic)\b",
        _likes,
    ),
    fact_pattern(
        r"<I> (?:hate|dislike|detest|loathe|despise|can't stand|cannot stand|can't bear) (?P<v>.+)", _dislikes
    ),
    fact_pattern(
        r"<I> (?:don't|do not|never)(?: really| particularly| much)? (?:like|enjoy|care for|liked)"
        r" (?P<v>.{1,200}?)(?P<more><NOMORE>)?\s*+$",
        lambda m: () if m["more"] else _dislikes(m),
    ),
    fact_pattern(
        r"<AM> not (?:an? )?(?:(?:big|huge|much of an?|really an?) )*(?:fan of|fond of|into|keen on) (?P<v>.+)",
        _dislikes,
    ),
)
