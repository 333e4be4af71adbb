"""Carry work to a thread and its outcome back to the event loop that waits for it. Threads."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Generic, TypeVar

T = TypeVar("T")

Fault = Callable[[Exception], Exception]
"""Says in our words what a driver reports; what is no driver's error stays as it is."""

logger = logging.getLogger(__name__)


class Job(Generic[T]):
    """One piece of work with a connection. As a context it keeps what goes wrong inside, for whoever waits for it."""

    def __init__(
        self, work: Callable[[Any], T], future: asyncio.Future[T] | None, *, alone: bool = False, reads: bool = False
    ) -> None:
        """Take the work and the future of who waits for it; None where nobody does.

        Work that is to be `alone` shares no transaction: it begins and ends its own. Work that `reads` changes nothing.
        """
        self._work = work
        self.alone = alone
        self.reads = reads
        self.future = future
        self.result: T | None = None
        self.error: Exception | None = None

    def run(self, db: Any) -> None:
        """Do the work; its result or error is kept for `deliver`."""
        with self:
            self.result = self._work(db)

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Keep an error to hand it over; interrupts go through."""
        if isinstance(error, Exception):
            self.error = error
            return True
        return False

    def settle(self, fault: Fault) -> None:
        """Resolve the future, in its own loop's thread."""
        error = self.error
        if error is not None and (ours := fault(error)) is not error:
            error, ours.__cause__ = ours, error
        if self.future is None or self.future.cancelled():
            if error is not None and not self.reads:  # a reading that nobody waits for is ended on purpose
                logger.warning("store_work_failed", extra={"error": type(error).__name__})
        elif error is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(self.result)  # type: ignore[arg-type]  # None is T's own where work returns None


def deliver(jobs: Sequence[Job[Any]], fault: Fault) -> None:
    """Resolve the futures of finished jobs, from any thread; who no longer listens is passed over."""
    waiting: dict[asyncio.AbstractEventLoop | None, list[Job[Any]]] = {}
    for job in jobs:
        waiting.setdefault(job.future.get_loop() if job.future else None, []).append(job)
    for loop, group in waiting.items():
        if loop is None:
            _settle(group, fault)
            continue
        try:
            loop.call_soon_threadsafe(_settle, group, fault)
        except RuntimeError:  # the loop was closed: nobody waits any more
            logger.warning("store_caller_gone", extra={"jobs": len(group)})


def _settle(jobs: Sequence[Job[Any]], fault: Fault) -> None:
    for job in jobs:
        job.settle(fault)
