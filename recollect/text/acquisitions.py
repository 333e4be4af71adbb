"""What a clause says its speaker has now, or calls by another name, and older clauses that say otherwise. Pure."""

from dataclasses import dataclass

from recollect.text.clauses import ReadClause, has_meaning, read_clause, subject_of
from recollect.text.fold import fold
from recollect.text.speakers import may_share_owner
from recollect.text.update_words import CHANGED, NEGATIONS

_GOT = frozenset(
    fold(word)
    for word in """got bought have has adopted installed found brought gekauft bekommen gefunden adoptiert haben acheté
    achetée trouvé adopté avons ai comprado comprei comprámos compramos arranjei adotei tenemos tengo temos tenho
    comprato trovato abbiamo ho gekocht gekregen gevonden meegenomen hebben""".split()
)
_NOT_ANY = NEGATIONS | {"without", "lack", "lacks", "ohne", "sans", "sin", "sem", "senza", "zonder"}
# Words between 'no' and what there is none of: 'don't have a proper oven'.
_MAX_BETWEEN = 4
_NAMING = frozenset(
    fold(word)
    for word in """called named renamed name calling heißt heisst nennen genannt appelle appelé appelée nommé nommée
    llama puesto llamamos chama chamamos batizamos chiama chiamato chiamata heet genoemd""".split()
)
_ARTICLES = frozenset("the our my a la el le die der den das het de o os as il lo unsere unser nuestra nuestro".split())
_ALTERED = CHANGED | frozenset(
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
        if not self.got.isdisjoint(_lacking(old)):
            return True
        named = _name(old)
        is_same_thing = not (self.clause.topic - {subject_of(self.name)}).isdisjoint(old.topic - {subject_of(named)})
        return bool(self.name and named and named != self.name) and is_same_thing


def acquisition(clause: ReadClause, within: ReadClause) -> Acquisition | None:
    """Read what a clause says its speaker has now, or has renamed.

    Args:
        clause: What is read.
        within: The sentence it stands in, where it may say that something changed.
    """
    if not NEGATIONS.isdisjoint(clause.words):
        return None
    got = frozenset(
        subject_of(word)
        for place, verb in enumerate(clause.words)
        if verb in _GOT
        for word in (*clause.words[place + 1 : place + 1 + _MAX_BETWEEN], *clause.words[max(0, place - 2) : place])
        if has_meaning(word)
    )
    is_renamed = not _ALTERED.isdisjoint(within.words)
    name = _name(clause) if is_renamed else ""
    return Acquisition(clause, got, name) if got or name else None


def _lacking(clause: ReadClause) -> frozenset[str]:
    """Return what a clause says there is none of: 'we don't have a dishwasher'."""
    if _GOT.isdisjoint(clause.words) and "pas" not in clause.words:
        return frozenset()
    found: set[str] = set()
    for place, word in enumerate(clause.words):
        if word in _NOT_ANY:
            behind = clause.words[place + 1 : place + 1 + _MAX_BETWEEN]
            found.update(subject_of(each) for each in behind if has_meaning(each) and each not in _GOT)
    return frozenset(found)


def _name(clause: ReadClause) -> str:
    """Return the word behind the one that names."""
    for place, word in enumerate(clause.words[:-1]):
        if word in _NAMING:
            behind = clause.words[place + 1 : place + 4]
            meant = [each for each in behind if has_meaning(each)]
            if behind[0] in _ARTICLES:  # 'named the puppy Rolf'
                meant = meant[1:]
            return meant[0] if meant else ""
    return ""
