"""Prices and amounts that a clause says have gone up or down, and older clauses that give another. Pure."""

import re
from dataclasses import dataclass

from recollect.text.clauses import ReadClause, read_clause, subject_of
from recollect.text.speakers import may_share_owner

_NEW_AMOUNT = re.compile(
    r"\b(?:(?:put|puts|putting|bumped|pushed|whacked|jacked|hiked|raised|dropped|knocked|cut|brought|taken|took|"
    r"got|gone|going|"
    r"goes|went|go|come|came|is|s|are|re|crept|shot|jumped|risen|rose|fallen|fell) (?:(?:it|that|them|the "
    r"[a-z]{2,15}|my [a-z]{2,15}|"
    r"our [a-z]{2,15}|mine|ours|back|right) ){0,2}(?:up|down) (?:again )?(?:to|at)"
    r"|(?:raised|increased|upped|lowered|reduced|cut|dropped|changed|hiked) (?:[a-z]{1,15} ){0,3}?to"
    r"|now (?:costs?|charges?|charging|pays?|paying|is|wants?|asks|asking)|(?:costs?|charges?|charging|pay|"
    r"paying|wants?) (?:me |us )?[£$€]? ?\d[\d.,]*(?: \w+)? now"
    r"|(?:from|von|de) [£$€]? ?\d[\d.,]* (?:\w+ )?(?:up |down )?(?:to|auf|a)"
    r"|(?:erhoht|gestiegen|gesunken|gesenkt|teurer geworden)|(?:auf) [£$€]? ?\d[\d.,]* (?:\w+ )?(?:erhoht|"
    r"gestiegen|gesunken|gesenkt)"
    r"|(?:ha subido|subio|ha bajado|bajo|han subido|subieron|me lo han subido) a)\b"
)
# Verbs and words of money say nothing of what an amount is the price of.
_OF_ANY_PRICE = frozenset(
    subject_of(word)
    for word in """put gone went going goes come came charges charge charging charged costs cost price prices pay
    pays paid paying raised hiked bumped jumped crept pounds quid euro pound cut dropped down rise rose fee fees month
    week hour session per wants asks took got""".split()
)


@dataclass(frozen=True, slots=True)
class Repricing:
    """An amount that has changed, and what of."""

    clause: ReadClause
    topic: frozenset[str]

    def ends(self, clause: str) -> bool:
        """Return whether an older clause gives another amount of the same thing."""
        old = read_clause(clause)
        if not may_share_owner(self.clause.words, old.words):
            return False
        given, before = self.clause.values.get("amount"), old.values.get("amount")
        if not given or not before or not given.isdisjoint(before):
            return False
        return bool(self.topic) and not self.topic.isdisjoint(old.topic - _OF_ANY_PRICE)


def repricing(clause: ReadClause, within: ReadClause) -> Repricing | None:
    """Read which amount a clause says has gone up or down.

    Args:
        clause: What is read.
        within: The sentence it stands in: it names what 'it's gone up to 42' means.
    """
    if "amount" not in clause.values or not _NEW_AMOUNT.search(" ".join(clause.words)):
        return None
    topic = (clause.topic - _OF_ANY_PRICE) or (within.topic - _OF_ANY_PRICE)
    return Repricing(clause, topic) if topic else None
