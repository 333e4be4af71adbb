"""Subjects that are giants in a test: some hundred memories on PostgreSQL, with indexes from 50 on."""

import asyncio
import threading

import numpy as np

from factories import ANA, add, memory
from toldonce.engine.databases import IndexReport, build_indexes, drop_indexes
from toldonce.store.postgres.connection import connect
from toldonce.testing import FakeClock
from toldonce.types import AddMemory, MemoryKind, Subject, SubjectSnapshot, Vector, VectorRequest, Vectors

MANY = 300
DIM = 8
EIGHT = "test-8"
NOTE, TURN = 0, 3


class Shown:
    """A bar that keeps what it is told."""

    def __init__(self) -> None:
        self.phases: list[tuple[str, str]] = []
        self.begun = threading.Event()

    def begin(self, phase: str, unit: str, total: int) -> None:
        self.phases.append((phase, unit))
        self.begun.set()

    def reach(self, done: int) -> None:
        assert done >= 0


def directions(count: int, *, dim: int = DIM, seed: int = 1) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    found: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


def adding(clock: FakeClock, vectors: Vectors, *, subject: Subject = ANA, space: str = EIGHT) -> list[AddMemory]:
    """Notes of one vector each, every tenth a quotation."""
    kinds = [MemoryKind.NOTE if place % 10 else MemoryKind.TURN for place in range(len(vectors))]
    return [
        add(memory(f"note{place}", clock=clock, subject=subject, kind=kind), vector=row.tolist(), space=space)
        for place, (row, kind) in enumerate(zip(vectors, kinds, strict=True))
    ]


async def built(url: str, least: int = 50) -> IndexReport:
    return await asyncio.to_thread(build_indexes, url, progress=Shown(), minimum=least)


async def dropped(url: str) -> IndexReport:
    return await asyncio.to_thread(drop_indexes, url, progress=Shown())


def sought(*vectors: Vector, most: int = 20, kinds: tuple[int, ...] = (0, 1, 2, 3)) -> VectorRequest:
    return VectorRequest(vectors=np.array(vectors), limit_each=most, kinds=kinds)


def brought(snapshot: SubjectSnapshot) -> set[int]:
    """The places whose vectors stand behind the background."""
    assert snapshot.sampled_vectors is not None
    return set(snapshot.vector_of[snapshot.sampled_vectors :].tolist())


def relations(url: str) -> list[str]:
    with connect(url) as db:
        return [name for (name,) in db.execute("SELECT relname FROM pg_class WHERE relname LIKE 'near\\_%'")]
