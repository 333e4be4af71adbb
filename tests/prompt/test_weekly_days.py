"""A day of every week has not passed, begins nothing, and is no plan."""

from datetime import UTC, timedelta

import pytest

from extractor_inputs import SAID, logged, source
from factories import memory
from toldonce.dates import written
from toldonce.extraction.rules import read_by_rules
from toldonce.extraction.schemas.output_schema import valid_since
from toldonce.prompt.rows import RowFormat, has_passed
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind

WEEKLY = [
    "My cleaner comes on Friday.",
    "Am Freitag kommt meine Putzhilfe.",
    "La limpieza es el viernes.",
    "保洁阿姨周五来。",
]
ONE_DAY = [
    "I'm flying to Rome on Friday.",
    "Am Freitag werde ich fliegen.",
    "El viernes viajaré a Roma.",
    "我打算周五飞罗马。",
]


@pytest.mark.parametrize("kind", [MemoryKind.NOTE, MemoryKind.TURN])
@pytest.mark.parametrize(("text", "passes"), [*((text, False) for text in WEEKLY), *((text, True) for text in ONE_DAY)])
def test_only_one_day_can_have_passed(text: str, passes: bool, kind: MemoryKind) -> None:
    clock = FakeClock()
    said = memory(text, kind=kind, clock=clock)
    clock.advance(days=14)
    reading = RowFormat(zone=UTC, now=clock.now(), max_characters=500, scale=1)

    assert has_passed(said, reading) is passes


@pytest.mark.parametrize("text", WEEKLY)
def test_a_models_day_does_not_count_where_a_weekly_day_is_named(text: str) -> None:
    message = logged(1, text)
    friday = next(day for days in range(1, 8) if (day := (SAID - timedelta(days=days)).date()).weekday() == 4)

    assert valid_since(friday, message, source(message)) == message.said_at


@pytest.mark.parametrize("text", WEEKLY)
def test_a_weekly_day_makes_no_plan(text: str) -> None:
    message = logged(1, text)
    candidates = read_by_rules(source(message)).candidates

    assert all(candidate.type != "plan" for candidate in candidates)
    assert all(candidate.valid_from == message.said_at for candidate in candidates)


@pytest.mark.parametrize("text", ["My exam is on Tuesday.", *WEEKLY])
def test_in_the_present_tense_the_day_of_a_plan_alone_is_written_out(text: str) -> None:
    tuesday = next(day for days in range(1, 8) if (day := (SAID + timedelta(days=days)).date()).weekday() == 1)
    kept = read_by_rules(source(logged(1, text), keeps_sentences=True)).candidates

    assert [f"[{written(tuesday)}]" in candidate.text for candidate in kept] == [text not in WEEKLY] * len(kept)
    assert kept or text in WEEKLY
