"""Facts of how the user works as a rule: code style, availability, deploys and reviews. Pure.

Their values are the speaker's own words: 'deploy on Fridays after the tests pass'.
"""

import re
from collections.abc import Iterable, Sequence

from toldonce.dates import DateMention
from toldonce.extraction.rules.clause_subjects import with_apostrophes
from toldonce.extraction.rules.patterns.fact_pattern import (
    DAY_RANGE,
    NTH_DAY,
    RECURRING,
    REPEATED,
    ExtractedFact,
    FactPattern,
    apply_patterns,
    fact_pattern,
    slot,
)
from toldonce.lazy_pattern import LazyPattern
from toldonce.text import squeeze

# Characters of a clause; a longer one is a list or a paste.
MAX_CLAUSE = 600
_IMPORTANCE = 0.6
# Work that fails, or that the user asks about, is the work at hand.
_AT_HAND = LazyPattern(
    r"\b(?:errors?|fail\w*|crash\w*|broken|breaks|doesn't|didn't|isn't|wasn't|won't|can't|cannot|stuck|problems?|"
    r"traceback|exception|how\s++(?:do|can|to)|why|what|getting|wondering|trying|help|you|your|yesterday|nothing|but)\b",
    re.IGNORECASE,
)
# Words of a single task or a single day.
_ONE_OFF = LazyPattern(
    r"\b(?:this|these|here|below|above|today|tonight|tomorrow|for\s++now|just\s++once|at\s++the\s++moment|right\s++now|"
    r"next\s++(?:week|month|time|\w++day)|in\s++the\s++(?:answer|reply|snippet|example|text|poem|essay|email|summary|"
    r"story|table|response|output))\b",
    re.IGNORECASE,
)
_DAYS_THAT_RECUR = LazyPattern(rf"(?:{DAY_RANGE}|{NTH_DAY})".replace(" ", r"(?:\s++)"), re.IGNORECASE)
# Words before a time that do not identify it.
_LEADING = LazyPattern(r"(?:(?:on|in|at|over|during|from|the|most|my)\s++){1,3}(?=[a-z])", re.IGNORECASE)
_EARLIEST = LazyPattern(r"(?:before|until|till|earlier\s++than)\s", re.IGNORECASE)
_LATEST = LazyPattern(r"(?:after|past|later\s++than)\s", re.IGNORECASE)
_ARTICLE = LazyPattern(r"(?:the|a|an|my|our|all|every|each|any|new)\s++", re.IGNORECASE)


def _style(key: str, match: re.Match[str]) -> ExtractedFact:
    is_order = not match.groupdict().get("who")
    return ExtractedFact(
        category="instruction" if is_order else "preference",
        key=key,
        value=squeeze(match["v"]),
        importance=_IMPORTANCE,
        ordered=is_order,
    )


def _indents(match: re.Match[str]) -> Iterable[ExtractedFact]:
    yield _style("indentation", match)


def _line_length(match: re.Match[str]) -> Iterable[ExtractedFact]:
    yield _style("line_length", match)


def _names(match: re.Match[str]) -> Iterable[ExtractedFact]:
    what = match["what"] or match["for"]
    yield _style(slot("naming", what) if what else "naming_convention", match)


def _met(match: re.Match[str]) -> Iterable[ExtractedFact]:
    when = squeeze(match["when"]).lower()
    is_order = not match.groupdict().get("who")
    key = slot("availability", _LEADING.sub("", when))
    if is_order:
        key = "availability:earliest" if _EARLIEST.match(when) else key
        key = "availability:latest" if _LATEST.match(when) else key
    value = squeeze(match["v"]).strip(" .,!")
    category = "instruction" if is_order else "constraint"
    yield ExtractedFact(category=category, key=key, value=value, importance=_IMPORTANCE, ordered=is_order)


def _does(match: re.Match[str]) -> Iterable[ExtractedFact]:
    if _AT_HAND.search(match.string):
        return
    thing, how = _ARTICLE.sub("", squeeze(match["thing"] or ""), count=1), squeeze(match["how"] or "")
    verb = match["verb"].lower()
    topic = " ".join(part for part in (verb, thing.lower(), how.split(" ")[0].lower()) if part)
    value = squeeze(match["v"]).strip(" .,!")
    yield ExtractedFact(category="preference", key=slot("workflow", topic), value=value, importance=_IMPORTANCE)


