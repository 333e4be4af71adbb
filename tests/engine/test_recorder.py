"""Each message of a recording keeps its own date."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.engine.recorder import dated_log, message_dates
from toldonce.errors import BadRequestError

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
HELLO = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
BODY = b"""{"messages": [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": "Hi"}
]}"""


def test_one_date_is_the_date_of_every_message() -> None:
    assert message_dates(HELLO, NOON) == (NOON, NOON)


def test_a_date_keeps_its_time_zone() -> None:
    oslo, tokyo = timezone(timedelta(hours=2)), timezone(timedelta(hours=9))
    dates = message_dates(HELLO, [NOON.astimezone(oslo), NOON], tokyo)

    assert dates == (NOON, NOON)
    assert [date.tzinfo for date in dates] == [oslo, tokyo]


@pytest.mark.parametrize("dates", [[NOON], [NOON] * 3, []])
def test_each_message_needs_a_date_of_its_own(dates: list[datetime]) -> None:
    with pytest.raises(BadRequestError, match=f"{len(dates)} dates for 2 messages"):
        message_dates(HELLO, dates)


def test_a_date_without_a_time_zone_is_refused() -> None:
    with pytest.raises(BadRequestError, match="without a time zone"):
        message_dates(HELLO, [NOON, NOON.replace(tzinfo=None)])


def test_a_system_message_takes_its_date_with_it() -> None:
    dates = [NOON, NOON + timedelta(minutes=1), NOON + timedelta(minutes=2)]
    log = dated_log(OPENAI_CHAT.read(BODY), dates)

    assert [(message.role, message.said_at) for message in log] == [("user", dates[1]), ("assistant", dates[2])]
