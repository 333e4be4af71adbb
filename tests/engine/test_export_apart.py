"""An export leaves the event loop to others, has one state of the database, and stops where it is told to."""

import asyncio
import io
import json
import threading
from pathlib import Path

import pytest

from patience import PATIENCE_S
from populated import opened
from stores import DURABLE, url_of
from toldonce.errors import StoreUnavailableError
from toldonce.maintenance import pace

EACH = 20


class Held(io.BytesIO):
    """A file whose second line waits until it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.waits, self.released = threading.Event(), threading.Event()
        self.threads: set[threading.Thread] = set()
        self.lines = 0

    def write(self, data: object, /) -> int:
        """Note the thread, and count the line."""
        self.threads.add(threading.current_thread())
        self.lines += 1
        if self.lines == 2:
            self.waits.set()
            assert self.released.wait(PATIENCE_S)
        return super().write(data)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", DURABLE)
async def test_others_write_during_an_export_which_does_not_show_it(kind: str, tmp_path: Path) -> None:
    file = Held()
    async with opened(url_of(kind, tmp_path)) as engine:
        await engine.bulk.add([f"Box {box} holds shoes." for box in range(EACH)], user="ana")
        exporting = asyncio.create_task(engine.transfer.export_to(file, user="ana"))
        await asyncio.to_thread(file.waits.wait, 60)
        await engine.add("Box 99 holds hats.", user="ana")
        file.released.set()
        count = await exporting

    lines = file.getvalue().splitlines()
    assert count == len(lines)
    assert sum("memory" in json.loads(line) for line in lines) == EACH
    assert b"hats" not in file.getvalue()
    assert threading.main_thread() not in file.threads


@pytest.mark.parametrize("kind", DURABLE)
async def test_an_export_ends_where_the_engine_is_closed(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "SPELL_S", 0)
    file = Held()
    async with opened(url_of(kind, tmp_path)) as engine:
        await engine.bulk.add([f"Box {box} holds shoes." for box in range(EACH)], user="ana")
        engine.transfer._closing_down = file.waits.is_set
        exporting = asyncio.create_task(engine.transfer.export_to(file, user="ana"))
        await asyncio.to_thread(file.waits.wait, 60)
        file.released.set()
        with pytest.raises(StoreUnavailableError, match="the export was stopped"):
            await exporting

    assert file.lines == 2