_WE = r"(?P<who><I>|we(?: (?:all|both|always|usually|only|also|now|mostly|still|just)){0,3})"
_PLEASE = r"(?:(?:please|pls|and|also|always|just|from now on|going forward|in future|by default),? ){0,3}"
_STEP = (
    r"(?:(?:2|3|4|8|two|three|four|eight)[\s-]spaces?|tabs|spaces)(?:,? \d (?:wide|columns|spaces wide))?"
    r"(?: (?:for|in) (?!code|everything|all|my|our|the)[\w+#.]{1,20}(?: and (?:\w{1,6} )?(?:for|in) [\w+#]{1,20})?)?"
)
_STEP_ENDS = r"(?=\s*+(?:$|[,.;!]|(?:for|in|and|not|everywhere|please|pls|now|over|to indent)\b))"
_OF_CODE = r"\b(?! (?:words?|syllables?|lines|seconds|minutes|pages|sentences|euros|dollars|degrees|per))(?!%)"
_CASE = (
    r"(?:(?:lower_?|upper_?|screaming_?)?snake_?[\s-]?case|(?:lower|upper)?[\s-]?camel[\s-]?case|pascal[\s-]?case|"
    r"kebab[\s-]?case)"
)
_FREE = r"(?:not |never |no longer )?(?:only )?(?:free|available|reachable|busy|unavailable)"
_SCHEDULE = (
    r"(?:schedul(?:e|ing)|book(?:ing)?|plan(?:ning)?|put(?:ting)?|arrang(?:e|ing)|propos(?:e|ing)|offer(?:ing)?|"
    r"suggest(?:ing)?|call(?:ing)?)"
)
_ANYTHING = (
    r"(?:(?:me|us|anything|something|any|my|a|an|meetings?|calls?|appointments?|events?|interviews?|up|in|for) ){0,5}"
)
_TIME_ENDS = r"(?=\s*+(?:$|[,.;!:)(]|(?:and|so|but|because|as|since|please|pls|if|unless|though|for|work|only)\b))"
_HANDED_OVER = r"deploy|release|ship|merge|rebase|squash|branch|push|commit|review|pair|tag|triage|estimate"
_MANNER = (
    r"(?:in (?:pairs|batches|stages|sprints)|from (?:main|master|develop|trunk|a branch|tags?|ci)|straight to|directly "
    r"to|to (?:main|master|develop|trunk|production)|by hand|behind|with (?:semver|tags|feature))"
)
_THING = r"(?: (?P<thing>[\w'/&.-]{1,24}(?: [\w'/&.-]{1,24}){0,2}?))??"
_ORDER = r"(?:before|after|once|unless|until|as soon as) (?:i|we|my|our|the|all|every|tests?|ci|qa|approval|\w+ing)\b"

RULES: tuple[FactPattern, ...] = (
    fact_pattern(rf"{_WE} (?:indent(?: code)? (?:with|by|using)|use|prefer) (?P<v>{_STEP}){_STEP_ENDS}", _indents),
    fact_pattern(
        rf"(?:{_WE} |{_PLEASE})(?:keep|wrap|limit|cap) (?:(?:my|our|all|the|code) ){{0,2}}lines?(?: of code| length)? "
        rf"(?:under|below|at|to|within|shorter than|at most) (?P<v>\d{{2,3}}){_OF_CODE}",
        _line_length,
    ),
    fact_pattern(
        rf"(?:{_WE} |{_PLEASE})(?:use|name|write|prefer) (?:(?P<what>\w{{3,20}})(?: names)? (?:in|with|as) )?"
        rf"(?P<v>{_CASE})(?: for (?P<for>\w{{3,20}}))?",
        _names,
    ),
    fact_pattern(rf"(?P<who><AM>|we(?:'re| are)) (?P<v>{_FREE} (?P<when>{RECURRING})){_TIME_ENDS}", _met),
    fact_pattern(
        rf"{_PLEASE}(?P<v>(?:don't|do not|never|stop|avoid) {_SCHEDULE} {_ANYTHING}(?P<when>{RECURRING})){_TIME_ENDS}",
        _met,
    ),
    fact_pattern(
        rf"{_WE} (?P<v>(?:never )?(?P<verb>{_HANDED_OVER}){_THING}"
        rf" (?:(?P<how>{_MANNER})|{REPEATED}|{_ORDER}).{{0,100}})",
        _does,
    ),
)


def work_facts(clause: str, mentions: Sequence[DateMention], *, start: int = 0) -> list[ExtractedFact]:
    """Find how the user usually works; nothing if the clause is about one day or one task.

    Args:
        clause: With plain quotes, in the speaker's words.
        mentions: Its dates, with spans from its start.
        start: Start of the statement, after its lead.

    >>> [fact.value for fact in work_facts("I'm free on weekday mornings", ())]
    ['free on weekday mornings']
    >>> work_facts("I'm free on weekday mornings this week", ())
    []
    """
    if len(clause) > MAX_CLAUSE:
        return []
    found = apply_patterns(RULES, with_apostrophes(clause[start:].strip(" ,.!;:")))
    if not found or _ONE_OFF.search(clause) or any(_is_one_day(clause, mention) for mention in mentions):
        return []
    return found


def _is_one_day(clause: str, mention: DateMention) -> bool:
    start, end = mention.span
    recurring = (found.span() for found in _DAYS_THAT_RECUR.finditer(clause))
    return not mention.recurs and not any(first <= start and end <= last for first, last in recurring)
