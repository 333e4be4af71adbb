"""Values of slots: where one ends in its sentence, and what is none. Pure.

'in halle und suche einen Arzt' becomes 'halle'; 'in einer kleinen Wohnung' names no place. A value is the speaker's own
words.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum

from toldonce.reading.frame_matches import Match, matches
from toldonce.reading.frame_words import Word, is_character
from toldonce.reading.frames import Row, Vocabulary
from toldonce.time_zones import named_zone


class ValueKind(Enum):
    """What a value is, which decides how it is checked."""

    PLACE = "place"
    NAME = "name"
    """A name: in scripts with capitals each of its words has one."""
    CALLED = "called"
    """A name after 'is called', with or without a capital."""
    WORK = "work"
    """An employer, a profession or a subject of study."""
    THINGS = "things"
    """A list; each thing is a value."""
    CLOSED = "closed"
    """One of a few values, stored by its English name."""
    NUMBER = "number"
    """An age."""
    ZONE = "zone"
    """A time zone, by a city, a name or an offset."""
    DATE = "date"
    """A day, with or without its year."""
    FIGURE = "figure"
    """A number."""
    TEXT = "text"
    """The rest of the statement."""


# Words of a value by its kind; in scripts without blanks a word is a character.
_MAX_WORDS = {ValueKind.PLACE: 5, ValueKind.NAME: 3, ValueKind.CALLED: 3, ValueKind.WORK: 6, ValueKind.THINGS: 4}
_MAX_CHARACTERS = 14
# A name or place in small letters has no more words.
_MAX_SMALL_WORDS = 3
_MAX_THINGS = 6
# Words of a thing that is not the first of its list.
_MAX_FURTHER_WORDS = 3
# Ages of a writer, in years.
_AGES = range(5, 116)
_LIST_MARKS = frozenset(",/&、，،")


@dataclass(frozen=True, slots=True)
class ValueWords:
    """What a language says about where values end."""

    ends: Row
    """Begins what is no part of a value any more: 'because', 'and I'."""
    never: frozenset[str]
    """Words with which no value begins: pronouns, question words, what means no particular place."""
    articles: frozenset[str]
    """Left out before a thing."""
    between: frozenset[str]
    """Parts the things of a list, besides commas."""
    trailing: frozenset[str]
    """Left out after a value: 'now', 'please'."""


@dataclass(frozen=True, slots=True)
class ReadValue:
    """A value and its place, in words of the sentence."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DatedWords:
    """Places of the words of a sentence that belong to dates."""

    every: Collection[int] = frozenset()
    recurring: Collection[int] = frozenset()
    """Of dates that come again and again."""

    def are_outside(self, first: int, last: int, *, recurring_too: bool) -> bool:
        """Return whether no date is among the words from `first` to `last`."""
        within = {place for place in range(first, last) if place in self.every}
        return not within or (not recurring_too and within <= set(self.recurring))


def read_values(
    kind: ValueKind,
    match: Match,
    words: Sequence[Word],
    text: str,
    language: ValueWords,
    days: DatedWords,
) -> list[ReadValue]:
    """Return the values of a match as they were written; none if what is there is no proper one.

    Args:
        kind: Decides how a value is checked.
        match: Where the frame matched.
        words: Words of the sentence.
        text: The sentence.
        language: Where values end.
        days: Dates in it, which are part of no other value.
    """
    first, last = match.value, match.value_end
    if first < 0:  # the frame itself is the value
        return [_read(words, text, match.start, match.end)]
    if kind is ValueKind.ZONE:
        zone = named_zone(text[words[first].start :])
        if zone is None:
            return []
        start, end = (words[first].start + place for place in zone)
        return [ReadValue(text[start:end], first, _word_at(words, end))]
    if last < 0:
        last = _open_end(kind, words, first, text, language, days)
    if kind is ValueKind.DATE:
        last = next((place for place in range(first, len(words)) if place not in days.every), len(words))
        return [_read(words, text, first, last)] if last > first else []
    if kind in (ValueKind.NUMBER, ValueKind.FIGURE):
        is_one_word = last <= first + 1 or match.value_end < 0
        return (
            [ReadValue(words[first].text, first, first + 1)] if is_one_word and _is_number(kind, words[first]) else []
        )
    if kind is not ValueKind.THINGS and not days.are_outside(first, last, recurring_too=kind is not ValueKind.TEXT):
        return []
    if kind in (ValueKind.CLOSED, ValueKind.TEXT):
        return [_read(words, text, first, last)]
    if kind is not ValueKind.THINGS:
        value = _trimmed(words, first, last, language)
        return [_read(words, text, *value)] if value and _is_value(kind, words, text, *value, language) else []
    things = _things(words, first, last, language)
    return [
        _read(words, text, *thing)
        for thing in things[:_MAX_THINGS]
        if _is_value(ValueKind.THINGS, words, text, *thing, language)
    ]


def _is_number(kind: ValueKind, word: Word) -> bool:
    is_figure = word.text.isdecimal()
    is_age = is_figure and len(word.text) < len(str(10 * _AGES.stop)) and int(word.text) in _AGES
    return is_age or (kind is ValueKind.FIGURE and is_figure)


