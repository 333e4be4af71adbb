"""The benchmark of growing chats still runs: one small chat on each way in each format."""

from collections.abc import Callable

from benchmarks.long_chats import BARE, DIRECT, OFF, ON, READ, Sizes, measure


def test_the_first_byte_is_measured_on_each_way_as_a_chat_grows(fork_servers: Callable[..., None]) -> None:
    fork_servers(WORKER="thread")
    rows = measure(Sizes(messages=(4,), other_formats=2, rounds=1))

    chats = ("at 4 messages", *(f"at 2 messages of {name}" for name in ("Messages", "Responses", "Ollama")))
    ways = (DIRECT, BARE, OFF, READ, ON)
    assert [row.name for row in rows] == [f"first byte {chat}, {way}, p50" for chat in chats for way in ways]
    assert all(row.value > 0 and row.count == 1 for row in rows)
