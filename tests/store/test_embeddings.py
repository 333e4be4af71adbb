"""Two spaces in one store: a subject is read in one of them, and switches in one commit."""

from datetime import timedelta

import numpy as np
import pytest

from factories import ANA, BEN, SPACE, add, decision, memory
from toldonce.errors import SpaceMovedError, StaleSubjectError, VectorSizeError
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import (
    CalibrationCurve,
    CloseMemory,
    EmbedderKind,
    EmbedderRecord,
    EmbedderSpec,
    EraseRequest,
    Memory,
    MemoryId,
    MemoryKind,
    Subject,
    Vector,
)

NEW = "better-3"
STATIC = EmbedderSpec(kind=EmbedderKind.STATIC)
API = EmbedderSpec(
    kind=EmbedderKind.API, where="http://127.0.0.1:9/v1", model="better", key_env="MY_KEY", query_prefix="q: ", batch=7
)
FORMER = EmbedderRecord(space=SPACE, dim=4, spec=STATIC, curve=CalibrationCurve(midpoint=0.4, slope=9))
BETTER = EmbedderRecord(
    space=NEW, dim=3, spec=API, curve=CalibrationCurve(midpoint=0.3, slope=12, knee=0.6, top_slope=8)
)


def vector(*numbers: float) -> list[Vector]:
    return [np.array(numbers, dtype=np.float32)]


async def lacking(store: Store, subject: Subject = ANA, *, since: int = 0, space: str = NEW) -> list[MemoryId]:
    found = await store.embeddings.missing_vectors(subject, space, after=None, since=since, limit=100)
    return [row.id for row in found.memories]


@pytest.fixture
async def known(store: Store, clock: FakeClock) -> list[Memory]:
    """Two notes, a fact without a vector and one with, a note without words."""
    notes = [memory("tea", clock=clock), memory("Oslo", clock=clock)]
    facts = [memory("peanuts", clock=clock, slot="a/b"), memory("x", clock=clock, slot="a/c")]
    silent = memory("!!", clock=clock)
    bare = (facts[0], silent)
    changes = [add(row, vector=None if row in bare else (1, 0, 0, 0)) for row in (*notes, *facts, silent)]
    await store.memories.apply(ANA, changes, [])
    return [*notes, *facts, silent]


async def test_an_embedder_is_kept_with_all_that_is_needed_to_open_it_again(store: Store, clock: FakeClock) -> None:
    assert await store.embeddings.embedders() == []
    assert await store.embeddings.space_of(ANA) is None
    await store.embeddings.choose(BETTER, former=FORMER)
    chosen, former = await store.embeddings.embedders()
    assert (chosen.space, chosen.dim, chosen.spec, chosen.curve) == (NEW, 3, API, BETTER.curve)
    assert chosen.chosen_at is not None
    assert abs(chosen.chosen_at - clock.now()) < timedelta(seconds=1)
    assert (former.spec, former.chosen_at) == (STATIC, None)
    # A clock that stands still orders two choices all the same.
    await store.embeddings.choose(FORMER, former=BETTER)
    assert [embedder.space for embedder in await store.embeddings.embedders()] == [SPACE, NEW]


async def test_existing_subjects_stay_in_their_space_and_new_ones_use_the_new(
    store: Store, known: list[Memory], clock: FakeClock
) -> None:
    await store.embeddings.choose(BETTER, former=FORMER)
    assert (await store.embeddings.space_of(ANA), await store.embeddings.space_of(BEN)) == (SPACE, NEW)
    await store.memories.apply(BEN, [add(memory("hi", subject=BEN, clock=clock), vector=(1, 0, 0), space=NEW)], [])
    assert (await store.snapshots.snapshot(BEN, NEW)).vectors.shape == (1, 3)
    assert len((await store.snapshots.snapshot(ANA, SPACE)).vectors) == 3
    counts = {row.space: (row.memories, row.subjects) for row in await store.embeddings.space_counts()}
    assert counts == {SPACE: (3, 1), NEW: (1, 1)}
    assert known


