"""A process of its own that dies while its model answers: `python energy_process.py URL`."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sample_chats import PEANUTS_AND_OSLO, tell
from toldonce.clock import SystemClock
from toldonce.engine import AsyncToldOnce, open_components
from toldonce.providers.protocols import ModelAnswer
from toldonce.settings import Settings
from toldonce.testing import ScriptedModel


class DeadlyModel(ScriptedModel):
    """Takes the process with it."""

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("not reached")


async def main(url: str) -> None:
    """Record a turn and form it."""
    parts = await open_components(Settings(database_url=url), SystemClock())
    async with AsyncToldOnce(replace(parts, model=DeadlyModel([]))) as engine:
        await tell(engine, PEANUTS_AND_OSLO)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
