"""Recall of a subject that has an index: with few of its vectors it finds what it finds with all of them."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from factories import ANA
from snapshots import DIM, Known, as_it_is, ask, for_prompt, snapshot_of, unit
from toldonce.profiles.policies import RecallPolicy
from toldonce.recall import ann as seeking
from toldonce.recall.ann import AnnPlanner
from toldonce.recall.query import Query
from toldonce.recall.recall import Ranking, rank_subjects
from toldonce.recall.similarity import similarity_signal
from toldonce.testing import NEW_YEAR
from toldonce.types import NO_VECTORS, MemoryKind, Subject, SubjectSnapshot, VectorBlocks

WORDS = "tea oslo bees chess violin snow harbour peanuts garden train winter brother".split()
Places = npt.NDArray[np.intp]


def with_few(snapshot: SubjectSnapshot, places: Places, *, sampled: int = 100) -> SubjectSnapshot:
    """Take all vectors away but those of some memories and an even sample, as an index leaves it."""
    sample = np.unique(np.linspace(0, len(snapshot) - 1, sampled).astype(np.intp))
    kept = np.concatenate((sample, np.setdiff1d(places, sample)))
    return replace(
        snapshot,
        vectors=VectorBlocks.of(snapshot.vectors.take(kept)),
        vector_of=kept.astype(np.int32),
        sampled_vectors=len(sample),
    )


def found_by(query: Query, snapshot: SubjectSnapshot) -> SubjectSnapshot:
    """Bring the vectors that a query seeks, as a perfect index would."""
    wanted = AnnPlanner(query, as_it_is).vector_request
    [vector] = wanted.vectors
    cosine = np.where(np.isin(snapshot.kinds, wanted.kinds), snapshot.vectors.cosines(vector), -9)
    near = np.argsort(-cosine, kind="stable")[: wanted.limit_each]
    assert wanted.expand is not None
    return with_few(snapshot, np.union1d(near, wanted.expand(with_few(snapshot, near))))


def many(count: int = 1_500, *, kind: MemoryKind = MemoryKind.NOTE) -> list[Known]:
    random = np.random.default_rng(7)
    vectors = random.normal(size=(count, DIM))
    return [
        Known(
            id=place + 1,
            text=" ".join([*random.choice(WORDS, size=4).tolist(), f"only{place}"]),
            kind=kind,
            vectors=(unit(*vectors[place]).tolist(),),
            importance=float(random.random()),
            sources=(place + 1,),
        )
        for place in range(count)
    ]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeking, "NEAR", 60)
    monkeypatch.setattr(seeking, "PROMISING", 60)


# What quotations get of their neighbours in a made-up conversation is chance, of which few vectors know a part.
@pytest.mark.parametrize(("kind", "least"), [(MemoryKind.NOTE, 0.95), (MemoryKind.TURN, 0.9)])
def test_the_best_ten_are_those_of_all_vectors(kind: MemoryKind, least: float) -> None:
    snapshot = snapshot_of(*many(kind=kind))
    shared = 0
    for number in range(20):
        random = np.random.default_rng(number)
        query = ask(f"{WORDS[number % 12]} {WORDS[number % 7]}", vector=unit(*random.normal(size=DIM)))
        few = found_by(query, snapshot)
        assert len(few.vector_of) < len(snapshot) / 2
        exact, near = (rank_subjects(query, [subject], as_it_is) for subject in (snapshot, few))
        shared += len(set(exact.ids[:10]) & set(near.ids[:10]))
        assert (exact.vectors_compared, near.vectors_compared) == (None, len(few.vector_of))
        assert near.considered == len(snapshot)
    assert shared >= least * 200


def test_how_far_a_memory_stands_out_is_told_by_the_background() -> None:
    snapshot, query = snapshot_of(*many()), unit(1, 0, 0, 0)
    near = np.argsort(-snapshot.vectors.cosines(query))[:50]
    few = with_few(snapshot, near, sampled=400)
    exact, told = (similarity_signal(subject, query, as_it_is) for subject in (snapshot, few))
    assert np.allclose(told.evidence[near], exact.evidence[near], atol=0.1)
    assert np.array_equal(told.similarity[near], exact.similarity[near])
    unread = np.setdiff1d(np.arange(len(snapshot)), few.vector_of)
    assert set(told.evidence[unread].tolist()) == {0.0}
    assert set(told.similarity[unread].tolist()) == {0.0}


def test_without_any_background_a_memory_is_judged_by_what_is_usual() -> None:
    snapshot = snapshot_of(
        Known(id=1, text="a", vectors=((1.0, 0, 0, 0),)), Known(id=2, text="b", kind=MemoryKind.FACT)
    )
    found = similarity_signal(replace(snapshot, sampled_vectors=0), unit(1, 0, 0, 0), as_it_is)
    assert found.evidence[0] > 2
    assert found.evidence[1] < 0, "a fact has no vector"


def test_a_memory_that_words_speak_for_gets_its_meaning_read() -> None:
    known = many()
    known[701] = replace(known[701], text="a zeppelin", vectors=((0, 0, 0, 1.0),))
    snapshot = snapshot_of(*known)
    query = ask("which zeppelin?", vector=unit(1, 0, 0, 0))
    near = np.argsort(-snapshot.vectors.cosines(unit(1, 0, 0, 0)))[:60]
    assert 701 in AnnPlanner(query, as_it_is).expand(with_few(snapshot, near)).tolist()
    assert not set(near.tolist()) & set(AnnPlanner(query, as_it_is).expand(with_few(snapshot, near)).tolist())


def test_words_are_weighed_once_for_the_same_memories_and_anew_for_others() -> None:
    snapshot = snapshot_of(*many())
    query = ask("tea oslo", vector=unit(1, 0, 0, 0))
    few = with_few(snapshot, np.arange(9), sampled=2)
    seeker = AnnPlanner(query, as_it_is)
    assert seeker.words(few) is None
    seeker.expand(few)
    assert seeker.words(snapshot) is seeker.words(few) is not None, "the terms are the same arrays"
    once, again = (rank_subjects(query, [few], as_it_is, planners=known) for known in ({ANA: seeker}, {}))
    assert once == again
    assert seeker.words(snapshot_of(*many())) is None


def test_what_stands_around_the_best_quotations_is_read_too() -> None:
    turns = many(kind=MemoryKind.TURN)
    snapshot = snapshot_of(*turns)
    query = ask("where?", vector=unit(*turns[700].vectors[0]))
    few = with_few(snapshot, np.array([700]), sampled=2)
    assert {698, 699, 701, 702} <= set(AnnPlanner(query, as_it_is).expand(few).tolist())


def test_if_similarity_is_a_factor_the_others_choose_the_vectors_to_read() -> None:
    known = many()
    known[3] = replace(known[3], importance=1.0, at=NEW_YEAR)
    policy = RecallPolicy(order="product")
    query = replace(ask("x", vector=unit(1, 0, 0, 0), policy=policy), half_life_days=10.0)
    snapshot = snapshot_of(*known)
    few = with_few(snapshot, np.array([5]), sampled=2)
    assert 3 in AnnPlanner(query, as_it_is).expand(few).tolist()
    assert len(AnnPlanner(query, as_it_is).expand(few)) == 60


def test_episodes_are_read_among_themselves() -> None:
    episodes = [
        Known(id=5_000 + place, text="once", kind=MemoryKind.EPISODE, vectors=((0, 0, 0, 1.0),)) for place in range(5)
    ]
    snapshot = snapshot_of(*many(), *episodes)
    few = with_few(snapshot, np.array([5]), sampled=2)
    query = for_prompt(ask("tea oslo", vector=unit(0, 0, 0, 1)))
    assert set(range(1_500, 1_504)) <= set(AnnPlanner(query, as_it_is).expand(few).tolist())


def test_a_query_without_meaning_needs_no_vector_and_hidden_kinds_none() -> None:
    assert AnnPlanner(ask("tea"), as_it_is).vector_request is NO_VECTORS
    told = AnnPlanner(ask("tea", vector=unit(1, 0, 0, 0), policy=RecallPolicy(turns=False)), as_it_is).vector_request
    assert told.kinds == (0, 1, 2)
    assert AnnPlanner(ask("tea", vector=unit(1, 0, 0, 0), limit=200), as_it_is).vector_request.limit_each == 400


def test_a_ranking_of_several_counts_the_vectors_of_those_that_have_an_index() -> None:
    snapshot = snapshot_of(*many(200))
    other = snapshot_of(*many(3), subject=Subject("shared", "team"))
    query = ask("tea", vector=unit(1, 0, 0, 0))
    found: Ranking = rank_subjects(query, [with_few(snapshot, np.arange(7), sampled=2), other], as_it_is)
    assert (found.considered, found.vectors_compared) == (203, 8)
