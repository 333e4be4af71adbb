"""The stores there are: what `--store` chooses among, and what the tests of each row and of the protocol run on."""

from pathlib import Path

from recollect.clock import Clock
from recollect.store.open import open_store
from recollect.store.protocol import Store

STORES = ("memory", "file")
"""SQLite in memory (read and written by one thread) and in a file (one writer, several readers)."""


DURABLE = ("file",)
"""Those that outlive their process."""


def url_of(kind: str, folder: Path) -> str:
    """Say where a new store of that kind lies."""
    return "sqlite:///:memory:" if kind == "memory" else f"sqlite:///{folder / 'recollect.sqlite3'}"


async def new_store(kind: str, folder: Path, clock: Clock) -> Store:
    """Open an empty store."""
    return await open_store(url_of(kind, folder), clock=clock)
