"""Read what a clause says someone now has, now calls something, or now pays. Pure.

`Acquisition` and `Repricing` decide which older clauses are no longer true: 'we have no dishwasher' ends with 'we
bought a dishwasher', and 'it costs 30 euros' with 'it went up to 42'.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from recollect.lazy_pattern import LazyPattern
from recollect.text.clauses import (
    ReadClause,
    find_amounts,
    find_former_amount,
    has_meaning,
    may_replace,
    read_clause,
    subject_of,
)
from recollect.text.normalize import fold
from recollect.text.speakers import may_share_owner
from recollect.text.update_words import CHANGED, NEGATIONS

_GOT = frozenset(
    fold(word)
    for word in """got bought have has adopted installed found brought gekauft bekommen gefunden adoptiert haben acheté
    achetée trouvé adopté avons ai comprado comprei comprámos compramos arranjei adotei tenemos tengo temos tenho
    comprato trovato abbiamo ho gekocht gekregen gevonden meegenomen hebben""".split()
)
_NOT_ANY = NEGATIONS | {"without", "lack", "lacks", "ohne", "sans", "sin", "sem", "senza", "zonder"}
# Maximum number of words from 'no' to what there is none of, and from 'got' to what it is: 'don't have a proper oven'.
_MAX_BETWEEN = 4
_HAVING_AFTER_NEVER = _GOT | {"had", "owned"}
_ELIDED = frozenset("j n l m t y".split())
# French pronouns between the subject and 'ai': 'je leur ai pris un chien'.
_BETWEEN_SUBJECT_AND_VERB = frozenset("en lui leur vous nous les".split())
_NAMING = frozenset(
    fold(word)
    for word in """called named renamed name calling heißt heisst nennen genannt appelle appelé appelée nommé nommée
    llama puesto llamamos chama chamamos batizamos chiama chiamato chiamata heet genoemd""".split()
)
_ARTICLES = frozenset("the our my a la el le die der den das het de o os as il lo unsere unser nuestra nuestro".split())
# A sentence with one of these may give something a new name: 'we finally called it Rolf'.
_RENAME_CUES = CHANGED | frozenset(
    fold(word)
    for word in """renamed final finally ended decided doch endlich finalement fin afinal infine alla toch
    uiteindelijk""".split()
)


@dataclass(frozen=True, slots=True)
class Acquisition:
    """What there is now, or what it is called."""

    clause: ReadClause
    got: frozenset[str]
    """What the speaker has now."""
    name: str
    """What something is called now, folded."""

    def ends(self, clause: str) -> bool:
        """Return whether an older clause says that there is none of it, or calls it otherwise."""
        old = read_clause(clause)
        if not may_share_owner(self.clause.words, old.words):
            return False
        if not self.got.isdisjoint(_find_missing_things(old)):
            return True
        named = _find_name(old)
        is_same_thing = not (self.clause.topic - {subject_of(self.name)}).isdisjoint(old.topic - {subject_of(named)})
        return bool(self.name and named and named != self.name) and is_same_thing

    def may_end(self, words: Set[str]) -> bool:
        """Return False if it ends no clause of a text with these words."""
        if self.name and not _NAMING.isdisjoint(words):
            return True
        return not _NOT_ANY.isdisjoint(words) and not self.got.isdisjoint(map(subject_of, words))


def read_acquisition(clause: ReadClause, sentence: ReadClause) -> Acquisition | None:
    """Read what a clause says its speaker has now, or has renamed.

    Args:
        clause: What is read.
        sentence: The whole sentence, which may say that something changed.
    """
    if not NEGATIONS.isdisjoint(clause.words):
        return None
    got = frozenset(
        subject_of(word)
        for index in _find_having(clause.words)
        for word in (*clause.words[index + 1 : index + 1 + _MAX_BETWEEN], *clause.words[max(0, index - 2) : index])
        if has_meaning(word)
    )
    is_renamed = not _RENAME_CUES.isdisjoint(sentence.words)
    name = _find_name(clause) if is_renamed else ""
    return Acquisition(clause, got, name) if got or name else None


def _find_having(words: Sequence[str]) -> list[int]:
    """Return the places of words that say that something is had; French 'ai' follows an elision, 'AI' does not."""
    return [place for place, word in enumerate(words) if word in _GOT and (word != "ai" or _is_french(words[:place]))]


def _is_french(before: Sequence[str]) -> bool:
    """Return whether the words before 'ai' make it the French verb."""
    if before and before[-1] in _BETWEEN_SUBJECT_AND_VERB:
        return len(before) > 1 and before[-2] in {"j", "je", "n", "ne"}
    return bool(before) and before[-1] in _ELIDED


def _find_missing_things(clause: ReadClause) -> frozenset[str]:
    """Return what a clause says there is none of: 'we don't have a dishwasher'."""
    having = _find_having(clause.words)
    if not having and "pas" not in clause.words:
        return frozenset()
    found: set[str] = set()
    for index, word in enumerate(clause.words):
        if word in _NOT_ANY:
            if word == "not" and not any(index - 1 <= place <= index + _MAX_BETWEEN for place in having):
                continue  # 'not sure', 'does not introduce'
            if word == "never" and not _HAVING_AFTER_NEVER.issuperset(clause.words[index + 1 : index + 2]):
                continue  # 'has never met', 'have never missed'
            following = clause.words[index + 1 : index + 1 + _MAX_BETWEEN]
            found.update(subject_of(thing) for thing in following if has_meaning(thing) and thing not in _GOT)
    return frozenset(found)


