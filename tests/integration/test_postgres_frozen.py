"""PostgreSQL that stands still or restarts under a server: REST says so with 503, and chats go on."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from integration.database_reader import Database
from integration.fake_upstream import FakeUpstream
from integration.raw_client import RawAnswer, chat, eventually, request, user
from integration.server_process import ServerProcess
from patience import PATIENCE_S
from postgres_server import NEEDS_POSTGRES, PostgresServer

pytestmark = NEEDS_POSTGRES
REST = {
    "read": ("GET", "/api/memory/stats", b""),
    "write": ("POST", "/api/memory", b'{"content": "I like tea."}'),
    "read under /v1": ("GET", "/v1/subjects/user:ana/memories", b""),
    "metrics": ("GET", "/metrics", b""),
}


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """A server of the module's own."""
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture
def server(postgres: PostgresServer, upstream: FakeUpstream, tmp_path: Path, name: str) -> Iterator[ServerProcess]:
    """A server on a database of its own."""
    url = postgres.new_database(name[:60])
    running = ServerProcess(
        tmp_path / "server",
        upstream=upstream.url,
        settings={"DATABASE_URL": url, "RECALL_TIMEOUT_S": "1", "COMMIT_TIMEOUT_S": "20"},
    )
    try:
        running.start()
        yield running
    finally:
        running.kill()


_OTHERS = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> ALL (%s)"


@contextmanager
def frozen(server: ServerProcess) -> Iterator[None]:
    """Stop the processes of PostgreSQL that serve a server's connections, and those that take new ones."""
    url = server.settings["DATABASE_URL"]
    pids: list[int] = []
    with psycopg.connect(url, autocommit=True) as connection:
        [[own]] = connection.execute("SELECT pg_backend_pid()").fetchall()
        # First what takes new connections: one that began before would otherwise go on.
        found = [(int(Path(f"/proc/{own}/stat").read_text().rpartition(")")[2].split()[1]),)]
        while found:
            for [pid] in found:
                os.kill(pid, signal.SIGSTOP)
            pids += [pid for [pid] in found]
            time.sleep(0.2)
            found = connection.execute(_OTHERS, ([own, *pids],)).fetchall()
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the parent of a process is read from /proc")
def test_while_postgresql_stands_still_rest_says_so_and_chats_go_on(server: ServerProcess) -> None:
    answers: dict[str, RawAnswer] = {}

    def ask(case: str) -> None:
        method, path, body = REST[case]
        answers[case] = request(server.port, path, body, method=method)

    with frozen(server):
        asking = [threading.Thread(target=ask, args=(case,)) for case in REST]
        for thread in asking:
            thread.start()
        said = chat(server.port, "echo", [user("Hello")], {"x-toldonce-memory": "read"})
        assert (said.status, (said.header("x-toldonce-memory") or "")[:7]) == (200, "skipped")
        for thread in asking:
            thread.join(PATIENCE_S)
        assert request(server.port, "/livez", method="GET").status == 200
        assert request(server.port, "/readyz", method="GET").status == 503
    assert {case: answer.status for case, answer in answers.items()} == dict.fromkeys(REST, 503)
    assert {case for case, answer in answers.items() if not answer.header("retry-after")} == set()
    told = b"".join(answer.body for answer in answers.values())
    assert b"the database does not answer" in told
    assert b"postgres" not in told
    assert eventually(lambda: request(server.port, "/api/memory/stats", method="GET").status == 200)


def test_a_turn_waits_for_a_restart_and_is_recorded_once(postgres: PostgresServer, server: ServerProcess) -> None:
    answers: list[RawAnswer] = []

    def talk() -> None:
        headers = {"x-toldonce-user": "ana", "x-openwebui-chat-id": "moving"}
        answers.append(chat(server.port, "echo", [user("I moved to Oslo.")], headers, stream=True))

    postgres.stop(immediate=True)
    talking = threading.Thread(target=talk)
    talking.start()
    refused = request(server.port, "/api/memory/stats", method="GET")
    postgres.start()
    talking.join(PATIENCE_S)
    assert (refused.status, refused.header("retry-after") is not None) == (503, True)
    assert b"postgres" not in refused.body
    [answer] = answers
    assert answer.done
    recorded = [row.text for row in Database(server.settings["DATABASE_URL"]).messages("ana")]
    assert recorded == ["I moved to Oslo.", "You said: I moved to Oslo."]
