"""Return freed memory to the operating system. Calls the C library, where it has a function for that.

glibc keeps what was freed for later, in an area for each thread: after 100,000 memories of one user had been added in
batches, two fifths of the process's memory were free.
"""

import time
from collections.abc import Callable
from functools import cache
from threading import Lock

# It takes two to four milliseconds, in which other threads may wait for memory.
MIN_PAUSE_S = 0.2

_lock = Lock()
_last = 0.0


def return_freed_memory() -> bool:
    """Return freed memory, at most five times a second; return whether it was tried now."""
    global _last
    with _lock:
        now = time.monotonic()
        if now - _last < MIN_PAUSE_S:
            return False
        _last = now
    _trim()(0)
    return True


@cache
def _trim() -> Callable[[int], object]:
    import ctypes

    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or another system
        return lambda _: 0
    return trim
