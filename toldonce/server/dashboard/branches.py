"""Branches of a conversation: where edits and regenerations left the path to the newest message. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

Message = Mapping[str, Any]
"""A message as the REST API describes it, with its place in the tree."""


def fold_branches(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Arrange some consecutive messages of a log, in order of arrival: the active path, and the branches that leave it.

    Returns:
        Rows `{"message": …, "branches": [{"after": seq, "messages": […]}, …]}`. The first row has no message: its
        branches leave the conversation's beginning, or messages before these ones.
    """
    rows: list[dict[str, Any]] = [{"message": None, "branches": []}]
    rows += [{"message": message, "branches": []} for message in messages if message["active"]]
    row_of = {row["message"]["seq"]: row for row in rows[1:]}
    open_branches: dict[int, dict[str, Any]] = {}  # by their last message
    for message in messages:
        seq, parent = message["seq"], message["parent_seq"]
        if message["active"]:
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
