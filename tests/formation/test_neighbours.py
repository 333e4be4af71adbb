"""What candidates are weighed against: the nearest notes and all facts."""

from collections.abc import Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import ANA, BEN, memory
from toldonce.engine import Components
from toldonce.formation import neighbours as searching
from toldonce.formation.neighbours import exclude, gather_neighbours, nearest
from toldonce.formation.runtime import Runtime
from toldonce.resolution.values import Neighbour, Neighbours
from toldonce.testing import NEW_YEAR
from toldonce.text import terms
from toldonce.types import AddMemory, Candidate, Memory, MemoryId, MemoryKind, Subject

FACT = MemoryKind.FACT.number


@pytest.fixture
def runtime(parts: Components) -> Runtime:
    return Runtime(store=parts.store, embedder=parts.embedder, model=None, clock=parts.clock, zone=ZoneInfo("UTC"))


async def keep(runtime: Runtime, *known: Memory, subject: Subject = ANA) -> None:
    vectors = await runtime.embedder.embed([memory.text for memory in known])
    changes = [
        AddMemory(
            memory=memory,
            space="" if memory.kind is MemoryKind.FACT else runtime.embedder.space,
            vectors=() if memory.kind is MemoryKind.FACT else (row,),
            terms=terms(memory.text),
        )
        for memory, row in zip(known, vectors, strict=True)
    ]
    await runtime.store.memories.apply(subject, changes, [])


async def found(runtime: Runtime, *queries: str, most: int = 10, subject: Subject = ANA) -> list[list[Neighbour]]:
    snapshot = await runtime.store.snapshots.snapshot(subject, runtime.embedder.space)
    return await nearest(snapshot, await runtime.embedder.embed(queries), runtime, limit=most)


def words(near: Sequence[Neighbour]) -> list[str]:
    return [neighbour.memory.text for neighbour in near]


def candidate(text: str) -> Candidate:
    return Candidate(kind=MemoryKind.NOTE, text=text, speaker="user", seq=1, quote=text, valid_from=NEW_YEAR)


async def test_each_candidate_gets_its_own_neighbours_best_first(runtime: Runtime) -> None:
    await keep(runtime, memory("Green tea at noon."), memory("Green tea."), memory("A train to Bergen."))
    tea, train = await found(runtime, "green tea", "train Bergen", most=2)
    assert words(tea) == ["Green tea.", "Green tea at noon."]
    assert tea[0].similarity == pytest.approx(1, abs=1e-5)
    assert tea[0].similarity > tea[1].similarity
    assert words(train)[0] == "A train to Bergen."


async def test_no_more_come_than_were_asked_for_and_each_once(runtime: Runtime) -> None:
    twice = memory("Green tea.")
    row = (await runtime.embedder.embed(["Green tea."]))[0]
    await runtime.store.memories.apply(
        ANA, [AddMemory(memory=twice, space=runtime.embedder.space, vectors=(row, row))], []
    )
    await keep(runtime, memory("Green tea at noon."), memory("Green tea at night."))
    [near] = await found(runtime, "green tea", most=2)
    assert len(near) == 2
    assert words(near)[0] == "Green tea."
    assert len({neighbour.memory.id for neighbour in near}) == 2


async def test_a_text_without_words_and_a_subject_without_memories_have_no_neighbours(runtime: Runtime) -> None:
    assert await found(runtime, "green tea", subject=BEN) == [[]]
    await keep(runtime, memory("Green tea."))
    assert await found(runtime, "", "green") == [[], (await found(runtime, "green"))[0]]
    assert await found(runtime) == []


async def test_another_subjects_memories_are_no_neighbours(runtime: Runtime) -> None:
    await keep(runtime, memory("Green tea.", subject=BEN), subject=BEN)
    assert await found(runtime, "green tea") == [[]]


async def test_quotations_are_no_neighbours_of_notes(runtime: Runtime) -> None:
    await keep(runtime, memory("Green tea.", kind=MemoryKind.EPISODE), memory("Tea, green."))
    [near] = await found(runtime, "green tea")
    assert words(near) == ["Tea, green."]


async def test_facts_come_whole_whatever_the_candidates_say(runtime: Runtime) -> None:
    facts = [memory("Oslo", slot="identity/location"), memory("tea", slot="preference/like:tea")]
    await keep(runtime, *facts)
    snapshot = await runtime.store.snapshots.snapshot(ANA, runtime.embedder.space)
    vectors = await runtime.embedder.embed(["I keep bees."])
    gathered = await gather_neighbours(snapshot, [candidate("I keep bees.")], vectors, runtime, limit=10)
    assert {memory.value for memory in gathered.facts} == {"Oslo", "tea"}
    assert gathered.near == [[]]


