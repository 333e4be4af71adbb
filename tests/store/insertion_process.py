"""A process of its own that inserts into prompts and is killed before it records: `python insertion_process.py URL`.

Prints the chain of each insertion once it is acknowledged.
"""

import asyncio
import sys

from factories import ANA, turn
from toldonce.clock import SystemClock
from toldonce.ids import new_id
from toldonce.store.factory import open_store
from toldonce.types import PromptInsertion


async def main(url: str) -> None:
    """Insert and record turn after turn."""
    clock = SystemClock()
    store = await open_store(url, clock=clock)
    for number in range(100):
        await store.insertions.add(
            ANA,
            [
                PromptInsertion(
                    thread=1, chain=number, depth=1, id=new_id(clock), at=clock.now(), recalled=f"text {number}"
                )
            ],
        )
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        await store.conversations.record(turn(f"question {number}", f"answer {number}"))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
