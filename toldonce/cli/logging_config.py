"""Log output: plain lines on a terminal, JSON elsewhere; each an event with fields. Writes to stderr."""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any, TextIO

from toldonce.cli.log_handler import ThrottledHandler
from toldonce.cli.output import one_line

# Attributes of every record; all others are fields.
_STANDARD_ATTRIBUTES = frozenset(vars(logging.LogRecord("", 0, "", 0, "", None, None))) | {
    "message",
    "asctime",
    "taskName",
    "color_message",
}
# The configured level applies to ToldOnce; libraries log from warnings on.
_LIBRARY_LEVEL = logging.WARNING


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return the fields passed as `extra`."""
    return {name: value for name, value in vars(record).items() if name not in _STANDARD_ATTRIBUTES}


class PlainFormatter(logging.Formatter):
    """`12:34:56 warning  lease lost  conversation=… stage=extract`."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as one line, followed by its traceback."""
        at = datetime.fromtimestamp(record.created, UTC).astimezone().strftime("%H:%M:%S")
        fields = " ".join(f"{name}={value}" for name, value in fields_of(record).items())
        line = one_line(f"{at} {record.levelname.lower():<7} {record.getMessage()} {fields}")
        return f"{line}\n{_trace(record)}" if record.exc_info else line


class JsonFormatter(logging.Formatter):
    """One JSON object per line: at, level, logger, event, fields, and the traceback if any."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as one line."""
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **fields_of(record),
        }
        if record.exc_info:
            line["traceback"] = _trace(record)
        return json.dumps(line, default=str)


def _trace(record: logging.LogRecord) -> str:
    if not record.exc_info or record.exc_info[1] is None:
        return ""
    return "".join(traceback.format_exception(record.exc_info[1])).rstrip()


def set_up_logs(level: str, *, as_json: bool | None = None, stream: TextIO | None = None) -> None:
    """Send all logs to `stream`: those of ToldOnce from `level` on, those of libraries from warnings on.

    Args:
        level: debug, info, warning or error.
        as_json: JSON or plain lines; None: plain on a terminal, JSON elsewhere.
        stream: Output stream (default: stderr).
    """
    stream = stream or sys.stderr
    handler = ThrottledHandler(stream)
    handler.setFormatter(JsonFormatter() if (not stream.isatty() if as_json is None else as_json) else PlainFormatter())
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(_LIBRARY_LEVEL)
    logging.getLogger("toldonce").setLevel(level.upper())
