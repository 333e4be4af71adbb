"""A limit of CPU time for a part of a test, whatever the machine."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class CpuLimitError(AssertionError):
    """The part took more CPU time than it may."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Stop what runs within after so many seconds of CPU; `re` looks for signals while it matches."""

    def stop(*_: object) -> None:
        raise CpuLimitError(f"took more than {seconds:g} s of CPU")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
