"""The benchmark of chats while memories are formed still runs, in both places of the worker."""

from collections.abc import Callable

from benchmarks.backlog import AT_ONCE, BACKLOG, IDLE, PLACES, Sizes, measure


def test_the_first_byte_is_measured_while_memories_are_formed(fork_servers: Callable[..., None]) -> None:
    fork_servers()
    rows = measure(Sizes(messages=2, rounds=1, backlog=10))

    of_place = [
        name
        for place in PLACES.values()
        for name in (
            *(f"first byte added in {place}, {phase}, p50" for phase in (IDLE, AT_ONCE, BACKLOG)),
            *(f"{phase} by idle, {place}" for phase in (AT_ONCE, BACKLOG)),
            f"RSS, {place}",
        )
    ]
    assert [row.name for row in rows] == of_place
