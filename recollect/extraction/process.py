"""The child process that reads messages by rules: requests come in, results go out, over its standard streams.

It exists to be ended: `re` holds the interpreter while it matches, so that nothing else in its process can stop it. A
timer of the CPU time it uses raises in the midst of a match; the parent kills the process if even that fails, or where
the system has no such timer (Windows). It ends by itself when its input ends: no child outlives its parent.
"""

import pickle
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any, BinaryIO

HEADER = struct.Struct("!I")
"""Before each frame: its length in bytes."""
READY, DONE, OVERRUN, FAILED = "ready", "done", "overrun", "failed"

Request = tuple[float, Callable[..., Any], tuple[Any, ...]]
"""CPU seconds, a function of a module, and its arguments."""


HAS_TIMER = hasattr(signal, "SIGVTALRM") and hasattr(signal, "setitimer")
"""Whether the system can tell a process that it used up its CPU time."""


class _OverrunError(Exception):
    """The request used up its CPU time."""


def write_frame(stream: BinaryIO, value: object) -> None:
    """Write a value, to a pipe that may take it in parts."""
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
        EOFError: the other side is gone.
    """
    (size,) = HEADER.unpack(_read_exactly(stream, HEADER.size))
    return pickle.loads(_read_exactly(stream, size))


def _overrun(number: int, frame: FrameType | None) -> None:
    raise _OverrunError


def _set_timer(seconds: float) -> None:
    if HAS_TIMER:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def answer(request: Request) -> tuple[str, object]:
    """Do what a request asks for within its CPU time; return how it ended, and the result."""
    budget_s, function, arguments = request
    try:
        try:
            _set_timer(budget_s)
            return DONE, function(*arguments)
        finally:
            _set_timer(0)
    except _OverrunError:
        return OVERRUN, None
    except Exception as error:  # noqa: BLE001  (the parent is told, and the traceback is printed)
        traceback.print_exc()
        return FAILED, f"{type(error).__name__} in {function.__qualname__}"


def main() -> None:
    """Answer requests until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when a terminal's Ctrl-C ends it
    if HAS_TIMER:
        signal.signal(signal.SIGVTALRM, _overrun)
    # What a function prints must not mix with the frames.
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
