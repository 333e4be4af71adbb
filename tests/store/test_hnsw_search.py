"""Reads of a giant subject whose vectors have an index on PostgreSQL, and that they stay correct."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from factories import ANA, BEN, add, memory
from giants import DIM, EIGHT, MANY, NOTE, TURN, adding, built, directions, sought
from postgres_server import NEEDS_POSTGRES
from toldonce.ids import id_bytes, id_text
from toldonce.store.factory import open_store
from toldonce.store.postgres import hnsw_search
from toldonce.store.postgres.connection import PostgresConnection, PostgresCursor, connect
from toldonce.store.postgres.hnsw_search import HnswSearch, as_text
from toldonce.store.postgres.snapshot_reader import PostgresSnapshotReader
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import (
    NO_VECTORS,
    AddMemory,
    CloseMemory,
    EraseRequest,
    MemoryId,
    Subject,
    SubjectSnapshot,
    VectorRequest,
    Vectors,
)

pytestmark = NEEDS_POSTGRES


async def test_a_sampled_snapshot_has_near_vectors_and_everything_else_whole(
    opened: Store, giant: Vectors, giants_url: str
) -> None:
    whole = await opened.snapshots.snapshot(ANA, EIGHT)
    await built(giants_url)
    asked = giant[7]
    snapshot = await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(asked))
    truly = set(np.argsort(-(giant @ asked), kind="stable")[:20].tolist())
    assert truly <= set(snapshot.vector_of.tolist())
    assert snapshot.sampled_vectors == 30
    assert len(snapshot.vector_of) <= 50
    assert np.array_equal(snapshot.vectors, giant[snapshot.vector_of])
    for name in ("ids", "kinds", "terms", "counts", "term_start", "valid_from", "length", "source_start"):
        assert np.array_equal(getattr(snapshot, name), getattr(whole, name)), name  # fields of arrays, all alike


async def test_memories_of_several_chunks_come_with_all_of_them(
    opened: Store, giants_url: str, clock: FakeClock
) -> None:
    vectors = directions(3 * MANY).reshape(MANY, 3, DIM)
    changes = [
        AddMemory(memory=memory("x", clock=clock), space=EIGHT, vectors=tuple(rows), terms={"x": 1}) for rows in vectors
    ]
    await opened.memories.apply(ANA, changes, [])
    await built(giants_url)
    snapshot = await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(vectors[5, 2], vectors[250, 0], most=5))
    assert {5, 250} <= set(snapshot.vector_of.tolist())
    assert set(np.bincount(snapshot.vector_of).tolist()) <= {0, 3}
    for place in set(snapshot.vector_of.tolist()):
        assert np.array_equal(snapshot.vectors.take(np.flatnonzero(snapshot.vector_of == place)), vectors[place])


async def test_kinds_that_do_not_count_are_passed_over_and_few_are_all_read(
    opened: Store, giant: Vectors, giants_url: str
) -> None:
    await built(giants_url)
    snapshot = await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(giant[10], most=40, kinds=(NOTE,)))
    notes = np.arange(MANY) % 10 != 0
    truly = np.argsort(-np.where(notes, giant @ giant[10], -9), kind="stable")[:40]
    assert set(truly.tolist()) <= set(snapshot.vector_of.tolist())
    snapshot = await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(giant[10], most=29, kinds=(TURN,)))
    assert len(set(np.flatnonzero(~notes).tolist()) & set(snapshot.vector_of.tolist())) >= 29
    hnsw_search.EXACT_SEARCH_THRESHOLD = 30  # as many as there are quotations
    snapshot = await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(giant[10], most=1, kinds=(TURN,)))
    assert set(np.flatnonzero(~notes).tolist()) <= set(snapshot.vector_of.tolist())


async def test_a_search_expanded_by_near_rows_reads_each_row_once(
    opened: Store, giant: Vectors, giants_url: str
) -> None:
    await built(giants_url)
    seen: list[set[int]] = []

    def also(snapshot: SubjectSnapshot) -> np.ndarray[Any, np.dtype[np.intp]]:
        seen.append(set(snapshot.vector_of.tolist()))
        return np.array([3, 4, 7], dtype=np.intp)

    wanted = VectorRequest(vectors=giant[7:8], limit_each=5, expand=also)
    snapshot = await opened.snapshots.snapshot(ANA, EIGHT, vectors=wanted)
    assert 7 in seen[0]
    assert {3, 4, 7} <= set(snapshot.vector_of.tolist())
    assert len(set(snapshot.vector_of.tolist())) == len(snapshot.vector_of)


async def test_a_recall_of_one_and_of_several_reads_near_vectors_in_either_way(
    opened: Store, giant: Vectors, giants_url: str, clock: FakeClock
) -> None:
    await opened.memories.apply(BEN, adding(clock, directions(20, seed=2), subject=BEN), [])
    await built(giants_url)

    def rank(
        snapshots: Sequence[SubjectSnapshot],
    ) -> tuple[Mapping[Subject, Sequence[MemoryId]], list[tuple[int, int | None]]]:
        snapshot = snapshots[0]
        best = int(snapshot.vector_of[np.argmax(snapshot.vectors.cosines(giant[7]))])
        found = [(len(snapshot), snapshot.sampled_vectors) for snapshot in snapshots]
        return {snapshot.subject: [MemoryId(id_text(snapshot.ids[best]))]}, found

    wanted = {ANA: sought(giant[7]), BEN: sought(giant[7])}
    for _ in range(2):
        outcome, [found] = await opened.snapshots.rank_and_fetch({ANA: EIGHT}, rank, vectors=wanted)
        assert (outcome, found.text) == ([(MANY, 30)], "note7")
        outcome, [found] = await opened.snapshots.rank_and_fetch({ANA: EIGHT, BEN: EIGHT}, rank, vectors=wanted)
        assert (outcome, found.text) == ([(MANY, 30), (20, None)], "note7")


async def test_a_read_without_a_query_gets_all_vectors_and_does_not_cache_them(
    opened: Store, giant: Vectors, giants_url: str
) -> None:
    await built(giants_url)
    await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(giant[7]))
    kept = opened.memories._context.cache.bytes
    for _ in range(2):
        snapshot = await opened.snapshots.snapshot(ANA, EIGHT)
        assert snapshot.sampled_vectors is None
        assert np.array_equal(snapshot.vectors, giant)
    assert opened.memories._context.cache.bytes == kept
    assert (await opened.snapshots.snapshot(ANA, EIGHT, vectors=NO_VECTORS)).sampled_vectors == 30


async def test_the_next_recall_has_new_near_memories_and_no_closed_ones(
    opened: Store, giant: Vectors, giants_url: str, clock: FakeClock
) -> None:
    await built(giants_url)
    before = await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(giant[7]))
    fresh = memory("fresh", clock=clock)
    gone = MemoryId(id_text(before.ids[7]))
    closing = CloseMemory(id=gone, valid_to=clock.now(), closed_at=clock.now())
    theirs = await open_store(giants_url, clock=clock)
    await theirs.memories.apply(ANA, [add(fresh, vector=giant[7].tolist(), space=EIGHT), closing], [])
    await theirs.close()
    snapshot = await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(giant[7]))
    assert snapshot.version > before.version
    ids = {snapshot.ids[place] for place in snapshot.vector_of.tolist()}
    assert id_bytes(fresh.id) in ids
    assert id_bytes(gone) not in snapshot.ids
    assert snapshot.sampled_vectors is not None
    assert snapshot.sampled_vectors >= 29


async def test_a_search_for_near_vectors_uses_the_index_and_names_its_subject(
    opened: Store, giant: Vectors, giants_url: str
) -> None:
    await built(giants_url)
    with connect(giants_url) as db:
        statement = HnswSearch().statement(PostgresConnection(db), ANA, EIGHT)
        assert f"subject = {ANA.key} AND space = 1" in statement
        db.execute("SET enable_seqscan = off")
        db.execute("SET enable_sort = off")  # of 300 it would sort all
        asked = statement.replace("?1", "$1").replace("?2", "$2")
        plan = [line for (line,) in db.execute(f"EXPLAIN (COSTS OFF) {asked}", (as_text(giant[0]), 10)).fetchall()]
        assert any(f"Index Scan using near_{ANA.key}_1" in line or f'"near_{ANA.key}_1"' in line for line in plan), plan
        assert not any("Sort" in line or "Filter" in line for line in plan), plan


async def test_a_dropped_index_costs_time_and_no_answer(opened: Store, giant: Vectors, giants_url: str) -> None:
    await built(giants_url)
    with connect(giants_url) as db:
        db.execute(f'DROP INDEX "near_{ANA.key}_1"')
    snapshot = await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(giant[7]))
    truly = set(np.argsort(-(giant @ giant[7]), kind="stable")[:20].tolist())
    assert truly <= set(snapshot.vector_of.tolist())
    assert [index.subject for index in (await built(giants_url)).built] == ["user:ana"]


async def test_an_erased_subject_leaves_no_vector_and_restarts_without_an_index(
    opened: Store, giant: Vectors, giants_url: str, clock: FakeClock
) -> None:
    await built(giants_url)
    await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(giant[7]))
    await opened.erasures.erase(EraseRequest(subject=ANA, everything=True))
    assert len(await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(giant[7]))) == 0
    assert await opened.database.scrub(wait_ms=0, rewrite=True)
    [left] = (await opened.admin.stats()).indexes
    assert (left.subject, left.vectors, left.used) == ("", 0, False)
    assert left.bytes <= 16_384, "rewritten without them"
    await opened.memories.apply(ANA, adding(clock, giant[:60]), [])
    snapshot = await opened.snapshots.snapshot(ANA, EIGHT, vectors=sought(giant[7]))
    assert (snapshot.sampled_vectors, len(snapshot.vectors)) == (None, 60)
    assert [index.vectors for index in (await built(giants_url)).built + (await built(giants_url)).before][:1] == [60]


async def test_the_index_scans_further_for_one_transaction_alone(
    opened: Store, giant: Vectors, giants_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await built(giants_url)
    said: list[str] = []
    real = PostgresConnection.execute

    def execute(session: PostgresConnection, statement: str, values: Sequence[Any] = (), /) -> PostgresCursor:
        found = real(session, statement, values)
        if "ORDER BY CAST(embedding" in statement:
            said.extend(real(session, f"SHOW hnsw.{name}").fetchall()[0][0] for name in ("ef_search", "iterative_scan"))
        return found

    monkeypatch.setattr(PostgresConnection, "execute", execute)
    with connect(giants_url) as db:
        session = PostgresConnection(db)
        assert isinstance(opened.snapshots, PostgresSnapshotReader)
        snapshot = opened.snapshots.read(session, ANA, EIGHT, sought(giant[7]))
        assert snapshot.sampled_vectors == 30
        assert said == ["200", "relaxed_order"]
        assert [real(session, f"SHOW hnsw.{name}").fetchall()[0][0] for name in ("ef_search", "iterative_scan")] == [
            "40",
            "off",
        ]
