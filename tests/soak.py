"""How long campaigns are: short in every run, whole with `make soak COUNT=n`."""

import os
from collections.abc import Iterable
from typing import TypeVar

import pytest
from hypothesis import settings

SOAK = int(os.environ.get("TOLDONCE_SOAK", "0"))
"""What `make soak` was told to count to; 0 in every other run."""
only_whole = pytest.mark.skipif(not SOAK, reason="holds for all cases together: `make soak` tries them all")

whole_only = (pytest.mark.soak, only_whole)
"""Marks of a case that others make up for in every run."""

_Case = TypeVar("_Case")


def sampled(cases: Iterable[_Case], every: int) -> list[_Case]:
    """Return each so-manieth case, spread over all; in a long run all of them.

    >>> sampled("abcdefg", 3)
    ['a', 'd', 'g']
    """
    return list(cases)[:: 1 if SOAK else every]


def fuzzed(examples: int) -> settings:
    """Let Hypothesis try a tenth of so many examples, always the same ones; in a long run all, and others each time."""
    return settings(derandomize=not SOAK, max_examples=examples if SOAK else max(5, examples // 10), database=None)
