"""Transactions of a request with an idempotency key: each one also notes, or refuses, its effect. Holds a context.

The store's executors pass all durable writes through `noting_effect`. Within `effect_of`, each write first checks that
the request still has its claim, and notes in the same transaction that the request took effect.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from toldonce.store.sql import idempotency
from toldonce.store.sql.database import SqlConnection, Work
from toldonce.types import IdempotencyKey

T = TypeVar("T")


class _Effect:
    """The request that runs in a context."""

    def __init__(self, key: IdempotencyKey, token: int) -> None:
        self.key = key
        self.token = token
        self.is_active = True
        """Tasks that outlive the request write on their own account."""


_EFFECT: ContextVar[_Effect | None] = ContextVar("effect", default=None)


@contextmanager
def effect_of(key: IdempotencyKey, token: int) -> Iterator[None]:
    """Let all durable writes of this context, until it ends, be the effect of a claimed request."""
    effect = _Effect(key, token)
    reset = _EFFECT.set(effect)
    try:
        yield
    finally:
        effect.is_active = False
        _EFFECT.reset(reset)


def noting_effect(work: Work[T]) -> Work[T]:
    """Return a write's work; of a claimed request, with the check and the note in the same transaction."""
    effect = _EFFECT.get()
    if effect is None or not effect.is_active:
        return work

    def noting(db: SqlConnection) -> T:
        started = idempotency.begin_effect(db, effect.key, effect.token)
        result = work(db)
        idempotency.end_effect(db, effect.key, effect.token, started)
        return result

    return noting
