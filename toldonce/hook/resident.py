"""The process that hooks talk to where there is no server: an engine and its worker on a Unix socket.

The first hook starts it, and it ends after a quarter of an hour without one. One process serves a socket: it holds a
lock beside it. Opens the database and a socket.
"""

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import IO

from toldonce.engine import AsyncToldOnce
from toldonce.errors import RequestError, ToldOnceError, logged_text
from toldonce.file_lock import lock_alone
from toldonce.guard import guarded
from toldonce.hook.event import MAX_BYTES
from toldonce.hook.places import target_name
from toldonce.hook.requests import answer_request
from toldonce.hook.spool import SpooledTurn, conversation_of, take_turn, trim_spool, waiting_turns
from toldonce.settings import Settings

logger = logging.getLogger(__name__)

IDLE_S = 900.0
_TICK_S = 5.0


class ResidentEngine:
    """Answers hooks until none came for a while."""

    def __init__(self, engine: AsyncToldOnce) -> None:
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._used = self._loop.time()
        self._running = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request: a line of JSON with a line of JSON."""
        self._used = self._loop.time()
        self._running += 1
        try:
            answer = await self._answer(await reader.readline())
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        except (OSError, ValueError, asyncio.IncompleteReadError):
            pass  # the hook is gone, or is none
        finally:
            self._running -= 1
            writer.close()

    async def _answer(self, line: bytes) -> Mapping[str, object]:
        with guarded(logger, "a hook's request failed") as guard:
            try:
                return {"context": await answer_request(self._engine, json.loads(line))}
            except ToldOnceError as error:
                logger.warning("a hook's request failed", extra={"error": logged_text(error)})
                return {"error": type(error).__name__, "again": not isinstance(error, RequestError)}
        return {"error": type(guard.failure).__name__, "again": False}

    async def until_idle(self, stop: asyncio.Event, target: str) -> None:
        """Wait for `stop`, or until no hook came for `IDLE_S`; take what hooks could not deliver in time."""
        while not stop.is_set() and (self._running or self._loop.time() - self._used < IDLE_S):
            await self.take_backlog(target)
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _TICK_S)

    async def take_backlog(self, target: str) -> None:
        """Take the turns that wait in the spool and that no hook holds, each conversation's in order."""
        blocked: set[str] = set()
        for path in waiting_turns(target):
            if conversation_of(path) in blocked:
                continue
            try:
                turn = take_turn(path)
            except TimeoutError:
                blocked.add(conversation_of(path))  # its hook delivers it
                continue
            if turn is not None and not await self._take(turn):
                return

    async def _take(self, turn: SpooledTurn) -> bool:
        """Take a turn of the spool; false where the memory takes nothing now."""
        answer = await self._answer(json.dumps(turn.request).encode())
        if "context" in answer:
            turn.remove()
        elif answer["again"]:
            turn.keep()
            return False
        else:
            turn.refuse()
        return True


async def run(path: str, database: str | None) -> None:
    """Serve a socket until idle, or until SIGTERM."""
    lock = _lock(f"{path}.lock")
    if lock is None:
        return  # another process serves it
    trim_spool()
    target = target_name(url=None, database=database, user=None)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with await AsyncToldOnce.open(Settings.load(database_url=database)) as engine:
        resident = ResidentEngine(engine)
        with suppress(FileNotFoundError):
            os.unlink(path)
        await resident.take_backlog(target)
        server = await asyncio.start_unix_server(resident.serve, path, limit=MAX_BYTES)
        worker = asyncio.create_task(engine.admin.run_worker())
        try:
            await resident.until_idle(stop, target)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(path)
            server.close()
            engine.admin.stop_worker(promptly=True)
            await asyncio.wait({worker}, timeout=engine.settings.form_timeout_s)
    lock.close()


def _lock(path: str) -> IO[str] | None:
    """Take the lock; None if another process has it. The system frees it with the process, however that ends."""
    file = open(path, "a", encoding="utf-8")  # noqa: SIM115  # held until the process ends
    try:
        lock_alone(file.fileno())
    except OSError:
        file.close()
        return None
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


if __name__ == "__main__":
    os.umask(0o077)
    try:
        asyncio.run(run(sys.argv[1], sys.argv[2] if sys.argv[2:] else None))
    except ToldOnceError as error:
        sys.exit(f"toldonce hook: {error}")
