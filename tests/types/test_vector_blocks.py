"""Vectors in blocks: as one array would have them, and shared where they stay."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toldonce.types import VectorBlocks, Vectors, vector_blocks

DIM = 3
MAX_ROWS = 8


@pytest.fixture(autouse=True, scope="module")
def small_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_blocks, "MAX_BLOCK_BYTES", MAX_ROWS * DIM * 4)
        yield


def rows(count: int, first: int = 0) -> Vectors:
    return np.arange(first * DIM, (first + count) * DIM, dtype=np.float32).reshape(-1, DIM)


def blocks(sizes: list[int]) -> VectorBlocks:
    starts = np.cumsum([0, *sizes]).tolist()
    return VectorBlocks([rows(size, start) for size, start in zip(sizes, starts, strict=False)], DIM)


@given(st.lists(st.integers(1, 10), max_size=6), st.data())
def test_blocks_compute_what_one_array_does(sizes: list[int], data: st.DataObject) -> None:
    kept, whole = blocks(sizes), rows(sum(sizes))
    query = np.array([1, -2, 3], dtype=np.float32)
    start = data.draw(st.integers(0, len(whole)))
    stop = data.draw(st.integers(start, len(whole)))
    chosen = data.draw(st.sets(st.integers(0, len(whole) - 1))) if len(whole) else set()
    places = np.array(sorted(chosen), dtype=np.intp)

    assert (len(kept), kept.shape, kept.nbytes) == (len(whole), whole.shape, whole.nbytes)
    assert np.array_equal(np.asarray(kept), whole)
    assert np.array_equal(kept.cosines(query), whole @ query)
    assert np.array_equal(kept.products(rows(2), stop), rows(2) @ whole[:stop].T)
    assert np.array_equal(kept.between(start, stop), whole[start:stop])
    assert np.array_equal(kept.take(places), whole[places])


@given(st.lists(st.integers(1, MAX_ROWS), max_size=8), st.integers(0, 20), st.data())
def test_rearranged_rows_are_those_of_one_array(sizes: list[int], fresh: int, data: st.DataObject) -> None:
    kept, added = blocks(sizes), rows(fresh, 1000)
    whole = np.concatenate((rows(sum(sizes)), added))
    gone = data.draw(st.sets(st.integers(0, len(whole) - 1), max_size=5)) if len(whole) else set()
    places = [place for place in range(len(whole)) if place not in gone]
    if data.draw(st.booleans()):
        places = data.draw(st.permutations(places))
    made = kept.rearranged(added, np.array(places, dtype=np.intp))

    assert np.array_equal(np.asarray(made), whole[places])
    assert all(len(block) <= MAX_ROWS for block in made.blocks)
    assert np.array_equal(np.asarray(kept), rows(sum(sizes))), "the old blocks are as they were"


def test_a_row_that_goes_copies_its_block_alone() -> None:
    kept = blocks([8, 8, 8])
    made = kept.rearranged(rows(0), np.delete(np.arange(24), 9))

    assert [len(block) for block in made.blocks] == [8, 7, 8]
    assert made.blocks[0] is kept.blocks[0]
    assert made.blocks[2] is kept.blocks[2]
    assert not np.shares_memory(made.blocks[1], kept.blocks[1])


def test_blocks_that_lost_most_rows_are_joined() -> None:
    kept = blocks([8] * 40)
    for _ in range(39 * 8):
        kept = kept.rearranged(rows(0), np.delete(np.arange(len(kept)), len(kept) // 2))

    assert len(kept) == 8
    assert len(kept.blocks) <= 4
