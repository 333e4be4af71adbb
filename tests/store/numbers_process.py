"""A process of its own that adds memories to apps: `python numbers_process.py URL COUNT APP…`.

Adds COUNT memories to each app, in turns of one and three, and prints the number of each once it is acknowledged.
"""

import asyncio
import sys

from factories import add, memory
from toldonce.clock import SystemClock
from toldonce.store.factory import open_store
from toldonce.types import Subject


async def main(url: str, count: int, apps: list[str]) -> None:
    """Add to all apps at once."""
    clock = SystemClock()
    store = await open_store(url, clock=clock)

    async def fill(app: Subject) -> None:
        for turn in range(count):
            known = [memory(f"{turn}, {place}", subject=app, clock=clock) for place in range(1 + 2 * (turn % 2))]
            await store.memories.apply(app, [add(row, vector=None) for row in known], [])
            for row in await store.memories.get_many(app, [row.id for row in known]):
                sys.stdout.write(f"{row.number}\n")
                sys.stdout.flush()

    await asyncio.gather(*(fill(Subject("app", app)) for app in apps))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
