"""Records conversations into a database beside a running server, so that the server always has some to form.

`python -m benchmarks.feeder FOLDER` prints a number once the first are recorded, and goes on until its standard input
ends. It forms nothing itself.
"""

import asyncio
import sys
from pathlib import Path

from benchmarks.filler import settings_for
from benchmarks.made_up import Writer
from toldonce.engine import AsyncToldOnce

# The length of a LoCoMo conversation, in turns of two.
TURNS = 300
# Formations that wait at least; two a conversation (turns, notes). More would only make the file grow.
WAITING = 8
_LOOK_S = 0.05


async def feed(folder: Path, stop: asyncio.Event) -> None:
    """Keep conversations waiting to be formed until told to stop."""
    number = 0
    async with await AsyncToldOnce.open(settings_for(folder)) as engine:
        while not stop.is_set():
            waiting = [
                formation
                for formation in await engine.admin.formations(parked=False, limit=1000)
                if formation.due_at is not None
            ]
            for _ in range(WAITING - len(waiting)):
                messages = Writer(number).conversation(TURNS)
                await engine.record(messages, user=f"replayed-{number}", conversation="chat")
                number += 1
                if number == WAITING // 2:
                    print(number, flush=True)
            await asyncio.sleep(_LOOK_S)


async def main(folder: Path) -> None:
    """Feed until standard input ends."""
    stop = asyncio.Event()
    feeding = asyncio.create_task(feed(folder, stop))
    await asyncio.to_thread(sys.stdin.read)
    stop.set()
    await feeding


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
