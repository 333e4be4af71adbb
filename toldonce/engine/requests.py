"""Requests that clients send again with the same key: one effect, one answer. Writes through the store.

A key is claimed in a transaction of its own. Then each transaction of the request notes that it took effect, or is
refused if the claim is lost; so the effect happens once, whatever dies when. The answer is kept in a further
transaction: if the process dies between the two, equal requests learn that it took effect and that its answer is lost.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress

from toldonce.engine.core import AsyncToldOnce
from toldonce.errors import TryAgainError
from toldonce.store.sql.idempotency import effect_of
from toldonce.types import ClaimState, IdempotencyKey, KeyClaim, StoredAnswer

# Longer answers are not kept: equal requests then learn that the answer is lost.
MAX_STORED_BYTES = 4 * 1024 * 1024


async def run_once(engine: AsyncToldOnce, key: IdempotencyKey, run: Callable[[], Awaitable[StoredAnswer]]) -> KeyClaim:
    """Run a request, unless an equal one did or does.

    Args:
        engine: What the request works on.
        key: The request's key.
        run: Does its work and returns its answer. If it raises, an equal request may run, unless a part of this one
            took effect.

    Returns:
        The state of the claim, with the answer if there is one.
    """
    requests, clock = engine._components.store.idempotency, engine.clock
    claim = await requests.claim(key, clock.now())
    if claim.state is not ClaimState.CLAIMED:
        return claim
    answer: StoredAnswer | None = None
    try:
        with effect_of(key, claim.token):
            answer = await run()
    finally:
        if answer is None:
            with suppress(TryAgainError):  # its claim runs out by itself
                await requests.release(key, claim.token)
    if len(answer.body) <= MAX_STORED_BYTES:
        await requests.answer(key, claim.token, answer)
    return KeyClaim(state=ClaimState.ANSWERED, answer=answer)
