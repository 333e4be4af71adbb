"""Facts of how the user works as a rule: availability, code style, workflows and routines. Pure."""

import re
from collections.abc import Iterable, Sequence

from recollect.dates import DateMention
from recollect.extraction.rules.clause_subjects import with_apostrophes
from recollect.extraction.rules.patterns import availability, code_style, workflows
from recollect.extraction.rules.patterns.fact_pattern import (
    CLOCK,
    DAY_RANGE,
    NTH_DAY,
    REPEATED,
    ExtractedFact,
    FactPattern,
    apply_patterns,
    fact_pattern,
    slot,
)
from recollect.extraction.rules.patterns.workflows import in_third_person, is_at_hand
from recollect.extraction.rules.verbs import third_person
from recollect.lazy_pattern import LazyPattern
from recollect.text import squeeze

IMPORTANCE = 0.5
_MAX_WORDS = 20


def _fact(key: str, value: str, says: str) -> Iterable[ExtractedFact]:
    if len(value.split()) <= _MAX_WORDS:
        yield ExtractedFact(category="preference", key=key, value=value, says=says, importance=IMPORTANCE)


def _hour(match: re.Match[str]) -> Iterable[ExtractedFact]:
    verb, when = squeeze(match["verb"]).lower(), squeeze(match["when"]).strip(" .,")
    if is_at_hand(match.string):
        return
    first, _, further = verb.partition(" ")
    habit = f"{third_person(first)} {in_third_person(further)} {when}".replace("  ", " ")
    yield from _fact(_SLOT_OF_HOUR.get(verb, slot("routine", verb)), habit, habit)


_SLOT_OF_HOUR = {
    "get up": "wake_time",
    "wake up": "wake_time",
    "rise": "wake_time",
    "go to bed": "bedtime",
    "go to sleep": "bedtime",
    "start work": "work_start",
    "begin work": "work_start",
    "start working": "work_start",
    "finish work": "work_end",
    "stop work": "work_end",
    "stop working": "work_end",
    "leave work": "work_end",
    "leave the office": "work_end",
}


def _day_begins(match: re.Match[str]) -> Iterable[ExtractedFact]:
    verb, rest = match["verb"].lower(), squeeze(match["rest"]).strip(" .,!")
    part = match["part"].lower()
    habit = f"{third_person(verb)} the {part} {in_third_person(rest)}"
    yield from _fact(slot("routine", f"{verb} of the {part}"), habit, habit)


def _where(match: re.Match[str]) -> Iterable[ExtractedFact]:
    what, when = squeeze(match["what"]), squeeze(match["when"]).strip(" .,")
    if not is_at_hand(match.string):
        yield from _fact(slot("routine", what), f"{what} {when}", f"is {in_third_person(what)} {when}")


def _days_for(match: re.Match[str]) -> Iterable[ExtractedFact]:
    what, when = squeeze(match["what"]).strip(" .,!"), squeeze(match["when"]).strip(" .,")
    yield from _fact(slot("routine", what), when, f"'s {what}: {when}")


def _happens(match: re.Match[str]) -> Iterable[ExtractedFact]:
    what, rule = squeeze(match["what"]), squeeze(match["told"]).strip(" .,!")
    if not is_at_hand(match.string):
        yield from _fact(slot("workflow", what), rule, f"works by this rule: {what} {rule}")


_HAPPENING = (
    r"(?:(?:code |design |peer |pull request |sprint |team |weekly |daily |monthly )?(?:reviews?|releases?|"
    r"deploys?|deployments?|retros?|stand-?ups?|invoices?|"
    r"payslips|newsletters?|backups?|prs|pull requests|builds|demos?|plannings?|one-on-ones|meetings|reports|"
    r"merges|migrations|tickets))"
)

