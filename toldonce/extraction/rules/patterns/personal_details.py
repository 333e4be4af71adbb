"""Facts of identity: name, age, languages, nationality, pronouns. Pure."""

import re
from collections.abc import Iterable

from toldonce.extraction.rules.patterns.fact_pattern import (
    ExtractedFact,
    FactPattern,
    fact_pattern,
    is_described,
    is_named,
    slot,
)
from toldonce.extraction.rules.vocabulary import (
    LANGUAGE,
    LANGUAGES,
    NATIONALITIES,
    PROFESSIONS,
)
from toldonce.lazy_pattern import LazyPattern

_NOT_NAMES = frozenset(
    """asap atheist back bi buddhist building busy catholic christian confused crazy curious doing done fine gay
    getting glad going good great happy having here hindu hungry i ill interested jewish just later learning
    lesbian looking making married me muslim new not ok okay pregnant ready retired running sad sick single so
    soon sorry stuck sure thinking tired trans trying using vegan vegetarian very well what when if working
    writing you excited proud worried bored lost afraid english dr eng mr mrs ms prof""".split()
)
# Words before the spelling of a name: 'my name is spelled Alix'.
_SPELLED = LazyPattern(
    r"(?:(?:actually|really|usually)\s)?(?:spelled|spelt|written|abbreviated|shortened to|short for)\s"
    r"(?:(?:as|like)\s)?",
    re.IGNORECASE,
)
_PARTICLES = LazyPattern(r"(?:de|da|do|dos|del|della|di|du|la|le|van|von|der|den|ter|ten|bin|ibn|al|el|af|av|zu)\s\S")
# Words of a name, and of one in lower case.
_NAME_WORDS, _SMALL_NAME_WORDS = 4, 2
# Plausible ages of a writer.
_AGES = range(5, 116)


def _name(match: re.Match[str]) -> Iterable[ExtractedFact]:
    spelled = _SPELLED.match(match["v"])
    value = (match["v"][spelled.end() :] if spelled else match["v"]).strip(" ,.!'\"")
    name = re.split(r"(?<!\s)\s++(?:and|but|from|i|by|so)\b", value, maxsplit=1, flags=re.IGNORECASE)[0]
    words = name.split()
    if not words or len(words) > _NAME_WORDS or any(word.lower() in _NOT_NAMES for word in words):
        return
    if re.fullmatch(r"\w(?:-\w){1,20}", name):
        name = name.replace("-", "").capitalize()
    if is_described(name) or (spelled and not is_named(name)):
        return
    if not is_named(name) and not _PARTICLES.match(name):
        if len(words) > _SMALL_NAME_WORDS:
            return
        name = " ".join(word.capitalize() for word in words)
    which = (match["which"] or "").lower()
    key = "name" if which in ("", "real", "given") else f"{which}_name"
    yield ExtractedFact(category="identity", key=key, value=name, importance=0.9)


def _introduced(match: re.Match[str]) -> Iterable[ExtractedFact]:
    words = match["v"].split()
    known = NATIONALITIES | LANGUAGES | PROFESSIONS | _NOT_NAMES
    if all(word[0].isupper() and not word.isupper() and word.lower() not in known for word in words):
        name = match["v"].strip()
        yield ExtractedFact(category="identity", key="name", value=name, importance=0.9)


