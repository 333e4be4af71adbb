"""Date words against the moment they were said, in the speaker's zone."""

import re
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import check_each
from toldonce.dates import DateMention, Precision, parse_dates, reader, write_out

# A Friday.
SAID = datetime(2026, 11, 20, 12, tzinfo=UTC)
OSLO = ZoneInfo("Europe/Oslo")


def only(text: str, said: datetime = SAID, zone: ZoneInfo = OSLO) -> DateMention:
    found = parse_dates(text, said_at=said, zone=zone)
    assert len(found) == 1, found
    return found[0]


@check_each(
    ("text", "first", "last", "precision"),
    [
        ("today", "2026-11-20", "2026-11-20", "day"),
        ("I went yesterday", "2026-11-19", "2026-11-19", "day"),
        ("last night we ate", "2026-11-19", "2026-11-19", "day"),
        ("see you tomorrow", "2026-11-21", "2026-11-21", "day"),
        ("the day before yesterday", "2026-11-18", "2026-11-18", "day"),
        ("the day after tomorrow", "2026-11-22", "2026-11-22", "day"),
        ("last week", "2026-11-09", "2026-11-15", "week"),
        ("this week", "2026-11-16", "2026-11-22", "week"),
        ("next week", "2026-11-23", "2026-11-29", "week"),
        ("last month", "2026-10-01", "2026-10-31", "month"),
        ("next month", "2026-12-01", "2026-12-31", "month"),
        ("last year", "2025-01-01", "2025-12-31", "year"),
        ("next year", "2027-01-01", "2027-12-31", "year"),
        ("last Friday", "2026-11-13", "2026-11-13", "day"),
        ("next Friday", "2026-11-27", "2026-11-27", "day"),
        ("on Monday I ran", "2026-11-16", "2026-11-16", "day"),
        ("I'm flying on Monday", "2026-11-23", "2026-11-23", "day"),
        ("last weekend", "2026-11-14", "2026-11-15", "weekend"),
        ("this past weekend", "2026-11-14", "2026-11-15", "weekend"),
        ("two weekends ago", "2026-11-07", "2026-11-08", "weekend"),
        ("3 days ago", "2026-11-17", "2026-11-17", "day"),
        ("a couple of days ago", "2026-11-18", "2026-11-18", "day"),
        ("two weeks ago", "2026-11-02", "2026-11-08", "week"),
        ("six months ago", "2026-05-01", "2026-05-31", "month"),
        ("ten years ago", "2016-01-01", "2016-12-31", "year"),
        ("in 3 days", "2026-11-23", "2026-11-23", "day"),
        ("in two weeks", "2026-11-30", "2026-12-06", "week"),
        ("three months from now", "2027-02-01", "2027-02-28", "month"),
        ("I moved in May", "2026-05-01", "2026-05-31", "month"),
        ("I will move in May", "2027-05-01", "2027-05-31", "month"),
        ("I moved in December", "2025-12-01", "2025-12-31", "month"),
        ("last May", "2026-05-01", "2026-05-31", "month"),
        ("next May", "2027-05-01", "2027-05-31", "month"),
        ("last November", "2025-11-01", "2025-11-30", "month"),
        ("in March 2024", "2024-03-01", "2024-03-31", "month"),
        ("march 2024", "2024-03-01", "2024-03-31", "month"),
        ("in 2022", "2022-01-01", "2022-12-31", "year"),
        ("since 2019", "2019-01-01", "2019-12-31", "year"),
        ("last summer", "2026-06-01", "2026-08-31", "season"),
        ("in the summer of 2019", "2019-06-01", "2019-08-31", "season"),
        ("this winter", "2026-12-01", "2027-02-28", "season"),
        ("2023-05-07", "2023-05-07", "2023-05-07", "day"),
        ("7 May 2023", "2023-05-07", "2023-05-07", "day"),
        ("May 7th, 2023", "2023-05-07", "2023-05-07", "day"),
        ("the 7th of June", "2026-06-07", "2026-06-07", "day"),
        ("13/07/2023", "2023-07-13", "2023-07-13", "day"),
        ("Fri 13 Nov", "2026-11-13", "2026-11-13", "day"),
        ("on 29 February", "2024-02-29", "2024-02-29", "day"),
    ],
)
def test_words_name_these_days(text: str, first: str, last: str, precision: str) -> None:
    found = only(text)
    assert (found.first.isoformat(), found.last.isoformat(), found.precision) == (first, last, precision)


@check_each(
    "text",
    [
        "I may go",
        "may I ask",
        "a few days ago",
        "the last year",
        "last two weeks",
        "every Monday",
        "on Mondays",
        "the sun rose and I sat",
        "05/07/2023",
        "30 February",
        "I did it in two weeks",
        "version 2020",
        "march on",
        "June is great",
        "",
    ],
)
def test_what_names_no_certain_day_is_left_alone(text: str) -> None:
    assert parse_dates(text, said_at=SAID, zone=OSLO) == []


