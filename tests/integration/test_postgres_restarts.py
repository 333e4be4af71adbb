"""PostgreSQL dies at any moment under two servers and four workers; what was acknowledged is there, once, in its place.

The checker is another process, which reads the database and not the servers. Long runs: `make soak COUNT=20`.
"""

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from integration.database_reader import Database
from integration.fake_upstream import FakeUpstream
from integration.raw_client import eventually
from integration.server_process import ServerProcess
from integration.talkers import Talkers
from integration.worker_process import WorkerProcess
from postgres_server import NEEDS_POSTGRES, PostgresServer
from soak import SOAK

pytestmark = NEEDS_POSTGRES
RESTARTS = 1
WORKERS = 4 if SOAK else 2
CLIENTS_EACH = 4


@pytest.fixture
def postgres() -> Iterator[PostgresServer]:
    """A server of the test's own, which keeps what it commits."""
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.mark.soak
def test_restarts_of_postgresql_under_load_lose_and_double_nothing(
    postgres: PostgresServer, upstream: FakeUpstream, tmp_path: Path, soak: int | None
) -> None:
    seed = random.randrange(1_000_000)
    luck = random.Random(seed)
    url = postgres.new_database("memories")
    settings = {"DATABASE_URL": url, "WORKER": "false"}
    with ExitStack() as running:
        servers = [ServerProcess(tmp_path / f"server{n}", upstream=upstream.url, settings=settings) for n in range(2)]
        for server in servers:
            running.callback(server.kill)
            server.start()
        workers = [WorkerProcess(url, tmp_path / f"worker{n}", running) for n in range(WORKERS)]
        assert eventually(lambda: all(worker.ready for worker in workers))
        # Each server has clients of its own, whose names are nobody else's.
        talking = [Talkers(server, CLIENTS_EACH, seed + n, first=n * CLIENTS_EACH) for n, server in enumerate(servers)]
        database = Database(url)
        for number in range(1, (min(soak, 20) if soak else RESTARTS) + 1):
            for talkers in talking:
                talkers.go()
                assert talkers.wait_for(1)
            time.sleep(luck.uniform(0.0, 0.7))
            postgres.stop(immediate=True)
            time.sleep(luck.uniform(0.0, 0.5))
            postgres.start()
            acknowledged = [turn for talkers in talking for turn in talkers.hold()]
            assert database.problems_elsewhere(acknowledged) == [], f"after restart {number}, seed {seed}"
            assert [server.ended for server in servers] == [False, False]
            assert [worker.code for worker in workers] == [None] * WORKERS
        acknowledged = [turn for talkers in talking for turn in talkers.end()]
        assert eventually(lambda: database.problems(acknowledged, quiet=True) == []), (
            database.problems(acknowledged, quiet=True),
            seed,
        )
