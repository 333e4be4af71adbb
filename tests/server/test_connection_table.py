"""The table of connections: who makes room for whom, and what may be held."""

from dataclasses import dataclass, field

import pytest

from toldonce.server.connection_table import SMALL_BODY_BYTES, SPARE_CONNECTIONS, ConnectionTable
from toldonce.settings.bounds import BoundSettings


@dataclass(eq=False)
class Client:
    address: str
    dropped: list[bool] = field(default_factory=list)

    def drop(self) -> None:
        self.dropped.append(True)

    def check_deadlines(self, now: float, elapsed: float) -> None:
        raise AssertionError("no deadline is looked at here")


def table_of(**limits: int) -> ConnectionTable:
    return ConnectionTable(BoundSettings.model_construct().model_copy(update=limits))


def admitted(table: ConnectionTable, addresses: str) -> list[Client]:
    clients = [Client(address) for address in addresses]
    assert all(table.admit(client) for client in clients)
    return clients


def dropped(clients: list[Client]) -> str:
    return "".join(client.address for client in clients if client.dropped)


def test_the_longest_waiting_connection_makes_room() -> None:
    table = table_of(max_connections=3)
    clients = admitted(table, "abc")
    assert table.begin_request(clients[0])
    newest = admitted(table, "de")
    assert (dropped(clients), len(table)) == ("bc", 3)
    table.end_request(clients[0])
    admitted(table, "f")
    assert dropped([*clients, *newest]) == "bcd"
    assert table.refused["idle connection closed"] == 3


def test_an_address_at_its_limit_makes_room_among_its_own() -> None:
    table = table_of(max_connections=10, max_connections_per_address=2)
    clients = admitted(table, "abbabb")
    assert dropped(clients) == "bb"
    assert [client.address for client in clients if not client.dropped] == ["a", "a", "b", "b"]


def test_where_all_have_requests_a_few_more_are_taken_for_monitoring() -> None:
    table = table_of(max_connections=2)
    clients = admitted(table, "ab")
    assert all(table.begin_request(client) for client in clients)
    assert not table.is_full_for("a")
    [spare] = admitted(table, "c")
    assert table.is_full_for("c")
    others = admitted(table, "d" * SPARE_CONNECTIONS)
    assert (dropped([*clients, spare]), len(dropped(others))) == ("c", SPARE_CONNECTIONS - 1)


def test_beyond_the_spare_ones_a_connection_is_refused() -> None:
    table = table_of(max_connections=1)
    for address in "a" + "b" * SPARE_CONNECTIONS:
        [client] = admitted(table, address)
        assert table.begin_request(client)
    assert not table.admit(Client("c"))
    assert table.refused["connection"] == 1


def test_requests_of_an_address_are_counted_until_they_end() -> None:
    table = table_of(max_requests_per_address=1)
    first, second, other = admitted(table, "aab")
    assert table.begin_request(first)
    assert not table.begin_request(second)
    assert table.begin_request(other)
    table.end_request(first)
    assert table.begin_request(second)


@pytest.mark.parametrize("size", [SMALL_BODY_BYTES, SMALL_BODY_BYTES + 1])
def test_small_bodies_are_held_however_much_is_held(size: int) -> None:
    table = table_of(max_held_bytes=10)
    assert table.hold(0, 10)
    assert table.hold(0, size) is (size == SMALL_BODY_BYTES)
    assert table.refused["body"] == (size != SMALL_BODY_BYTES)


def test_what_is_released_can_be_held_again() -> None:
    table = table_of(max_held_bytes=SMALL_BODY_BYTES * 2)
    assert table.hold(0, SMALL_BODY_BYTES * 2)
    assert not table.hold(0, SMALL_BODY_BYTES + 1)
    table.release(SMALL_BODY_BYTES * 2)
    assert table.hold(0, SMALL_BODY_BYTES + 1)


def test_a_closed_connection_is_forgotten_once() -> None:
    table = table_of(max_connections=2, max_connections_per_address=1)
    [client] = admitted(table, "a")
    table.discard(client)
    table.discard(client)
    assert (len(table), table.has_room_for("a")) == (0, True)
