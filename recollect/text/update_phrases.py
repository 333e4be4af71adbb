"""Phrases of ending and of denial among the words of a clause. Pure."""

from collections.abc import Sequence

from recollect.text.clauses import MAX_OBJECT_WORDS, ReadClause, has_meaning, subject_of
from recollect.text.update_words import FREE, LEADS, NEGATIONS, OTHERS, PARTED, WEEKDAYS


def places_of(words: Sequence[str], phrase: tuple[str, ...]) -> list[int]:
    """Return where a phrase begins among words."""
    size = len(phrase)
    return [place for place in range(len(words) - size + 1) if tuple(words[place : place + size]) == phrase]


def is_denied(words: Sequence[str], place: int) -> bool:
    """Return whether a negation stands right before a place."""
    return not NEGATIONS.isdisjoint(words[max(0, place - 3) : place])


def parted_object(words: Sequence[str], place: int) -> frozenset[str]:
    """Return what stands between a verb of ending and its particle: 'handed the under-twelves over'."""
    particles = PARTED.get(words[place], frozenset())
    if not particles or is_denied(words, place) or (place and words[place - 1] not in LEADS):
        return frozenset()
    behind = words[place + 1 : place + 2 + MAX_OBJECT_WORDS + 1]
    end = next((at for at, word in enumerate(behind) if word in particles), 0)
    if any(word in OTHERS for word in behind[:end]):
        return frozenset()
    return frozenset(subject_of(word) for word in behind[:end] if has_meaning(word))


def freed_days(clause: ReadClause) -> frozenset[str]:
    """Return the days that are free from now on."""
    free = [place for phrase in FREE for place in places_of(clause.words, phrase)]
    before = (clause.words[place - 1] for place in free if place and NEGATIONS.isdisjoint(clause.words[place:]))
    return frozenset(word for word in before if word in WEEKDAYS and word.endswith("s"))
