"""The threads and connections that the parts of a store share. Starts nothing itself."""

from typing import TypeVar

from recollect.clock import Clock
from recollect.store.sqlite.connection import Place
from recollect.store.sqlite.jobs import Work
from recollect.store.sqlite.readers import Readers
from recollect.store.sqlite.writer import Writer

T = TypeVar("T")


class Hands:
    """What every part of the store works with."""

    _place: Place
    _clock: Clock
    _term_key: bytes
    _writer: Writer
    _readers: Readers | None

    async def _read(self, work: Work[T]) -> T:
        """Read in a reading thread, or in the writing one where the file cannot be shared between connections."""
        return await (self._writer if self._readers is None else self._readers).run(work)
