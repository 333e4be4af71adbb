"""Facts of taste: favourites, hobbies, what is preferred, seats; and what is liked. Pure."""

import re
from collections.abc import Iterable

from recollect.extraction.rules.patterns.fact_pattern import (
    ExtractedFact,
    FactPattern,
    bare_value,
    fact_pattern,
    is_described,
    list_values,
    slot,
    value_of,
)
from recollect.lazy_pattern import LazyPattern

# Things liked for a moment, or in the present answer, which are no taste.
_PASSING = LazyPattern(
    r"^(?:your|the\s++(?:idea|way|sound|look|answer|first|second|last|new|one)|seeing|hearing|knowing|"
    r"being|having|that|how|when|talking\s++to"
    r"|to\s++(?:see|know|hear|think|be|have|get|say|ask|thank|add|point|make\s++sure|understand|"
    r"use\s++this|help\s++me)|getting|it)\b",
    re.IGNORECASE,
)
# Words that say what a favourite does, not what it is: 'my favourite team is losing'.
_GOES_ON = LazyPattern(
    r"(?:dying|losing|winning|changing|getting|going|becoming|closing|coming|being|growing|moving|leaving|failing|costing|taking|"
    r"playing\s(?:badly|well|today|tonight|tomorrow)|gone|dead|over|closed|still|always|never|not|no\slonger|so|too|very)\b",
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


def _whose(raw: str, thing: str) -> str:
    """Write 'my' as 'their': 'I hate my job' becomes 'their job'."""
    return f"their {thing}" if f"my {thing}".lower() in raw.lower() else thing


def _likes(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for thing in _tastes(match["v"]):
        if re.match(r"to\s++\w+", thing):
            activity = thing.split(maxsplit=1)[1]
            yield ExtractedFact(
                category="preference",
                key=slot("hobby", activity),
                value=activity,
                says=f"likes {thing}",
                importance=0.55,
            )
        else:
            says = f"likes {_whose(match['v'], thing)}"
            yield ExtractedFact(category="preference", key=slot("like", thing), value=thing, says=says, importance=0.55)


def _dislikes(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for thing in _tastes(match["v"]):
        says = f"does not like {_whose(match['v'], thing)}"
        yield ExtractedFact(category="preference", key=slot("dislike", thing), value=thing, says=says, importance=0.55)


def _likes_no_more(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for thing in _tastes(match["v"]):
        says = f"no longer likes {thing}"
        yield ExtractedFact(
            category="preference",
            key=slot("like", thing),
            value=thing,
            says=says,
            importance=0.55,
            ends=True,
            dated=True,
        )


def _prefers(match: re.Match[str]) -> Iterable[ExtractedFact]:
    whole = value_of(match["v"], max_words=12)
    if not whole or _PASSING.match(whole):
        return
    chosen = re.split(r"(?<!\s)\s++(?:over|to|rather\s++than|instead\s++of|than)\s++", whole)[0]
    if 0 < len(chosen.split()) <= _MAX_TASTE_WORDS:
        yield ExtractedFact(
            category="preference",
            key=slot("prefer", bare_value(chosen)),
            value=chosen,
            says=f"prefers {whole}",
            importance=0.6,
        )


# Text after a favourite that is no part of it: 'green, can you suggest curtains', 'orange now'.
_AFTERTHOUGHT = LazyPattern(
    r",\s++(?:can|could|would|do|does|did|what|which|where|how|any|so|is|are|i|it|they|that|in\s++case|if|please|pls|"
    r"though|not|no|by\s++far|of\s++course)\b|(?<!\s)\s++(?:now|again|nowadays|lately|atm|tbh|btw|lol|too|though|for\s++sure|actually|probably|i\s++(?:think|guess|suppose|reckon))(?=[\s.,!]*+$)",
    re.IGNORECASE,
)


def _favourite(match: re.Match[str]) -> Iterable[ExtractedFact]:
    thing = re.sub(r"\s++", " ", match["what"].lower())
    value = bare_value(value_of(_AFTERTHOUGHT.split(match["v"], maxsplit=1)[0], max_words=8))
    if value and len(thing.split()) <= 4 and not _GOES_ON.match(value):
        key = f"favorite_{thing.replace(' ', '_')}"
        yield ExtractedFact(
            category="preference", key=key, value=value, says=f"'s favorite {thing} is {value}", importance=0.6
        )


def _favourite_turned(match: re.Match[str]) -> Iterable[ExtractedFact]:
    thing, value = match["what"], bare_value(value_of(match["v"]))
    if value and thing:
        key = f"favorite_{thing.lower()}"
        yield ExtractedFact(
            category="preference", key=key, value=value, says=f"'s favorite {thing} is {value}", importance=0.6
        )


def _hobbies(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for thing in _tastes(match["v"]):
        thing = re.sub(r"^to\s++", "", thing)
        if _GOES_ON.match(thing) or (is_described(thing) and not re.fullmatch(r"(?<!\w)\w{1,40}ing(?:\s\w++)*", thing)):
            continue
        yield ExtractedFact(
            category="preference", key=slot("hobby", thing), value=thing, says=f"'s hobby is {thing}", importance=0.55
        )


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
        lambda m: _likes_no_more(m) if m["more"] else _dislikes(m),
    ),
    fact_pattern(
        r"<AM> not (?:an? )?(?:(?:big|huge|much of an?|really an?) )*(?:fan of|fond of|into|keen on) (?P<v>.+)",
        _dislikes,
    ),
    fact_pattern(
        r"<I> (?:no longer (?:like|love|enjoy)|used to (?:like|love|enjoy)|stopped (?:liking|loving|"
        r"enjoying)) (?P<v>.+)",
        _likes_no_more,
    ),
)
"""What people say they like. Of real chats a quarter of such sentences meant the answer before, a figure of a story or
something else: they make no fact, and name what a request to forget is about."""

RULES: tuple[FactPattern, ...] = (
    fact_pattern(r"<I> (?:would )?prefer (?P<v>.+)", lambda m: _prefers(m) if "would" not in m.group().lower() else ()),
    fact_pattern(
        r"my (?:all-?time )?fav(?:ou?rite|e|s)? (?P<what>[\w'-]{1,40}+(?: [\w'-]{1,40}+){0,7}?) "
        r"(?:is|are|has always been|would be) (?P<v>.+)",
        _favourite,
    ),
    fact_pattern(
        r"(?P<v>[\w'-]{1,40}+(?: [\w'-]{1,40}+){0,7}?) "
        r"(?:is|are) my (?:all-?time )?fav(?:ou?rite|e|s)? (?P<what>[\w-]+)\s*+$",
        _favourite_turned,
    ),
    fact_pattern(
        r"my (?:main |biggest )?(?:hobby|hobbies|pastime|passion)s? (?:is|are|include|includes) (?P<v>.+)", _hobbies
    ),
    fact_pattern(
        r"in my (?:free|spare) time,? i (?:like to |love to |enjoy |often |usually |also )*(?P<v>.+)", _hobbies
    ),
    fact_pattern(r"<AM> (?:really |very |big )?(?:into|keen on) (?P<v>.+)", _hobbies),
)


_ASKS_FOR = (
    r"(?:<I>(?:'d| would| will|'ll)?(?: rather)?"
    r"(?: like| prefer| take| want| book| choose| sit in| have| go for| need){1,2})"
)


def _seat(match: re.Match[str]) -> Iterable[ExtractedFact]:
    seat = match["v"].lower()
    says = f"prefers the {seat} seat"
    yield ExtractedFact(category="preference", key="seat", value=f"{seat} seat", says=says, importance=0.65)


SEAT_RULES: tuple[FactPattern, ...] = (
    fact_pattern(
        rf"{_ASKS_FOR}(?: the| an?| my)? (?P<v>window|aisle|middle|exit row)(?: seats?)?\b(?= seat|\s*+$|[,.]| "
        rf"(?:now|on|in|when|please|these)\b)",
        _seat,
    ),
    fact_pattern(
        r"(?P<v>window|aisle) seats?(?: please| pls| for me| from now on| always| all the way| now){1,2}\s*+$", _seat
    ),
)
