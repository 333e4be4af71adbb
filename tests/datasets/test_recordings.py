"""Reading recorded conversations: OpenAI messages, one conversation a line."""

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from toldonce.datasets.recordings import (
    BadRecord,
    BadRecordError,
    Format,
    Recording,
    detect,
    openai_lines,
    read_date,
)

OSLO = ZoneInfo("Europe/Oslo")
HELLO = [{"role": "user", "content": "I keep bees."}, {"role": "assistant", "content": "How many hives?"}]


def lines(*values: object) -> list[bytes]:
    return [value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n" for value in values]


def read(*values: object) -> list[Recording | BadRecord]:
    return list(openai_lines(lines(*values), OSLO))


def one(value: object) -> Recording:
    (found,) = read(value)
    assert isinstance(found, Recording)
    return found


def test_a_conversation_keeps_its_id_its_messages_and_their_dates() -> None:
    found = one(
        {
            "id": "bees",
            "date": "2026-05-03T10:00:00+02:00",
            "messages": [HELLO[0], {**HELLO[1], "created_at": 1_777_888_800}],
        }
    )

    assert found.id == "bees"
    assert found.messages == tuple(HELLO)
    assert found.dates == (datetime(2026, 5, 3, 8, tzinfo=UTC), datetime(2026, 5, 4, 10, tzinfo=UTC))


def test_a_message_without_a_date_was_said_with_the_one_before_it() -> None:
    found = one([HELLO[0], {**HELLO[1], "timestamp": "2026-05-03T08:00:00Z"}, HELLO[0]])

    assert found.dates == (None, datetime(2026, 5, 3, 8, tzinfo=UTC), datetime(2026, 5, 3, 8, tzinfo=UTC))


def test_a_date_without_a_zone_is_read_in_the_settings_zone() -> None:
    assert one({"date": "2026-07-01T12:00", "messages": HELLO}).dates[0] == datetime(2026, 7, 1, 10, tzinfo=UTC)


def test_a_conversation_without_an_id_is_named_by_what_it_says_and_when() -> None:
    first, again = one(HELLO), one({"messages": HELLO})
    other_day = one({"date": "2026-05-03T08:00:00Z", "messages": HELLO})

    assert first.id == again.id
    assert other_day.id != first.id


def test_a_bad_line_is_named_with_its_reason_and_costs_no_other() -> None:
    good = {"id": "good", "messages": HELLO}
    found = read(
        good,
        b"{not json}\n",
        {"id": 1},
        {"messages": []},
        [{"content": "who says so?"}],
        {"messages": HELLO, "date": "last May"},
        {"messages": HELLO, "id": {"a": 1}},
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        b'{"messages": [{"role": "user", "content": "x", "n": ' + b"9" * 5000 + b"}]}\n",
        b"  \n",
        good,
    )

    assert [item.where for item in found] == [f"line {n}" for n in (*range(1, 11), 12)]
    assert [item.id for item in found if isinstance(item, Recording)] == ["good", "good"]
    reasons = [item.reason for item in found if isinstance(item, BadRecord)]
    assert reasons[0].startswith("not JSON")
    assert reasons[1] == "neither a list of messages nor an object with `messages`"
    assert reasons[2] == "no messages"
    assert reasons[3] == "message 1 is not an object with a role"
    assert "'last May'" in reasons[4]
    assert "`id`" in reasons[5]
    assert reasons[6] == "not UTF-8 at byte 1"
    assert reasons[7] == "JSON nested too deep"
    assert reasons[8] == "a number with more digits than can be read"


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm() -> None:
    data = b"\xef\xbb\xbf" + json.dumps(HELLO).encode() + b"\r\n"

    assert [type(item) for item in openai_lines([data], UTC)] == [Recording]


@pytest.mark.parametrize(
    ("value", "iso"),
    [
        (1_777_795_200, "2026-05-03T08:00:00+00:00"),
        (1_777_795_200.5, "2026-05-03T08:00:00.500000+00:00"),
        ("1777795200", "2026-05-03T08:00:00+00:00"),
        (1_777_795_200_000, "2026-05-03T08:00:00+00:00"),
        ("2026-05-03", "2026-05-02T22:00:00+00:00"),
        ("20260503", "2026-05-02T22:00:00+00:00"),
        ("2026-05-03T08:00:00Z", "2026-05-03T08:00:00+00:00"),
    ],
)
def test_dates_are_iso_or_unix_time(value: object, iso: str) -> None:
    assert read_date(value, OSLO).isoformat() == iso


@pytest.mark.parametrize("value", ["", "soon", True, [], 1e300, "0001-01-01", "9999-12-31T23:59-10:00", float("nan")])
def test_what_is_no_date_is_refused_with_the_value(value: object) -> None:
    with pytest.raises(BadRecordError, match="cannot read the date"):
        read_date(value, ZoneInfo("Asia/Tokyo"))


@pytest.mark.parametrize(
    ("head", "form"),
    [
        (json.dumps([{"sample_id": "a", "conversation": {}}]).encode(), Format.LOCOMO),
        (json.dumps([{"sample_id": "a", "conversation": {}}], indent=1).encode(), Format.LOCOMO),
        (json.dumps({"sample_id": "a", "conversation": {}}).encode(), Format.LOCOMO),
        (json.dumps({"messages": HELLO}).encode() + b"\n{}", Format.OPENAI),
        (json.dumps(HELLO).encode(), Format.OPENAI),
        (b"no JSON at all", Format.OPENAI),
    ],
)
def test_the_format_is_told_by_the_beginning(head: bytes, form: Format) -> None:
    assert detect(head) is form


@pytest.mark.parametrize(("head", "reason"), [(b"", "empty"), (b" \n", "empty"), (b"\x7fELF\0\0", "NUL")])
def test_an_empty_or_binary_file_is_refused(head: bytes, reason: str) -> None:
    with pytest.raises(BadRecordError, match=reason):
        detect(head)
