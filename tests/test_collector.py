"""Full collections are postponed within blocks, which may overlap; the setting before them is restored."""

import gc
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from toldonce.collector import full_collections_postponed


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = gc.get_threshold()
    gc.freeze()  # a collection would walk all that earlier tests have left, and wait for a quarter more of it
    gc.collect()
    yield
    gc.set_threshold(*before)


def full_collections() -> int:
    """Return how many full collections very many new containers cause."""
    before = gc.get_stats()[2]["collections"]
    kept = [[] for _ in range(200_000)]  # type: ignore[var-annotated]
    assert len(kept) == 200_000
    after = gc.get_stats()[2]["collections"]
    return int(after - before)


def test_no_full_collection_runs_within_a_block() -> None:
    assert full_collections() > 0
    with full_collections_postponed():
        assert full_collections() == 0
    assert full_collections() > 0


def test_overlapping_blocks_restore_the_threshold_at_the_last_end() -> None:
    gc.set_threshold(600, 7, 13)
    first, second = ExitStack(), ExitStack()
    first.enter_context(full_collections_postponed())
    second.enter_context(full_collections_postponed())
    first.close()
    assert gc.get_threshold()[2] > 1_000_000
    second.close()
    assert gc.get_threshold() == (600, 7, 13)
