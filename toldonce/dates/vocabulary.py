"""Date words of each language: names from CLDR (cldr.json), all else written here (words/*.toml).

A language's words are read at its first use: a process that meets English alone loads no others.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from toldonce.text.normalize import fold

STEPS = {"last": -1, "this": 0, "next": 1}
"""How far from today's the unit is that a phrase means: 'last week' is one before this one."""
UNITS = ("day", "weekend", "week", "month", "year", "decade")
# A blank: a Persian word may be joined by a character without width instead.
BLANK = "(?:[\\s\u200c]{1,3})"


# Words of the clause of a date, compared with their accents: in French they tell 'une' from a participle.
CLAUSE_WORDS = frozenset(
    "planned arranged moved moved_house past future ahead either asked infinitive joint habit measured recurs".split()
)


class _Lower(dict[int, str]):
    """Characters in lower case, each of them one character, so that every place in a text stays."""

    def __missing__(self, code: int) -> str:
        self[code] = "'" if chr(code) in "’ʼ" else chr(code).lower()[:1]
        return self[code]


class _Flat(_Lower):
    """Likewise without accents, and digits in ASCII."""

    def __missing__(self, code: int) -> str:
        lower = super().__missing__(code)
        folded = fold(lower)
        self[code] = folded if len(folded) == 1 else lower
        return self[code]


_lower, _flat = _Lower(), _Flat()


def lower(text: str) -> str:
    """Write a text in lower case with plain apostrophes, keeping every character's place."""
    return text.translate(_lower)


def flat(text: str) -> str:
    """Write a text in lower case, without accents and with ASCII digits, keeping every character's place.

    >>> flat("Über den 3. MÄRZ ٣")
    'uber den 3. marz 3'
    """
    return text.translate(_flat)


@dataclass(frozen=True, slots=True, kw_only=True)
class DateWords:
    """The date words of a language.

    Fields of type str are regular expressions of a flattened text (see `flat`), those about clauses of one in lower
    case. Blanks in them do not count; '_' is a blank of the text. What leads to the next word ends in one ('in_'),
    what follows a word begins with one ('_ago'). An empty one matches nothing.
    """

    code: str
    order: str  # Of day, month and year in digits: 'dmy', 'mdy' or 'ymd'.
    months: Mapping[str, int]  # Numbers of months by the forms of their names, 1 to 12.
    short_months: Mapping[str, int]  # Likewise; they count beside a day or a year alone, as they are everyday words.
    # Those of them that need a stop, a year or a word such as 'on', too: Italian 'set' is a set.
    abbreviations: frozenset[str]
    # Names that are everyday words when written without a capital: 'may', 'sat'.
    everyday: frozenset[str] = frozenset()
    weekdays: Mapping[str, int]  # Numbers of weekdays by the forms of their names; Monday is 0.
    tied_weekdays: Mapping[str, int]  # Likewise; they count after a word such as 'on' or 'last' alone.
    short_weekdays: Mapping[str, int]  # Likewise; they count before a date alone.
    weeks_weekdays: Mapping[str, int]  # What is left of their names after a week: Chinese 'next week five' is a Friday.
    edges: str = "both"  # Ends of a word that writing marks: 'both', 'start' (particles follow), 'none' (no blanks).
    capitals: bool = False  # Names of days have capitals, and one without 'on' is a date where no noun follows.
    nearest: bool = False  # Of several verbs the nearest one before a date tells its tense.
    month_first: bool = False  # A month may be written before its day.
    bare_weekday: bool = False  # A weekday by itself is a date; else it needs a word such as 'on'.
    bare_month: bool = False  # Likewise a month.
    bare_season: bool = False  # Likewise a season: its form says 'in'.
    hint: str = ""  # With names, units and digits, all that a text with a date must have one of.
    gap: str = "[\\s\u200c]{0,3}"  # Between a day and its month.
    month_end: str = ""
    weekday_begin: str = ""
    weekday_end: str = ""
    year_end: str = ""
    weekday_tie: str = ""  # What follows a weekday that is a date.
    not_bare: str = ""  # What makes the weekday after it any one, or a part of a name: 'the', 'every'.
    after_bare: str = ""  # What may follow a weekday or number that is a date by itself.
    article: str = ""  # 'The' before a day or season.
    ordinal: str = r"\.?"  # What follows the number of a day.
    first: str = ""  # The word for the first day of a month.
    of: str = ""  # Between day, month and year.
    on: str = ""
    in_month: str = ""
    month_after: str = ""  # What follows the name of a month that is a date: 'in'.
    in_season: str = ""
    seasons: Mapping[str, str] = field(default_factory=dict)  # The words for each of `mention.SEASONS`.
    in_year: str = ""
    year_after: str = ""  # What follows the number of a year that is a date.
    part: str = ""  # 'Early', 'mid-' or 'late' before a month.
    since: str = ""
    since_is_from: bool = False  # 'Since' also means 'from', so that the day may be ahead.
    until: str = ""
    # Other words that lead to a date: of 'by', 'from', 'before', 'after'.
    ties: Mapping[str, str] = field(default_factory=dict)
    offset: str = ""  # Between a number of days and the day from which they are counted: 'after'.
    no_year: str = ""  # What follows a day and month whose year is of another calendar.
    # The words for each of `STEPS` before a unit, weekday or month.
    before: Mapping[str, str] = field(default_factory=dict)
    unit_before: Mapping[str, str] = field(default_factory=dict)  # Those before a unit, if they differ.
    after: Mapping[str, str] = field(default_factory=dict)  # The words for each of `STEPS` after it.
    # The words for a day near today, by their distance: '-1' is yesterday.
    days: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)  # The forms of each of `UNITS` after a number.
    singular: Mapping[str, str] = field(default_factory=dict)  # Their forms in 'last week', where those are fewer.
    one: Mapping[str, str] = field(default_factory=dict)  # Forms of units that mean one of them without a number.
    two: Mapping[str, str] = field(default_factory=dict)  # Likewise two.
    # Single words and idioms: 'last year' has the word for it.
    phrases: Mapping[str, str] = field(default_factory=dict)
    counts: tuple[str, ...] = ()  # The words for one, two, three …; blank ones are left out.
    ago_before: str = ""
    ago_after: str = ""
    ahead_before: str = ""
    ahead_after: str = ""
    on_weekend: str = ""
    week_of: str = ""  # Between a weekday and its week: 'the Monday of last week'.
    week_joint: str = ""  # Between a week and its weekday.
    blocked: tuple[str, ...] = ()  # What looks like a date and is none: 'from {weekday} to {weekday}'.
    periods: tuple[str, ...] = ()  # '3 to 9 March': groups `one` and `day`; {begin} is the first month, if told.
    lone_days: tuple[str, ...] = ()  # 'On the 14th', 'from the 3rd to the 9th': groups `one` and `day`.
    moved_months: tuple[str, ...] = ()  # 'To June', of something moved.
    weeks_after: tuple[str, ...] = ()  # 'Two weeks from Friday'.
    # `CLAUSE_WORDS`: what the clause of a date tells of its time.
    clauses: Mapping[str, str] = field(default_factory=dict)


