"""TOLDONCE_METRICS_PORT: what a server or a worker answers there, as a process of its own. Starts processes."""

import re
from contextlib import ExitStack
from pathlib import Path

from integration.raw_client import eventually, request
from integration.server_process import StartServer
from integration.worker_process import WorkerProcess
from sample_chats import PEANUTS_AND_OSLO, user
from toldonce.engine import AsyncToldOnce
from toldonce.settings import Settings

_PORT = re.compile(r"Metrics on http://127\.0\.0\.1:(\d+)/metrics")


def get(port: int, path: str) -> tuple[int, str]:
    answer = request(port, path, method="GET")
    return answer.status, answer.body.decode()


async def test_a_worker_shows_what_it_forms(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    async with await AsyncToldOnce.open(Settings(database_url=url)) as engine:
        await engine.record([user(PEANUTS_AND_OSLO)], user="ana")
    with ExitStack() as running:
        worker = WorkerProcess(url, tmp_path / "home", running, {"METRICS_PORT": "0"})
        assert eventually(lambda: _PORT.search(worker.output)), worker.output
        port = int(_PORT.findall(worker.output)[0])
        assert eventually(lambda: "worker_formed_total 1.0" in get(port, "/metrics")[1])
        assert (get(port, "/livez")[0], get(port, "/readyz")[0], get(port, "/v1/keys")[0]) == (200, 200, 404)
        assert worker.stop() == 0


def test_a_server_asks_for_no_credential_there_and_serves_nothing_else(start_server: StartServer) -> None:
    server = start_server(offline=True, settings={"METRICS_PORT": "0", "AUTH": "required"})
    port = int(_PORT.findall(server.output())[0])
    assert get(server.port, "/metrics")[0] == 401
    status, text = get(port, "/metrics")
    assert status == 200
    assert 'http_answer_seconds_count{kind="monitoring",status="401"} 1.0' in text
    assert get(port, "/v1/models")[0] == get(port, "/dashboard")[0] == 404
