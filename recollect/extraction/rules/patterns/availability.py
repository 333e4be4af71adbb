"""Facts of availability: when the user can be met, works, and wants no appointments. Pure."""

import re
from collections.abc import Iterable

from recollect.extraction.rules.patterns.fact_pattern import (
    CLOCK,
    DAY_RANGE,
    HOURS,
    RECURRING,
    ExtractedFact,
    FactPattern,
    fact_pattern,
    slot,
)
from recollect.lazy_pattern import LazyPattern
from recollect.text import squeeze

IMPORTANCE = 0.65
# Words before a time that do not identify it.
_LEADING = LazyPattern(r"(?:(?:on|in|at|over|during|from|the|most|my)\s++){1,3}(?=[a-z])", re.IGNORECASE)
_WEEKDAY = LazyPattern(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day", re.IGNORECASE)
_EVERY = LazyPattern(
    r"(?:every|each)\s++(?:single\s++)?(?=(?:mon|tues|wednes|thurs|fri|satur|sun|week|morn|aft|eve)\w)", re.I
)
_BUSY = LazyPattern(r"busy|un|off\b|out\b|away|booked|tied|taken|blocked|in\s", re.IGNORECASE)
_NOT = LazyPattern(r"(?:not|never|no\s++longer|rarely|hardly\s++ever|seldom)\b", re.IGNORECASE)
_NO_EARLIER = LazyPattern(r"(?:before|until|till|earlier\s++than)\s++(?P<clock>\S.*)", re.IGNORECASE)
_NEGATED = LazyPattern(
    r"(?:\w{1,20}+(?:'\w{1,4}+)?\s{1,3}+){0,2}?(?:not?|never|don't|doesn't|isn't|aren't)\b", re.IGNORECASE
)
_BAD = LazyPattern(r"\b(?:bad|out|taken|blocked|busy|difficult|tricky|hard)\b", re.IGNORECASE)
_BEST = LazyPattern(r"\b(?:best|ideal|perfect|easiest)\b", re.IGNORECASE)
_NO_LATER = LazyPattern(r"(?:after|past|later\s++than|from)\s++(?P<clock>\S.*)", re.IGNORECASE)


def _when(raw: str) -> str:
    """Return a time in the form of a key.

    >>> _when("on Fridays"), _when("every Monday evening"), _when("in the mornings")
    ('fridays', 'monday evenings', 'mornings')
    """
    when = squeeze(raw).casefold()
    repeated = _EVERY.match(when)
    if repeated:
        when = f"{when[repeated.end() :]}s".replace("ss", "s")
    return _LEADING.sub("", when, count=1) if _LEADING.match(when) else when


def _spoken(raw: str) -> str:
    spoken = squeeze(raw).strip(" .,")
    return spoken if _WEEKDAY.match(spoken) else spoken[:1].lower() + spoken[1:]


def _fact(key: str, value: str, says: str, *, ordered: bool = False) -> ExtractedFact:
    category = "instruction" if ordered else "constraint"
    return ExtractedFact(category=category, key=key, value=value, says=says, importance=IMPORTANCE, ordered=ordered)


def _met(when: str, *, free: bool, only: bool = False, ordered: bool = False) -> Iterable[ExtractedFact]:
    spoken = _spoken(when)
    state = "available" if free else "not available"
    if only and free:
        yield _fact("availability:only", f"only available {spoken}", f"is only available {spoken}")
        return
    early, late = _NO_EARLIER.fullmatch(spoken), _NO_LATER.fullmatch(spoken)
    bound = "earliest" if early else "latest" if late else ""
    key = f"availability:{bound}" if bound and not free else slot("availability", _when(spoken))
    yield _fact(key, f"{state} {spoken}", f"is {state} {spoken}", ordered=ordered)


def _free(match: re.Match[str]) -> Iterable[ExtractedFact]:
    denied = bool(_NOT.match((match["no"] or "").strip()))
    free = bool(_BUSY.match(match["state"])) == denied
    only = "only" in match.group().lower().split()
    yield from _met(match["when"], free=free, only=only)


def _cannot(match: re.Match[str]) -> Iterable[ExtractedFact]:
    yield from _met(match["when"], free=False)


def _can_only(match: re.Match[str]) -> Iterable[ExtractedFact]:
    yield from _met(match["when"], free=True, only=True)


def _does_not_work(match: re.Match[str]) -> Iterable[ExtractedFact]:
    spoken = _spoken(match["when"])
    yield _fact(slot("availability", _when(spoken)), f"not working {spoken}", f"does not work {spoken}")


def _ordered(match: re.Match[str]) -> Iterable[ExtractedFact]:
    spoken = _spoken(match["when"])
    early, late = _NO_EARLIER.fullmatch(spoken), _NO_LATER.fullmatch(spoken)
    key = "availability:earliest" if early else "availability:latest" if late else slot("availability", _when(spoken))
    yield _fact(key, f"no appointments {spoken}", f"wants no appointments {spoken}", ordered=True)


def _suits(match: re.Match[str]) -> Iterable[ExtractedFact]:
    spoken, how = _spoken(match["when"]), match["how"]
    if _NEGATED.match(how) or _BAD.search(how):
        yield from _met(spoken, free=False)
    elif _BEST.search(how):
        yield from _as_best(spoken)
    else:
        yield from _met(spoken, free=True)


def _best(match: re.Match[str]) -> Iterable[ExtractedFact]:
    yield from _as_best(_spoken(match["when"]))


def _as_best(spoken: str) -> Iterable[ExtractedFact]:
    yield _fact("availability:best", spoken, f"is best reached {spoken[0].lower()}{spoken[1:]}")


def _taken_off(match: re.Match[str]) -> Iterable[ExtractedFact]:
    yield from _met(match["when"], free=match["state"].lower() == "free")


def _kept(match: re.Match[str]) -> Iterable[ExtractedFact]:
    spoken, purpose = _spoken(match["when"]), squeeze(match["what"]).strip(" .,!")
    value = f"keeps {spoken} {purpose}"
    yield _fact(slot("availability", _when(spoken)), value, value, ordered=bool(match.groupdict().get("order")))


def _hours(match: re.Match[str]) -> Iterable[ExtractedFact]:
    spoken = re.sub(r"^from\s++", "", _spoken(match["when"]), flags=re.IGNORECASE)
    yield _fact("work_hours", spoken, f"works {spoken}")


def _break(match: re.Match[str]) -> Iterable[ExtractedFact]:
    name, spoken = squeeze(match["what"]).lower(), _spoken(match["when"])
    yield _fact(name.replace(" ", "_"), spoken, f"'s {name} is {spoken}")


def _on_call(match: re.Match[str]) -> Iterable[ExtractedFact]:
    spoken = _spoken(match["when"])
    yield _fact("on_call", spoken, f"is on call {spoken}")


def _observes(match: re.Match[str]) -> Iterable[ExtractedFact]:
    what = squeeze(match["what"])
    yield _fact(slot("observance", what), what, f"observes {what}")


def _commitment(match: re.Match[str]) -> Iterable[ExtractedFact]:
    what, spoken = squeeze(match["what"]).strip(" ,"), _spoken(match["when"])
    if len(what.split()) <= _MAX_WORDS and not _NO_COMMITMENT.match(what):
        yield _fact(slot("commitment", what), f"{what} {spoken}", f"has {what} {spoken}")


_MAX_WORDS = 5
_NO_COMMITMENT = LazyPattern(
    r"(?:(?:an?|the|no|any|some|this|these)\s++)?(?:\w{1,20}+\s{1,3}+)?(?:errors?|problems?|issues?|trouble|questions?|time|"
    r"nothing|something|to|been|had|it|that|"
    r"this|doubts?|idea|bugs?|dreams?|nightmares?|headaches?|migraines?)\b",
    re.IGNORECASE,
)
_MAY = r"(?:(?:only|usually|normally|generally|always|mostly|typically|also|just|really|currently) ){0,3}"
_FREE = (
    r"free|available|around|reachable|busy|unavailable|unreachable|off(?: work| duty)?|out(?: of (?:the )?office)?|"
    r"away|booked(?: up| out| solid)?|tied up|blocked|in meetings"
)
_TO_MEET = r"(?: (?:only|to (?:meet|talk|chat|call)|for (?:calls|meetings|a call|a chat)|all|again)){0,2}"
_MEET = (
    r"(?:do|meet|make|attend|talk|come|be reached|(?:take|have|do|join) (?:calls|meetings))"
    r"(?: (?:it|calls|meetings|up|in|with you|anything|on zoom|on teams|online|in person|by phone)){0,2}"
)
_PLEASE = r"(?:(?:please|pls|and|also|always|generally|just|from now on|going forward|in future|by default),? ){0,4}"
_ANYTHING = (
    r"(?:(?:me|us|anything|something|stuff|things|any|my|a|an|meetings?|calls?|appointments?|events?|interviews?|"
    r"sessions?|reviews?|tasks?|work|reminders?|messages?|up|in|for|with) ){0,5}"
)
_SCHEDULE = (
    r"(?:schedul(?:e|ing)|book(?:ing)?|plan(?:ning)?|put(?:ting)?|set(?:ting)?|arrang(?:e|ing)|propos(?:e|ing)|"
    r"offer(?:ing)?|suggest(?:ing)?|call(?:ing)?|ring(?:ing)?|messag(?:e|ing)|ping(?:ing)?|text(?:ing)?|disturb|"
    r"contact(?:ing)?|remind|invite)"
)
_EVENTS = r"(?:meetings?|calls?|appointments?|events?|interviews?|messages?|emails?|notifications?|reminders?|anything)"
# After a time, the sentence ends or turns to something else.
_END = (
    r"(?=\s*+(?:$|[,.;!:)(]|(?:and|so|but|because|as|since|please|pls|if|unless|though|except|cause|for|with|work|"
    r"until|when|thanks|usually|only|to)\b))"
)
_ENDS_HERE = r"(?=\s*+(?:$|[,.!]|(?:please|pls|for me|ever|thanks|and|so|because|since|as)\b))"
_IS = r"(?:(?:is|are|'s|isn't|aren't|don't|doesn't|never|not|no|usually|always|generally|really|also|just) ){1,4}"
_HOW = (
    rf"(?:{_IS}(?:(?:the|a|an|my|much|too|no|very|pretty) ){{0,2}}(?:bad|good|best|better|great|fine|ideal|perfect|out|"
    r"taken|blocked|free|busy|difficult|tricky|hard|easiest|work|suit)|(?:work|suit)s?(?: out)?(?: (?:best|better|well|"
    r"fine|great))?)"
)

RULES: tuple[FactPattern, ...] = (
    fact_pattern(
        rf"(?:<AM>|we(?:'re| are)) (?P<no>not |never |no longer |rarely |hardly ever |seldom )?{_MAY}"
        rf"(?P<state>{_FREE}){_TO_MEET} (?P<when>{RECURRING}){_END}",
        _free,
    ),
    fact_pattern(
        rf"(?P<no>not |never |no longer )?{_MAY}(?P<state>free|available|busy|unavailable|off|out of office)"
        rf"{_TO_MEET} (?P<when>{RECURRING})\s*+$",
        _free,
    ),
    fact_pattern(rf"(?P<when>{RECURRING}) only\b,?(?: please| pls| for (?:calls|meetings|me))?{_ENDS_HERE}", _can_only),
    fact_pattern(
        rf"(?:<I>|we) (?:can't|cannot|can not|won't|couldn't|can never|never|don't) {_MEET} "
        rf"(?P<when>{RECURRING}){_END}",
        _cannot,
    ),
    fact_pattern(rf"(?:<I>|we) can only {_MEET} (?P<when>{RECURRING}){_END}", _can_only),
    fact_pattern(rf"<I> (?:don't|do not|never|no longer) work (?P<when>{RECURRING}){_END}", _does_not_work),
    fact_pattern(
        rf"<I>(?: only| usually| normally| always)? work (?P<when>{HOURS}|{DAY_RANGE}|nights|weekends|mornings|"
        rf"afternoons|evenings){_END}",
        _hours,
    ),
    fact_pattern(rf"<AM>(?: only)?(?: working)?(?: part[\s-]time,?)? (?P<when>{DAY_RANGE}){_END}", _hours),
    fact_pattern(
        r"my (?:(?:usual|normal|regular|core|current) )?(?:(?:working|office|work|core|business) )?"
        rf"(?:hours|days?|schedule|shift)(?:'s| is| are| run|:)(?: usually| normally)? (?P<when>{HOURS}|{DAY_RANGE})",
        _hours,
    ),
    fact_pattern(rf"<I>(?: take| have| get| keep) (?P<when>{RECURRING}) (?P<state>off|free)\b", _taken_off),
    fact_pattern(
        rf"{_PLEASE}(?:don't|do not|never|no|stop|avoid|don't ever) {_SCHEDULE} {_ANYTHING}(?P<when>{RECURRING}){_END}",
        _ordered,
    ),
    fact_pattern(
        rf"{_PLEASE}(?:no|nothing|never any|not)(?: more| work| client| team| video)?(?: {_EVENTS})? "
        rf"(?P<when>{RECURRING}){_ENDS_HERE}",
        _ordered,
    ),
    fact_pattern(
        rf"(?:my )?(?P<when>{RECURRING}),? (?P<how>{_HOW})(?: (?:times?|days?))?(?: (?:for|with))? (?:me|us)\b", _suits
    ),
    fact_pattern(
        rf"(?:my )?(?P<when>{RECURRING}) (?:are|is) (?:off[\s-]limits|out of bounds|taken|blocked|sacred|no[\s-]go|"
        rf"out(?=\s*+(?:$|[,.!])))\b",
        _cannot,
    ),
    fact_pattern(
        r"(?:the )?best (?:times?|days?) (?:to (?:reach|call|contact|meet|ping)(?: with)? me|for (?:me|calls|meetings))"
        rf"(?: is| are|:|'s) (?P<when>{RECURRING})",
        _best,
    ),
    fact_pattern(rf"<AM> (?:best|most easily) (?:reached|met|contacted) (?P<when>{RECURRING}){_END}", _best),
    fact_pattern(
        rf"{_PLEASE}(?P<order>keep|leave) my (?P<when>{RECURRING}) (?P<what>free|clear|open|empty|meeting[\s-]free)\b",
        _kept,
    ),
    fact_pattern(
        rf"<I>(?: block| reserve| keep| hold| save| guard)(?: off| out)? (?:all )?(?:my )?(?P<when>{RECURRING})"
        r"(?: off| out)? (?P<what>(?:for|free)\b(?: [\w-]+){0,4})",
        _kept,
    ),
    fact_pattern(
        rf"my (?P<what>lunch(?:[\s-]?break)?|break|nap|siesta)(?:'s| is)(?: usually| always| at){{0,2}} "
        rf"(?P<when>{HOURS}|{RECURRING}|{CLOCK}){_END}",
        _break,
    ),
    fact_pattern(
        r"<I>(?: only| usually| currently)? work (?P<when>(?:\w{2,6}|\d{1,2}) (?:days|hours) (?:a|per) week)\b", _hours
    ),
    fact_pattern(
        r"<I>(?: always| strictly)? (?:keep|observe) (?P<what>(?:the )?(?:shabbat|shabbos|sabbath|ramadan|lent))\b",
        _observes,
    ),
    fact_pattern(rf"<AM> on[\s-]call (?P<when>{RECURRING}){_END}", _on_call),
    fact_pattern(
        rf"(?:<HAVE>|<I>(?: have| have got| got)) (?P<what>(?:[\w'-]{{2,20}} ){{1,5}}?)(?P<when>{RECURRING}){_END}",
        _commitment,
    ),
)
