"""Files that pretend to be exports: an honest one, and how it is changed."""

import asyncio
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from populated import opened
from sample_chats import assistant, tell
from stores import url_of
from toldonce.engine.transfer import TransferReport

MALLORYS = "I keep two grey parrots in Tromsø."
Line = dict[str, Any]


class NoBar:
    """Shows nothing."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Show nothing."""

    def reach(self, done: int) -> None:
        """Show nothing."""


@dataclass
class Ana:
    """What a stranger may have learned of somebody in the database, and where that is."""

    url: str
    conversation: str
    linked: str
    """Id of a memory that she shares."""
    before: bytes
    """The whole database as an export."""


def place(kind: str, folder: Path, name: str) -> str:
    (folder / name).mkdir(exist_ok=True)
    return url_of(kind, folder / name)


async def exported(url: str, who: str | None = None) -> bytes:
    file = io.BytesIO()
    async with opened(url) as engine:
        await engine.transfer.export_to(file, user=who, everybody=who is None)
    return file.getvalue()


async def take_in(url: str, data: bytes, **how: bool) -> TransferReport:
    async with opened(url) as engine:
        return await engine.transfer.import_from(io.BytesIO(data), progress=NoBar(), **how)


@cache
def honest_export() -> bytes:
    """Write what an honest file holds: a conversation, quotations of it, notes, a fact, decisions, formations."""

    async def make(folder: str) -> bytes:
        url = f"sqlite:///{folder}/here.sqlite3"
        async with opened(url) as engine:
            await tell(engine, MALLORYS, assistant("Parrots can live for fifty years in a quiet room."), who="mallory")
            await tell(engine, "I live in Tromsø.", assistant("Far north!"), who="mallory")
            await engine.add("Mallory likes figs.", user="mallory")
        return await exported(url, "mallory")

    with TemporaryDirectory() as folder:
        return asyncio.run(make(folder))


def read(data: bytes) -> list[Line]:
    return [json.loads(line) for line in data.splitlines()]


def write(lines: list[Line]) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=True).encode() + b"\n" for line in lines)


def first(lines: list[Line], kind: str, /, **having: Any) -> Line:
    """Return the first record of a kind with these values."""
    found = (line[kind] for line in lines if kind in line)
    return next(record for record in found if all(record[name] == value for name, value in having.items()))


def turn(lines: list[Line]) -> Line:
    return first(lines, "memory", kind="turn")


def note(lines: list[Line]) -> Line:
    return next(line["memory"] for line in lines if "memory" in line and line["memory"]["kind"] != "turn")


def again(lines: list[Line], kind: str, **changed: Any) -> None:
    """Put a record in a second time, changed."""
    at = next(number for number, line in enumerate(lines) if kind in line)
    lines.insert(at, {kind: {**lines[at][kind], **changed}})


def with_subject(lines: list[Line], name: str, *more: Line) -> None:
    """Put a subject behind the others."""
    lines[-1:] = [{"subject": name}, *more, {"end": lines[-1]["end"] + 1}]


def setting(kind: str, /, **values: Any) -> Callable[[list[Line], Ana], None]:
    def change(lines: list[Line], ana: Ana) -> None:
        del ana
        first(lines, kind).update(values)

    return change