async def test_neither_reads_nor_writes_go_by_the_wrong_space(
    store: Store, known: list[Memory], clock: FakeClock
) -> None:
    await store.embeddings.choose(BETTER, former=FORMER)
    with pytest.raises(SpaceMovedError, match=f"of {SPACE}, no longer of {NEW}"):
        await store.snapshots.snapshot(ANA, NEW)
    with pytest.raises(SpaceMovedError):
        await store.snapshots.rank_and_fetch({ANA: NEW}, lambda snapshots: ({}, snapshots))
    late = memory("late", clock=clock)
    with pytest.raises(StaleSubjectError):
        await store.memories.apply(ANA, [add(late, vector=(1, 0, 0), space=NEW)], [decision(late)])
    assert await store.memories.get_many(ANA, [late.id]) == []
    assert len(known) == 5


async def test_all_memories_with_words_need_vectors_but_facts_that_never_had_any(
    store: Store, known: list[Memory]
) -> None:
    await store.embeddings.choose(BETTER, former=FORMER)
    tea, oslo, _, fact, silent = known
    assert await lacking(store) == [tea.id, oslo.id, fact.id, silent.id]
    assert [
        (row.subject, row.memories, row.elsewhere) for row in await store.embeddings.reembed_backlog(NEW, usual=SPACE)
    ] == [(ANA, 4, True)]
    assert await store.embeddings.write_vectors(ANA, NEW, {tea.id: vector(1, 0, 0), silent.id: []}) == 1
    assert await lacking(store) == [oslo.id, fact.id, silent.id]
    assert await store.embeddings.write_vectors(ANA, NEW, {tea.id: vector(0, 1, 0)}) == 0, "it has some by now"
    with pytest.raises(VectorSizeError):
        await store.embeddings.write_vectors(ANA, NEW, {oslo.id: vector(1, 0)})


async def test_a_subject_is_switched_at_once_when_no_vector_is_missing(
    store: Store, known: list[Memory], clock: FakeClock
) -> None:
    await store.embeddings.choose(BETTER, former=FORMER)
    seen = (await store.embeddings.missing_vectors(ANA, NEW, after=None, since=0, limit=9)).version
    await store.embeddings.write_vectors(ANA, NEW, {row.id: vector(1, 0, 0) for row in known if row != known[2]})
    before = (await store.snapshots.snapshot(ANA, SPACE)).version
    late = memory("late", clock=clock)
    await store.memories.apply(ANA, [add(late)], [])

    assert not await store.embeddings.switch_space(ANA, NEW, since=seen)
    assert await store.embeddings.space_of(ANA) == SPACE
    assert await lacking(store, since=seen) == [late.id]
    await store.embeddings.write_vectors(ANA, NEW, {late.id: vector(0, 1, 0)})
    assert await store.embeddings.switch_space(ANA, NEW, since=seen)

    snapshot = await store.snapshots.snapshot(ANA, NEW)
    assert snapshot.version > before
    assert snapshot.vectors.shape == (5, 3)
    with pytest.raises(SpaceMovedError):
        await store.snapshots.snapshot(ANA, SPACE)
    assert await store.embeddings.switch_space(ANA, NEW, since=0), "twice is once"


async def test_a_switch_may_leave_late_memories_that_are_seen_once_embedded(store: Store, known: list[Memory]) -> None:
    await store.embeddings.choose(BETTER, former=FORMER)
    assert await store.embeddings.switch_space(ANA, NEW, since=0, whole=False)
    assert len((await store.snapshots.snapshot(ANA, NEW)).vectors) == 0
    # Now only what has vectors elsewhere is missing here.
    assert await lacking(store) == [known[0].id, known[1].id, known[3].id]
    await store.embeddings.write_vectors(ANA, NEW, {known[0].id: vector(1, 0, 0)})
    assert len((await store.snapshots.snapshot(ANA, NEW)).vectors) == 1


