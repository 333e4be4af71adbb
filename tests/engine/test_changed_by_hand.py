"""What people change by hand is not starved by notes that threads add to the same user meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from stores import DIALECTS, url_of
from toldonce.concurrency import MAX_STALE_ATTEMPTS
from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock
from toldonce.types import MemoryState, Subject


async def forget(memory: AsyncToldOnce, id_: str) -> None:
    await memory.forget(id_, user="ana")


async def undo(memory: AsyncToldOnce, id_: str) -> None:
    [decision] = (await memory.history.get(id_, user="ana")).decisions
    await memory.history.undo(decision.id, user="ana")


@pytest.mark.parametrize("change", [forget, undo])
@pytest.mark.parametrize("kind", DIALECTS)
async def test_notes_added_meanwhile_do_not_starve_a_change(
    kind: str, change: Callable[[AsyncToldOnce, str], Awaitable[None]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with await AsyncToldOnce.open(url_of(kind, tmp_path), clock=FakeClock()) as memory:
        canoe = await memory.add("The canoe is red.", user="ana")
        runtime = memory._steps.runtime
        adds: list[asyncio.Task[object]] = []
        apply = type(runtime.store.memories).apply

        async def apply_after_an_add(
            repository: object, subject: Subject, *arguments: object, **options: object
        ) -> int:
            # What a thread or task adds in the midst of each attempt, unless the attempt has the turn.
            if len(adds) < MAX_STALE_ATTEMPTS:
                adds.append(asyncio.create_task(memory.add(f"Note {len(adds)} of the day.", user="ana")))
                await asyncio.wait(adds[-1:], timeout=0.2)
            return await apply(repository, subject, *arguments, **options)  # type: ignore[arg-type]  # passed on

        monkeypatch.setattr(type(runtime.store.memories), "apply", apply_after_an_add)
        await change(memory, canoe.id)
        assert (await memory.get(canoe.id, user="ana")).state is MemoryState.CLOSED
        assert len(adds) == 1
        await asyncio.gather(*adds)
