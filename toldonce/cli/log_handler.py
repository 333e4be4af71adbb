"""Log output that a flood of equal warnings does not fill. Writes to a stream."""

import logging
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TextIO

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
        """Create a handler for a stream."""
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
