"""How log lines look, and what the front door says of an error nobody foresaw."""

import io
import json
import logging
from collections.abc import Iterator

import pytest

from toldonce.cli.logging_config import JsonFormatter, PlainFormatter, set_up_logs
from toldonce.cli.main import app, command_line, run


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Where logs go; the loggers are as before afterwards."""
    root, ours = logging.getLogger(), logging.getLogger("toldonce")
    before = root.handlers[:], root.level, ours.level
    yield io.StringIO()
    root.handlers[:], root.level, ours.level = before
    logging.getLogger("toldonce").setLevel(before[2])


def failing() -> logging.LogRecord:
    try:
        raise KeyError("x")
    except KeyError as error:
        return logging.LogRecord("toldonce.a", logging.ERROR, "", 0, "it broke", None, (KeyError, error, None))


def test_a_json_line_carries_the_event_and_its_fields(stream: io.StringIO) -> None:
    set_up_logs("info", as_json=True, stream=stream)
    logging.getLogger("toldonce.a").info("recalled", extra={"found": 3, "conversation": "c-1"})
    logging.getLogger("toldonce.a").debug("too small to tell")
    logging.getLogger("library").info("none of ours")

    (line,) = stream.getvalue().splitlines()
    told = json.loads(line)
    assert told.pop("at").endswith("+00:00")
    assert told == {"level": "info", "logger": "toldonce.a", "event": "recalled", "found": 3, "conversation": "c-1"}


def test_a_plain_line_is_one_line_whatever_the_fields_hold() -> None:
    record = logging.LogRecord("toldonce.a", logging.WARNING, "", 0, "lease lost", None, None)
    record.stage = "ex\ntract\x1b[1m"

    line = PlainFormatter().format(record)
    assert line.partition(" ")[2] == "warning lease lost stage=ex tract\ufffd[1m"


@pytest.mark.parametrize("formatter", [JsonFormatter(), PlainFormatter()])
def test_an_error_is_logged_with_its_traceback(formatter: logging.Formatter) -> None:
    assert "KeyError: 'x'" in formatter.format(failing())


def test_lines_are_json_where_nobody_watches(stream: io.StringIO) -> None:
    set_up_logs("warning", stream=stream)
    logging.getLogger("toldonce").warning("seen")

    assert json.loads(stream.getvalue())["event"] == "seen"


@pytest.fixture
def broken() -> Iterator[None]:
    """A command that fails in a way nobody foresaw, there for one test."""

    @app.command("break-down")
    def break_down() -> None:
        raise ZeroDivisionError("deep inside")

    yield
    app.registered_commands.pop()
    command_line.cache_clear()


@pytest.mark.usefixtures("broken")
def test_an_unforeseen_error_is_one_line_and_its_traceback_is_there_with_debug(
    stream: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stream.getvalue() == ""
    assert run(["break-down"]) == 1
    assert (
        capsys.readouterr().err == "toldonce: unexpected ZeroDivisionError; `toldonce --debug …` shows the traceback\n"
    )
    assert run(["--debug", "break-down"]) == 1
    assert "ZeroDivisionError: deep inside" in capsys.readouterr().err


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt, 130), (BrokenPipeError, 1)])
def test_ctrl_c_and_a_reader_that_left_are_no_words_worth(
    error: type[BaseException], code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    @app.command("stop-here")
    def stop_here() -> None:
        raise error

    try:
        assert run(["stop-here"]) == code
        assert capfd.readouterr() == ("", "")
    finally:
        app.registered_commands.pop()
        command_line.cache_clear()


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("toldonce 0.")
