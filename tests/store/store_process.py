"""A process of its own that records turns and says so: `python store_process.py URL NAME COUNT`.

Prints the text of each turn once it is acknowledged.
"""

import asyncio
import sys

from factories import due, turn
from toldonce.clock import SystemClock
from toldonce.store.factory import open_store


async def main(url: str, name: str, count: int) -> None:
    """Record `count` turns, ten at a time, in the one conversation that all processes share."""
    store = await open_store(url, clock=SystemClock())

    async def say(number: int) -> None:
        text = f"{name}-{number}"
        await store.conversations.record(
            turn(text, f"ok {text}", external_id="shared", append=True, formations=[due()])
        )
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    for start in range(0, count, 10):
        await asyncio.gather(*(say(number) for number in range(start, min(count, start + 10))))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
