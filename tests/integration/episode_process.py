"""A process of its own that talks and sums up until it is killed: `python episode_process.py URL FIRST COUNT`.

Each recording holds ten turns, so that each makes an episode: of its five commits two are the episode's. Prints the
number of each recording once it is acknowledged, and `summed up` once nothing is due any more.
"""

import asyncio
import sys

from sample_chats import assistant, user
from toldonce.clock import SystemClock
from toldonce.engine import AsyncToldOnce, Components
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.store.factory import open_store
from toldonce.testing import WordEmbedder


async def main(url: str, first: int, count: int) -> None:
    """Record ten turns `count` times, the first one number `first`; form after each."""
    clock = SystemClock()
    parts = Components(
        settings=Settings(database_url=url, profile="tiered"),
        clock=clock,
        store=await open_store(url, clock=clock),
        embedder=WordEmbedder(),
        model=None,
        counter=token_counter(),
    )
    async with AsyncToldOnce(parts) as engine:
        await engine.form()
        for number in range(first, first + count):
            texts = [f"I visited town number {10 * number + town}." for town in range(10)]
            said = [message for text in texts for message in (user(text), assistant(f"Noted: {text}"))]
            await engine.record(said, user="ana", conversation="chat")
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()
            await engine.form()
        sys.stdout.write("summed up\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
