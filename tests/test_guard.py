"""What a guard catches and logs, and what it lets through."""

import logging

import pytest

from toldonce.errors import StaleSubjectError, SubjectKeyError
from toldonce.guard import guarded

logger = logging.getLogger("guarded")


def test_a_failure_is_kept_and_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    with guarded(logger, "it failed", extra={"tool": "search"}) as guard:
        raise ValueError("why")

    assert isinstance(guard.failure, ValueError)
    [record] = caplog.records
    assert (record.message, record.levelname, record.__dict__["tool"]) == ("it failed", "ERROR", "search")
    assert record.exc_info is not None


def test_what_ends_without_failure_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with guarded(logger, "it failed") as guard:
        pass

    assert (guard.failure, caplog.records) == (None, [])


@pytest.mark.parametrize("ended", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_the_process_goes_through(ended: type[BaseException]) -> None:
    with pytest.raises(ended), guarded(logger, "it failed"):
        raise ended


def test_what_passes_goes_through_and_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ValueError, match="why"), guarded(logger, "it failed", passes=lambda: True):
        raise ValueError("why")
    assert caplog.records == []


@pytest.mark.parametrize(
    ("error", "level"),
    [
        (StaleSubjectError("the memory of user:ana was erased", logged="a subject was erased"), "WARNING"),
        (SubjectKeyError("no key"), "ERROR"),
    ],
)
def test_no_traceback_names_a_user(error: Exception, level: str, caplog: pytest.LogCaptureFixture) -> None:
    with guarded(logger, "it failed"):
        raise error

    [record] = caplog.records
    assert (record.levelname, record.exc_info) == (level, None)
    assert "ana" not in str(record.__dict__["error"])
