"""Branches of a conversation: which messages led to the newest one, and where edits and regenerations left others.
Pure."""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

Message = Mapping[str, Any]
"""A message as the REST API describes it."""


def active_path(messages: Iterable[Message]) -> set[int]:
    """Return the `seq` of the newest message and of all that lead to it.

    >>> sorted(active_path([{"seq": 1, "parent_seq": 0}, {"seq": 2, "parent_seq": 1}, {"seq": 3, "parent_seq": 1}]))
    [1, 3]
    """
    parents = {message["seq"]: message["parent_seq"] for message in messages}
    path: set[int] = set()
    seq = max(parents, default=0)
    while seq in parents and seq not in path:
        path.add(seq)
        seq = parents[seq]
    return path


def fold_branches(messages: Sequence[Message], path: Set[int]) -> list[dict[str, Any]]:
    """Arrange some consecutive messages of a log: those on the path, each with the branches that leave it.

    Args:
        messages: In order of arrival.
        path: `seq` of the messages on the active path.

    Returns:
        Rows `{"message": …, "branches": [{"after": seq, "messages": […]}, …]}`. The first row has no message: its
        branches leave the conversation's beginning, or messages before these ones.
    """
    rows: list[dict[str, Any]] = [{"message": None, "branches": []}]
    rows += [{"message": message, "branches": []} for message in messages if message["seq"] in path]
    row_of = {row["message"]["seq"]: row for row in rows[1:]}
    open_branches: dict[int, dict[str, Any]] = {}  # by their last message
    for message in messages:
        seq, parent = message["seq"], message["parent_seq"]
        if seq in path:
            continue
        row = row_of.get(parent, rows[0])
        branch = open_branches.pop(parent, None)
        if branch is None:
            branch = {"after": parent, "messages": []}
            row["branches"].append(branch)
        branch["messages"].append(message)
        open_branches[seq] = branch
        row_of[seq] = row
    return rows
