"""The threads and connections that the parts of a store share. Starts nothing itself."""

from typing import TypeVar

from recollect.clock import Clock
from recollect.store.sqlite.connection import Place
from recollect.store.sqlite.jobs import Work
from recollect.store.sqlite.onloop import OnLoop
from recollect.store.sqlite.readers import Readers
from recollect.store.sqlite.writer import Writer

T = TypeVar("T")
# Rows that may be read on the event loop: less than a millisecond of a warm file.
FEW_ROWS = 100


class Hands:
    """What every part of the store works with."""

    _place: Place
    _clock: Clock
    _term_key: bytes
    _writer: Writer
    _readers: Readers | None
    _on_loop: OnLoop | None

    async def _read(self, work: Work[T]) -> T:
        """Read in a reading thread, or in the writing one where the file cannot be shared between connections."""
        return await (self._writer if self._readers is None else self._readers).run(work)

    async def _read_short(self, work: Work[T], *, small: bool = True) -> T:
        """Read what takes some microseconds of a warm file: on the loop, while the disk is quick and nobody writes.

        The way to another thread and back takes longer than such a reading, and a formation has a dozen of them.

        Args:
            work: Reads; it may raise `TooLargeError` after having read little.
            small: False sends it to a thread at once.
        """
        if self._on_loop is None or not small:
            return await self._read(work)
        done = self._on_loop.read(lambda db: (work(db),))
        return await self._read(self._on_loop.watched(work)) if done is None else done[0]
