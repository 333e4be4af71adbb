"""Waiting for the database: requests are answered although it is stopped. Asks the database through the engine."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from toldonce.engine import AsyncToldOnce
from toldonce.errors import StoreUnavailableError, ToldOnceError
from toldonce.server.status import message_of

T = TypeVar("T")

# After this long a request looks whether the database answers at all: what takes long itself goes on.
LOOK_AFTER_S = 3.0
# After this long the database counts as unavailable: monitoring tools have time limits of a few seconds themselves.
MAX_DATABASE_WAIT_S = 3.0


async def while_database_answers(engine: AsyncToldOnce, work: Coroutine[Any, Any, T]) -> T:
    """Do work; give it up where it takes long and the database does not answer.

    Raises:
        StoreUnavailableError: The database does not answer; what was being written may take effect later.
        Exception: Whatever `work` raises.
    """
    working = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({working}, timeout=LOOK_AFTER_S))[0]:
            _, reason = await in_time(engine.admin.ping)
            if reason is not None and not working.done():
                raise StoreUnavailableError(f"{reason}; a write may take effect later: read it back")
        return working.result()
    finally:
        working.cancel()


async def in_time(ask: Callable[[], Awaitable[T]]) -> tuple[T | None, str | None]:
    """Ask the database; return its answer, or the reason why there is none."""
    try:
        async with asyncio.timeout(MAX_DATABASE_WAIT_S):
            return await ask(), None
    except TimeoutError:
        return None, f"the database has not answered within {MAX_DATABASE_WAIT_S:g} s"
    except ToldOnceError as error:
        return None, message_of(error)