def _find_name(clause: ReadClause) -> str:
    """Return the name in a clause like 'we called the puppy Rolf', folded; '' if there is none."""
    for index, word in enumerate(clause.words[:-1]):
        if word in _NAMING:
            following = clause.words[index + 1 : index + 4]
            names = [candidate for candidate in following if has_meaning(candidate)]
            if following[0] in _ARTICLES:  # 'named the puppy Rolf'
                names = names[1:]
            return names[0] if names else ""
    return ""


_NEW_AMOUNT = LazyPattern(
    r"\b(?:(?:put|puts|putting|bumped|pushed|whacked|jacked|hiked|raised|dropped|knocked|cut|brought|taken|took|"
    r"got|gone|going|"
    r"goes|went|go|come|came|is|s|are|re|crept|shot|jumped|risen|rose|fallen|fell) (?:(?:it|that|them|the "
    r"[a-z]{2,15}|my [a-z]{2,15}|"
    r"our [a-z]{2,15}|mine|ours|back|right) ){0,2}(?:up|down) (?:again )?(?:to|at)"
    r"|(?:raised|increased|upped|lowered|reduced|cut|dropped|changed|hiked) (?:[a-z]{1,15} ){0,3}?to"
    r"|now (?:costs?|charges?|charging|pays?|paying|is|wants?|asks|asking)|(?:costs?|charges?|charging|pay|"
    r"paying|wants?) (?:me |us )?[£$€]? ?\d[\d.,]*(?: \w+)? now"
    r"|(?:from|von|de) [£$€]? ?\d[\d.,]* (?:\w+ )?(?:up |down )?(?:to|auf|a) [£$€]? ?\d[\d.,]*"
    r"|(?:erhoht|gestiegen|gesunken|gesenkt|teurer geworden)|(?:auf) [£$€]? ?\d[\d.,]* (?:\w+ )?(?:erhoht|"
    r"gestiegen|gesunken|gesenkt)"
    r"|(?:ha subido|subio|ha bajado|bajo|han subido|subieron|me lo han subido) a)\b"
)
# 'I increased my practice sessions to 12 problems' is about sessions, not about problems.
_RAISED = LazyPattern(
    r"\b(?:raised|increased|upped|lowered|reduced|cut|dropped|changed|hiked) (?P<what>(?:[a-z]{1,15} ){1,3}?)to\b"
)
# Words that go with any price: they do not tell what an amount is the price of.
_PRICE_WORDS = frozenset(
    subject_of(word)
    for word in """put gone went going goes come came charges charge charging charged costs cost price prices pay
    pays paid paying raised hiked bumped jumped crept pounds quid euro pound cut dropped down rise rose fee fees month
    week hour session per wants asks took got""".split()
)


@dataclass(frozen=True, slots=True)
class Repricing:
    """A price that has changed, and of what."""

    clause: ReadClause
    topic: frozenset[str]
    former: str
    """The amount before, where the clause gives it; else empty."""

    def ends(self, clause: str) -> bool:
        """Return whether an older clause gives an amount of the same thing that is no longer so.

        Where the news name a former amount, that one has ended; another one has only if both clauses are about exactly
        the same: 'my rent went from 890 to 950' ends 'my rent is 850'.
        """
        old = read_clause(clause)
        if not may_share_owner(self.clause.words, old.words) or self.topic.isdisjoint(old.topic - _PRICE_WORDS):
            return False
        now, before = find_amounts(self.clause), find_amounts(old)
        if not ({amount.number for amount in now} - {self.former}).isdisjoint(amount.number for amount in before):
            return False  # an older clause with the new amount may tell the same news
        named = frozenset(amount for amount in before if amount.number == self.former)
        if named or (self.former and self.topic != old.topic - _PRICE_WORDS):
            before = named
        return may_replace(now, before)

    def may_end(self, words: Set[str]) -> bool:
        """Return False if it ends no clause of a text with these words."""
        return not self.topic.isdisjoint(map(subject_of, words))


def read_repricing(clause: ReadClause, sentence: ReadClause) -> Repricing | None:
    """Read which amount a clause says has gone up or down.

    Args:
        clause: What is read.
        sentence: The whole sentence, which may name what 'it' is in 'it's gone up to 42'.
    """
    said = " ".join(clause.words)
    if "amount" not in clause.values or not _NEW_AMOUNT.search(said):
        return None
    raised = _RAISED.search(said)
    named = frozenset(subject_of(word) for word in raised["what"].split() if has_meaning(word)) if raised else None
    topic = (named or clause.topic) - _PRICE_WORDS or clause.topic - _PRICE_WORDS or sentence.topic - _PRICE_WORDS
    return Repricing(clause, topic, find_former_amount(clause)) if topic else None
