"""Meaning compared over all vectors."""

import numpy as np
import pytest

from snapshots import Known, as_it_is, snapshot_of, unit
from toldonce.recall.similarity import MIN_LOG_ODDS, mean_and_spread, similarity_signal
from toldonce.types import SubjectSnapshot, Vector

EAST, NORTH, BETWEEN = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0)


def similarity(snapshot: SubjectSnapshot, vector: Vector | None) -> list[float]:
    return [round(value, 3) for value in similarity_signal(snapshot, vector, as_it_is).similarity.tolist()]


def test_of_several_vectors_the_nearest_counts() -> None:
    snapshot = snapshot_of(Known(id=1, text="a", vectors=(EAST, NORTH)), Known(id=2, text="b", vectors=(BETWEEN,)))

    assert similarity(snapshot, unit(0, 1, 0, 0)) == [1.0, 0.8]


def test_one_vector_each_is_read_as_it_lies() -> None:
    snapshot = snapshot_of(Known(id=1, text="a", vectors=(EAST,)), Known(id=2, text="b", vectors=(BETWEEN,)))

    assert similarity(snapshot, unit(1, 0, 0, 0)) == [1.0, 0.6]


def test_a_memory_without_a_vector_counts_as_an_unrelated_one() -> None:
    snapshot = snapshot_of(
        Known(id=1, text="a"), Known(id=2, text="b", vectors=(NORTH,)), Known(id=3, text="c", vectors=(EAST,))
    )

    found = similarity_signal(snapshot, unit(1, 0, 0, 0), as_it_is)

    assert found.similarity.tolist() == [0, 0, 1]
    assert found.evidence[2] > found.evidence[0] > found.evidence[1]


@pytest.mark.parametrize("vector", [None, np.zeros(4, np.float32), np.full(4, np.nan, np.float32)])
def test_a_query_without_meaning_tells_no_memory_from_another(vector: Vector | None) -> None:
    snapshot = snapshot_of(Known(id=1, text="a"), Known(id=2, text="b", vectors=(NORTH,)))

    found = similarity_signal(snapshot, vector, as_it_is)

    assert found.similarity.tolist() == [0, 0]
    assert found.evidence[0] == found.evidence[1]
    assert np.isfinite(found.evidence).all()


def test_a_broken_vector_is_no_match_and_spoils_no_other() -> None:
    snapshot = snapshot_of(Known(id=1, text="a", vectors=((np.nan,) * 4,)), Known(id=2, text="b", vectors=(EAST,)))

    found = similarity_signal(snapshot, unit(1, 0, 0, 0), as_it_is)

    assert found.similarity.tolist() == [0, 1]
    assert np.isfinite(found.evidence).all()


def test_no_memories_and_no_vectors_are_fine() -> None:
    assert similarity(snapshot_of(), unit(1, 0, 0, 0)) == []
    assert similarity(snapshot_of(Known(id=1, text="a")), unit(1, 0, 0, 0)) == [0]


def test_where_all_is_near_to_the_query_the_nearest_stands_out_less() -> None:
    between = [Known(id=number, text="b", vectors=(BETWEEN,)) for number in range(2, 300)]
    far = [Known(id=number, text="b", vectors=(NORTH,)) for number in range(2, 300)]
    asked = unit(1, 0, 0, 0)

    among_near = similarity_signal(snapshot_of(Known(id=1, text="a", vectors=(EAST,)), *between), asked, as_it_is)
    among_far = similarity_signal(snapshot_of(Known(id=1, text="a", vectors=(EAST,)), *far), asked, as_it_is)

    assert among_far.evidence[0] > among_near.evidence[0] + 1
    assert among_near.evidence[0] > among_near.evidence[1] + 1
    assert among_far.similarity[0] == among_near.similarity[0]


def test_many_pieces_are_many_chances_of_being_near() -> None:
    snapshot = snapshot_of(
        Known(id=1, text="a", vectors=(EAST,)),
        Known(id=2, text="b", vectors=(EAST, *((BETWEEN,) * 3))),
        Known(id=3, text="c", vectors=(NORTH,)),
    )

    found = similarity_signal(snapshot, unit(1, 0, 0, 0), as_it_is)

    assert found.evidence[0] - found.evidence[1] == pytest.approx(np.log(4), abs=1e-4)


def test_being_far_in_meaning_is_no_proof_against_a_memory() -> None:
    near = [Known(id=number, text="b", vectors=(BETWEEN,)) for number in range(2, 300)]

    found = similarity_signal(snapshot_of(Known(id=1, text="a", vectors=(NORTH,)), *near), unit(1, 0, 0, 0), as_it_is)

    assert found.evidence[0] == pytest.approx(MIN_LOG_ODDS)


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 100, 129, 1_000, 5_003])
def test_mean_and_spread_are_numpys_to_the_bit(count: int) -> None:
    values = np.random.default_rng(count).normal(-2, 1.5, count).astype(np.float32)
    assert mean_and_spread(values) == (float(values.mean()), float(values.std()))
