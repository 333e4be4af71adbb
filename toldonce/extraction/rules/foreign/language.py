"""The shape of a language's data: its slots, and where values end. Pure.

Patterns are written in a short form, in which a blank matches white space. They search folded, lower-case text without
accents: `ich wohne in (?P<v>…)`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from toldonce.lazy_pattern import LazyPattern
from toldonce.text.normalize import fold


class ValueKind(Enum):
    """What a value is, which decides how it is checked."""

    PLACE = "place"
    NAME = "name"
    """A name: in scripts with capitals it has one."""
    CALLED = "called"
    """A name after 'is called', with or without a capital."""
    WORK = "work"
    """An employer, a profession or a subject of study."""
    THINGS = "things"
    """A list; each thing is a value."""
    CLOSED = "closed"
    """One of a few values, stored in English as the English rules do."""
    NUMBER = "number"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignSlot:
    """One way to state a slot."""

    key: str
    """With a trailing colon if the slot holds several values: `allergy:`."""
    kind: ValueKind
    pattern: LazyPattern[str]
    """Its group `v` is the value."""
    values: Mapping[str, str]
    """Closed values by the folded letters with which they begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignLanguage:
    """What the rules know of one language."""

    slots: tuple[ForeignSlot, ...]
    value_end: LazyPattern[str]
    """Where a value ends and its sentence continues."""
    no_value: frozenset[str]
    """Folded words with which no value begins: pronouns, question words, and what means no particular place."""
    articles: LazyPattern[str]
    """Articles and particles before a thing: 'die', "l'"."""
    between: LazyPattern[str]
    """Separates the things of a list, besides commas."""


def pattern_of(source: str) -> LazyPattern[str]:
    """Declare a pattern of the short form; letters are folded, and lines after the first are stripped."""
    first, *further = source.splitlines()
    joined = fold("".join((first, *(line.strip() for line in further))))
    return LazyPattern(joined.replace(" ", r"(?:\s{1,3})"))


def any_of(words: str) -> str:
    """Join folded words to alternatives, the longest first; `_` in a word is a blank."""
    folded = {fold(word.lower()).replace("_", " ") for word in words.split()}
    return "|".join(sorted(folded, key=lambda word: (-len(word), word)))


def word_set(words: str) -> frozenset[str]:
    """Return folded words; `_` in a word is a blank."""
    return frozenset(fold(word.lower()).replace("_", " ") for word in words.split())


def slot(key: str, kind: ValueKind, source: str, *, values: Mapping[str, str] | None = None) -> ForeignSlot:
    """Build a slot from the short form of its pattern."""
    return ForeignSlot(key=key, kind=kind, pattern=pattern_of(source), values=values or {})
