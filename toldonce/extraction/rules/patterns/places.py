"""Facts of home and origin. Pure."""

import re
from collections.abc import Iterable

from toldonce.extraction.rules.patterns.fact_pattern import (
    ExtractedFact,
    FactPattern,
    fact_pattern,
    is_named,
    value_of,
)
from toldonce.lazy_pattern import LazyPattern
from toldonce.text import squeeze

_NO_PLACE = LazyPattern(
    r"(?:(?:constant|chronic|deep|pure|total|utter|perpetual)\s++\w+|pain|misery|debt|exile|chaos|isolation|solitude|pyjamas|pajamas|"
    r"fear|hope|peace|harmony|denial|sin|luxury|poverty|silence|the\s++(?:moment|past|present|"
    r"future|now|middle)|tears|vim"
    r"|a\s++(?:bubble|dream|world|simulation)|a\s++society|interesting|an?\s++(?:age|time|era)|emacs|production|main|master|python|rust|java|general|"
    r"theory|bed|work|school"
    r"|a\s++new\s++(?:team|project|role|job|position|phone|laptop|version)|danger|doubt|trouble|"
    r"the\s++(?:next|other|same)\s++\w+|mars|venus|jupiter|saturn|pluto|outer\s++space|another\s++(?:planet|world)|hell|"
    r"the\s++(?:moon|future))\b",
    re.IGNORECASE,
)
_A_PLACE = LazyPattern(
    r"(?:a|an|the)\s++(?:\w+\s++){0,3}?(?:city|town|village|countryside|country|suburbs?|coast|island|"
    r"mountains?|farm|area|region"
    r"|north|south|east|west|flat|apartment|house|cabin|netherlands|us|usa|uk|uae|philippines|states)\b",
    re.IGNORECASE,
)
# Words of a place name in lower case, and small words within one that is written large.
_SMALL_WORDS = 3
_PARTICLES = frozenset("a al am an and da das de del der di do dos du el en la las le les of on sur the upon y".split())
# Programs and languages that people move to.
_NO_TOWNS = frozenset(
    """python java javascript typescript rust go golang kotlin swift ruby php linux ubuntu debian fedora arch macos
    windows android ios vim neovim emacs helix vscode postgres postgresql mysql sqlite aws azure docker kubernetes
    github gitlab notion obsidian figma slack""".split()
)
# Where the name of a place ends: 'Turin for uni', 'Beverley, nicer schools', but not 'Paris, France'.
_PLACE_END = LazyPattern(
    r"(?<!\s)\s++(?:with|to|for|as|next|last|this|and|bc|now|again|already|yay|haha|according|lol|apparently|basically|tbh)\b|,\s++(?![A-Z])"
)
# Of 'a flat in Leeds', only the town is the location.
_DWELLING = LazyPattern(
    r"(?:an?|the|my|our)\s++(?:[\w-]++\s++){0,2}?(?:flat|apartment|house|houseboat|boat|room|place|studio|cottage|bungalow|farm|dorm|condo|"
    r"shared\s++flat|terraced\s++house)\s++(?:in|near|outside)\s++(?=(?-i:[A-Z]))",
    re.IGNORECASE,
)


def _place(raw: str | None) -> str:
    value = value_of(_PLACE_END.split(squeeze(raw or ""), maxsplit=1)[0], max_words=7).strip(" ,")
    value = _DWELLING.sub("", value)
    if not value or _NO_PLACE.match(value) or value.split()[0].lower() in _NO_TOWNS:
        return ""
    if _A_PLACE.match(value):
        return value
    if is_named(value):
        return value if all(is_named(word) or word in _PARTICLES for word in value.split()) else ""
    words = value.split()
    if words[0] in ("a", "an", "the", "my", "our") or not value.islower() or len(words) > _SMALL_WORDS:
        return ""
    return " ".join(word.capitalize() for word in words)


def _at(place: str) -> Iterable[ExtractedFact]:
    if place:
        yield ExtractedFact(category="identity", key="location", value=place, dated=True)


def _lives(match: re.Match[str]) -> Iterable[ExtractedFact]:
    return _at(_place(match["v"]))


def _moved(match: re.Match[str]) -> Iterable[ExtractedFact]:
    return _at(_place(match["v"] or match["w"]))


def _from(match: re.Match[str]) -> Iterable[ExtractedFact]:
    place = _place(match["v"]).partition(" originally")[0]
    if is_named(place):
        yield ExtractedFact(category="identity", key="origin", value=place, importance=0.7)


_MOVED = (
    r"(?:(?:<HAVE>|<I>|we(?:'ve| have)?(?: (?:just|recently|finally))?)(?: finally)? )?(?:(?:just|"
    r"recently) )?(?:moved|relocated)"
    r"(?: (?:back|over|house|out))? (?:from .{1,200}? (?:to|into) (?P<v>.+)|(?:to|into)"
    r" (?P<w>.{1,200}?)(?: from .+)?)\s*+$"
)

RULES: tuple[FactPattern, ...] = (
    fact_pattern(
        r"(?:<I>|we(?: all| both| now| still){0,2}) (?:live|reside)(?: \w+ly| together| now)? (?:in|on) (?P<v>.+)",
        _lives,
    ),
    fact_pattern(r"(?:<I>|we) share an? (?:[\w-]+ )?(?:flat|apartment|house|place) in (?P<v>.+)", _lives),
    fact_pattern(r"<AM> (?:living|based|residing|located) (?:in|out of|on) (?P<v>.+)", _lives),
    fact_pattern(
        r"<HAVE> (?:been living|lived|been based)(?: here)? in (?P<v>.{1,200}?)\s*+(?:\b(?:since|for)\b|$)", _lives
    ),
    fact_pattern(_MOVED, _moved),
    fact_pattern(r"my (?:(?:current|home) ?)?(?:city|town|location|residence|home) is (?:in )?(?P<v>.+)", _lives),
    fact_pattern(r"<AM> from (?P<v>.+)", _from),
    fact_pattern(r"<I> (?:come|hail) from (?P<v>.+)", _from),
    fact_pattern(r"<I> (?:was )?(?:born|grew up|raised)(?: and raised)? in (?P<v>.+)", _from),
    fact_pattern(r"my (?:home ?town|home country|birthplace) is (?P<v>.+)", _from),
)