async def test_u5_half_of_the_places_are_for_notes_that_share_rare_words(runtime: Runtime) -> None:
    crowd = [memory(f"Green tea in the morning, cup {number}.") for number in range(12)]
    told = "Green tea in the morning, and the ferry to Kaupanger is late."
    rare = memory("Kaupanger has a church, an inn, a quay, a school, two farms and a stave of old timber.")
    await keep(runtime, *crowd, rare, memory("Nothing of the kind."))
    snapshot = await runtime.store.snapshots.snapshot(ANA, runtime.embedder.space)
    vectors = await runtime.embedder.embed([told])
    [by_meaning] = await nearest(snapshot, vectors, runtime, limit=10)
    assert rare.text not in words(by_meaning)
    [near] = (await gather_neighbours(snapshot, [candidate(told)], vectors, runtime, limit=10)).near
    assert len(near) == 10
    assert rare.text in words(near)
    assert words(near)[:5] == words(by_meaning)[:5]
    assert [neighbour.similarity for neighbour in near] == sorted(
        (neighbour.similarity for neighbour in near), reverse=True
    )
    named = next(neighbour for neighbour in near if neighbour.memory.text == rare.text)
    assert 0 < named.similarity < by_meaning[-1].similarity


async def test_what_an_extractor_names_as_corrected_is_a_neighbour_however_far_it_is(runtime: Runtime) -> None:
    crowd = [memory(f"Green tea in the morning, cup {number}.") for number in range(12)]
    meant, facts = memory("Coffee at night."), memory("tea", slot="preference/like:tea")
    await keep(runtime, *crowd, meant, facts)
    snapshot = await runtime.store.snapshots.snapshot(ANA, runtime.embedder.space)
    said = [
        replace(candidate("Green tea in the morning."), replaces=wanted)
        for wanted in (meant.id, facts.id, crowd[0].id, MemoryId("01900000-0000-7000-8000-00000000ffff"))
    ]
    vectors = await runtime.embedder.embed([candidate.text for candidate in said])
    gathered = await gather_neighbours(snapshot, said, vectors, runtime, limit=10)
    assert [len(near) for near in gathered.near] == [11, 10, 10, 10]
    assert words(gathered.near[0])[-1] == meant.text


def test_what_is_about_to_be_closed_is_left_out_everywhere() -> None:
    going, staying = memory("Going."), memory("Staying.")
    everything = Neighbours(
        near=[[Neighbour(memory=memory, similarity=1) for memory in (going, staying)], []],
        facts=[going, staying],
    )
    left = exclude(everything, frozenset({going.id}))
    assert [words(near) for near in left.near] == [["Staying."], []]
    assert list(left.facts) == [staying]
    assert exclude(everything, frozenset()) is everything


async def test_t4_facts_have_no_vector_and_are_found_by_none(runtime: Runtime) -> None:
    await keep(runtime, memory("Oslo", slot="identity/location"))
    snapshot = await runtime.store.snapshots.snapshot(ANA, runtime.embedder.space)
    vectors = await runtime.embedder.embed(["Oslo"])
    assert await nearest(snapshot, vectors, runtime, limit=5, kinds=[FACT]) == [[]]
    assert np.array_equal(snapshot.kinds, [FACT])


@given(
    rows=st.lists(st.tuples(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0]), st.integers(0, 20)), max_size=60),
    limit=st.integers(1, 8),
)
def test_the_nearest_memories_are_those_of_a_full_sort(rows: list[tuple[float, int]], limit: int) -> None:
    values = np.array([value for value, _ in rows], dtype=np.float32)
    owners = np.array([owner for _, owner in rows], dtype=np.int32)
    expected: dict[int, float] = {}
    for value, owner in sorted(rows, key=lambda row: -row[0]):
        expected.setdefault(owner, value)

    near = searching._top(searching._Cosines(values, owners), limit)
    assert [(found.place, found.cosine) for found in near] == list(expected.items())[:limit]


@pytest.mark.parametrize("quotations", [1, 30])
async def test_only_memories_of_the_kinds_asked_for_are_near(runtime: Runtime, quotations: int) -> None:
    notes = [memory(f"Ana keeps bees {number}") for number in range(4)]
    quoted = [memory("Ana keeps bees", kind=MemoryKind.EPISODE) for _ in range(quotations)]
    await keep(runtime, *quoted, *notes)
    [near] = await found(runtime, "Ana keeps bees")
    assert {neighbour.memory.kind for neighbour in near} == {MemoryKind.NOTE}
    assert len(near) == len(notes)
