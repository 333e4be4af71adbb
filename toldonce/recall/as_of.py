"""Build a snapshot from memories and their texts, for recall as of an earlier time. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from toldonce.clock import to_micros
from toldonce.ids import id_bytes
from toldonce.text import asks, source_key, term_key
from toldonce.types import QUESTION_FLAG, Memory, MemoryKind, Subject, SubjectSnapshot, Vector, VectorBlocks

_ROLES = {"user": 1, "assistant": 2}
_OTHER_ROLE = 3
_MAX_COUNT = 2**16 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotItem:
    """A memory with its vectors and terms."""

    memory: Memory
    vectors: Sequence[Vector]
    terms: Mapping[str, int]


def build_snapshot(subject: Subject, items: Sequence[SnapshotItem], *, salt: bytes, dim: int) -> SubjectSnapshot:
    """Lay out memories as arrays. Uses are 0: how often a memory had been used then is not known.

    Args:
        subject: Owner of the memories.
        items: Ordered by id.
        salt: Key of the subject's term hashes.
        dim: Length of the vectors.
    """
    memories = [item.memory for item in items]
    n = len(items)
    keyed = [_keyed(item.terms, salt) for item in items]
    pairs = [pair for row in keyed for pair in row]
    vectors = [vector for item in items for vector in item.vectors]
    sources = [
        (evidence.hash, source_key(evidence.conversation, evidence.seq))
        for memory in memories
        for evidence in memory.evidence
    ]
    return SubjectSnapshot(
        subject=subject,
        version=0,
        salt=salt,
        ids=[id_bytes(memory.id) or b"" for memory in memories],
        kinds=np.array([memory.kind.number for memory in memories], dtype=np.uint8),
        importance=np.array([memory.importance for memory in memories], dtype=np.float32),
        confidence=np.array([memory.confidence for memory in memories], dtype=np.float32),
        valid_from=np.array([to_micros(memory.valid_from) for memory in memories], dtype=np.int64),
        last_used_at=np.zeros(n, dtype=np.int64),
        uses=np.zeros(n, dtype=np.int32),
        roles=np.array([_role(memory) for memory in memories], dtype=np.uint8),
        length=np.array([sum(item.terms.values()) for item in items], dtype=np.int32),
        vectors=VectorBlocks((np.stack(vectors).astype(np.float32),) if vectors else (), dim),
        vector_of=np.repeat(np.arange(n, dtype=np.int32), [len(item.vectors) for item in items]),
        terms=np.array([key for key, _ in pairs], dtype=np.uint32),
        counts=np.array([count for _, count in pairs], dtype=np.uint16),
        term_start=np.cumsum([0, *map(len, keyed)], dtype=np.int64),
        source_hash=np.array([hash_ for hash_, _ in sources], dtype=np.int64),
        source_key=np.array([key for _, key in sources], dtype=np.int64),
        source_start=np.cumsum([0, *(len(memory.evidence) for memory in memories)], dtype=np.int64),
    )


def _role(memory: Memory) -> int:
    role = _ROLES.get(memory.evidence[0].role, _OTHER_ROLE) if memory.evidence else 0
    return role + QUESTION_FLAG * (memory.kind is MemoryKind.TURN and asks(memory.text))


def _keyed(terms: Mapping[str, int], salt: bytes) -> list[tuple[int, int]]:
    counts: dict[int, int] = {}
    for term, count in terms.items():
        key = term_key(salt, term)
        counts[key] = min(counts.get(key, 0) + count, _MAX_COUNT)
    return sorted(counts.items())
