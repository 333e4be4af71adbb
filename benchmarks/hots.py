"""Build a subject's memories in the form recall computes on, without a store. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recollect.text import hash64, term_key
from recollect.types import KIND_ORDER, Hot, MemoryKind, Subject, Vector, Vectors

SALT = b"benchmark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One memory."""

    terms: Mapping[str, int]
    vector: Vector
    valid_from_us: int
    kind: MemoryKind = MemoryKind.TURN


def build_hot(subject: Subject, entries: Sequence[Entry]) -> Hot:
    """Lay out entries as arrays; entry `i` has the id `i` as 16 bytes and one source of its own."""
    n = len(entries)
    keyed = [sorted((term_key(SALT, term), count) for term, count in entry.terms.items()) for entry in entries]
    starts = np.cumsum([0, *map(len, keyed)], dtype=np.int64)
    pairs = [pair for row in keyed for pair in row]
    vectors: Vectors = np.stack([entry.vector for entry in entries]).astype(np.float32)
    return Hot(
        subject=subject,
        version=1,
        salt=SALT,
        ids=[number.to_bytes(16, "big") for number in range(n)],
        kinds=np.array([KIND_ORDER.index(entry.kind) for entry in entries], dtype=np.uint8),
        importance=np.full(n, 0.5, dtype=np.float32),
        confidence=np.ones(n, dtype=np.float32),
        valid_from=np.array([entry.valid_from_us for entry in entries], dtype=np.int64),
        last_used_at=np.zeros(n, dtype=np.int64),
        uses=np.zeros(n, dtype=np.int32),
        roles=np.ones(n, dtype=np.uint8),
        length=np.array([sum(entry.terms.values()) for entry in entries], dtype=np.int32),
        vectors=vectors,
        vector_of=np.arange(n, dtype=np.int32),
        terms=np.array([key for key, _ in pairs], dtype=np.uint32),
        counts=np.array([count for _, count in pairs], dtype=np.uint16),
        term_start=starts,
        source_hash=np.array([hash64("message", str(number)) for number in range(n)], dtype=np.int64),
        source_key=np.array([hash64("source", str(number)) for number in range(n)], dtype=np.int64),
        source_start=np.arange(n + 1, dtype=np.int64),
    )
