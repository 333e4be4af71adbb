"""A new time of what a pronoun means: 'I drive him on Fridays now' after 'I drive grandpa on Tuesdays'. Pure."""

from dataclasses import dataclass

from recollect.text.clauses import ReadClause, read_clause
from recollect.text.speakers import ME, OTHER, RELATIONS, may_be_the_same, owner_of
from recollect.text.stem import stem
from recollect.text.update_words import NEGATIONS

_OBJECTS = frozenset("him her them it".split())
_SUBJECTS = frozenset("he she they it".split())
_BEFORE_VERBS = frozenset("i we just only also usually always now".split())
_AUXILIARIES = frozenset("am is are was have has had do does did can ll ve m s re be".split())
# How often and when in the day: not values of a clause elsewhere.
_DAYPARTS = {
    word: number
    for number, words in enumerate(
        (
            "morning mornings breakfast",
            "lunch lunchtime noon midday",
            "afternoon afternoons",
            "evening evenings dinner",
            "night nights bedtime",
        )
    )
    for word in words.split()
}
_OFTEN = frozenset("once twice daily weekly monthly fortnightly hourly every".split())


@dataclass(frozen=True, slots=True)
class NewTime:
    """When, how often or how much someone does what a pronoun stands in for."""

    clause: ReadClause
    verb: str

    def ends(self, clause: str) -> bool:
        """Return whether an older clause gives another time of the same doing."""
        old = read_clause(clause)
        if self.verb not in {stem(word) for word in old.words} or not may_be_the_same(self.clause.words, old.words):
            return False
        new_owner, old_owner = owner_of(self.clause.words), owner_of(old.words)
        if (new_owner == ME) is not (old_owner == ME) and not (new_owner == OTHER and _names_person(old)):
            return False
        if not NEGATIONS.isdisjoint(old.words) or not self._topic() <= old.topic:
            return False
        ours, theirs = _times(self.clause), _times(old)
        return any(ours[kind].isdisjoint(theirs[kind]) for kind in ours.keys() & theirs.keys())

    def _topic(self) -> frozenset[str]:
        """Return what it is about beside the doing and its time."""
        return self.clause.topic - {self.verb} - {stem(word) for word in (*_DAYPARTS, *_OFTEN)}


def new_time(clause: ReadClause, *, is_changed: bool) -> NewTime | None:
    """Read a new time or number of what a pronoun means.

    Args:
        clause: What is read.
        is_changed: A word beside it says that something changed.
    """
    words = clause.words
    if not is_changed or not NEGATIONS.isdisjoint(words) or not _times(clause):
        return None
    if owner_of(words) == ME:
        place = next((place for place, word in enumerate(words) if word in _OBJECTS), 0)
        verb = next((word for word in words[:place] if word not in _BEFORE_VERBS | _AUXILIARIES), "")
    else:
        place = next((place for place, word in enumerate(words[:3]) if word in _SUBJECTS), -1)
        behind = words[place + 1 : place + 4] if place >= 0 else ()
        verb = next((word for word in behind if word not in _BEFORE_VERBS | _AUXILIARIES), "")
    return NewTime(clause, stem(verb)) if verb and not verb[0].isdigit() else None


def _names_person(clause: ReadClause) -> bool:
    return not RELATIONS.isdisjoint(clause.words) or clause.words[:1] == ("my",) or clause.words[:2] == ("the", "user")


def _times(clause: ReadClause) -> dict[str, frozenset[str]]:
    """Return a clause's values, with the times of day and how often."""
    found = dict(clause.values)
    parts = frozenset(str(_DAYPARTS[word]) for word in clause.words if word in _DAYPARTS)
    if parts:
        found["part of the day"] = parts
    often = [place for place, word in enumerate(clause.words) if word in _OFTEN or word == "times"]
    if often and not {"weekday", "date"} & found.keys():
        place = often[0]
        found["often"] = frozenset(
            {" ".join(clause.words[max(0, place - (clause.words[place] == "times")) : place + 4])}
        )
    return found
