"""Facts of occupation: employer, job, studies. Pure."""

import re
from collections.abc import Iterable

from toldonce.extraction.rules.patterns.fact_pattern import (
    ExtractedFact,
    FactPattern,
    bare_value,
    fact_pattern,
    is_described,
    is_named,
    value_of,
)
from toldonce.extraction.rules.vocabulary import PROFESSIONS
from toldonce.lazy_pattern import LazyPattern

_NO_FIRM = LazyPattern(
    r"(?:home|myself|night|least|weekends?|the\s++(?:moment|office|same)|all|once|times?|free|fun|"
    r"money|a\s++living|first)\b",
    re.I,
)
_SOME_DAY = LazyPattern(
    r"\b(?:one\s++day|some\s?day|eventually|when|if|once|maybe|in\s++the\s++future|never)\b", re.IGNORECASE
)
# 'A good cook' does something well, but not necessarily for a living.
_HOW_WELL = LazyPattern(
    r"(?:(?:very|pretty|really|quite|rather|such\sa|fairly|damn|super)\s)?(?:good|bad|great|terrible|awful|decent|lousy|slow|fast|quick|"
    r"keen|avid|passionate|enthusiastic|better|best|worse|worst|mediocre|excellent|poor|careful|careless|nervous|heavy|light|"
    r"strong|weak|hobby|home|sunday|weekend|wannabe|aspiring|would-be|lazy|messy|natural|born|self-confessed|secret|closet)\s",
    re.IGNORECASE,
)
# What people also are beside their work: 'I'm a shooting guard for the team', 'I'm the driver tonight'.
_DOERS = frozenset(
    "cook driver baker guide judge singer dancer player coach model host guard cleaner photographer".split()
)
# Words of a job's name, and of a firm's name in lower case.
_JOB_WORDS, _SMALL_FIRM_WORDS = 4, 2


def _firm(raw: str | None) -> str:
    value = re.split(r"(?<!\s)\s++(?:as|in|on|with|now|to)\b", value_of(raw, max_words=7), maxsplit=1)[0]
    if not value or _NO_FIRM.match(value) or is_described(value):
        return ""
    described = re.match(r"(?:an?|the)\s++\w+", value, re.IGNORECASE)
    return value if is_named(value) or described or len(value.split()) <= _SMALL_FIRM_WORDS else ""


def _works(match: re.Match[str]) -> Iterable[ExtractedFact]:
    groups = match.groupdict()
    job = bare_value(
        re.split(r"(?<!\s)\s++(?:in|at|for|with|from|near|on)\b", value_of(groups.get("role")), maxsplit=1)[0]
    )
    if job and job.split()[-1].lower() in PROFESSIONS:
        yield ExtractedFact(category="identity", key="job", value=job, dated=True)
    name = _firm(groups.get("v"))
    if name:
        yield ExtractedFact(category="identity", key="employer", value=name, dated=True)


def _works_if_named(match: re.Match[str]) -> Iterable[ExtractedFact]:
    return _works(match) if is_named(match["v"]) else ()


def _is_a(match: re.Match[str]) -> Iterable[ExtractedFact]:
    whole = value_of(match["v"], max_words=14)
    job = bare_value(re.split(r"(?<!\s)\s*+(?:,|\b(?:at|in|for|by|with|from|of|on)\b)", whole, maxsplit=1)[0])
    if not job or len(job.split()) > _JOB_WORDS or job.split()[-1].lower() not in PROFESSIONS:
        return
    if _HOW_WELL.match(job) or job.split()[-1].lower() in _DOERS:
        return
    yield ExtractedFact(category="identity", key="job", value=job, dated=True)
    firm = re.search(r"\b(?:at|for)\s++(?P<firm>[A-Z].*)$", whole)
    name = _firm(firm["firm"]) if firm else ""
    if name and job.split()[-1].lower() == "student":
        yield ExtractedFact(category="identity", key="school", value=name, dated=True)
    elif name:
        yield ExtractedFact(category="identity", key="employer", value=name, dated=True)


def _will_be(match: re.Match[str]) -> Iterable[ExtractedFact]:
    """Read a job that is about to begin; a job for 'some day' is a dream."""
    return () if _SOME_DAY.search(match.string) else _is_a(match)


def _studies(match: re.Match[str]) -> Iterable[ExtractedFact]:
    subject = re.split(r"(?<!\s)\s++(?:at|in|with|for)\b", value_of(match["v"]), maxsplit=1)[0]
    if subject and not re.match(r"(?:hard|for|at|a\s++lot|too|abroad)\b", subject, re.IGNORECASE):
        yield ExtractedFact(category="identity", key="field_of_study", value=subject, importance=0.6, dated=True)


# After "my job": a thing was lost or left, not the job.
_OF_A_JOB = (
    r"[ -](?:offer|application|interview|advert|ad|search|hunt|title|description|contract|cent(?:er|re)|list|letter"
    r"|posting|board|papers?|folder|certificate|reference|badge|id|key|notes?)s?\b"
)
_GOT_A_JOB = r"(?:<HAVE>|<I>) (?:got|started|found|landed|took)(?: an?)?(?: new)? (?:job|position|role)"

RULES: tuple[FactPattern, ...] = (
    fact_pattern(r"<I> work (?:at|for) (?P<v>.{1,200}?)(?: as (?P<role>.+))?$", _works),
    fact_pattern(r"<AM> working (?:at|for) (?P<v>.{1,200}?)(?: as (?P<role>.+))?$", _works_if_named),
    fact_pattern(r"<I> work as (?P<role>an? .{1,200}?)(?: (?:at|for) (?P<v>.+))?$", _works),
    fact_pattern(r"<AM> working as (?P<role>an? .{1,200}?)(?: (?:at|for) (?P<v>.+))?$", _works),
    fact_pattern(
        r"(?:<HAVE>|<I>) (?:start|started|begin|began) (?:work |working )?as (?P<role>an? .{1,200}?)"
        r"(?: (?:at|for|with) (?P<v>.+))?$",
        _works,
    ),
    fact_pattern(
        r"(?:<HAVE>|<I>) (?:started|joined|begun|began)(?: working)?(?: (?:at|for))?"
        r" (?P<v>.{1,200}?)(?: as (?P<role>.+))?$",
        _works_if_named,
    ),
    fact_pattern(_GOT_A_JOB + r"(?: as (?P<role>an? .{1,200}?))? (?:at|with) (?P<v>.+)$", _works),
    fact_pattern(_GOT_A_JOB + r" as (?P<role>an? .+)$", _works),
    fact_pattern(r"my (?:(?:current|new) )?(?:employer|company|workplace) is (?:called )?(?P<v>.+)$", _works),
    fact_pattern(r"my (?:(?:current|new) )?(?:job|profession|occupation|job title) is (?P<role>(?!to\b).+)$", _works),
    fact_pattern(r"<AM> (?P<v>(?:an?|the) .+)$", _is_a),
    fact_pattern(
        r"i(?:'ll| will| am going to|'m going to) (?:be|become|work as|start as) (?P<v>(?:an?|the|their) .+)$", _will_be
    ),
    fact_pattern(r"(?:<I> study|<AM> studying|<AM> majoring in|<I> major in|my major is) (?P<v>.+)", _studies),
)
