"""A copy made while the embedder is being changed can be used further, on every pair of databases."""

import asyncio
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from factories import ANA, BEN, SPACE, add, memory
from stores import DURABLE, url_of
from toldonce.engine.databases import copy_database
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock
from toldonce.types import CalibrationCurve, EmbedderKind, EmbedderRecord, EmbedderSpec

SPEC = EmbedderSpec(kind=EmbedderKind.API, where="http://127.0.0.1:9/v1", model="m")


class NoBar:
    """Shows nothing."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Do nothing."""

    def reach(self, done: int) -> None:
        """Do nothing."""


def record(space: str, dim: int) -> EmbedderRecord:
    return EmbedderRecord(space=space, dim=dim, spec=SPEC, curve=CalibrationCurve(midpoint=0.3, slope=10))


@pytest.mark.parametrize(("one", "other"), list(product(DURABLE, DURABLE)))
async def test_a_copy_keeps_each_subjects_embedder_and_takes_another(
    one: str, other: str, tmp_path: Path, clock: FakeClock
) -> None:
    here, there = [url_of(kind, tmp_path / name) for kind, name in ((one, "here"), (other, "there"))]
    store = await open_store(here, clock=clock)
    known, theirs = memory("tea", clock=clock), memory("milk", subject=BEN, clock=clock)
    await store.memories.apply(ANA, [add(known)], [])
    await store.memories.apply(BEN, [add(theirs)], [])
    await store.embeddings.choose(record("better-3", 3), former=record(SPACE, 4))
    new = [np.array([1, 0, 0], dtype=np.float32)]
    await store.embeddings.write_vectors(BEN, "better-3", {theirs.id: new})
    assert await store.embeddings.switch_space(BEN, "better-3", since=0, whole=False)
    embedders, counts = await store.embeddings.embedders(), await store.embeddings.space_counts()
    await store.close()

    await asyncio.to_thread(copy_database, here, there, progress=NoBar())
    copied = await open_store(there, clock=clock)
    assert (await copied.embeddings.embedders(), await copied.embeddings.space_counts()) == (embedders, counts)
    assert (await copied.embeddings.space_of(ANA), await copied.embeddings.space_of(BEN)) == (SPACE, "better-3")
    await copied.embeddings.write_vectors(ANA, "better-3", {known.id: new})
    assert await copied.embeddings.switch_space(ANA, "better-3", since=0)
    await copied.embeddings.choose(record("best-2", 2), former=embedders[0])
    assert (await copied.embeddings.embedders())[0].space == "best-2"
    assert (await copied.admin.stats(check=True)).problems == ()
    await copied.close()
