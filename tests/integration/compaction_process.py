"""A process of its own that says things to a memory that is full: `python compaction_process.py URL FOLDER FIRST DIE`.

FOLDER holds the profile, FIRST is the number of the first thing said. It kills itself when its model is asked for the
DIE-th time what is to go (0: never), or where TOLDONCE_FAILPOINT says. Prints how many things it said.
"""

import asyncio
import os
import random
import signal
import sys
from pathlib import Path

from own_profile import OWN, numbered
from sample_chats import answer, note, user
from toldonce.clock import SystemClock
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import ModelError
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.store.factory import open_store
from toldonce.testing import ScriptedModel, WordEmbedder

SAID = 8


def model(first: int, die: int) -> ScriptedModel:
    """Extract a note of each message; choose what goes now well, now badly."""
    luck = random.Random(first)
    left = [die]

    def verdict() -> object:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        target = luck.randint(1, 5)
        chosen: dict[str, object] = {"action": "delete", "targetMemoryId": target, "newContent": "", "reason": "old"}
        folded = chosen | {"action": "edit", "newContent": "My box holds the kettle, globe, lantern, anchor, drum."}
        return luck.choice([chosen, folded, ModelError("away"), None])

    def answered(system: str, said: str) -> object:
        if "full" in system:
            return verdict()
        lines = [line for line in said.splitlines() if line.startswith("[") and '"user": ' in line]
        quotes = [line.rsplit(": ", 1)[1].strip('"') for line in lines]
        return answer(*(note(quote, quote, message=place) for place, quote in enumerate(quotes, start=1)))

    return ScriptedModel(answered)


async def main(url: str, folder: str, first: int, die: int) -> None:
    """Say eight things, one turn each, and form each."""
    settings = Settings.load(database_url=url, profile=OWN, profiles=Path(folder))
    clock = SystemClock()
    parts = Components(
        settings=settings,
        clock=clock,
        store=await open_store(url, clock=clock),
        embedder=WordEmbedder(),
        model=model(first, die),
        counter=token_counter(),
        profiles=ProfileRegistry(settings.profiles),
    )
    async with AsyncToldOnce(parts) as engine:
        await engine.form()
        for text in numbered(SAID, start=first):
            await engine.record([user(text)], user="ana", conversation="one")
            await engine.form()
    sys.stdout.write(f"{SAID}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