async def test_memories_closed_or_erased_during_embedding_get_no_vector(store: Store, known: list[Memory]) -> None:
    await store.embeddings.choose(BETTER, former=FORMER)
    tea, oslo = known[:2]
    close = CloseMemory(id=tea.id, valid_to=tea.valid_from, closed_at=tea.valid_from)
    await store.memories.apply(ANA, [close], [])
    await store.erasures.erase(EraseRequest(subject=ANA, memories=(oslo.id,)))
    assert await store.embeddings.write_vectors(ANA, NEW, {tea.id: vector(1, 0, 0), oslo.id: vector(1, 0, 0)}) == 0
    assert await store.embeddings.write_vectors(BEN, NEW, {oslo.id: vector(1, 0, 0)}) == 0
    assert (await store.admin.stats(check=True)).problems == ()


async def test_erasing_reaches_the_vectors_of_both_spaces(store: Store, known: list[Memory]) -> None:
    await store.embeddings.choose(BETTER, former=FORMER)
    await store.embeddings.write_vectors(ANA, NEW, {row.id: vector(1, 0, 0) for row in known})
    done = await store.erasures.erase(EraseRequest(subject=ANA, memories=(known[0].id,)))
    assert done.counts["vectors"] == 2
    rest = await store.erasures.erase(EraseRequest(subject=ANA, everything=True))
    assert rest.counts["vectors"] == 2 + 4
    assert {row.space: row.memories for row in await store.embeddings.space_counts()} == {SPACE: 0, NEW: 0}


async def test_old_vectors_are_dropped_in_batches_and_never_those_in_use(store: Store, known: list[Memory]) -> None:
    await store.embeddings.choose(BETTER, former=FORMER)
    await store.embeddings.write_vectors(ANA, NEW, {row.id: vector(1, 0, 0) for row in known})
    assert await store.embeddings.drop_other_vectors(ANA, limit=10) == 0
    await store.embeddings.switch_space(ANA, NEW, since=0, whole=False)
    assert [await store.embeddings.drop_other_vectors(ANA, limit=2) for _ in range(3)] == [2, 1, 0]
    assert await store.embeddings.drop_other_vectors(BEN, limit=2) == 0
    assert {row.space: row.memories for row in await store.embeddings.space_counts()} == {SPACE: 0, NEW: 5}


async def test_without_a_chosen_embedder_no_vector_is_old(store: Store, known: list[Memory]) -> None:
    before = await store.embeddings.space_counts()
    assert await store.embeddings.drop_other_vectors(ANA, limit=10) == 0
    assert await store.embeddings.space_counts() == before


async def test_without_a_chosen_embedder_any_space_is_read_as_before(store: Store, known: list[Memory]) -> None:
    assert len((await store.snapshots.snapshot(ANA, SPACE)).vectors) == 3
    assert len((await store.snapshots.snapshot(ANA, NEW)).vectors) == 0
    waiting = await store.embeddings.reembed_backlog(SPACE, usual=SPACE)
    assert [(row.memories, row.elsewhere) for row in waiting] == [(0, False)]
    assert [(row.memories, row.elsewhere) for row in await store.embeddings.reembed_backlog(NEW, usual=SPACE)] == [
        (4, True)
    ]
    assert known[4].kind is MemoryKind.NOTE


async def test_a_subject_is_not_switched_to_an_embedder_chosen_before_the_last(
    store: Store, known: list[Memory]
) -> None:
    await store.embeddings.choose(BETTER, former=FORMER)
    await store.embeddings.choose(FORMER, former=FORMER)
    with pytest.raises(StaleSubjectError, match="another embedder was chosen"):
        await store.embeddings.switch_space(ANA, NEW, since=0, whole=False)
    with pytest.raises(StaleSubjectError):
        await store.embeddings.switch_space(ANA, "nobodys-7", since=0, whole=False)
    assert await store.embeddings.space_of(ANA) == SPACE
    assert len((await store.snapshots.snapshot(ANA, SPACE)).vectors) == len(
        [row for row in known if row.text not in ("peanuts", "!!")]
    )
