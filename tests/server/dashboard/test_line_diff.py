"""Differences of two texts by lines."""

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as some

from toldonce.server.dashboard.pages.traces import line_diff

LINES = some.lists(some.sampled_from(["a", "b", "c", ""]), max_size=12)


@given(LINES, LINES)
def test_the_runs_give_both_texts_back(old: list[str], new: list[str]) -> None:
    runs = line_diff(old, new)
    assert [line for run in runs if run["change"] != "added" for line in run["lines"]] == old
    assert [line for run in runs if run["change"] != "removed" for line in run["lines"]] == new


def test_only_what_changed_is_marked() -> None:
    runs = line_diff(["a", "b", "c", "d"], ["a", "x", "c", "y", "d"])
    changes = [(run["change"], run["lines"]) for run in runs]
    assert changes == [
        ("same", ["a"]),
        ("removed", ["b"]),
        ("added", ["x"]),
        ("same", ["c"]),
        ("added", ["y"]),
        ("same", ["d"]),
    ]


@pytest.mark.timing
def test_long_texts_are_compared_in_little_time() -> None:
    old, new = ["a", "b"] * 20_000, ["b", "a"] * 20_000
    began = perf_counter()
    runs = line_diff(old, new)
    assert perf_counter() - began < 1
    assert [line for run in runs if run["change"] != "removed" for line in run["lines"]] == new
