"""An upstream that cannot be reached: a clear error in time, nothing recorded, and the server goes on."""

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from integration.database_reader import Database
from integration.raw_client import chat, request, user
from integration.server_process import ServerProcess, StartServer


@contextmanager
def refusing() -> Iterator[int]:
    """A port that nobody listens on, and that nobody else gets meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@contextmanager
def hanging() -> Iterator[int]:
    """A port whose queue is full: connecting to it takes forever."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        port: int = listening.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for connection in waiting:
            connection.setblocking(False)
            connection.connect_ex(("127.0.0.1", port))
        try:
            yield port
        finally:
            for connection in waiting:
                connection.close()


def serving(start_server: StartServer, port: int) -> ServerProcess:
    settings = {"UPSTREAM_URL": f"http://127.0.0.1:{port}/v1", "CONNECT_TIMEOUT_S": "0.5"}
    return start_server(offline=True, settings=settings)


@pytest.mark.parametrize(("way", "status"), [(refusing, 502), (hanging, 504)], ids=["refuses", "hangs"])
def test_an_upstream_that_cannot_be_reached_is_told_from_a_broken_server(
    start_server: StartServer, way: Callable[[], AbstractContextManager[int]], status: int
) -> None:
    with way() as port:
        server = serving(start_server, port)
        for stream in (True, False):
            answer = chat(server.port, "echo", [user("I like figs.")], stream=stream)
            assert (answer.status, answer.whole) == (status, True)
            assert answer.json["error"]["type"] == "server_error"
            assert "upstream API" in answer.json["error"]["message"]
            assert f"127.0.0.1:{port}" not in answer.json["error"]["message"]
            assert f"127.0.0.1:{port}" in server.output()
        assert request(server.port, "/v1/models", method="GET").status == status
        assert Database(server.database).messages("local") == []
        assert server.health()["proxy"]["memory_failed"] == 0
