"""Building and dropping the indexes of giant subjects' vectors: opted in for good, mended after a kill."""

import asyncio
from pathlib import Path

import numpy as np
import psycopg
import pytest

from factories import ANA, BEN
from giants import DIM, EIGHT, MANY, Shown, adding, built, directions, dropped, relations, sought
from postgres_server import NEEDS_POSTGRES
from toldonce.engine.databases import build_indexes
from toldonce.errors import BadRequestError, StoreUnavailableError, UnreadableStoreError
from toldonce.ids import id_text
from toldonce.store.postgres import hnsw_index
from toldonce.store.postgres.connection import connect
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import (
    NO_VECTORS,
    CalibrationCurve,
    EmbedderKind,
    EmbedderRecord,
    EmbedderSpec,
    MemoryId,
    Vectors,
)

pytestmark = NEEDS_POSTGRES


async def test_only_giants_get_an_index_and_it_stays(
    opened: Store, giant: Vectors, giants_url: str, clock: FakeClock
) -> None:
    await opened.memories.apply(BEN, adding(clock, directions(20), subject=BEN), [])
    first = await built(giants_url)
    assert [(index.subject, index.space, index.vectors, index.used) for index in first.built] == [
        ("user:ana", EIGHT, MANY, True)
    ]
    again = await built(giants_url)
    assert (again.built, again.before, again.dropped) == ((), first.built, ())
    assert (await opened.snapshots.snapshot(ANA, EIGHT, vectors=NO_VECTORS)).sampled_vectors == 30
    assert (await opened.snapshots.snapshot(BEN, EIGHT, vectors=NO_VECTORS)).sampled_vectors is None
    assert (await opened.admin.stats()).indexes == first.built


async def test_a_subject_that_shrinks_or_changes_its_space_loses_the_index(
    opened: Store, giant: Vectors, giants_url: str
) -> None:
    first = await built(giants_url)
    spec = EmbedderSpec(kind=EmbedderKind.STATIC)
    curve = CalibrationCurve(midpoint=0.4, slope=9)
    old = EmbedderRecord(space=EIGHT, dim=DIM, spec=spec, curve=curve)
    await opened.embeddings.choose(EmbedderRecord(space="other-4", dim=4, spec=spec, curve=curve), former=old)
    ids = (await opened.snapshots.snapshot(ANA, EIGHT)).ids
    fours = directions(MANY, dim=4)
    rows = {MemoryId(id_text(id_)): (row,) for id_, row in zip(ids, fours, strict=True)}
    await opened.embeddings.write_vectors(ANA, "other-4", rows)
    version = (await opened.snapshots.snapshot(ANA, EIGHT, vectors=NO_VECTORS)).version
    assert await opened.embeddings.switch_space(ANA, "other-4", since=version)
    snapshot = await opened.snapshots.snapshot(ANA, "other-4", vectors=sought(fours[3]))
    assert (snapshot.sampled_vectors, len(snapshot.vectors)) == (None, MANY), (
        "the new space has no index yet: all are read"
    )
    assert [index.used for index in (await opened.admin.stats()).indexes] == [False]
    second = await built(giants_url)
    assert [index.space for index in second.built] == ["other-4"]
    assert second.dropped == ("user:ana",)
    assert (await opened.snapshots.snapshot(ANA, "other-4", vectors=sought(fours[3]))).sampled_vectors == 30
    third = await built(giants_url, least=MANY + 1)
    assert (third.built, third.before, third.dropped) == ((), (), ("user:ana",))
    assert (await opened.snapshots.snapshot(ANA, "other-4", vectors=sought(fours[3]))).sampled_vectors is None
    assert relations(giants_url) == []
    assert first.where == third.where


async def test_the_next_run_repairs_an_interrupted_one(opened: Store, giant: Vectors, giants_url: str) -> None:
    await built(giants_url)
    name = f"near_{ANA.key}_1"
    with connect(giants_url) as db:  # what a build leaves that was interrupted: a name, and nothing to be asked
        db.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = $1::REGCLASS", (f'toldonce."{name}"',))
        db.execute('CREATE INDEX "near_12_9" ON vector (memory) WHERE subject = 12')
        db.execute("INSERT INTO subject (key, name, near) VALUES (5, 'user:five', 1)")
    mended = await built(giants_url)
    assert sorted(mended.dropped) == ["near_12_9", "user:ana"]
    assert [index.subject for index in mended.built] == ["user:ana"]
    assert relations(giants_url) == [name]
    with connect(giants_url) as db:
        assert db.execute("SELECT near FROM subject WHERE key = 5").fetchall() == [(None,)]


