"""API keys as they were looked up lately, so that a request needs no database. Reads and writes through the engine."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from toldonce.engine.keys import KeyService, hash_of
from toldonce.errors import StoreUnavailableError, ToldOnceError
from toldonce.types import ApiKey

logger = logging.getLogger(__name__)

FRESH_S = 5.0
"""How long a key counts as it was looked up, in seconds: a revoked key is refused by all servers after that."""
# How long it counts while the database does not answer, in seconds: memory is down then, chats go on.
_STALE_S = 600.0
# How long a request waits for the database while the key was looked up lately, in seconds.
_WAIT_S = 1.0
_MAX_KEYS = 10_000
# How often a key's last use is written, in seconds.
_NOTE_EVERY_S = 60.0


@dataclass(slots=True)
class _Known:
    key: ApiKey
    found_at: float
    asked_at: float
    noted_at: float | None = None


class KeyCache:
    """Looks up keys by their secrets, of which it keeps only the SHA-256."""

    def __init__(self, keys: KeyService, *, timer: Callable[[], float] = monotonic) -> None:
        self._keys = keys
        self._timer = timer
        self._known: OrderedDict[bytes, _Known] = OrderedDict()
        self._changes = keys.changes
        self._was_any: bool | None = None
        self._any_asked_at = self._any_found_at = 0.0
        self._asking: asyncio.Task[None] | None = None

    async def find(self, secret: str) -> ApiKey | None:
        """Return the key with this secret, valid or not; None if there is none.

        Raises:
            StoreUnavailableError: The database does not answer, and the key was not looked up lately.
        """
        self._forget_if_changed()
        hash_ = hash_of(secret)
        now = self._timer()
        known = self._known.get(hash_)
        if known is None:
            known = self._keep(hash_, await self._keys.find(secret), None)
        elif now - known.asked_at >= FRESH_S:
            known = await self._look_up_again(hash_, secret, known)
        if known is None:
            return None
        if known.noted_at is None or now - known.noted_at >= _NOTE_EVERY_S:
            known.noted_at = now
            await self._keys.note_use(secret)
        return known.key

    async def was_any_made(self) -> bool:
        """Return whether a key was ever made; one that another process made counts after some seconds.

        Requests wait for the database only where the last answer is too old to count, and not for long.
        """
        self._forget_if_changed()
        if self._was_any is None:
            await self._ask_for_any()
        elif not self._was_any:
            now = self._timer()
            if now - self._any_asked_at >= FRESH_S and (self._asking is None or self._asking.done()):
                self._any_asked_at = now
                self._asking = asyncio.create_task(self._ask_again())
            if self._asking is not None and not self._asking.done() and now - self._any_found_at >= 2 * FRESH_S:
                await asyncio.wait({self._asking}, timeout=_WAIT_S)
        return bool(self._was_any)

    def _forget_if_changed(self) -> None:
        """Look everything up again if keys were made or revoked in this process."""
        if self._changes != self._keys.changes:
            self._changes = self._keys.changes
            self._known.clear()
            self._was_any = None

    async def _ask_for_any(self) -> None:
        asked_at = self._timer()
        self._was_any = await self._keys.was_any_made()
        self._any_asked_at = self._any_found_at = asked_at

    async def _ask_again(self) -> None:
        try:
            await self._ask_for_any()
        except ToldOnceError as error:
            logger.debug("the keys cannot be read", extra={"error": error.logged})

    async def _look_up_again(self, hash_: bytes, secret: str, known: _Known) -> _Known | None:
        """Look a key up that was looked up before; it stays as it was for a while if the database does not answer."""
        known.asked_at = self._timer()
        try:
            async with asyncio.timeout(_WAIT_S):
                return self._keep(hash_, await self._keys.find(secret), known)
        except (StoreUnavailableError, TimeoutError):
            if self._timer() - known.found_at >= _STALE_S:
                raise StoreUnavailableError("the database does not answer, so that no API key can be checked") from None
            return known

    def _keep(self, hash_: bytes, key: ApiKey | None, before: _Known | None) -> _Known | None:
        if key is None:
            self._known.pop(hash_, None)
            return None
        now = self._timer()
        found = self._known[hash_] = _Known(key, now, now, before.noted_at if before else None)
        self._known.move_to_end(hash_)
        while len(self._known) > _MAX_KEYS:
            self._known.popitem(last=False)
        return found
