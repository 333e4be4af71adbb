"""The child process that reads messages by rules. Does I/O: requests and results over its standard streams.

It exists so that it can be stopped: `re` holds the interpreter while it matches, and no other thread can interrupt it.
A timer of its CPU time raises in the middle of a match; the parent kills the process if that fails, or if the system
has no such timer (Windows). The process ends when its input ends, so no child outlives its parent.
"""

import logging
import pickle
import signal
import struct
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, BinaryIO

from toldonce.guard import guarded
from toldonce.lazy_pattern import compile_patterns

logger = logging.getLogger(__name__)

HEADER = struct.Struct("!I")
"""Precedes each frame: its length in bytes."""
READY, DONE, OVERRUN, FAILED = "ready", "done", "overrun", "failed"

Request = tuple[float, Callable[..., Any], tuple[Any, ...]]
"""CPU seconds, a module-level function, and its arguments."""


HAS_TIMER = hasattr(signal, "SIGVTALRM") and hasattr(signal, "setitimer")
"""Whether the system can signal a process that its CPU time is used up."""


class _OverrunError(Exception):
    """The request used up its CPU time."""


def write_frame(stream: BinaryIO, value: object) -> None:
    """Write a value to a pipe, which may accept it in parts."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    left = memoryview(HEADER.pack(len(data)) + data)
    while left:
        left = left[stream.write(left) :]
    stream.flush()


def _read_exactly(stream: BinaryIO, size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = stream.read(size)
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def read_frame(stream: BinaryIO) -> Any:
    """Read a value.

    Raises:
        EOFError: The other side has closed the pipe.
    """
    (size,) = HEADER.unpack(_read_exactly(stream, HEADER.size))
    return pickle.loads(_read_exactly(stream, size))


def _overrun(number: int, frame: FrameType | None) -> None:
    raise _OverrunError


def _set_timer(seconds: float) -> None:
    if HAS_TIMER:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def answer(request: Request) -> tuple[str, object]:
    """Run a request within its CPU time; return how it ended, and the result; log why it failed."""
    budget_s, function, arguments = request
    compile_patterns()  # its module has been loaded by now; the budget is for reading
    with guarded(logger, "reading failed") as guard:
        try:
            try:
                _set_timer(budget_s)
                return DONE, function(*arguments)
            finally:
                _set_timer(0)
        except _OverrunError:
            return OVERRUN, None
    return FAILED, f"{type(guard.failure).__name__} in {function.__qualname__}"


def main() -> None:
    """Answer requests until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Ctrl-C the parent ends this process
    if HAS_TIMER:
        signal.signal(signal.SIGVTALRM, _overrun)
    # Output of a function must not mix with the frames.
    requests, results = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    try:
        write_frame(results, READY)
        while True:
            write_frame(results, answer(read_frame(requests)))
    except (EOFError, BrokenPipeError):
        return


if __name__ == "__main__":
    main()
