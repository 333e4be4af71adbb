"""Regular expressions of the dates of a language, made of its date words at its first use.

They match a flattened text (see `vocabulary.flat`). Groups: `day`, `first`, `month`, `number` (a month in digits),
`year`, `weekday`, `count`; `last_week`, `next_year` … are phrases; those of `TIES` and `on` lead to a date.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from toldonce.dates.vocabulary import BLANK, STEPS, UNITS, DateWords, date_words
from toldonce.lazy_pattern import LazyPattern

# Letters, digits and the signs that belong to them: vowel signs and points of scripts whose signs are no letters.
_LETTER = "[\\w\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff]"
WORD_BEGINS, WORD_ENDS = f"(?<!{_LETTER})", f"(?!{_LETTER})"
_GAP = "[\\s\u200c]{0,3}"
TIES = frozenset({"until", "since", "by", "from", "before", "after"})
"""Names of the groups of words that lead to a date and say more than 'on'."""
# Not the rest of a date whose year is of another calendar.
_NO_ERA = r"(?<![年년])(?<![年년]\s)"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
# The group of a day near today is named by its distance plus this, as a name holds no sign.
TODAY = 9
_DAY = r"(?<!\d[.,:/])(?P<day>\d{1,2})(?!\d)"


class Kind(Enum):
    """What a pattern means."""

    BLOCKED = "no date"
    ISO = "year, month and day in digits"
    DIGITS = "day, month and year in digits"
    DAY_AND_MONTH = "day and month in digits, the year left out or short"
    PERIOD = "some days from one of a named month to another"
    DATE = "a day of a named month"
    MONTH = "a month"
    SEASON = "a season"
    YEAR = "a year"
    AGO = "some time ago"
    AHEAD = "in some time"
    NEAR_DAY = "yesterday, today, tomorrow"
    DAY_OF_WEEK = "a weekday of the last, this or the next week"
    UNIT = "the last, this or the next week, month or year"
    WEEKEND = "at the weekend"
    LONE_DAY = "a day of the month alone, or some"
    WEEKS_AFTER = "some weeks after a weekday"
    WEEKDAY = "a weekday"


_WITH_DIGITS = frozenset({Kind.ISO, Kind.DIGITS, Kind.DAY_AND_MONTH, Kind.PERIOD, Kind.YEAR, Kind.LONE_DAY})


@dataclass(frozen=True, slots=True)
class DatePattern:
    """A pattern and what its matches mean."""

    kind: Kind
    pattern: LazyPattern[str]
    has_digits: bool
    """Each of its matches has a digit."""


def any_of(*alternatives: str) -> str:
    """Join patterns to a group; empty if all are."""
    kept = [pattern for pattern in alternatives if pattern]
    return f"(?:{'|'.join(kept)})" if kept else ""


def maybe(*alternatives: str) -> str:
    """Join patterns to a group that may be missing; empty if all are."""
    group = any_of(*alternatives)
    return f"{group}?" if group else ""


def _literals(names: Iterable[str]) -> str:
    """Return the alternatives of names, the longest first."""
    found = sorted(set(names), key=lambda name: (-len(name), name))
    return "|".join("".join(BLANK if letter == " " else re.escape(letter) for letter in name) for name in found)


def phrase(words: DateWords, unit: str, step: str) -> str:
    """Return the pattern of a phrase such as 'last week'; empty if the language has none."""
    noun = words.singular.get(unit, words.units.get(unit, ""))
    before, after = (words.unit_before or words.before).get(step, ""), words.after.get(step, "")
    return any_of(
        words.phrases.get(f"{step} {unit}", ""),
        f"(?:{before})(?:{noun})" if before and noun else "",
        f"(?:{noun})(?:{after})" if after and noun else "",
    )


class _Builder:
    """Puts the patterns of one language together."""

    def __init__(self, words: DateWords) -> None:
        self.words = words
        self.begins = WORD_BEGINS if words.edges != "none" else r"(?<!\d)"
        self.ends = WORD_ENDS if words.edges == "both" else ""
        ties = {"until": words.until, "since": words.since, **words.ties}
        self.ties = [f"(?P<{name}>{form})" for name, form in ties.items() if form]
        self.on = maybe(words.on)
        self.of = maybe(words.of)
        self.tie = self._tie(words.on)
        self.weekday_end = maybe(words.weekday_end)
        self.names = _literals([*words.weekdays, *words.tied_weekdays])
        self.any_weekday = f"(?:{self.names}){self.weekday_end}"
        self.article = maybe(words.article)
        both = _literals([*words.months, *words.short_months])
        self.dated_month = f"(?P<month>{both}){maybe(words.month_end)}"
        self.not_year = rf"(?!\.?[,،]?\s{{0,2}}{self.of}\d{{4}}{f'|{words.no_year}' if words.no_year else ''})"
        self.counts = any_of(*(f"(?P<count_{n}>{word})" for n, word in enumerate(words.counts, 1) if word))
        self.weeks = any_of(*(self.named(step, "week") for step in STEPS))
        self.which = maybe(*(f"(?P<{step}>{pattern})" for step, pattern in words.before.items()))
        self.which_after = maybe(*(f"(?P<{step}_after>{pattern})" for step, pattern in words.after.items()))

    @staticmethod
    def tied(after: str) -> str:
        """Return the pattern of what makes the name before it a date."""
        return f"(?P<tied>{after})" if after else ""

    def _tie(self, on: str) -> str:
        return maybe(*self.ties, f"(?P<on>{on})" if on else "")

    def year(self) -> str:
        """Return the pattern of a year: in digits, or 'of last year'."""
        gap = _GAP if self.words.edges == "none" else ""
        end = maybe(f"{gap}(?:{self.words.year_end})") if self.words.year_end else ""
        return any_of(f"{_YEAR}{end}", *(self.named(step, "year") for step in STEPS))

    def named(self, step: str, unit: str) -> str:
        """Return a phrase as a group of its own."""
        found = phrase(self.words, unit, step)
        return f"(?P<{step}_{unit}>{found})" if found else ""

    def compiled(self, kind: Kind, pattern: str, *, ends: str | None = None) -> DatePattern:
        """Declare a pattern between the ends of words."""
        has_digits = kind in _WITH_DIGITS or (kind is Kind.DATE and not self.words.first)
        source = f"{self.begins}(?:{pattern}){self.ends if ends is None else ends}"
        return DatePattern(kind, LazyPattern(source), has_digits)

    def filled(self, kind: Kind, patterns: Iterable[str]) -> Iterable[DatePattern]:
        """Yield patterns that the words of the language give whole, the names put in."""
        for pattern in patterns:
            for name, form in (
                ("month", f"(?P<month>{_literals(self.words.months)})"),
                ("begin", f"(?P<begin>{_literals(self.words.months)})"),
                ("year", _YEAR),
                ("which", self.which),
                ("count", self.counts),
                ("weekday", f"(?P<weekday>{self.names})" if kind is Kind.WEEKS_AFTER else self.any_weekday),
            ):
                pattern = pattern.replace(f"{{{name}}}", form)
            yield self.compiled(kind, pattern, ends="" if kind is Kind.BLOCKED else None)

    def all(self) -> Iterable[DatePattern]:
        """Yield all patterns, the most specific first."""
        yield from self.filled(Kind.BLOCKED, self.words.blocked)
        yield from self.digits()
        yield from self.filled(Kind.PERIOD, self.words.periods)
        yield from self.days_of_months()
        yield from self.months()
        yield from self.seasons()
        yield from self.years()
        yield from self.days_of_weeks()
        yield from self.distances()
        yield from self.units()
        yield from self.filled(Kind.WEEKS_AFTER, self.words.weeks_after)
        yield from self.filled(Kind.LONE_DAY, self.words.lone_days)
        yield from self.filled(Kind.MONTH, self.words.moved_months)
        yield from self.weekdays()

    def digits(self) -> Iterable[DatePattern]:
        """Yield patterns of dates in digits."""
        two, no_digit = r"\d{1,2}", r"(?!\d)"
        year = r"(?P<year>(?:19|20)\d\d|\d{4}(?=-))(?!\d)"
        iso = rf"(?<!\d[-/.]){year}(?P<sep>[-/.])\s?(?P<number>{two})(?P=sep)\s?(?P<day>{two})"
        yield self.compiled(Kind.ISO, self.tie + iso, ends=no_digit)
        parts = rf"(?<!\d[-/.,])(?P<one>{two})(?P<sep>[-/.])\s?(?P<two>{two})(?P=sep)"
        yield self.compiled(Kind.DIGITS, rf"{self.tie}{parts}\s?{_YEAR}", ends=no_digit)
        if self.words.on and self.words.order == "dmy":
            short = rf"(?:{self.words.on}){parts}(?:(?P<short>\d\d)|(?<=\.))"
            yield self.compiled(Kind.DAY_AND_MONTH, short, ends=no_digit)

    def days_of_months(self) -> Iterable[DatePattern]:
        """Yield patterns of days with the name of their month."""
        words = self.words
        names = any_of(
            f"(?:{_literals(words.weekdays)}){self.weekday_end}",
            _literals(words.short_weekdays),
        )
        weekday = rf"(?:{names}[.,]{{0,2}}{_GAP}{self.on})?" if words.edges != "none" else ""
        ordinal = maybe(words.ordinal) if words.edges == "both" else f"{_GAP}(?:{words.ordinal})"
        first = rf"(?P<first>{words.first})\s{{1,3}}" if words.first else ""
        day, year, gap = any_of(f"{self.article}{_DAY}{ordinal}", first), self.year(), words.gap
        yield self.compiled(
            Kind.DATE,
            f"{self.tie}{weekday}{day}{gap}{self.of}{self.dated_month}\\.?(?:[,،]?{_GAP}{self.of}{year}|{self.not_year})",
        )
        if not words.month_first:
            return
        month = f"{weekday}{self.dated_month}\\.?{gap}{self.article}{_DAY}{ordinal}"
        year = f"(?:{year}{_GAP}{self.of})?" if words.order != "mdy" else ""
        if words.edges == "both":
            yield self.compiled(Kind.DATE, rf"{self.tie}{month},?\s{{1,2}}{_YEAR}")
        no_era = _NO_ERA if words.edges != "both" else r"(?<!\d\s)(?<!\d\.\s)(?<!\d\sm\.\s)"
        yield self.compiled(Kind.DATE, rf"{self.tie}{no_era}{year}{month}(?!\s?[:.]\d){self.not_year}")

    def months(self) -> Iterable[DatePattern]:
        """Yield patterns of months without a day."""
        words, tie = self.words, self._tie(self.words.in_month)
        part = f"(?P<part>{words.part})?" if words.part else ""
        yield self.compiled(Kind.MONTH, f"{tie}{part}{self.dated_month}\\.?,?{_GAP}{self.of}{self.year()}")
        month, no_era = f"(?P<month>{_literals(words.months)})", ""
        if words.month_first and words.order != "mdy":
            whole = f"{month}{maybe(words.month_end)}"
            yield self.compiled(Kind.MONTH, f"{tie}{part}{self.year()}{_GAP}{self.of}{whole}(?!\\s?\\d)")
            no_era = _NO_ERA if words.edges != "both" else ""
        month += maybe(self.tied(words.month_after), words.month_end)
        lone = rf"{tie}{part}{self.which}{month}{self.which_after}(?!\s{{0,2}}\d){self.not_year}"
        yield self.compiled(Kind.MONTH, no_era + lone)

    def years(self) -> Iterable[DatePattern]:
        """Yield patterns of years: 'in 2019', 'since early 2019'."""
        words = self.words
        tie = any_of(*self.ties, words.in_year)
        if tie:
            year = f"{maybe(words.part)}{_YEAR}{maybe(words.year_end)}"
            yield self.compiled(Kind.YEAR, rf"{tie}{year}(?!\s?[-–/.]\d|-\w)")
        if words.year_after:
            yield self.compiled(Kind.YEAR, rf"(?<!\d[-–/.]){_YEAR}(?:{words.year_after})")

    def seasons(self) -> Iterable[DatePattern]:
        """Yield patterns of seasons: 'last summer', 'in the summer of 2019'."""
        named = any_of(*(f"(?P<{season}>{form})" for season, form in self.words.seasons.items()))
        if not named:
            return
        tie, year = self._tie(self.words.in_season), self.year()
        named = f"{self.article}{named}"
        yield self.compiled(Kind.SEASON, f"{tie}{named}{_GAP}{self.of}{year}")
        yield self.compiled(Kind.SEASON, f"{tie}{year}{_GAP}{self.of}{named}")
        yield self.compiled(Kind.SEASON, f"{tie}{self.which}{named}{self.which_after}")

    def days_of_weeks(self) -> Iterable[DatePattern]:
        """Yield patterns of weekdays in a certain week: 'next week on Monday'."""
        words = self.words
        if not self.weeks:
            return
        names = _literals([*words.weekdays, *words.tied_weekdays, *words.weeks_weekdays])
        weekday = f"(?P<weekday>{names}){self.weekday_end}"
        joint = maybe(words.week_joint)
        if words.edges != "none":
            joint = f",?{_GAP}{joint}{self.on}"
        yield self.compiled(Kind.DAY_OF_WEEK, f"{self.weeks}{joint}{weekday}")
        if words.week_of:
            yield self.compiled(Kind.DAY_OF_WEEK, f"{self.on}{weekday}(?:{words.week_of}){self.weeks}")

    def distances(self) -> Iterable[DatePattern]:
        """Yield patterns of times counted from today."""
        words = self.words
        unit = any_of(*(f"(?P<unit_{name}>{form})" for name, form in words.units.items()))
        counts = any_of(r"(?P<count>\d{1,3})", self.counts)
        some = any_of(
            f"{counts}{_GAP}{unit}" if unit else "",
            *(f"(?P<one_{name}>{form})" for name, form in words.one.items()),
            *(f"(?P<two_{name}>{form})" for name, form in words.two.items()),
        )
        tie = maybe(*self.ties)
        for kind, before, after in (
            (Kind.AGO, words.ago_before, words.ago_after),
            (Kind.AHEAD, words.ahead_before, words.ahead_after),
        ):
            if before:
                yield self.compiled(kind, f"{tie}(?:{before}){some}")
            if after:
                yield self.compiled(kind, f"{some}(?:{after})")
        near = any_of(*(f"(?P<away_{int(step) + TODAY}>{form})" for step, form in words.days.items()))
        if near:
            yield self.compiled(Kind.NEAR_DAY, f"{tie}{near}")

    def units(self) -> Iterable[DatePattern]:
        """Yield patterns of units such as 'next week', and of the weekend."""
        units = any_of(*(self.named(step, unit) for step in STEPS for unit in UNITS[1:]))
        if units:
            yield self.compiled(Kind.UNIT, f"{maybe(*self.ties)}{units}")
        if self.words.on_weekend:
            yield self.compiled(Kind.WEEKEND, self.words.on_weekend)

    def weekdays(self) -> Iterable[DatePattern]:
        """Yield the pattern of weekdays: 'on Monday', 'last Monday'."""
        words = self.words
        weekday = f"{words.weekday_begin}(?P<weekday>{self.names}){self.weekday_end}"
        tied = maybe(self.tied(words.weekday_tie or (f"(?={words.after_bare})" if words.after_bare else "")))
        yield self.compiled(Kind.WEEKDAY, f"{self.tie}{self.which}{weekday}{self.which_after}{tied}")


@cache
def date_patterns(code: str) -> tuple[DatePattern, ...]:
    """Return the patterns of a covered language, the most specific first."""
    return tuple(_Builder(date_words(code)).all())


@cache
def hint_pattern(code: str) -> LazyPattern[str]:
    """Return what every text with a date in a language has something of, case folded: one search for twenty."""
    words = date_words(code)
    names = _literals([*words.months, *words.weekdays])
    found = any_of(names, *words.units.values(), *words.seasons.values(), words.hint)
    return LazyPattern(rf"\d|\b{found}\b" if words.hint else "")


@cache
def context_patterns(code: str) -> Mapping[str, LazyPattern[str]]:
    """Return patterns of the words before and after a date: `not_bare`, `after_bare`, and `offset`.

    The last is what leads to a day from which some days are counted: 'three days after'.
    """
    words = date_words(code)
    count, unit = any_of(r"\d{1,3}", *filter(None, words.counts)), any_of(*words.units.values())
    offset = f"{WORD_BEGINS}{count}{_GAP}{unit}{BLANK}(?:{words.offset})$" if words.offset else ""
    forms = {"offset": offset, "not_bare": words.not_bare, "after_bare": words.after_bare}
    return {name: LazyPattern(form or "(?!)") for name, form in forms.items()}


# Declared at once, as every process meets English: others compile what is declared before the first message.
_ENGLISH = (hint_pattern("en"), context_patterns("en"), date_patterns("en"))
