"""Build a subject's memories in the form recall computes on, without a store. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from toldonce.text import term_key
from toldonce.types import MemoryKind, Subject, SubjectSnapshot, VectorBlocks, Vectors

SALT = b"benchmark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One memory."""

    terms: Mapping[str, int]
    vectors: Vectors
    """One row a piece."""
    valid_from_us: int
    kind: MemoryKind = MemoryKind.TURN
    role: int = 1
    """As in `SubjectSnapshot.roles`."""
    sources: tuple[int, ...] = ()
    """Keys of the messages it rests on."""


def build_snapshot(subject: Subject, entries: Sequence[Entry]) -> SubjectSnapshot:
    """Lay out entries as arrays; entry `i` has the id `i` as 16 bytes."""
    n = len(entries)
    keyed = [sorted((term_key(SALT, term), count) for term, count in entry.terms.items()) for entry in entries]
    pairs = [pair for row in keyed for pair in row]
    sources = np.array([key for entry in entries for key in entry.sources], dtype=np.int64)
    return SubjectSnapshot(
        subject=subject,
        version=1,
        salt=SALT,
        ids=[number.to_bytes(16, "big") for number in range(n)],
        kinds=np.array([entry.kind.number for entry in entries], dtype=np.uint8),
        importance=np.full(n, 0.5, dtype=np.float32),
        confidence=np.ones(n, dtype=np.float32),
        valid_from=np.array([entry.valid_from_us for entry in entries], dtype=np.int64),
        last_used_at=np.zeros(n, dtype=np.int64),
        uses=np.zeros(n, dtype=np.int32),
        roles=np.array([entry.role for entry in entries], dtype=np.uint8),
        length=np.array([sum(entry.terms.values()) for entry in entries], dtype=np.int32),
        vectors=VectorBlocks.of(np.concatenate([entry.vectors for entry in entries]).astype(np.float32)),
        vector_of=np.repeat(np.arange(n, dtype=np.int32), [len(entry.vectors) for entry in entries]),
        terms=np.array([key for key, _ in pairs], dtype=np.uint32),
        counts=np.array([count for _, count in pairs], dtype=np.uint16),
        term_start=np.cumsum([0, *map(len, keyed)], dtype=np.int64),
        source_hash=sources,
        source_key=sources,
        source_start=np.cumsum([0, *(len(entry.sources) for entry in entries)], dtype=np.int64),
    )
