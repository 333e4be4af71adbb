"""Do the work on a large text in a thread, so that the other requests of the event loop go on."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# From this many bytes on work goes to a thread. Reading 10 MB of text took 0.4 s on the loop, 64 KB take 3 ms;
# the way to a thread costs a tenth of a millisecond.
LARGE = 64 * 1024


async def run_in_thread_if_large(size: int, work: Callable[[], T], *, above: int = LARGE) -> T:
    """Do `work`, in a thread where it works on more than `above` characters or bytes.

    Raises:
        Exception: whatever `work` raises.
    """
    return await asyncio.to_thread(work) if size > above else work()
