"""What the parts of a store share, and what each database does for them. Starts nothing itself."""

from abc import ABC, abstractmethod
from typing import TypeVar

from recollect.clock import Clock
from recollect.store.failpoint import Failpoint
from recollect.store.sql.database import Work
from recollect.store.sql.recall.snapshot_cache import SnapshotCache
from recollect.types import Subject

T = TypeVar("T")
# Rows that may be read on the event loop: less than a millisecond of a warm file.
INLINE_ROWS = 100


class Executor(ABC):
    """What every part of a store works with."""

    _clock: Clock
    _term_key: bytes
    _cache: SnapshotCache
    _failpoint: Failpoint

    @abstractmethod
    async def _read(self, work: Work[T]) -> T:
        """Read, in another thread."""

    async def _read_short(self, work: Work[T], *, small: bool = True) -> T:
        """Read what takes some microseconds of a database that is at hand; a store may do it on the event loop.

        Args:
            work: Reads; it may raise `TooLargeError` after having read little.
            small: False where it may take longer.
        """
        return await self._read(work)

    @abstractmethod
    async def _write(self, work: Work[T], *subjects: Subject) -> T:
        """Do `work` in a transaction, alone among those that name one of `subjects`; it is durable on return."""

    @abstractmethod
    def _write_later(self, work: Work[None], *subjects: Subject) -> None:
        """Do `work` within seconds; nobody waits for it."""

    @abstractmethod
    async def _caught_up(self) -> None:
        """Wait until what nobody waited for is done, where it is not done by what is written next."""