@pytest.mark.parametrize(
    ("zone", "yesterday"),
    [
        ("UTC", "2024-05-07"),
        ("Pacific/Auckland", "2024-05-08"),
        ("Asia/Kolkata", "2024-05-08"),
        ("America/Los_Angeles", "2024-05-07"),
        ("Pacific/Kiritimati", "2024-05-08"),
        ("Europe/Oslo", "2024-05-08"),
    ],
)
def test_yesterday_is_counted_in_the_speakers_zone(zone: str, yesterday: str) -> None:
    said = datetime(2024, 5, 8, 23, 30, tzinfo=UTC)
    assert only("yesterday", said, ZoneInfo(zone)).first == date.fromisoformat(yesterday)


def test_a_day_of_a_change_to_summer_time_has_23_hours() -> None:
    found = only("yesterday", datetime(2024, 4, 1, 9, tzinfo=UTC), OSLO)
    assert found.first == date(2024, 3, 31)
    assert (found.end - found.start).total_seconds() == 23 * 3600


def test_a_day_without_a_midnight_begins_when_its_clocks_do() -> None:
    found = only("2018-11-04", zone=ZoneInfo("America/Sao_Paulo"))
    assert found.start == datetime(2018, 11, 4, 3, tzinfo=UTC)
    assert (found.end - found.start).total_seconds() == 23 * 3600


def test_a_year_ago_on_a_leap_day_is_a_year_that_has_none() -> None:
    leap = datetime(2024, 2, 29, 12, tzinfo=UTC)
    assert only("last year", leap).first == date(2023, 1, 1)
    assert only("a month ago", leap).first == date(2024, 1, 1)
    assert only("yesterday", datetime(2024, 3, 1, 12, tzinfo=UTC)).first == date(2024, 2, 29)


def test_since_says_that_the_time_runs_on() -> None:
    assert only("I've been vegan since 2019").since
    assert not only("in 2019").since


def test_a_mention_knows_its_place_and_its_words() -> None:
    text = "I met Ana yesterday, at noon"
    found = only(text)
    assert text[slice(*found.span)] == found.quote == "yesterday"
    assert found.precision is Precision.DAY


@check_each(
    ("text", "written"),
    [
        ("Yesterday I ate", "Yesterday [19 November 2026] I ate"),
        ("I moved in May", "I moved in May [May 2026]"),
        ("in early May", "in early May [May 2026]"),
        ("tomorrow's exam", "tomorrow's [21 November 2026] exam"),
        ("since last October", "since last October [October 2026]"),
        ("born on 3 March 1990", "born on 3 March 1990"),
        ("two weekends ago we rode", "two weekends ago [the weekend of 7 November 2026] we rode"),
        ("last summer and last week", "last summer [the summer of 2026] and last week [the week of 9 November 2026]"),
    ],
)
def test_dates_are_written_out_so_that_they_never_go_stale(text: str, written: str) -> None:
    assert write_out(text, parse_dates(text, said_at=SAID, zone=OSLO)) == written


@pytest.mark.parametrize("year", [1, 9999])
def test_the_ends_of_the_calendar_raise_nothing(year: int) -> None:
    said = datetime(year, 6, 15, tzinfo=UTC)
    for text in ("900 years ago", "in 900 years", "next year", "last year", "last summer", "next winter", "in May"):
        parse_dates(text, said_at=said, zone=OSLO)


@given(st.text(max_size=200), st.datetimes(timezones=st.just(UTC)))
def test_no_text_at_any_time_raises(text: str, said: datetime) -> None:
    for found in parse_dates(text, said_at=said, zone=OSLO):
        assert found.start < found.end
        assert text[slice(*found.span)] == found.quote


def test_what_one_signs_up_for_lies_ahead() -> None:
    found = only("I signed up for the Berlin marathon on September 27.")
    assert found.first == date(2027, 9, 27)
    assert only("I ran the Berlin marathon on September 27.").first == date(2026, 9, 27)


def test_somebody_elses_plan_lies_ahead() -> None:
    assert only("She is getting married in May.").first == date(2027, 5, 1)


def test_evenings_of_a_weekday_are_no_day() -> None:
    assert parse_dates("Tuesday evenings don't work for me", said_at=SAID, zone=OSLO) == []
    assert only("I met her on Tuesday evening").first == date(2026, 11, 17)


@given(
    st.lists(
        st.sampled_from(
            """days weekends month's years-ago decade yesterday tonight nights last next this two a couple of ago in may
            March marble Mars monkeys Mon. sept sunny Sun weds thurs thursday's summers fall falling on the over ſept
            mornings evening_of day before after tomorrow weeks from now until since 5th 2019 12/3 to and early
            late""".split()
        ),
        max_size=9,
    )
)
def test_the_test_for_any_time_leaves_no_time_out(said: list[str]) -> None:
    text, now = " ".join(said), datetime(2026, 5, 8, 12, tzinfo=UTC)
    found = parse_dates(text, said_at=now, zone=ZoneInfo("UTC"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "hint_pattern", lambda _: re.compile(""))
        assert parse_dates(text, said_at=now, zone=ZoneInfo("UTC")) == found
