"""Days that something was moved to, begins on or was decided for lie ahead; runs of days and weeks are read whole."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tables import check_each
from toldonce.dates import Direction, parse_dates, write_out

# A Friday.
SAID = datetime(2026, 11, 20, 12, tzinfo=UTC)


def written(text: str) -> str:
    """Write out the dates of a text as a note does."""
    return write_out(text, parse_dates(text, said_at=SAID, zone=ZoneInfo("UTC"), default=Direction.AHEAD))


@check_each(
    ("said", "told"),
    [
        ("the flight got moved to the 3rd", "the flight got moved to the 3rd [3 December 2026]"),
        ("the party was postponed to June", "the party was postponed to June [June 2027]"),
        ("they brought it forward to may", "they brought it forward to may [May 2027]"),
        ("we've decided to close on Mondays from April", "we've decided to close on Mondays from April [April 2027]"),
        ("we agreed to share from March", "we agreed to share from March [March 2027]"),
        ("I signed a lease starting in September", "I signed a lease starting in September [September 2027]"),
        ("I've got an exam on the 2nd", "I've got an exam on the 2nd [2 December 2026]"),
        ("I start a week on Monday", "I start a week on Monday [30 November 2026]"),
        ("I'm away two weeks from Friday", "I'm away two weeks from Friday [11 December 2026]"),
        ("I'm off from the 23rd to the 30th", "I'm off from the 23rd to the 30th [23 to 30 November 2026]"),
        ("in Crete from the 28th to the 4th", "in Crete from the 28th to the 4th [28 November to 4 December 2026]"),
        ("my contract runs until the end of June", "my contract runs until the end of June [June 2027]"),
        ("we celebrate Holi in March", "we celebrate Holi in March"),
    ],
)
def test_what_is_arranged_lies_ahead(said: str, told: str) -> None:
    assert written(said) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I bought a dog on the 8th", "I bought a dog on the 8th [8 November 2026]"),
        ("I decided to leave him in January", "I decided to leave him in January [January 2026]"),
        ("we've got married on Saturday", "we've got married on Saturday [14 November 2026]"),
        ("I signed it in March", "I signed it in March [March 2026]"),
        ("I was off from the 2nd to the 9th", "I was off from the 2nd to the 9th [2 to 9 November 2026]"),
        ("I was in Rome from May", "I was in Rome from May [May 2026]"),
        ("I've just got back on Monday", "I've just got back on Monday [16 November 2026]"),
    ],
)
def test_what_has_happened_lies_behind(said: str, told: str) -> None:
    assert written(said) == told


@pytest.mark.parametrize(
    "said",
    [
        "our match was moved to tuesday",
        "she's got surgery on Monday",
        "I moved to May Street",
        "I moved to the 16th floor",
        "we moved to March",
        "walk to the 3rd hole",
    ],
)
def test_a_place_or_what_may_be_weekly_is_no_day(said: str) -> None:
    assert written(said) == said


@pytest.mark.parametrize(
    "text",
    [
        "I'm thinking of the talk that Ana gave on {behind}.",
        "I recently ordered a lamp on {behind}, and now I'm waiting for it.",
        "Bo agreed to send the letter by {ahead}.",
        "We launched the survey that ends on {ahead}.",
    ],
)
def test_a_day_that_another_year_is_nearer_to_is_left_as_it_is(text: str) -> None:
    names = {
        "behind": f"{SAID - timedelta(days=20):%B} {(SAID - timedelta(days=20)).day}",
        "ahead": f"{SAID + timedelta(days=20):%B} {(SAID + timedelta(days=20)).day}",
    }
    told = text.format_map(names)
    days = {str(found.first) for found in parse_dates(told, said_at=SAID, zone=ZoneInfo("UTC"))}
    assert days <= {str((SAID + timedelta(days=away)).date()) for away in (-20, 20)}
