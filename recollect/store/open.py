"""Open the store that a database URL names. Opens files."""

import os

from recollect.clock import Clock
from recollect.errors import BadSettingError
from recollect.store.protocol import Store
from recollect.store.sqlite.connection import MEMORY, Place
from recollect.store.sqlite.store import SqliteStore

_SETTING = "RECOLLECT_DATABASE_URL"
_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")
# A subject with 10,000 memories takes some 13 MB: twenty of those.
CACHE_BYTES = 256 * 1024 * 1024


async def open_store(url: str, *, clock: Clock, cache_bytes: int = CACHE_BYTES) -> Store:
    """Open a store, made or brought to the newest schema where needed.

    Args:
        url: `sqlite:///relative/path`, `sqlite:////absolute/path`, `sqlite:///C:/path` or `sqlite:///:memory:`;
            `postgresql://user:password@host:port/database`.
        clock: What the store stamps its rows by.
        cache_bytes: Most memory for cached subjects; 0 caches none.

    Raises:
        BadSettingError: the URL names no kind of store that there is.
        NewerSchemaError: a newer Recollect wrote it; nothing was changed.
        UnreadableStoreError: it is no database of ours, or may not be read or written; nothing was changed.
        StoreUnavailableError: another process holds it.
    """
    if url.startswith(_POSTGRES):
        try:
            from recollect.store.postgres.store import PostgresStore
        except ImportError as error:
            raise BadSettingError(
                _SETTING,
                f"{url.partition(':')[0]}://…",
                f"needs the extra `postgres` ({error}): pip install recollect[postgres]",
            ) from error
        return await PostgresStore.open(url, clock=clock, cache_bytes=cache_bytes)
    return await SqliteStore.open(_place(url), clock=clock, cache_bytes=cache_bytes)


def _place(url: str) -> Place:
    path = url.removeprefix(_SQLITE)
    if path == url or not path or "\0" in path:
        shown = url if url.startswith("sqlite:") else f"{url.partition(':')[0]}:…"
        raise BadSettingError(
            _SETTING, shown, "takes sqlite:///path/to/file (sqlite:////path with four slashes from the root on)"
        )
    return Place(path=path if path == MEMORY else os.path.abspath(path))
