"""Servers and workers on PostgreSQL: readiness, shutdown, remote wake-ups, and eight of them at once."""

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from forked_processes import forked_script
from integration.database_reader import Database
from integration.fake_upstream import FakeUpstream
from integration.raw_client import RawAnswer, chat, eventually, request, user
from integration.server_process import ServerProcess
from integration.talkers import Talkers
from integration.worker_process import WorkerProcess
from patience import PATIENCE_S
from postgres_server import NEEDS_POSTGRES, PostgresServer, shared_server
from soak import SOAK

pytestmark = NEEDS_POSTGRES
WORKERS = 8 if SOAK else 3


@pytest.fixture
def running() -> Iterator[ExitStack]:
    """What ends with the test."""
    with ExitStack() as stack:
        yield stack


def server_on(url: str, folder: Path, running: ExitStack, upstream: FakeUpstream, **settings: str) -> ServerProcess:
    given = {"DATABASE_URL": url, **settings}
    server = ServerProcess(folder, upstream=upstream.url, settings=given)
    running.callback(server.kill)
    server.start()
    return server


def readiness(server: ServerProcess) -> tuple[int, str]:
    answer = request(server.port, "/readyz", method="GET")
    return answer.status, answer.json.get("reason", answer.json["status"])


def test_a_server_is_ready_when_its_database_answers_and_is_of_its_schema(
    upstream: FakeUpstream, tmp_path: Path, running: ExitStack
) -> None:
    postgres = PostgresServer()
    running.callback(postgres.remove)
    postgres.start()
    url = postgres.new_database("ready")
    server = server_on(url, tmp_path / "server", running, upstream, WORKER="false")
    assert readiness(server) == (200, "ready")

    postgres.stop(immediate=True)
    assert eventually(lambda: readiness(server)[0] == 503)
    assert "does not answer" in readiness(server)[1]
    assert request(server.port, "/livez", method="GET").status == 200

    postgres.start()
    assert eventually(lambda: readiness(server) == (200, "ready"))
    with psycopg.connect(url) as db:
        db.execute("INSERT INTO toldonce.migration (number) VALUES (999)")
    status, reason = readiness(server)
    assert status == 503
    assert "newer ToldOnce" in reason


def test_a_server_told_to_stop_ends_its_answers_and_keeps_them(
    upstream: FakeUpstream, tmp_path: Path, running: ExitStack
) -> None:
    url = shared_server().new_database("drained_server")
    server = server_on(url, tmp_path / "server", running, upstream)
    answers: list[RawAnswer] = []

    def ask() -> None:
        headers = {"x-toldonce-user": "ana"}
        answers.append(chat(server.port, "steady", [user("I keep bees.")], headers, stream=True))

    client = threading.Thread(target=ask)
    client.start()
    assert eventually(lambda: upstream.having("I keep bees."))
    server.stop()
    client.join(PATIENCE_S)

    assert answers[0].done
    assert answers[0].text == "You said: I keep bees."
    assert [row.text for row in Database(url).messages("ana")] == ["I keep bees.", "You said: I keep bees."]
    assert "Traceback" not in server.output()


def test_a_worker_wakes_for_a_servers_record_and_finishes_before_stopping(
    upstream: FakeUpstream, tmp_path: Path, running: ExitStack
) -> None:
    url = shared_server().new_database("drained_worker")
    server = server_on(url, tmp_path / "server", running, upstream, WORKER="false")
    worker = WorkerProcess(url, tmp_path / "worker", running)
    assert eventually(lambda: worker.ready)
    time.sleep(1.5)  # it has found nothing and waits
    assert chat(server.port, "echo", [user("I am allergic to peanuts.")], {"x-toldonce-user": "ana"}).done is False
    database = Database(url)
    assert eventually(lambda: database.settled("ana"))

    assert worker.stop() == 0
    assert "formed 2, failed 0" in worker.output
    with psycopg.connect(url) as db:
        assert db.execute("SELECT count(*) FROM toldonce.formation WHERE lease_token IS NOT NULL").fetchone() == (0,)


@pytest.mark.soak
def test_many_workers_form_nothing_twice(upstream: FakeUpstream, tmp_path: Path, running: ExitStack) -> None:
    url = shared_server().new_database("many_workers")
    server = server_on(url, tmp_path / "server", running, upstream, WORKER="false")
    workers = [WorkerProcess(url, tmp_path / f"worker{n}", running) for n in range(WORKERS)]
    talkers = Talkers(server, 8, seed=8)
    talkers.go()
    assert talkers.wait_for(20)
    acknowledged = talkers.end()
    database = Database(url)

    assert eventually(lambda: database.problems(acknowledged, quiet=True) == []), database.problems(
        acknowledged, quiet=True
    )
    # A worker that is still starting does not hear the signal yet.
    assert eventually(lambda: all(worker.ready for worker in workers))
    assert [worker.stop() for worker in workers] == [0] * WORKERS
    formed = [int(worker.output.rpartition("formed ")[2].split(",")[0]) for worker in workers]
    assert sum(1 for count in formed if count) > 1, formed
    with psycopg.connect(url) as db:
        made = db.execute(  # of what was closed since, too
            "SELECT max(times) FROM (SELECT count(*) AS times FROM toldonce.memory WHERE kind < 3"
            " GROUP BY subject, kind, text) AS each"
        ).fetchone()
    assert made == (1,)


@pytest.mark.parametrize("command", ["doctor", "serve", "worker"])
def test_no_process_shows_the_password_of_the_database(command: str) -> None:
    url = shared_server().new_database(f"password_{command}").replace("toldonce@", "toldonce:hunter2@")
    with subprocess.Popen(
        [str(forked_script()), command],
        env={**os.environ, "TOLDONCE_DATABASE_URL": url, "TOLDONCE_PORT": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        while "toldonce@" not in said:
            line = process.stdout.readline()
            assert line, said
            said += line
        process.terminate()
        said += process.communicate(timeout=PATIENCE_S)[0]
    assert "hunter2" not in said
