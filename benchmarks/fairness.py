"""How long a user's memory waits while another user has many conversations to form. Writes temporary databases."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.postgres_server import PostgresServer, programs
from benchmarks.rows import Row
from toldonce.clock import SystemClock
from toldonce.engine import AsyncToldOnce
from toldonce.engine.components import open_components
from toldonce.providers.protocols import ModelAnswer
from toldonce.settings import Settings
from toldonce.types import Subject

HEAVY, OTHER = Subject("user", "heavy"), Subject("user", "other")
FULL, QUICK = (60, 0.9), (12, 0.05)
"""Conversations that wait, and seconds of a model call."""
# The promise: the other user waits for a turn of the heavy one, four formations, two of which ask the model.
BAR_CALLS = 4.0


def run(quick: bool) -> list[Row]:
    """Measure with a model and one or two workers, and with rules, on each database there is."""
    backlog, call_s = QUICK if quick else FULL
    with TemporaryDirectory(prefix="toldonce-bench-") as folder:
        numbers = count(1)
        places: dict[str, Callable[[], str]] = {
            "SQLite": lambda: f"sqlite:///{Path(folder) / str(next(numbers))}.sqlite3"
        }
        server = PostgresServer() if programs() else None
        if server is not None:
            server.start()
            places["PostgreSQL"] = lambda: server.new_database(f"fairness{next(numbers)}")
        try:
            return [row for name, place in places.items() for row in asyncio.run(_on(name, place, backlog, call_s))]
        finally:
            if server is not None:
                server.stop()
                server.remove()


async def _on(name: str, place: Callable[[], str], backlog: int, call_s: float) -> list[Row]:
    rows = []
    await _waited(place(), 0, 1, None)  # the first formation of a process loads the rules
    note = f"{backlog} conversations of another user wait, a call takes {call_s:g} s"
    for workers in (1, 2):
        alone, beside = [await _waited(place(), number, workers, lambda: SlowModel(call_s)) for number in (0, backlog)]
        title = f"{name}, {workers} worker{'s' * (workers > 1)}"
        rows.append(Row(name=f"{title}, no backlog", value=alone, unit="s"))
        calls = (beside - alone) / call_s
        rows.append(Row(name=f"{title}, backlog", value=beside, unit="s", note=note))
        rows.append(Row(name=f"{title}, delay", value=calls, unit="calls", bar=BAR_CALLS))
    alone, beside = [await _waited(place(), number, 1, None) for number in (0, backlog)]
    rows.append(Row(name=f"{name}, rules, no backlog", value=alone, unit="s"))
    rows.append(Row(name=f"{name}, rules, backlog", value=beside, unit="s", note=note.partition(", ")[0]))
    return rows


@dataclass(frozen=True, slots=True)
class SlowModel:
    """A model that takes its time and finds nothing."""

    call_s: float
    name: str = "slow"

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Answer late."""
        await asyncio.sleep(self.call_s)
        return ModelAnswer(data={"memories": []}, usage=None, calls=1)

    async def close(self) -> None:
        """Do nothing."""


async def _waited(url: str, backlog: int, workers: int, model: Callable[[], SlowModel] | None) -> float:
    """Return the seconds from a recorded turn to its formation, with a backlog of another user before it."""
    async with AsyncExitStack() as opened:
        parts = [
            await open_components(
                Settings.load(database_url=url), SystemClock(), model=None if model is None else model()
            )
            for _ in range(workers)
        ]
        engines = [await opened.enter_async_context(AsyncToldOnce(each)) for each in parts]
        for number in range(backlog):
            await _say(engines[0], HEAVY, f"chat {number}")
        working = [asyncio.create_task(engine.admin.run_worker()) for engine in engines]
        await asyncio.sleep(0.5)
        began = time.perf_counter()
        await _say(engines[0], OTHER, "chat")
        while True:
            if await _is_formed(parts[0].store.formations.list(subject=OTHER)):
                break
            await asyncio.sleep(0.01)
        waited = time.perf_counter() - began
        for engine in engines:
            engine.admin.stop_worker(promptly=True)
        await asyncio.gather(*working)
    return waited


async def _say(engine: AsyncToldOnce, subject: Subject, conversation: str) -> None:
    said = [
        {"role": "user", "content": f"I live in Rome, and in {conversation} I ask about my cello."},
        {"role": "assistant", "content": "Noted."},
    ]
    await engine.record(said, user=subject, conversation=conversation)


async def _is_formed(listing: Awaitable[Sequence[Any]]) -> bool:
    return all(status.formed_seq == status.last_seq for status in await listing)