async def test_all_are_dropped_at_once_and_recall_is_exact_again(
    opened: Store, giant: Vectors, giants_url: str
) -> None:
    await built(giants_url)
    await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(giant[7]))
    done = await dropped(giants_url)
    assert (done.built, done.before, done.dropped) == ((), (), ("user:ana",))
    snapshot = await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(giant[7]))
    assert snapshot.sampled_vectors is None
    assert np.array_equal(snapshot.vectors, giant)
    assert (await dropped(giants_url)).dropped == ()


async def test_long_vectors_are_indexed_in_half_precision_and_longer_ones_are_refused(
    opened: Store, giants_url: str, clock: FakeClock
) -> None:
    long = directions(60, dim=3_000)
    await opened.memories.apply(ANA, adding(clock, long, space="test-3000"), [])
    await opened.memories.apply(BEN, adding(clock, directions(60, dim=4_100), subject=BEN, space="test-4100"), [])
    done = await built(giants_url)
    assert [index.subject for index in done.built] == ["user:ana"]
    assert done.refused == ("user:ben: its vectors have 4,100 numbers, pgvector indexes up to 4,000",)
    snapshot = await opened.snapshots.snapshot(ANA, "test-3000", vectors=sought(long[9], most=3))
    assert 9 in snapshot.vector_of
    assert np.array_equal(snapshot.vectors, long[snapshot.vector_of]), "ranked by what is stored, not by halves"
    assert (await opened.snapshots.snapshot(BEN, "test-4100", vectors=sought(long[0], most=3))).sampled_vectors is None


async def test_no_vector_of_an_index_is_kept_among_the_planners_samples(
    opened: Store, giant: Vectors, giants_url: str
) -> None:
    await built(giants_url)
    with connect(giants_url) as db:
        db.execute("ANALYZE vector")
        assert db.execute("SELECT count(*) FROM pg_stats WHERE tablename LIKE 'near\\_%'").fetchone() == (0,)


async def test_only_one_run_builds_at_a_time_and_others_are_told_why(
    giant: Vectors, giants_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(giants_url, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", (hnsw_index._LOCK,))
        with pytest.raises(StoreUnavailableError, match="another process is building indexes"):
            await built(giants_url)
    with pytest.raises(BadRequestError, match="copy it into one"):
        await built(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    with pytest.raises(BadRequestError, match="from 0 vectors on"):
        await built(giants_url, least=0)
    monkeypatch.setattr(hnsw_index, "_MIN_PGVECTOR", (99, 0))
    with pytest.raises(UnreadableStoreError, match=r"its pgvector is .*ALTER EXTENSION vector UPDATE"):
        await built(giants_url)
    monkeypatch.undo()
    with psycopg.connect(giants_url, autocommit=True) as db:
        db.execute("CREATE TABLE public.pg_dist_partition (logicalrelid regclass)")
        db.execute("INSERT INTO public.pg_dist_partition VALUES ('toldonce.vector'::regclass)")
    with pytest.raises(UnreadableStoreError, match="spread over the nodes of Citus"):
        await built(giants_url)
    assert relations(giants_url) == []


async def test_an_interrupted_build_is_not_left_to_the_server_and_the_next_run_builds(
    opened: Store, giant: Vectors, giants_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(hnsw_index, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build_indexes(giants_url, progress=Shown(), minimum=50)
    assert (await opened.snapshots.snapshot(ANA, EIGHT, vectors=NO_VECTORS)).sampled_vectors is None
    monkeypatch.undo()
    assert [index.used for index in (await built(giants_url)).built + (await built(giants_url)).before][:1] == [True]


async def test_the_progress_of_a_build_is_shown(
    giant: Vectors, giants_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(giants_url) as db:  # the build waits for whoever may still see what is older
        db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        db.execute("SELECT count(*) FROM vector")
        bar = Shown()
        running = asyncio.create_task(asyncio.to_thread(build_indexes, giants_url, progress=bar, minimum=50))
        assert await asyncio.to_thread(bar.begun.wait, 60)
        db.execute("COMMIT")
        assert [index.subject for index in (await running).built] == ["user:ana"]
    assert bar.phases[0][0].startswith("user:ana: ")
    assert bar.phases[0][1] == "blocks"


async def test_little_shared_memory_makes_one_process_build(
    opened: Store, giant: Vectors, giants_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    real = hnsw_index._Run._watched

    def watched(run: hnsw_index._Run, statement: str, giant: hnsw_index._Giant) -> None:
        tried.append(str(run._db.execute("SHOW max_parallel_maintenance_workers").fetchall()[0][0]))
        if len(tried) == 1:
            raise psycopg.errors.DiskFull("could not resize shared memory segment: No space left on device")
        real(run, statement, giant)

    monkeypatch.setattr(hnsw_index._Run, "_watched", watched)
    assert [index.subject for index in (await built(giants_url)).built] == ["user:ana"]
    assert tried == ["2", "0"]
