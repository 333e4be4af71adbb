"""Repository of requests that are sent again with the same key."""

from datetime import datetime

from toldonce.store.executor import StoreContext
from toldonce.store.sql import idempotency
from toldonce.types import IdempotencyKey, KeyClaim, StoredAnswer

# Keys that one transaction deletes: it holds the one writer for a few milliseconds.
_PRUNED_AT_ONCE = 200


class IdempotencyRepository:
    """Claims of keys, and the answers that are given again."""

    def __init__(self, context: StoreContext) -> None:
        """Work on the database of `context`."""
        self._executor = context.executor

    async def claim(self, key: IdempotencyKey, now: datetime) -> KeyClaim:
        """KeyClaim a key, or return what became of an equal request; durable on return."""
        return await self._executor.write(lambda db: idempotency.claim(db, key, now), key.subject)

    async def answer(self, key: IdempotencyKey, token: int, answer: StoredAnswer) -> None:
        """Keep the answer of a claimed request; durable on return."""
        await self._executor.write(lambda db: idempotency.store_answer(db, key, token, answer), key.subject)

    async def release(self, key: IdempotencyKey, token: int) -> None:
        """Give back a claim, unless the request took effect."""
        await self._executor.write(lambda db: idempotency.release(db, key, token), key.subject)

    async def prune(self, now: datetime) -> None:
        """Delete all keys that are too old to be remembered, some in each transaction."""
        while await self._executor.write(lambda db: idempotency.prune(db, now, _PRUNED_AT_ONCE)) == _PRUNED_AT_ONCE:
            pass
