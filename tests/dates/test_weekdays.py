"""A weekday may be one day or every week; only the former is a date."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from toldonce.dates import DateMention, Direction, parse_dates

# A Wednesday.
SAID_AT = datetime(2026, 11, 25, 12, tzinfo=UTC)
CORPUS = tomllib.loads(Path(__file__).with_name("weekdays.toml").read_text("utf-8"))
MIN_RECALL_OF_THE_PAST = 0.9


@dataclass
class Count:
    """How many sentences have a date, and how many should."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        """Share of dates that are meant."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Share of what is meant that is found."""
        return self.right / max(1, self.right + self.missed)


def dates(text: str) -> list[DateMention]:
    return parse_dates(text, said_at=SAID_AT, zone=ZoneInfo("UTC"), default=Direction.AHEAD)


def count(languages: Iterable[str], *tenses: str) -> Count:
    """Count the dates of weekly sentences, and of those of one day that have one of `tenses`."""
    counted = Count()
    for sentences in map(CORPUS.__getitem__, languages):
        counted.wrong += sum(bool(dates(text)) for text in sentences["weekly"])
        for tense, text in ((name, text) for name in tenses for text in sentences[name]):
            found = dates(text)
            is_right = all((day.end <= SAID_AT or day.since) == (tense == "past") for day in found)
            counted.missed += not found
            counted.right += bool(found) and is_right
            counted.wrong += not is_right
    return counted


@pytest.mark.parametrize("language", CORPUS)
def test_a_weekly_day_is_no_date(language: str) -> None:
    assert [text for text in CORPUS[language]["weekly"] if dates(text)] == []


@pytest.mark.parametrize("language", CORPUS)
def test_a_weekday_of_a_sentence_in_the_past_tense_is_a_date(language: str) -> None:
    assert count([language], "past").recall >= MIN_RECALL_OF_THE_PAST


def test_weekdays_that_are_dates_are_precise_and_half_of_plans_are_found() -> None:
    found = count(CORPUS, "past", "coming")

    # Before a present tense was taken as doubtful: 0.48 and 0.95.
    assert found.precision >= 0.98
    assert found.recall >= 0.75
    assert count(CORPUS, "coming").recall >= 0.5


@pytest.mark.parametrize(
    "text", ["I will always be off on Friday", "We always met on Friday", "Freitags hatte ich immer frei"]
)
def test_a_habit_in_the_past_or_future_is_no_date(text: str) -> None:
    assert not dates(text)


@pytest.mark.parametrize(
    "text", ["My day off is this Friday", "My exam is next Friday", "Mein Kurs ist nächsten Freitag", "我下周五休息"]
)
def test_a_word_such_as_next_makes_a_weekday_one_day_in_any_tense(text: str) -> None:
    assert [found.first.weekday() for found in dates(text)] == [4]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("My exam is on Tuesday.", ["2026-12-01"]),
        ("Ich will am Donnerstag ins Kino.", ["2026-11-26"]),
        ("I always swim on Tuesday.", []),
        ("I saw Ana on Tuesday.", ["2026-11-24"]),
    ],
)
def test_a_weekday_of_a_sentence_known_to_tell_of_one_day_ahead_is_the_next(text: str, days: list[str]) -> None:
    found = parse_dates(text, said_at=SAID_AT, zone=ZoneInfo("UTC"), coming=[(0, len(text))])
    assert [day.first.isoformat() for day in found] == days
