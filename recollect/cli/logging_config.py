"""Log lines: readable on a terminal, JSON elsewhere; an event with its fields either way. Writes to stderr."""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any, TextIO

from recollect.cli.output import one_line

# What every record carries by itself; anything else was given as a field.
_OWN = frozenset(vars(logging.LogRecord("", 0, "", 0, "", None, None))) | {
    "message",
    "asctime",
    "taskName",
    "color_message",
}
# Libraries log at their own pace; ours is the level that the person set.
_LIBRARIES = logging.WARNING


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return the fields given as `extra`."""
    return {name: value for name, value in vars(record).items() if name not in _OWN}


class PlainFormatter(logging.Formatter):
    """`12:34:56 warning  lease lost  conversation=… stage=extract`."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record on one line, a traceback below it."""
        at = datetime.fromtimestamp(record.created, UTC).astimezone().strftime("%H:%M:%S")
        fields = " ".join(f"{name}={value}" for name, value in fields_of(record).items())
        line = one_line(f"{at} {record.levelname.lower():<7} {record.getMessage()} {fields}")
        return f"{line}\n{_trace(record)}" if record.exc_info else line


class JsonFormatter(logging.Formatter):
    """One JSON object a line: at, level, logger, event, the fields, and the traceback where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record on one line."""
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
    """Send all logs to `stream` (stderr): ours from `level` on, those of libraries from warnings on.

    Args:
        level: debug, info, warning or error.
        as_json: JSON lines or plain ones; None: plain on a terminal, JSON elsewhere.
        stream: Where to.
    """
    stream = stream or sys.stderr
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter() if (not stream.isatty() if as_json is None else as_json) else PlainFormatter())
    root = logging.getLogger()
    for old in root.handlers[:]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(_LIBRARIES)
    logging.getLogger("recollect").setLevel(level.upper())
