"""A clause in one of seven languages, read by its words alone: what it is about, and the values it gives. Pure."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from recollect.lazy_pattern import LazyPattern
from recollect.text.languages import ENGLISH_TOO, LANGUAGES, STOP_WORDS
from recollect.text.normalize import fold
from recollect.text.stem import stem
from recollect.text.update_words import (
    CHANGED,
    CURRENCIES,
    MONTHS,
    ONE_TOPIC,
    UNITS,
    WEEKDAYS,
    WITHOUT_MEANING,
)
from recollect.text_caches import register_text_cache

# Longest clause that is read, in words: a longer one is a list or a tale.
MAX_WORDS = 60
# Words that name what ended: 'the pottery class'.
MAX_OBJECT_WORDS = 3
# Words beside a value among which its topic is looked for.
NEAR_WORDS = 8
_WORD = LazyPattern(r"\d++(?:[.,:]\d++)*+(?:(?:st|nd|rd|th|am|pm|h|mg|ml|kg|km|k)\b)?|[$€£]|[^\W\d_][^\W_]*+")
_NOT = LazyPattern(r"n['’]t\b")
_ORDINAL = LazyPattern(r"\d{1,2}(?:st|nd|rd|th)")
_CLOCK = LazyPattern(r"\d{1,2}(?:[:.]\d\d)?(?:am|pm|h)|\d{1,2}:\d\d")
_WITH_UNIT = LazyPattern(r"\A(\d++(?:[.,]\d++)*+)(mg|ml|kg|km|k)")
_FORMER = LazyPattern(r"\b(?:from|von|de) [£$€]? ?(\d[\d.,]*) (?:\w+ )?(?:up |down )?(?:to|auf|a) [£$€]? ?\d")
_DOTTED_THOUSANDS = LazyPattern(r"\d{1,3}(?:\.\d{3})++")
_POINTS_IN_TIME = frozenset({"date", "weekday", "clock"})
# Before a number they say by how much something became more or less: 'reduced it by 45 %'.
_BY_HOW_MUCH = frozenset({"by", "um"})
_GROWTH = frozenset(
    fold(word)
    for word in """reduce reduces reduced reducing reduction cut cuts cutting decrease decreases decreased decreasing
    lower lowers lowered lowering drop drops dropped dropping fell fallen falling down shrank shrunk shorten shortened
    shortening improve improves improved improving improvement increase increases increased increasing raise raises
    raised raising grow grows grew grown growing rise rises rose risen rising boost boosts boosted boosting up
    extend extends extended extending exceed exceeds exceeded beat
    erhöht erhöhen gestiegen steigen gesunken sinken gesenkt senken verkürzt verlängert verbessert reduziert""".split()
)
# Words on each side of 'by' among which a word of growth is looked for: 'um 50 Euro erhöht'.
_GROWTH_REACH = 5
_MIN_YEAR, _MAX_YEAR = 1900, 2100
_OF = frozenset({"of", "de", "di", "the", "d"})
# 'Car' is French for because, and an English noun.
_ENGLISH_NOUNS = ENGLISH_TOO - STOP_WORDS
_FUNCTION_WORDS = (
    frozenset().union(*(language.stop for language in LANGUAGES.values())) - _ENGLISH_NOUNS
    | STOP_WORDS
    | WITHOUT_MEANING
)
CALENDAR = MONTHS.keys() | WEEKDAYS.keys()
# Words after a number that it does not count: '42 euros', '42 now', '42 per month', 'auf 42 gestiegen'.
_NOT_COUNTED = (
    CURRENCIES | CHANGED | CALENDAR | frozenset("per each up down gestiegen gesunken gesenkt erhoht teurer".split())
)

Values = dict[str, frozenset[str]]
"""What a clause gives of each kind: `date`, `weekday`, `clock`, `amount`, or a unit."""


@dataclass(frozen=True, slots=True)
class ReadClause:
    """A clause as it is compared."""

    words: tuple[str, ...]
    """All words, folded."""
    topic: frozenset[str]
    """Stems of the words that say what it is about; values and words of change are not among them."""
    values: Values = field(hash=False)
    named: dict[str, tuple[str, ...]] = field(hash=False)
    """For each kind of value, what the words beside it name, the nearest first: 'the *party*'s on the 9th'."""


class Amount(NamedTuple):
    """A number, and what it is a number of."""

    number: str
    counted: str
    """Stem of the word after it: '6 items', '300 kb'; empty for money and for a number alone."""


@register_text_cache
@lru_cache(maxsize=20_000)
def read_clause(text: str) -> ReadClause:
    """Read a clause: its words, its values, its topic.

    >>> clause = read_clause("the party's on the 9th of May now")
    >>> sorted(clause.topic), sorted(clause.values["date"])
    (['parti'], ['9.5'])
    """
    found = tuple(split_words(text)[:MAX_WORDS])
    values: dict[str, set[str]] = {}
    named: dict[str, tuple[str, ...]] = {}
    used: set[int] = set()
    for place in range(len(found)):
        if place not in used and (read := _value(found, place)):
            kind, value, taken = read
            used |= taken
            if kind not in _POINTS_IN_TIME and _is_difference(found, min(taken)):
                continue
            values.setdefault(kind, set()).add(value)
            named[kind] = (*named.get(kind, ()), *_named_beside(found, taken))
    for place in range(1, len(found) - 1):
        if found[place + 1] == "day" and found[place] in ("that", "same"):  # of the day named before
            for kind in named.keys() & {"date", "weekday"}:
                named[kind] = (*named[kind], *_named_beside(found, {place, place + 1}))
    topic = frozenset(subject_of(word) for place, word in enumerate(found) if place not in used and has_meaning(word))
    return ReadClause(found, topic, _frozen(values), named)


