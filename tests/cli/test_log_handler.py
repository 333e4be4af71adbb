"""Log output under a flood: the first of many equal warnings, and how many there were."""

import io
import logging

import pytest

from toldonce.cli.logging_config import MAX_EQUAL, PERIOD_S, ThrottledHandler


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def handler(stream: io.StringIO) -> ThrottledHandler:
    return ThrottledHandler(stream)


def record(text: str, *arguments: object, level: int = logging.WARNING, at: float = 1000.0) -> logging.LogRecord:
    made = logging.LogRecord("toldonce", level, __file__, 1, text, arguments, None)
    made.created = at
    return made


def test_of_many_equal_warnings_the_first_few_are_written(handler: ThrottledHandler, stream: io.StringIO) -> None:
    for number in range(MAX_EQUAL + 80):
        handler.emit(record("refused %s", number))
    assert stream.getvalue().splitlines() == [f"refused {number}" for number in range(MAX_EQUAL)]


def test_the_others_are_counted_when_the_period_ends(handler: ThrottledHandler, stream: io.StringIO) -> None:
    for number in range(MAX_EQUAL + 80):
        handler.emit(record("refused %s", number))
    handler.emit(record("something else", at=1000.0 + PERIOD_S))
    handler.emit(record("refused %s", "again", at=1000.0 + PERIOD_S))
    assert stream.getvalue().splitlines()[MAX_EQUAL:] == [
        "80 more like this were not written: refused 0",
        "something else",
        "refused again",
    ]


def test_they_are_counted_when_the_log_is_closed(handler: ThrottledHandler, stream: io.StringIO) -> None:
    for _ in range(MAX_EQUAL + 1):
        handler.emit(record("refused"))
    handler.close()
    assert stream.getvalue().splitlines()[-1] == "1 more like this were not written: refused"


def test_other_warnings_and_what_is_no_warning_are_all_written(handler: ThrottledHandler, stream: io.StringIO) -> None:
    for number in range(MAX_EQUAL * 3):
        handler.emit(record(f"warning {number}"))
        handler.emit(record("recorded", level=logging.INFO))
    assert len(stream.getvalue().splitlines()) == MAX_EQUAL * 6


def test_a_flood_of_made_up_messages_is_not_remembered(handler: ThrottledHandler) -> None:
    for number in range(5000):
        handler.emit(record(f"warning {number}"))
    assert len(handler._kinds) == 1000


def test_exceptions_are_of_one_kind_where_they_come_from_one_line(
    handler: ThrottledHandler, stream: io.StringIO
) -> None:
    for number in range(MAX_EQUAL * 2):
        try:
            raise OSError(number) if number % 2 else ValueError(number)
        except (OSError, ValueError) as error:
            made = record("failed")
            made.exc_info = (type(error), error, error.__traceback__)
            handler.emit(made)
    assert stream.getvalue().count("Traceback") == MAX_EQUAL * 2
