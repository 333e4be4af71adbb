"""Facts of how the user works as a rule: availability, code style, workflows. Pure."""

import re
from collections.abc import Sequence

from recollect.dates import DateMention
from recollect.extraction.rules import availability, code_style, routines, workflows
from recollect.extraction.rules.ellipsis import spelled_out
from recollect.extraction.rules.patterns.base import ExtractedFact, FactPattern, found_by
from recollect.extraction.rules.recurrence import DAY_RANGE, NTH_DAY

RULES: tuple[FactPattern, ...] = (*availability.RULES, *code_style.RULES, *workflows.RULES, *routines.RULES)
# A longer clause is a list or a paste.
MAX_CLAUSE = 600
# What is meant for the task at hand, or for one day.
_ONE_OFF = re.compile(
    r"\b(?:this|these|here|below|above|the\s++following|today|tonight|tomorrow|for\s++now|just\s++once|"
    r"at\s++the\s++moment|"
    r"right\s++now|next\s++(?:week|month|time|\w++day)|in\s++the\s++(?:answer|reply|snippet|example|text|poem|"
    r"essay|email|summary|story|table|"
    r"response|output|code\s++(?:above|below))|currently\s++(?:working|trying))\b",
    re.IGNORECASE,
)
_DAYS_THAT_RECUR = re.compile(rf"(?:{DAY_RANGE}|{NTH_DAY})".replace(" ", r"(?:\s++)"), re.IGNORECASE)


def standing_facts(clause: str, mentions: Sequence[DateMention], *, start: int = 0) -> list[ExtractedFact]:
    """Find how the user works as a rule; nothing where the clause speaks of one day or one task.

    Args:
        clause: With plain quotes, in the speaker's words.
        mentions: Times that the clause names, spans counted from its start.
        start: Where the statement begins, behind the words that only lead to it.

    >>> [fact.value for fact in standing_facts("I'm free on weekday mornings", ())]
    ['available on weekday mornings']
    >>> standing_facts("I'm free on weekday mornings this week", ())
    []
    """
    if len(clause) > MAX_CLAUSE:
        return []
    found = found_by(RULES, spelled_out(clause[start:].strip(" ,.!;:")))
    if not found or _ONE_OFF.search(clause) or any(_is_one_day(clause, mention) for mention in mentions):
        return []
    least = min(_rank(fact) for fact in found)
    return [fact for fact in found if _rank(fact) == least]


def _rank(fact: ExtractedFact) -> int:
    """Rank a slot: where a clause fills a slot of its own, it is no mere workflow, and a workflow is no mere "
    "routine."""
    name = fact.key.partition(":")[0]
    return {"workflow": 1, "routine": 2}.get(name, 0)


def _is_one_day(clause: str, mention: DateMention) -> bool:
    start, end = mention.span
    recurring = (found.span() for found in _DAYS_THAT_RECUR.finditer(clause))
    return not mention.recurs and not any(first <= start and end <= last for first, last in recurring)