def split_words(text: str) -> list[str]:
    """Split a text into folded words, numbers and signs of currencies, in order.

    >>> split_words("It isn't 5.50€!")
    ['it', 'is', 'not', '5.50', '€']
    """
    return _WORD.findall(_NOT.sub(" not", fold(text.lower())))


def _is_difference(words: Sequence[str], place: int) -> bool:
    """Return whether the number at a place is by how much something changed, not what it is now."""
    by = place - 2 if place > 1 and words[place - 1] in CURRENCIES else place - 1
    if by < 0 or words[by] not in _BY_HOW_MUCH:
        return False
    return not _GROWTH.isdisjoint(words[max(0, by - _GROWTH_REACH) : by + 1 + _GROWTH_REACH])


def _frozen(values: dict[str, set[str]]) -> Values:
    return {kind: frozenset(given) for kind, given in values.items()}


def _named_beside(words: Sequence[str], taken: set[int]) -> tuple[str, ...]:
    """Return the words of meaning before a value, the nearest first, or those after it if there are none."""
    before = words[max(0, min(taken) - NEAR_WORDS) : min(taken)]
    behind = words[max(taken) + 1 : max(taken) + 1 + NEAR_WORDS]
    for near in (before[::-1], behind):
        meant: list[str] = []
        for word in near:
            if word in CHANGED and meant:
                break
            if has_meaning(word) and word not in CALENDAR:
                meant.append(subject_of(word))
        if meant:
            return tuple(meant)
    return ()


def subject_of(word: str) -> str:
    """Return the one form of a word of meaning: its stem, or the word that names its topic."""
    return ONE_TOPIC.get(word) or stem(word)


def find_amounts(clause: ReadClause) -> frozenset[Amount]:
    """Return the amounts of a clause with what each counts.

    >>> sorted(find_amounts(read_clause("the 6 items cost 42 euros a month")))
    [Amount(number='42', counted=''), Amount(number='6', counted='item')]
    """
    numbers = clause.values.get("amount", frozenset())
    following = (*clause.words[1:], "")
    return frozenset(
        Amount(number, _counted(after))
        for word, after in zip(clause.words, following, strict=True)
        if (number := _number(word)) in numbers
    )


def find_former_amount(clause: ReadClause) -> str:
    """Return the amount that a clause says is no longer so: 'went from 890 to 950'; empty if it names none."""
    former = _FORMER.search(" ".join(clause.words))
    return _number(former[1]) if former else ""


def may_replace(amounts: Set[Amount], known: Set[Amount]) -> bool:
    """Return whether one of the known amounts counts nothing, or the same thing as one of those that may replace it.

    '400 ms' replaces no '6 items'. What follows a price may be any word: '42 grr' replaces '38 quid'.
    """
    return not {amount.counted for amount in known}.isdisjoint({"", *(amount.counted for amount in amounts)})


def may_change_amount(clause: ReadClause, old: ReadClause) -> bool:
    """Return whether a clause with an amount, and no former one, may give a new amount of what an older one counts."""
    known = find_amounts(old)
    return not find_former_amount(clause) and (not known or may_replace(find_amounts(clause), known))


def _counted(after: str) -> str:
    is_counted = after and after[0].isalpha() and after not in _NOT_COUNTED and after not in _FUNCTION_WORDS
    return subject_of(after) if is_counted else ""


def _number(word: str) -> str:
    """Return a number without the marks between its thousands: '1,200' and '1.200'."""
    return (word.replace(".", "") if _DOTTED_THOUSANDS.fullmatch(word) else word).replace(",", "")


def has_meaning(word: str) -> bool:
    """Return whether a folded word says what a clause is about: no function word, value or word of change."""
    plain = word not in _FUNCTION_WORDS and word not in CHANGED and word not in UNITS and word not in CURRENCIES
    return plain and len(word) > 2 and not word[0].isdigit() and not word.endswith("ly")


def _value(found: Sequence[str], place: int) -> tuple[str, str, set[int]] | None:
    """Read the value at a place: its kind, itself, the places of its words."""
    word = found[place]
    if word in WEEKDAYS:
        return "weekday", str(WEEKDAYS[word]), {place}
    if not word[0].isdigit():
        return None
    if _CLOCK.fullmatch(word):
        return "clock", word, {place}
    day = word[:-2] if _ORDINAL.fullmatch(word) else word
    if dated := _date(found, place, day):
        return dated
    if day != word:
        return "date", day, {place}
    if united := _WITH_UNIT.fullmatch(word):
        return united[2], united[1], {place}
    after = found[place + 1] if place + 1 < len(found) else ""
    if after in ("am", "pm", "uhr"):
        return "clock", f"{word}{after}", {place, place + 1}
    if after in UNITS:
        return after, word, {place, place + 1}
    number = _number(word)
    if number.isdigit() and len(number) == 4 and _MIN_YEAR <= int(number) < _MAX_YEAR and after not in CURRENCIES:
        return None
    return "amount", number, {place}


def _date(found: Sequence[str], place: int, day: str) -> tuple[str, str, set[int]] | None:
    if not day.isdigit() or len(day) > 2:
        return None
    step = 2 if place + 1 < len(found) and found[place + 1] in _OF else 1
    if place + step < len(found) and found[place + step] in MONTHS:
        return "date", f"{day}.{MONTHS[found[place + step]]}", {place, place + step}
    if place and found[place - 1] in MONTHS:
        return "date", f"{day}.{MONTHS[found[place - 1]]}", {place - 1, place}
    return None
