"""An engine on an event loop of its own, for code without asyncio. Starts a thread."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future, wait
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, TypeVar

from toldonce.concurrency import ForkGuard
from toldonce.engine.core import AsyncToldOnce
from toldonce.errors import StoreUnavailableError
from toldonce.types import Memory, NewNote, Recall, Subject

T = TypeVar("T")

WORKER_DELAY_S = 0.3
"""The worker starts a moment after the engine: while it is loaded, the first answers would take longer."""
MAX_DRAIN_S = 1.0
"""How long closing waits for calls that still run after the database was closed, and again after cancelling them."""
_CLOSED = "this ToldOnce is closed; open another one"


class BackgroundEngine:
    """An `AsyncToldOnce` and its worker in a thread. Safe to call from several threads."""

    def __init__(self, open_call: Coroutine[Any, Any, AsyncToldOnce], *, has_worker: bool = True) -> None:
        """Start the thread, open the engine in it and start its worker.

        Args:
            open_call: The coroutine of `AsyncToldOnce.open` or `connect`, not yet awaited.
            has_worker: Whether the engine forms memories itself; a connection to a server does not.

        Raises:
            SetupError: the engine cannot be opened; no thread is left running.
        """
        self._fork_guard = ForkGuard()
        self._gate = threading.Lock()
        self._closing = False
        self._pending: set[Future[Any]] = set()
        """The calls in the thread; `_gate` guards additions and `_closing`."""
        self._close_lock = threading.RLock()
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="toldonce", daemon=True)
        self._thread.start()
        with ExitStack() as on_failure:
            on_failure.callback(self._end_loop)
            self.core = self.run(open_call)
            on_failure.pop_all()
        self._is_stopping = asyncio.Event()
        self._worker: Future[None] | None = None
        if has_worker:
            self._worker = asyncio.run_coroutine_threadsafe(self._run_worker(), self._loop)

    def run(self, call: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the thread and return its result.

        Raises:
            RuntimeError: the engine is closed, or closing it interrupted the call, or this process is a fork.
        """
        if self._fork_guard.is_forked:
            call.close()
            self._fork_guard.check()
        with self._gate:
            if self._closing:
                call.close()
                raise RuntimeError(_CLOSED)
            future = asyncio.run_coroutine_threadsafe(call, self._loop)
            self._pending.add(future)
            future.add_done_callback(self._pending.discard)
        try:
            return future.result()
        except (StoreUnavailableError, CancelledError) as error:
            if not self._closing:
                raise
            raise RuntimeError(_CLOSED) from error

    def search(
        self,
        query: str,
        *,
        user: str | Subject | None = None,
        limit: int = 10,
        profile: str | None = None,
        **others: Any,  # of `AsyncToldOnce.search`
    ) -> Recall:
        """Search in the calling thread if nothing has to be waited for: the way to the engine's takes as long."""
        self._fork_guard.check()
        core = self.core
        if not self._closing and not others:
            found = core.search_now(query, core.subject(user), limit=limit, profile=profile)
            if found is not None:
                return found
        return self.run(core.search(query, user=user, limit=limit, profile=profile, **others))

    def add(  # as `AsyncToldOnce.add`
        self,
        text: str,
        *,
        user: str | Subject | None = None,
        importance: float = 0.7,
        type: str = "",
        profile: str | None = None,
    ) -> Memory:
        """Add a note without the way to the engine's thread if nothing has to be waited for but the database."""
        notes, note = self.core.immediate_notes, NewNote(text, importance, type)
        added = self._at_once(lambda: notes.add(note, user=user, profile=profile))
        if added is not None:
            return added
        return self.run(self.core.add(text, user=user, importance=importance, type=type, profile=profile))

    def bulk_add(
        self, notes: Sequence[str | NewNote], *, user: str | Subject | None = None, profile: str | None = None
    ) -> list[Memory]:
        """Do as `BulkService.add` without the way to the engine's thread, likewise."""
        added = self._at_once(lambda: self.core.immediate_notes.add_many(notes, user=user, profile=profile))
        return self.run(self.core.bulk.add(notes, user=user, profile=profile)) if added is None else added

    def _at_once(self, add: Callable[[], T | None]) -> T | None:
        """Add in the calling thread; None if that is not possible."""
        self._fork_guard.check()
        if self._closing:
            return None
        try:
            return add()
        except StoreUnavailableError as error:
            if not self._closing:
                raise
            raise RuntimeError(_CLOSED) from error

    def stop_worker(self, *, promptly: bool = False) -> None:
        """Stop the worker after the formation in progress; `promptly`: or give that back for the next one."""
        self._fork_guard.check()
        if self._worker is None:
            self.core.admin.stop_worker(promptly=promptly)  # which says that there is none
        self._loop.call_soon_threadsafe(partial(self.core.admin.stop_worker, promptly=promptly))
        self._loop.call_soon_threadsafe(self._is_stopping.set)

    def wait_for_worker(self) -> None:
        """Wait until the worker has stopped."""
        self._fork_guard.check()
        if self._worker is None:
            return self.run(self.core.admin.run_worker())  # which says that there is none
        self._worker.result()

    def close(self) -> None:
        """Stop the worker, close the engine and end the thread; of several threads, the others wait. Idempotent.

        In a forked process nothing happens: all of it is the parent's.
        """
        if self._fork_guard.is_forked:
            return
        with self._close_lock:
            if self._closed:
                return
            with self._gate:
                self._closing = True
            if self._worker is not None:
                self.stop_worker()
                self.wait_for_worker()
            asyncio.run_coroutine_threadsafe(self.core.close(), self._loop).result()
            self._end_loop()

    async def _run_worker(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._is_stopping.wait(), WORKER_DELAY_S)
        await self.core.admin.run_worker()

    def _end_loop(self) -> None:
        """End the thread after the calls in it. None of their callers is left waiting."""
        with self._gate:
            self._closing = True
        wait(list(self._pending), MAX_DRAIN_S)
        asyncio.run_coroutine_threadsafe(_cancel_tasks(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        for future in list(self._pending):  # a task that does not end when it is cancelled
            future.set_exception(RuntimeError(_CLOSED))
        self._loop.close()
        self._closed = True


async def _cancel_tasks() -> None:
    """Cancel what else runs on this event loop, and give it time to end."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=MAX_DRAIN_S)
