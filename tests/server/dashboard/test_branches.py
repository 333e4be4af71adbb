"""Branches of a conversation: the path to the newest message, and what an edit or a regeneration left."""

from typing import Any

from toldonce.server.dashboard.pages.conversations import fold_branches


def log(*parents: int) -> list[dict[str, Any]]:
    """Make messages 1, 2, 3, … below the given ones; those that lead to the last one are active."""
    path, seq = set(), len(parents)
    while seq:
        path.add(seq)
        seq = parents[seq - 1]
    return [{"seq": seq, "parent_seq": parent, "active": seq in path} for seq, parent in enumerate(parents, start=1)]


def shape(rows: list[dict[str, Any]]) -> list[Any]:
    """Return the rows as numbers: message, then (after, messages) of each branch."""
    return [
        (row["message"] and row["message"]["seq"], *(
            (branch["after"], [message["seq"] for message in branch["messages"]]) for branch in row["branches"]
        ))
        for row in rows
    ]  # fmt: skip


def folded(messages: list[dict[str, Any]]) -> list[Any]:
    return shape(fold_branches(messages))


def test_a_conversation_without_edits_is_one_path() -> None:
    assert folded(log(0, 1, 2)) == [(None,), (1,), (2,), (3,)]
    assert folded([]) == [(None,)]


def test_an_edit_leaves_a_branch_where_it_was_made() -> None:
    assert folded(log(0, 1, 2, 3, 2, 5)) == [(None,), (1,), (2, (2, [3, 4])), (5,), (6,)]


def test_regenerated_answers_are_branches_of_one_message_each() -> None:
    assert folded(log(0, 1, 1, 1)) == [(None,), (1, (1, [2]), (1, [3])), (4,)]


def test_an_edited_first_message_leaves_a_branch_at_the_beginning() -> None:
    assert folded(log(0, 1, 0, 3)) == [(None, (0, [1, 2])), (3,), (4,)]


def test_branches_of_branches_are_shown_at_the_same_place() -> None:
    assert folded(log(0, 1, 2, 2, 1)) == [(None,), (1, (1, [2, 3]), (2, [4])), (5,)]


def test_later_messages_say_which_branch_of_a_page_goes_on() -> None:
    messages = log(0, 1, 2, 1, 3, 5)
    rows = fold_branches(messages[:4])
    assert shape(rows) == [(None,), (1, (1, [4])), (2,), (3,)]


def test_a_page_of_which_an_edit_left_all_is_a_branch() -> None:
    messages = log(0, 1, 2, 3, 1)
    assert shape(fold_branches(messages[2:4])) == [(None, (2, [3, 4]))]