def _people(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = match["v"].strip(" .!")
    if value.lower() in NATIONALITIES:
        value = value.capitalize()
        yield ExtractedFact(category="identity", key="nationality", value=value, importance=0.7)


def _languages(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for word in re.findall(rf"\b(?:{LANGUAGE})\b", match["v"], re.IGNORECASE):
        name = word.capitalize()
        yield ExtractedFact(category="identity", key=slot("language", word), value=name, importance=0.6)


def _native(match: re.Match[str]) -> Iterable[ExtractedFact]:
    name = match["v"].capitalize()
    yield ExtractedFact(category="identity", key="native_language", value=name, importance=0.7)


def _zone(match: re.Match[str]) -> Iterable[ExtractedFact]:
    zone = match["v"].strip(" .!")
    yield ExtractedFact(category="identity", key="time_zone", value=zone, importance=0.7)


_BARE_PRONOUNS = LazyPattern(r"\W{0,3}(?:she|he|they|ze|xe)\s?/", re.IGNORECASE)
_OF_ONESELF = LazyPattern(r"\b(?:i|i'm|im|i've|me|myself|my\s(?:name|pronouns))\b", re.IGNORECASE)
_STOPS = LazyPattern(r"[.!?\n]")
_MAX_BEFORE = 200


def are_of_another_person(fact: ExtractedFact, clause: str, before: str) -> bool:
    """Return whether pronouns belong to another person, mentioned before them in the sentence.

    >>> fact = ExtractedFact(category="identity", key="pronouns", value="they/them")
    >>> [are_of_another_person(fact, "they/them", before) for before in ("Eoin goes by Ro now, ", "I'm Sam, ")]
    [True, False]
    """
    if fact.key != "pronouns" or not _BARE_PRONOUNS.match(clause):
        return False
    last_clause = _STOPS.split(before[-_MAX_BEFORE:])[-1]
    return any(character.isalpha() for character in last_clause) and not _OF_ONESELF.search(last_clause)


def _pronouns(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = re.sub(r"\s", "", match["v"].lower())
    yield ExtractedFact(category="identity", key="pronouns", value=value)


def _age(match: re.Match[str]) -> Iterable[ExtractedFact]:
    if int(match["v"]) in _AGES:
        yield ExtractedFact(category="identity", key="age", value=match["v"], importance=0.6)


_ZONE = (
    r"(?:UTC|GMT)\s?[+-]\s?\d{1,2}(?::?\d\d)?|UTC|GMT|EST|EDT|CST|CDT|MST|MDT|PST|PDT|CET|CEST|"
    r"EET|EEST|WET|BST|IST|JST|KST"
    r"|AEST|AEDT|[A-Z][a-z]+/[A-Z][A-Za-z_]+|(?:Eastern|Central|Mountain|Pacific)(?:\s++Standard)?\s++Time"
)
RULES: tuple[FactPattern, ...] = (
    fact_pattern(r"my (?:(?P<which>full|first|last|middle|real|given) )?name(?:'s| is) (?P<v>[^,.;!?]+)", _name),
    fact_pattern(r"i(?:'m| am) (?P<v>[\w'-]+(?: [\w'-]+)?)\s*+$", _introduced),
    fact_pattern(r"<AM> (?P<v>[\w-]+)\s*+$", _people),
    fact_pattern(r"<I>(?: can)? speak (?P<v>.+)", _languages),
    fact_pattern(r"<AM> (?:fluent|bilingual|conversational) in (?P<v>.+)", _languages),
    fact_pattern(rf"my (?:native|first|mother) (?:language|tongue) is (?P<v>{LANGUAGE})\b", _native),
    fact_pattern(rf"(?P<v>{LANGUAGE}) is my (?:native|first|mother) (?:language|tongue)\b", _native),
    fact_pattern(rf"<AM> a native (?P<v>{LANGUAGE}) speaker", _native),
    fact_pattern(rf"my time ?zone is (?P<v>{_ZONE})", _zone),
    fact_pattern(rf"<AM> (?:in|on) (?:the )?(?P<v>{_ZONE})(?: time ?zone| time)?\s*+$", _zone),
    fact_pattern(r"my pronouns are (?P<v>[a-z]+\s?/\s?[a-z]+(?:\s?/\s?[a-z]+)?)", _pronouns),
    fact_pattern(r"<I> (?:use|go by) (?P<v>(?:she|he|they|ze|xe)\s?/\s?[a-z]+(?:\s?/\s?[a-z]+)?)", _pronouns),
    fact_pattern(
        r"(?P<v>(?:she|he|they|ze|xe)\s?/\s?(?:her|him|them|zir|hir|xem)(?:\s?/\s?[a-z]+)?)(?:,? (?:btw|here|"
        r"please))?\s*+$",
        _pronouns,
    ),
    fact_pattern(r"<AM> (?P<v>\d{1,3})(?: years? old|\s*+y/?o| years of age)?\s*+$", _age),
    fact_pattern(r"<I> (?:just )?turned (?P<v>\d{1,3})\b", _age),
)
