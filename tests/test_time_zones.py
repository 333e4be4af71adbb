"""Time zones as people write them, and the zone that an instant tells."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toldonce.errors import BadRequestError
from toldonce.time_zones import day_of, in_own_zone, in_zone, read_zone, require_zone, write_zone

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("Europe/Berlin", 2),
        ("europe/berlin", 2),
        ("America/New York", -4),
        ("CET", 2),
        ("MESZ", 2),
        ("PST", -7),
        ("Pacific Time", -7),
        ("Eastern Standard Time", -4),
        ("UTC+2", 2),
        ("gmt-3", -3),
        ("+05:30", 5.5),
        ("UTC−0330", -3.5),
        ("UTC", 0),
        ("JST.", 9),
    ],
)
def test_a_zone_is_read_as_people_write_it(text: str, hours: float) -> None:
    zone = read_zone(text)

    assert zone is not None
    assert NOON.astimezone(zone).utcoffset() == timedelta(hours=hours)


@pytest.mark.parametrize(
    "text", ["", " ", "home", "UTC+25", "../../etc/passwd", "/etc/localtime", "Europe", "5", "x" * 99]
)
def test_what_names_no_zone_is_none(text: str) -> None:
    assert read_zone(text) is None
    with pytest.raises(BadRequestError, match="Europe/Berlin"):
        require_zone(text, "x-toldonce-time-zone")


@given(st.text(max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    zone = read_zone(text)

    assert zone is None or abs(NOON.astimezone(zone).utcoffset() or timedelta()) <= timedelta(hours=14)


@pytest.mark.parametrize(
    "instant",
    [
        datetime(2026, 5, 4, 1, tzinfo=timezone(timedelta(hours=9))),
        datetime(2026, 5, 4, 1, tzinfo=ZoneInfo("Europe/London")),
        datetime(2026, 1, 4, 1, tzinfo=ZoneInfo("Europe/London")),
        datetime(2026, 5, 4, 1, tzinfo=timezone(timedelta(hours=-3, minutes=-30))),
    ],
)
def test_what_is_written_of_an_instant_gives_its_day_back(instant: datetime) -> None:
    read = in_zone(instant.astimezone(UTC), write_zone(instant))

    assert read == instant
    assert read.utcoffset() == instant.utcoffset()
    assert day_of(read, ZoneInfo("Pacific/Auckland")) == instant.date()


@pytest.mark.parametrize("zone", [UTC, ZoneInfo("UTC"), timezone(timedelta()), timezone.utc])  # noqa: UP017
def test_an_instant_in_utc_tells_no_zone(zone: timezone) -> None:
    assert write_zone(NOON.astimezone(zone)) is None
    assert in_own_zone(NOON.astimezone(zone), ZoneInfo("Asia/Tokyo")).hour == 21
