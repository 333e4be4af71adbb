"""What a clause says has happened in a life, and older clauses of before: a birth, a wedding, a recovery. Pure."""

import re
from dataclasses import dataclass

from recollect.text.clauses import ReadClause, has_meaning, read_clause
from recollect.text.speakers import ME, RELATIONS, may_be_the_same, may_share_owner, owner_of
from recollect.text.update_words import NEGATIONS

_EVENTS = {
    "birth": (
        re.compile(
            r"\b(?:gave birth|(?:is|s|are|re) (?:finally )?here|was born|were born|born (?:on|at|last|this|yesterday|"
            r"today)|"
            r"had (?:the|our|my|her) (?:baby|twins)|baby (?:came|arrived)|(?:since|now that) the baby(?: s| is)? "
            r"(?:came|arrived|here|born)|"
            r"welcomed (?:a|our)|we re (?:parents|home with the baby)|breastfeeding)\b"
        ),
        re.compile(
            r"\b(?:pregnant|expecting|due (?:on|in|date|\d|january|february|march|april|may|june|july|august|"
            r"september|october|november|"
            r"december)|trimester|bump|morning sickness|\d weeks (?:along|gone|in)|trying for a baby)\b"
        ),
    ),
    "driving": (
        re.compile(
            r"\b(?:passed (?:my|the) (?:driving )?(?:test|exam)|got my (?:driving )?licen[cs]e|passed my "
            r"driving)\b"
        ),
        re.compile(r"\b(?:learning to drive|driving lessons?|driving test|learner|provisional)\b"),
    ),
    "graduation": (
        re.compile(r"\b(?:graduated|finished (?:uni|university|college|my degree|school)|got my (?:degree|diploma))\b"),
        re.compile(
            r"\b(?:final year|last year of|\w{1,10} year (?:\w{1,15} )?student|student at|finals|dissertation "
            r"due)\b"
        ),
    ),
    "wedding": (
        re.compile(r"\b(?:got married|tied the knot|we re married|i m married|as newlyweds|married on)\b"),
        re.compile(
            r"\b(?:engaged|fiancee?|wedding (?:is|s)|getting married|planning (?:the|a|our|my) wedding|"
            r"single)\b"
        ),
    ),
}
_RECOVERED = re.compile(
    r"\b(?:back on (?:his|her|my|their|its) feet|up and about|good as new|all better|on the mend|right as rain|fully "
    r"recovered|"
    r"made a full recovery|out of hospital|out of the cast|cast(?: s| is)? off|off (?:the )?crutches|walking again|"
    r"back to (?:his|her|their|my)"
    r" old self|got the all clear|cleared to|signed off by)\b"
)
_AILING = re.compile(
    r"\b(?:can not|ca not|cannot|unable|hip|knee|leg|ankle|foot|back|arm|wrist|shoulder|broke|broken|surgery|"
    r"operation|op|crutches|hospital|"
    r"ill|sick|poorly|sprained|injured|injury|recovering|bedbound|bed|cast|limp|limping|hurts?|sore|no (?:stairs|"
    r"lifting|running|driving|sport)|"
    r"needs? (?:help|meals|soup)|off his|off her|flu|covid|pneumonia)\b"
)


@dataclass(frozen=True, slots=True)
class LifeEvent:
    """What has happened, and to whom."""

    kinds: tuple[str, ...]
    recovered: frozenset[str]
    """Who has recovered, by name or word of relation."""
    clause: ReadClause

    def ends(self, clause: str) -> bool:
        """Return whether an older clause tells how it was before."""
        old = read_clause(clause)
        said = " ".join(old.words)
        if not may_be_the_same(self.clause.words, old.words):
            return False
        if self.recovered and not self.recovered.isdisjoint(old.words) and _AILING.search(said):
            return "date" not in old.values
        owner = owner_of(self.clause.words)
        is_ours = may_share_owner(self.clause.words, old.words) and (
            owner in RELATIONS or owner_of(old.words) in (ME, "")
        )
        return is_ours and any(_EVENTS[kind][1].search(said) for kind in self.kinds)


def life_event(clause: ReadClause, within: ReadClause) -> LifeEvent | None:
    """Read what a clause says has happened.

    Args:
        clause: What is read.
        within: The sentence it stands in.
    """
    said = " ".join(clause.words)
    if not NEGATIONS.isdisjoint(clause.words) or _I_WAS_BORN.search(said):
        return None
    kinds = tuple(kind for kind, (news, _) in _EVENTS.items() if news.search(said))
    if kinds == ("birth",) and _HERE.search(said) and not _OF_A_BIRTH.search(" ".join(within.words)):
        kinds = ()
    recovered: frozenset[str] = frozenset()
    if match := _RECOVERED.search(said):
        before = said[: match.start()].split()
        recovered = frozenset([word for word in before if has_meaning(word)][:2])
    return LifeEvent(kinds, recovered, clause) if kinds or recovered else None


_I_WAS_BORN = re.compile(r"\b(?:i|we) (?:was|were|am|m) born\b")
_HERE = re.compile(r"\b(?:is|s|are|re) (?:finally )?here\b")
# 'She's here' is said of a guest as well.
_OF_A_BIRTH = re.compile(
    r"\b(?:born|baby|kg|lbs?|pounds|birth|healthy|newborn|labour|labor|midwife|sleep|mum and|"
    r"weighs)\b"
)
