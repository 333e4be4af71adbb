"""Facts of standing instructions: how to answer, in which language, how long, with which units. Pure."""

import re
from collections.abc import Iterable

from toldonce.extraction.rules.patterns.fact_pattern import ExtractedFact, FactPattern, fact_pattern
from toldonce.extraction.rules.vocabulary import LANGUAGE
from toldonce.text import bare

_MAX_ORDER_CHARACTERS = 300


def _fact(key: str, value: str) -> ExtractedFact:
    return ExtractedFact(category="instruction", key=key, value=value, importance=0.8)


def _language(match: re.Match[str]) -> Iterable[ExtractedFact]:
    name = match["v"].capitalize()
    yield _fact("answer_language", name)


def _address(match: re.Match[str]) -> Iterable[ExtractedFact]:
    name = match["v"].strip(" .!,")
    if name[:1].isupper() and name.split()[0].lower() not in (
        "when",
        "if",
        "back",
        "later",
        "at",
        "on",
        "a",
        "an",
        "the",
    ):
        yield _fact("address_as", name)


def _length(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = match["v"].lower()
    yield _fact("answer_length", value)


def _units(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = match["v"].lower()
    yield _fact("units", value)


def _emoji(_: re.Match[str]) -> Iterable[ExtractedFact]:
    yield _fact("emoji", "no")


def _rule(match: re.Match[str]) -> Iterable[ExtractedFact]:
    order = match.group().strip(" .!")
    order = re.sub(r"^(?:please|pls|also|and|but|so|ok|okay)[\s,]++", "", order, flags=re.IGNORECASE)
    if len(order) <= _MAX_ORDER_CHARACTERS and len(order.split()) > 2:
        yield _fact(f"rule:{bare(order)}", order)


_PLEASE = r"(?:(?:please|pls|also|and|but|ok|okay),? ){0,6}"
_LASTING = r"(?:always|from now on,?|in (?:the )?future,?|going forward,?|by default,?|unless i say otherwise,?)"
_LENGTHS = "short|brief|concise|succinct|to the point|long|detailed|thorough|formal|informal|casual|simple"

# Actions an assistant can be told to do always or never; 'always happy to help' is no order.
_ORDERED = (
    "(?:use|using|answer|reply|respond|write|give|include|explain|show|provide|start|end"
    "|keep|be|ask|check|add|format|cite|tell|speak|talk|refer|assume|put|make|remember"
    "|translate|mention|avoid|treat|address|call|think|reason|double[- ]?check|run|suggest"
    "|recommend|prefer|return|comment|name|indent|sign|offer|follow|list|quote|do|let|begin"
    "|stick|consider|describe|apologi[sz]e|remind|send|spell|round|convert|read|take|skip"
    "|output|generate|create|say|repeat|interrupt|assume|schedule|book|share)"
)

_MAY = r"(?:you (?:can|may)(?: now)? |feel free to |it's (?:fine|ok|okay) to )"


def _long(_: re.Match[str]) -> Iterable[ExtractedFact]:
    yield _fact("answer_length", "long")


def _emoji_again(_: re.Match[str]) -> Iterable[ExtractedFact]:
    yield _fact("emoji", "yes")


RULES: tuple[FactPattern, ...] = (
    fact_pattern(
        rf"{_PLEASE}{_MAY}(?:write|give(?: me)?|send(?: me)?|use) (?:long|longer|detailed|more detailed|fuller) "
        r"(?:answers|replies|responses|explanations|messages)(?: again| now| from now on)",
        _long,
    ),
    fact_pattern(rf"{_PLEASE}{_MAY}(?:use|send|add)(?: some)? emojis?(?: again| now)", _emoji_again),
    fact_pattern(
        rf"{_PLEASE}(?:(?:i want you to|i'd like you to|you should|can you|could you) )?(?:{_LASTING} "
        rf")?(?:please )?(?:answer|reply|respond|speak|talk|write"
        rf"|communicate)(?: (?:to me|me|back|with me))?(?: {_LASTING}| only)? in (?P<v>{LANGUAGE})"
        rf"\b(?: {_LASTING}|,? please|)\s*+$",
        _language,
    ),
    fact_pattern(
        rf"<I> (?:want|prefer|would like|need)(?: (?:all|your))?(?: (?:answers|replies|responses|"
        rf"you to answer|you to reply|you to respond))+ in (?P<v>{LANGUAGE})\b",
        _language,
    ),
    fact_pattern(rf"{_PLEASE}(?:you can |you may |just )?call me (?P<v>[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?)\b", _address),
    fact_pattern(
        r"<I> (?:prefer to be|like to be|want to be|go by|am usually)(?: called)? (?P<v>(?-i:[A-Z])[\w'-]+)", _address
    ),
    fact_pattern(r"(?:people|my friends|everyone|friends) calls? me (?P<v>[\w'-]+)", _address),
    fact_pattern(
        rf"{_PLEASE}(?:{_LASTING} )?(?:keep|make) (?:(?:your|the|all|all your|my) )?(?:answers?|replies|"
        rf"responses?|messages|explanations) (?P<v>{_LENGTHS})\b",
        _length,
    ),
    fact_pattern(
        rf"{_PLEASE}be (?:more |very )?(?P<v>{_LENGTHS})\b (?:with me|in your "
        rf"(?:answers|replies|responses)|when \w+ing.*+|{_LASTING})\s*+$",
        _length,
    ),
    fact_pattern(rf"{_PLEASE}{_LASTING} be (?:more |very )?(?P<v>{_LENGTHS})\b", _length),
    fact_pattern(
        rf"<I> (?:like|prefer|want|love)(?: your)? (?P<v>{_LENGTHS}) (?:answers|replies|responses|explanations)",
        _length,
    ),
    fact_pattern(
        rf"{_PLEASE}(?:{_LASTING} )?(?:use|give (?:me )?|answer in|stick to) (?:the )?(?P<v>metric|"
        rf"imperial|celsius|fahrenheit)\b",
        _units,
    ),
    fact_pattern(r"<I> (?:use|prefer|think in)(?: the)? (?P<v>metric|imperial|celsius|fahrenheit)\b", _units),
    fact_pattern(
        rf"{_PLEASE}(?:(?:{_LASTING} )?(?:don't|do not|never|stop) us(?:e|ing)(?: any)?|no(?: more)?) emojis?\b", _emoji
    ),
    fact_pattern(rf"{_PLEASE}(?:{_LASTING} ){{1,4}}{_ORDERED}\b .+", _rule),
    fact_pattern(
        rf"{_PLEASE}(?:never|don't ever|do not ever) {_ORDERED}\b .+",
        _rule,
    ),
    fact_pattern(r"(?:i want you to|i'd like you to|make sure (?:you|to)) (?:always|never) .+", _rule),
    fact_pattern(
        rf"{_PLEASE}(?:use|write|format|indent with|name) (?:\w+ ){{0,4}}(?:by default|from now on)\b.*", _rule
    ),
)
