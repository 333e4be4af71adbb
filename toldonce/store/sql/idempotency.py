"""Requests that are sent again with the same key: who runs, and the answers that are given again.

The store's executors pass all durable writes through `noting_effect`. Within `effect_of`, each write first checks that
the request still has its claim, and notes in the same transaction that the request took effect.
"""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from toldonce.clock import to_micros
from toldonce.errors import LeaseLostError
from toldonce.store.repository import Repository, Writes
from toldonce.store.sql.database import Row, SqlConnection, Work, load
from toldonce.store.sql.rows import fetch, fetch_one
from toldonce.types import ClaimState, IdempotencyKey, KeyClaim, StoredAnswer

SQL = load("idempotency")
KEPT = timedelta(hours=24)
"""How long a key is remembered."""
# How long equal requests wait for the one that runs, should its process have died.
LEASE = timedelta(seconds=60)
_TOKEN_BITS = 63  # what a signed integer holds
_RUNNING, _ANSWERED = 0, 2
# Keys that one transaction deletes: it holds the one writer for a few milliseconds.
_PRUNED_AT_ONCE = 200


def claim(db: SqlConnection, key: IdempotencyKey, now: datetime) -> KeyClaim:
    """Claim a key, or return what became of an equal request; durable on return."""
    row = fetch_one(db, SQL["claimed"], key.subject.key, key.key)
    at = to_micros(now)
    if row is not None and row[1] > to_micros(now - KEPT):
        known = _known(key, row, at)
        if known is not None:
            return known
    token = secrets.randbits(_TOKEN_BITS)
    db.execute(SQL["claim"], (key.subject.key, key.key, key.request, at, to_micros(now + LEASE), token))
    return KeyClaim(state=ClaimState.CLAIMED, token=token)


def _known(key: IdempotencyKey, row: Row, now: int) -> KeyClaim | None:
    """Return what became of an equal request; None if it died without effect, so that this one may run."""
    request, _, until, state, status, headers, body = row
    if bytes(request) != key.request:
        return KeyClaim(state=ClaimState.REUSED)
    if state == _ANSWERED and body is not None:
        answer = StoredAnswer(status=status, headers=json.loads(headers), body=bytes(body))
        return KeyClaim(state=ClaimState.ANSWERED, answer=answer)
    if state != _ANSWERED and until > now:
        return KeyClaim(state=ClaimState.RUNNING)
    return None if state == _RUNNING else KeyClaim(state=ClaimState.LOST)


def store_answer(db: SqlConnection, key: IdempotencyKey, token: int, answer: StoredAnswer) -> None:
    """Keep the answer of a claimed request; durable on return."""
    headers = json.dumps(dict(answer.headers))
    db.execute(SQL["answer_claim"], (key.subject.key, key.key, token, answer.status, headers, answer.body))


def release(db: SqlConnection, key: IdempotencyKey, token: int) -> None:
    """Give back a claim, unless the request took effect."""
    db.execute(SQL["release_claim"], (key.subject.key, key.key, token))


def _prune(db: SqlConnection, now: datetime, limit: int) -> int:
    """Delete keys that are older than `KEPT`; return how many."""
    before = to_micros(now - KEPT)
    rows = fetch(db, SQL["outdated"], before, limit)
    if rows:
        db.executemany(SQL["drop_outdated"], [(*row, before) for row in rows])
    return len(rows)


@dataclass(frozen=True, slots=True)
class StartedEffect:
    """A transaction of a claimed request, and its row as it was before the work."""

    at: int
    until: int
    erased: int


def begin_effect(db: SqlConnection, key: IdempotencyKey, token: int) -> StartedEffect:
    """Note in a transaction of the request that it took effect, before its work.

    Raises:
        LeaseLostError: Another has taken the claim over, or the subject was erased: the transaction must not happen.
    """
    row = fetch_one(db, SQL["begin_effect"], key.subject.key, key.key, token)
    if row is None:
        raise LeaseLostError("the request was late, and an equal one runs in its place, or its subject was erased")
    return StartedEffect(*row)


def end_effect(db: SqlConnection, key: IdempotencyKey, token: int, started: StartedEffect) -> None:
    """Keep the row as it was, though the work may have erased its subject: the answer has nothing of what it erased."""
    values = (key.subject.key, key.key, key.request, started.at, started.until, token, started.erased)
    db.execute(SQL["end_effect"], values)


class IdempotencyRepository(Repository):
    """Claims of keys, and the answers of their requests."""

    claim = Writes(claim, lambda key: key.subject)
    answer = Writes(store_answer, lambda key: key.subject)
    release = Writes(release, lambda key: key.subject)

    async def prune(self, now: datetime) -> None:
        """Delete all keys that are too old to be remembered, some in each transaction."""
        while await self._executor.write(lambda db: _prune(db, now, _PRUNED_AT_ONCE)) == _PRUNED_AT_ONCE:
            pass


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
        started = begin_effect(db, effect.key, effect.token)
        result = work(db)
        end_effect(db, effect.key, effect.token, started)
        return result

    return noting