def _word_at(words: Sequence[Word], end: int) -> int:
    return max((place + 1 for place, word in enumerate(words) if word.start < end), default=0)


def _read(words: Sequence[Word], text: str, first: int, last: int) -> ReadValue:
    return ReadValue(text[words[first].start : words[last - 1].end], first, last)


def _open_end(
    kind: ValueKind, words: Sequence[Word], first: int, text: str, language: ValueWords, days: DatedWords
) -> int:
    """Return where a value ends: at a mark, a date, or a word that goes on otherwise."""
    if kind is ValueKind.TEXT:
        ends = (place for place in range(first + 1, len(words)) if words[place].mark not in ("", ","))
        return next(ends, len(words))
    nothing = Vocabulary({})
    at = first + 1
    while at < len(words):
        mark = words[at].mark
        if kind is ValueKind.NAME and not _is_capital(text[words[at].start]):
            break
        if at in days.every or (mark and not (kind is ValueKind.THINGS and mark in _LIST_MARKS)):
            break
        if next(matches(language.ends, words, at, nothing), None) is not None:
            break
        at += 1
    return at


def _trimmed(words: Sequence[Word], first: int, last: int, language: ValueWords) -> tuple[int, int] | None:
    while last > first and words[last - 1].text in language.trailing:
        last -= 1
    return (first, last) if last > first else None


def _things(words: Sequence[Word], first: int, last: int, language: ValueWords) -> list[tuple[int, int]]:
    """Split a list at its commas and conjunctions: 'nuts, milk and soy'.

    What follows a comma belongs to the list only if a conjunction closes it or if it is a run of single words; else the
    sentence goes on: 'no meat, do you have a recipe'.
    """
    chunks: list[list[tuple[int, int]]] = []
    start = first
    for at in range(first, last + 1):
        if at == last or (at > first and words[at].mark in _LIST_MARKS):
            chunks.append(_joined(words, start, at, language))
            start = at
    closing = next((place for place, parts in enumerate(chunks) if place and len(parts) > 1), 0)
    further = [part for parts in chunks[1 : closing + 1 if closing else None] for part in parts]
    longest = _MAX_FURTHER_WORDS if closing else 1
    is_run = closing or len(further) > 1
    if further and is_run and all(end - begin <= longest for begin, end in further):
        return [*chunks[0], *further]
    return [part for place, part in enumerate(chunks[0]) if not place or part[1] - part[0] <= _MAX_FURTHER_WORDS]


def _joined(words: Sequence[Word], start: int, end: int, language: ValueWords) -> list[tuple[int, int]]:
    """Split at conjunctions, and leave articles and words after the value out."""
    parts: list[tuple[int, int]] = []
    for at in range(start, end + 1):
        if at == end or words[at].text in language.between:
            while start < at and words[start].text in language.articles:
                start += 1
            trimmed = _trimmed(words, start, at, language)
            parts += [trimmed] if trimmed else []
            start = at + 1
    return parts


def _is_value(kind: ValueKind, words: Sequence[Word], text: str, first: int, last: int, language: ValueWords) -> bool:
    written = text[words[first].start : words[last - 1].end]
    is_unspaced = any(is_character(word.text) for word in words[first:last])
    if last - first > (_MAX_CHARACTERS if is_unspaced else _MAX_WORDS[kind]):
        return False
    if not any(character.isalpha() for character in written) or (len(written) < 2 and not is_unspaced):
        return False
    if is_unspaced and kind is ValueKind.PLACE and any(character.isdecimal() for character in written):
        return False  # a date before it, which no blank follows
    capitals = [_is_capital(text[word.start]) for word in words[first:last]]
    is_title = kind is ValueKind.PLACE and written[0].isupper() and len(capitals) > 1 and capitals[1]
    if not is_title and _begins_as_none(words, first, last, language, joint="" if is_unspaced else " "):
        return False
    if kind is ValueKind.NAME and (not all(capitals) or _is_heading(words, text)):
        return False
    is_name = kind in (ValueKind.PLACE, ValueKind.CALLED)
    return not (is_name and not capitals[0] and last - first > _MAX_SMALL_WORDS and not is_unspaced)


def _begins_as_none(words: Sequence[Word], first: int, last: int, language: ValueWords, *, joint: str) -> bool:
    """Return whether a value begins with words with which none begins; a title such as 'La Paz' may."""
    texts = [word.text for word in words[first:last]]
    return any(joint.join(texts[:size]) in language.never for size in range(1, len(texts) + 1))


def _is_heading(words: Sequence[Word], text: str) -> bool:
    """Return whether a sentence writes every word with a capital, so that none is a name for it."""
    cased = [text[word.start] for word in words if text[word.start].lower() != text[word.start].upper()]
    return len(cased) > _MAX_SMALL_WORDS and all(letter.isupper() for letter in cased)


def _is_capital(written: str) -> bool:
    """Return whether a value begins like a name; in scripts without capitals every one does."""
    letter = next((character for character in written if character.isalpha()), "")
    return written[:1].isupper() or (bool(letter) and letter.lower() == letter.upper())