_ROUTINE_RULES: tuple[FactPattern, ...] = (
    fact_pattern(
        r"(?:<I>|<AM>)(?: usually| always| normally| generally| mostly| often| typically){0,2} (?P<verb>(?:get up|"
        r"wake up|rise|go to (?:bed|sleep)|"
        r"(?:start|begin|finish|stop|leave|end) (?:work|working|my shift|school|the office|my day)|get home|come "
        r"home|log (?:on|off)|clock (?:in|out)|"
        r"(?:have|eat|take) (?:lunch|dinner|breakfast|my lunch|my nap)|walk the dogs?|pick up (?:the|my) (?:kids|"
        r"children|son|daughter)|"
        r"drop off (?:the|my) (?:kids|children|son|daughter)|drop (?:the|my) (?:kids|children|son|daughter) off|"
        r"catch the bus|take my (?:pills|tablets|medication|meds|insulin)))"
        rf" (?P<when>(?:at|by|around|about|before|after|between|from) (?:about |around |half past |quarter (?:past|"
        rf"to) )?(?:{CLOCK}|half past \w{{3,6}}|(?:one|two|three|four|five|six|seven|"
        r"eight|nine|ten|eleven|twelve)\b).{0,40})",
        _hour,
    ),
    fact_pattern(
        r"<I>(?: always| usually| like to){0,2} (?P<verb>start|begin|end|finish) (?:the|my|every|each) "
        r"(?P<part>day|morning|week|evening|work ?day|month) "
        r"(?P<rest>(?:with|by|on|in) .{2,80})",
        _day_begins,
    ),
    fact_pattern(
        rf"<AM> (?P<what>(?:in|at|with) (?:the |my |our )?(?:[\w'-]{{2,20}} ){{0,3}}?[\w'-]{{2,20}}|working(?: "
        rf"from home| remotely)?|teaching|training|volunteering|wfh|remote|abroad|"
        rf"away|travell?ing) (?P<when>{REPEATED})(?=\s*+(?:$|[,.;!]|(?:and|so|but|because)\b))",
        _where,
    ),
    fact_pattern(
        rf"(?P<when>{REPEATED}) (?:are|is) (?:my|our) (?P<what>(?:[\w-]{{2,20}} ){{0,2}}(?:days?|nights?|mornings?|"
        rf"evenings?|time|off))\b",
        _days_for,
    ),
    fact_pattern(
        rf"(?P<what>{_HAPPENING}) (?P<told>(?:go(?:es)? out|happens?|takes? place|ships?|runs?|are|is|needs?|"
        rf"requires?|gets?) .{{0,50}}?(?:{REPEATED}|(?:here|with us|at (?:our|my) (?:place|company|work|shop|"
        rf"team))).{{0,40}})",
        _happens,
    ),
)


RULES: tuple[FactPattern, ...] = (*availability.RULES, *code_style.RULES, *workflows.RULES, *_ROUTINE_RULES)
# Characters of a clause; a longer one is a list or a paste.
MAX_CLAUSE = 600
# Words of a single task or a single day.
_ONE_OFF = LazyPattern(
    r"\b(?:this|these|here|below|above|the\s++following|today|tonight|tomorrow|for\s++now|just\s++once|"
    r"at\s++the\s++moment|"
    r"right\s++now|next\s++(?:week|month|time|\w++day)|in\s++the\s++(?:answer|reply|snippet|example|text|poem|"
    r"essay|email|summary|story|table|"
    r"response|output|code\s++(?:above|below))|currently\s++(?:working|trying))\b",
    re.IGNORECASE,
)
_DAYS_THAT_RECUR = LazyPattern(rf"(?:{DAY_RANGE}|{NTH_DAY})".replace(" ", r"(?:\s++)"), re.IGNORECASE)


def work_facts(clause: str, mentions: Sequence[DateMention], *, start: int = 0) -> list[ExtractedFact]:
    """Find how the user usually works; nothing if the clause is about one day or one task.

    Args:
        clause: With plain quotes, in the speaker's words.
        mentions: Its dates, with spans from its start.
        start: Start of the statement, after its lead.

    >>> [fact.value for fact in work_facts("I'm free on weekday mornings", ())]
    ['available on weekday mornings']
    >>> work_facts("I'm free on weekday mornings this week", ())
    []
    """
    if len(clause) > MAX_CLAUSE:
        return []
    found = apply_patterns(RULES, with_apostrophes(clause[start:].strip(" ,.!;:")))
    if not found or _ONE_OFF.search(clause) or any(_is_one_day(clause, mention) for mention in mentions):
        return []
    best = min(_rank(fact) for fact in found)
    return [fact for fact in found if _rank(fact) == best]


def _rank(fact: ExtractedFact) -> int:
    """Rank a slot: a specific slot wins over a workflow, and a workflow over a routine."""
    name = fact.key.partition(":")[0]
    return {"workflow": 1, "routine": 2}.get(name, 0)


def _is_one_day(clause: str, mention: DateMention) -> bool:
    start, end = mention.span
    recurring = (found.span() for found in _DAYS_THAT_RECUR.finditer(clause))
    return not mention.recurs and not any(first <= start and end <= last for first, last in recurring)
