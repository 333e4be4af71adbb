"""Requests that are sent again with the same key: who runs, what was answered. Works on a connection."""

import json
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from toldonce.clock import to_micros
from toldonce.errors import LeaseLostError
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.rows import fetch, fetch_one
from toldonce.types import ClaimState, IdempotencyKey, KeyClaim, StoredAnswer

SQL = load("idempotency")
KEPT = timedelta(hours=24)
"""How long a key is remembered."""
# How long equal requests wait for the one that runs, should its process have died.
LEASE = timedelta(seconds=60)
_TOKEN_BITS = 63  # what a signed integer holds
_RUNNING, _ANSWERED = 0, 2


def claim(db: SqlConnection, key: IdempotencyKey, now: datetime) -> KeyClaim:
    """KeyClaim a key for a request, or say what became of an equal one."""
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
    """Keep the answer of a claimed request."""
    headers = json.dumps(dict(answer.headers))
    db.execute(SQL["answer_claim"], (key.subject.key, key.key, token, answer.status, headers, answer.body))


def release(db: SqlConnection, key: IdempotencyKey, token: int) -> None:
    """Give a claim back that took no effect."""
    db.execute(SQL["release_claim"], (key.subject.key, key.key, token))


def prune(db: SqlConnection, now: datetime, limit: int) -> int:
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
