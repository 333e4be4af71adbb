"""The benchmark of growing chats still runs: one small chat on each way."""

from benchmarks.long_chats import BARE, DIRECT, OFF, ON, READ, Sizes, measure


def test_the_first_byte_is_measured_on_each_way_as_a_chat_grows() -> None:
    rows = measure(Sizes(messages=(4,), rounds=1))

    assert [row.name for row in rows] == [
        f"first byte at 4 messages, {way}, p50" for way in (DIRECT, BARE, OFF, READ, ON)
    ]
    assert all(row.value > 0 and row.count == 1 for row in rows)