_FOLDER = files(__package__)


@cache
def covered() -> frozenset[str]:
    """Return the codes of the languages whose date words are known, English not among them."""
    return frozenset(_names().keys() - {"about", "en"})


@cache
def _names() -> Mapping[str, Mapping[str, list[list[str]]]]:
    loaded: Mapping[str, Mapping[str, list[list[str]]]] = json.loads(_FOLDER.joinpath("cldr.json").read_text("utf-8"))
    return loaded


@cache
def signs() -> Mapping[str, tuple[str, ...]]:
    """Return words of messages with dates that English does not have, each with the codes of its languages.

    Each is there as it is written and folded: 'très' is French, and 'tres', which may be any of several, Spanish, too.
    """
    loaded: Mapping[str, str] = json.loads(_FOLDER.joinpath("signs.json").read_text("utf-8"))
    return {word: tuple(codes.split()) for word, codes in loaded.items()}


@cache
def date_words(code: str) -> DateWords:
    """Read the date words of a covered language.

    >>> date_words("de").months["marz"], date_words("de").order
    (3, 'dmy')
    """
    written: dict[str, Any] = tomllib.loads(_FOLDER.joinpath("words", f"{code}.toml").read_text("utf-8"))
    written.pop("signs", None)  # those of all languages are in one file: see `signs`
    names = _names()[code]
    written["everyday"] = frozenset(written.pop("everyday", "").split("|"))
    written["clauses"] = {name: written.pop(name) for name in CLAUSE_WORDS & written.keys()}
    also_words = frozenset(flat(word) for word in written.pop("also_words", "").split("|"))
    months = _numbered(names["months"], 1) | _numbered(_listed(written.pop("months", [])), 1)
    short = _numbered(names["short_months"], 1) | _numbered(_listed(written.pop("short_months", [])), 1)
    weekdays = _numbered(names["weekdays"], 0) | _numbered(_listed(written.pop("weekdays", [])), 0)
    tied = _numbered(_listed(written.pop("tied_weekdays", [])), 0)
    return DateWords(
        code=code,
        months={form: number for form, number in months.items() if form not in also_words},
        short_months={form: number for form, number in (short | months).items() if form in also_words or form in short},
        abbreviations=frozenset(short.keys() - months.keys()),
        weekdays={form: number for form, number in weekdays.items() if form not in also_words},
        tied_weekdays=tied | {form: number for form, number in weekdays.items() if form in also_words},
        short_weekdays=_numbered(names["short_weekdays"], 0),
        weeks_weekdays=_numbered(_listed(written.pop("weeks_weekdays", [])), 0),
        order=str(names["order"]),
        **{
            name: _prepared(value, _lower_pattern if name == "clauses" else _flat_pattern)
            for name, value in written.items()
        },
    )


def _listed(rows: list[str]) -> list[list[str]]:
    return [row.split("|") for row in rows]


def _numbered(rows: list[list[str]], first: int) -> dict[str, int]:
    named = {flat(form.strip()): number for number, forms in enumerate(rows, first) for form in forms if form.strip()}
    in_digits = {
        f"0{form}": number for form, number in named.items() if form[0].isdecimal() and not form[1].isdecimal()
    }
    return named | in_digits  # '03月' is '3月'


def _prepared(value: Any, table: "dict[int, str]") -> Any:
    """Prepare the patterns of a value; see `DateWords` for blanks."""
    if isinstance(value, str):
        return "".join(value.split()).replace("_", BLANK).translate(table)
    if isinstance(value, list):
        return tuple(_prepared(item, table) for item in value)
    if isinstance(value, dict):
        return {name: _prepared(item, table) for name, item in value.items()}
    return value


class _Pattern(dict[int, str]):
    """Characters of patterns as those of texts, ASCII ones left alone: they may belong to an escape."""

    def __init__(self, of_texts: _Lower) -> None:
        self._of_texts = of_texts

    def __missing__(self, code: int) -> str:
        self[code] = chr(code) if code < 128 else self._of_texts[code]
        return self[code]


_lower_pattern, _flat_pattern = _Pattern(_lower), _Pattern(_flat)
