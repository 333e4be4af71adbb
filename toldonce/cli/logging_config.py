"""Log output: plain lines on a terminal, JSON elsewhere; each an event with fields. Writes to stderr."""

import json
import logging
import sys
import traceback
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TextIO

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


# So many warnings or errors of one kind are written in a period; the others are counted.
MAX_EQUAL = 20
PERIOD_S = 10.0
# Kinds that are remembered; there are far fewer, unless a message is made up for each record.
_MAX_KINDS = 1000


@dataclass(slots=True)
class _Kind:
    """Records of one kind in the current period."""

    first: logging.LogRecord
    written: int = 0
    left_out: int = 0


class ThrottledHandler(logging.StreamHandler[TextIO]):
    """Writes records to a stream; of many warnings of one kind the first few, and then how many were left out.

    A kind is one call in the code with one type of exception, whatever its fields are.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._kinds: dict[Hashable, _Kind] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, or count it."""
        self._end_periods(record.created)
        if record.levelno < logging.WARNING:
            super().emit(record)
            return
        key = (record.name, record.levelno, record.msg, _raised_at(record))
        kind = self._kinds.get(key)
        if kind is None:
            if len(self._kinds) >= _MAX_KINDS:
                self._end(next(iter(self._kinds)))
            kind = self._kinds[key] = _Kind(record)
        if kind.written < MAX_EQUAL:
            kind.written += 1
            super().emit(record)
        else:
            kind.left_out += 1

    def close(self) -> None:
        """Write what was left out, and close."""
        for key in tuple(self._kinds):
            self._end(key)
        super().close()

    def _end_periods(self, now: float) -> None:
        while self._kinds:
            key = next(iter(self._kinds))
            if now - self._kinds[key].first.created < PERIOD_S:
                return
            self._end(key)

    def _end(self, key: Hashable) -> None:
        kind = self._kinds.pop(key)
        if kind.left_out:
            first = kind.first
            text = f"{kind.left_out} more like this were not written: {first.getMessage()}"
            record = logging.LogRecord(first.name, first.levelno, first.pathname, first.lineno, text, None, None)
            super().emit(record)


def _raised_at(record: logging.LogRecord) -> Hashable:
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return record.lineno
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return type(error), trace.tb_frame.f_code if trace else None, trace.tb_lineno if trace else 0
