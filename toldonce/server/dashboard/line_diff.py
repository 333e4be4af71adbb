"""Differences of two texts by lines. Pure."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

# Compared line by line up to so many pairs of lines, for the time grows faster than they do.
_MAX_PAIRS = 40_000


def line_diff(old: Sequence[str], new: Sequence[str]) -> list[dict[str, Any]]:
    """Return what became of the lines of a text.

    Returns:
        Runs of lines in order: `{"change": "same" | "removed" | "added", "lines": […]}`.

    >>> [(run["change"], run["lines"]) for run in line_diff(["a", "b"], ["a", "c"])]
    [('same', ['a']), ('removed', ['b']), ('added', ['c'])]
    """
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    runs = [("same", old[:head])]
    runs += _middle(old[head : len(old) - tail], new[head : len(new) - tail])
    runs.append(("same", old[len(old) - tail :]))
    return [{"change": change, "lines": list(lines)} for change, lines in runs if lines]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return with how many equal lines two texts begin."""
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        count += 1
    return count


def _middle(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
    if len(old) * len(new) > _MAX_PAIRS:
        return [("removed", old), ("added", new)]
    runs: list[tuple[str, Sequence[str]]] = []
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            runs.append(("same", old[old_start:old_end]))
        else:
            runs += [("removed", old[old_start:old_end]), ("added", new[new_start:new_end])]
    return runs
