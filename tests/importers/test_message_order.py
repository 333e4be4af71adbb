"""The order in which an exported conversation is recorded: its branches, and trees that lie."""

from datetime import UTC, datetime, timedelta

from toldonce.importers.message_order import order_messages
from toldonce.importers.records import SourceConversation, SourceMessage

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MAY = datetime(2025, 5, 1, tzinfo=UTC)


def said(id_: str, parent: str | None, role: str = "user", at: datetime | None = MAY, text: str = "x") -> SourceMessage:
    return SourceMessage(id=id_, parent=parent, role=role, text=text, said_at=at)


def ordered(*messages: SourceMessage, current: str | None = None) -> list[tuple[str, int]]:
    """Id and parent of each message, in the order of recording."""
    conversation = SourceConversation(id="c", messages=messages, current=current, where="here")
    return [(each.message.id, each.parent) for each in order_messages(conversation, NOW)]


def test_the_branch_that_was_shown_last_comes_last() -> None:
    tree = (said("1", None), said("2", "1", "assistant"), said("old", "2"), said("new", "2"), said("end", "old"))
    assert ordered(*tree, current="end") == [("1", -1), ("2", 0), ("new", 1), ("old", 1), ("end", 3)]
    assert ordered(*tree, current="new") == [("1", -1), ("2", 0), ("old", 1), ("end", 2), ("new", 1)]
    assert ordered(*tree, current="unknown")[-1] == ("end", 3)


def test_tools_and_empty_messages_are_taken_out_of_the_tree() -> None:
    tree = (said("root", None, "system"), said("1", "root"), said("call", "1", "tool"), said("blank", "call", text=" "))
    assert ordered(*tree, said("2", "blank", "assistant"), current="2") == [("1", -1), ("2", 0)]


def test_rings_missing_parents_and_repeated_ids_lose_no_message() -> None:
    ring = (said("a", "c"), said("b", "a"), said("c", "b"), said("self", "self"), said("lost", "nowhere"))
    found = ordered(*ring, said("b", None), current="c")
    assert sorted(id_ for id_, _ in found) == ["a", "b", "c", "lost", "self"]
    assert found[-1][0] == "c"
    assert all(parent < place for place, (_, parent) in enumerate(found))


def test_a_long_chain_needs_no_deep_stack() -> None:
    chain = [said(str(number), str(number - 1)) for number in range(20_000)]
    assert ordered(*reversed(chain), current="19999")[-1] == ("19999", 19_998)


def test_a_message_without_a_date_has_that_of_the_message_before_it() -> None:
    later = MAY + timedelta(hours=1)
    messages = (said("1", None, at=None), said("2", "1", at=later), said("3", "2", at=None), said("4", "3", at=None))
    conversation = SourceConversation(id="c", messages=messages, created_at=MAY, where="here")
    assert [each.said_at for each in order_messages(conversation, NOW)] == [MAY, later, later, later]


def test_dates_of_1970_and_of_the_future_are_not_believed() -> None:
    messages = (said("1", None, at=datetime(1970, 1, 1, tzinfo=UTC)), said("2", "1", at=NOW + timedelta(days=400)))
    conversation = SourceConversation(id="c", messages=messages, created_at=MAY, where="here")
    assert [each.said_at for each in order_messages(conversation, NOW)] == [MAY, NOW]
