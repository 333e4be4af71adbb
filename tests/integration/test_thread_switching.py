"""While the server runs, threads that compute let its event loop go on soon."""

import asyncio
import sys
from pathlib import Path

from toldonce.server.http_server import SWITCH_S, serve
from toldonce.settings import Settings


async def test_threads_take_turns_soon_as_long_as_the_server_runs(tmp_path: Path) -> None:
    before = sys.getswitchinterval()
    settings = Settings.load(database_url=f"sqlite:///{tmp_path / 'toldonce.sqlite3'}", host="127.0.0.1", port=0)
    stop, started = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(serve(settings, say=lambda line: started.set(), stop=stop))
    await started.wait()
    while sys.getswitchinterval() == before and not serving.done():  # noqa: ASYNC110  (nothing tells of it)
        await asyncio.sleep(0.01)

    assert sys.getswitchinterval() <= SWITCH_S < before

    stop.set()
    await serving
    assert sys.getswitchinterval() == before
