"""Requests that are sent again with the same key: one effect, one answer. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from toldonce.types.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyKey:
    """A key that a client chose for a request."""

    subject: Subject
    """The subject of the request; the row is in its partition, and is erased with it."""
    key: bytes
    """Hash of the subject's text, the operation and the client's key: 16 bytes."""
    request: bytes
    """Hash of all that the request asks: 16 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """An answer that is given again."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ClaimState(StrEnum):
    """What becomes of a request with a key."""

    CLAIMED = "claimed"
    """It is the first: it may run."""
    RUNNING = "running"
    """An equal one is running."""
    ANSWERED = "answered"
    """An equal one was answered."""
    LOST = "lost"
    """An equal one took effect, but its answer is not kept: the process died, or what it said was erased."""
    REUSED = "reused"
    """Another request has used the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyClaim:
    """Result of claiming a key."""

    state: ClaimState
    token: int = 0
    """Of the one that may run: each of its transactions checks it."""
    answer: StoredAnswer | None = None
    """Of an answered one."""
