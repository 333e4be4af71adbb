"""Reading LoCoMo's format; the conversations are our own."""

import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from toldonce.datasets.locomo import LocomoSample, locomo_samples, locomo_sessions, session_date, user_names
from toldonce.datasets.recordings import BadRecord, BadRecordError, Recording

OSLO = ZoneInfo("Europe/Oslo")


def conversation(a: str = "Ana", b: str = "Ben", **more: Any) -> dict[str, Any]:
    return {
        "speaker_a": a,
        "speaker_b": b,
        "session_2_date_time": "12:05 am on 9 May, 2023",
        "session_2": [{"speaker": b, "dia_id": "D2:1", "text": "Rain again."}],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": a, "dia_id": "D1:1", "text": "I keep bees."},
            {"speaker": b, "dia_id": "D1:2", "text": "Look!", "blip_caption": "a photo of a hive"},
        ],
        "session_3_date_time": "9:00 am on 10 May, 2023",
        **more,
    }


def samples(*values: object) -> list[LocomoSample | BadRecord]:
    return locomo_samples(json.dumps(list(values)).encode())


def sample(**more: Any) -> LocomoSample:
    (found,) = samples({"sample_id": "c-1", "conversation": conversation(**more)})
    assert isinstance(found, LocomoSample)
    return found


def sessions(of: LocomoSample, as_speaker: str) -> list[Recording | BadRecord]:
    return list(locomo_sessions(of, as_speaker=as_speaker, user=as_speaker, zone=OSLO))


def test_a_session_is_a_conversation_with_a_minute_for_each_turn() -> None:
    first, second = sessions(sample(), "Ana")

    assert isinstance(first, Recording)
    assert isinstance(second, Recording)
    assert (first.id, second.id) == ("c-1/session_1", "c-1/session_2")
    assert first.messages == (
        {"role": "user", "name": "Ana", "content": "I keep bees."},
        {"role": "assistant", "name": "Ben", "content": "Look!\n[photo: a photo of a hive]"},
    )
    assert first.dates == (
        datetime(2023, 5, 8, 11, 56, tzinfo=UTC),
        datetime(2023, 5, 8, 11, 57, tzinfo=UTC),
    )
    assert second.dates == (datetime(2023, 5, 8, 22, 5, tzinfo=UTC),)


def test_the_other_side_is_the_same_session_with_the_roles_turned() -> None:
    first = sessions(sample(), "Ben")[0]

    assert isinstance(first, Recording)
    assert [(message["role"], message["name"]) for message in first.messages] == [("assistant", "Ana"), ("user", "Ben")]
    assert first.user == "Ben"


def test_sessions_come_in_the_order_of_their_numbers() -> None:
    turn = [{"speaker": "Ana", "text": "Hm."}]
    found = sessions(sample(session_10=turn, session_10_date_time="1:00 pm on 1 June, 2023"), "Ana")

    assert [item.where for item in found] == ["c-1/session_1", "c-1/session_2", "c-1/session_10"]


def test_speakers_of_the_same_name_are_told_apart_by_their_sample() -> None:
    found = samples(
        {"sample_id": "c-1", "conversation": conversation("Ana", "Ben")},
        {"sample_id": "c-2", "conversation": conversation("Cleo", "Ben")},
    )

    names = user_names([item for item in found if isinstance(item, LocomoSample)])
    assert names == {
        ("c-1", "Ana"): "Ana",
        ("c-1", "Ben"): "Ben-c-1",
        ("c-2", "Cleo"): "Cleo",
        ("c-2", "Ben"): "Ben-c-2",
    }


def test_a_bad_session_is_reported_and_costs_no_other() -> None:
    found = sessions(
        sample(session_1_date_time="some day", session_4=[7], session_4_date_time="1:00 pm on 1 May, 2023"), "Ana"
    )

    assert [(item.where, isinstance(item, BadRecord)) for item in found] == [
        ("c-1/session_1", True),
        ("c-1/session_2", False),
        ("c-1/session_4", True),
    ]


def test_a_bad_sample_is_reported_and_costs_no_other() -> None:
    found = samples(7, {"conversation": {"speaker_a": "Ana"}}, {"conversation": conversation()})

    assert [item.where if isinstance(item, BadRecord) else item.id for item in found] == [
        "sample 1",
        "sample 2",
        "sample-3",
    ]


@pytest.mark.parametrize("data", [b"{}x", b"[]", b"7", b"\xff", b"[" * 100_000, b"[" + b"9" * 5000 + b"]"])
def test_a_file_of_another_kind_is_refused(data: bytes) -> None:
    with pytest.raises(BadRecordError):
        locomo_samples(data)


@pytest.mark.parametrize(
    ("text", "hour"), [("12:00 am on 1 May, 2023", 0), ("12:30 pm on 1 May, 2023", 12), ("11:59 PM on 1 may 2023", 23)]
)
def test_noon_and_midnight_are_read_as_people_mean_them(text: str, hour: int) -> None:
    assert session_date(text, UTC).hour == hour


@pytest.mark.parametrize(
    "value", [None, 7, "", "1:56 pm on 31 February, 2023", "1:56 pm on 8 Mai, 2023", "13:99 pm on 8 May, 2023"]
)
def test_what_is_no_session_date_is_refused(value: object) -> None:
    with pytest.raises(BadRecordError, match="session's date"):
        session_date(value, UTC)
