"""A server whose worker is a process of its own: either is killed, the child is broken. Starts processes."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from integration.database_reader import Acknowledged, Database
from integration.raw_client import chat, eventually, request, user
from integration.server_process import ServerProcess, StartServer
from patience import PATIENCE_S
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.metrics import Histogram, Metrics, add_counts, counts_by_name
from toldonce.server import worker_process
from toldonce.server.worker_process import WorkerProcess, may_have_child
from toldonce.settings import Settings

ROOT = Path(__file__).parent.parent.parent
_STARTED = re.compile(r'worker process started"?.*?pid"?[=:] ?(\d+)')
REPORT = (
    '{"worker": {"formed": 2}, "metrics": {"saved": 3, "decisions.add": 1}, "breaker": {"state": "open", '
    '"failures": 3, "opened": 1, "refused": 0, "retry_in_s": 4.5}}'
)


@pytest.fixture(autouse=True)
def _the_code_under_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def workers_of(server: ServerProcess) -> list[int]:
    """Return the processes of workers that a server has started, by its log."""
    return [int(pid) for pid in _STARTED.findall(server.output())]


def has_ended(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def talk(server: ServerProcess, said: Iterable[int]) -> list[Acknowledged]:
    """Let a user begin conversations, one sentence each."""
    turns = []
    for number in said:
        text = f"My cat number {number} is called Cat{number}."
        answer = chat(server.port, "echo:1", [user(text)], {"x-toldonce-user": "ana"}, stream=True)
        assert answer.done
        turns.append(Acknowledged(user="ana", said=text, answered=answer.text, follows=None))
    return turns


@pytest.mark.parametrize("victim", ["worker", "server"])
def test_a_kill_loses_and_doubles_nothing_and_leaves_no_orphan(start_server: StartServer, victim: str) -> None:
    server = start_server(settings={"WORKER": "process"})
    acknowledged = talk(server, range(3))
    assert eventually(lambda: server.health()["worker"]["formed"] >= 1), server.output()
    [worker] = workers_of(server)
    assert not has_ended(worker)
    acknowledged += talk(server, range(3, 6))
    os.kill(worker if victim == "worker" else server.pid, signal.SIGKILL)
    assert eventually(lambda: has_ended(worker))
    if victim == "server":
        assert server.wait_ended()
        server.start()
    acknowledged += talk(server, range(6, 8))
    assert eventually(lambda: len(workers_of(server)) == 2), server.output()
    database = Database(server.database)
    assert eventually(lambda: database.problems(acknowledged, quiet=True) == [])
    assert eventually(lambda: server.health()["worker"]["formed"] >= 2)
    assert server.health()["worker"]["restarts"] == (victim == "worker")
    server.stop()
    assert has_ended(workers_of(server)[-1])
    assert "Traceback" not in server.output()


def test_what_was_said_to_a_server_is_formed_at_once_by_its_idle_worker(start_server: StartServer) -> None:
    server = start_server(offline=True, settings={"WORKER": "process"})
    for number, said in enumerate(("I live in Oslo.", "My sister Nora is a baker.")):
        assert chat(server.port, "toldonce/offline", [user(said)]).status == 200
        assert eventually(lambda wanted=number + 1: server.health()["worker"]["formed"] >= wanted), server.output()
    assert len(workers_of(server)) == 1
    recalled = chat(server.port, "toldonce/offline", [user("Where do I live?")]).text
    assert "Oslo" in recalled


def is_in_memory(process: int, word: bytes) -> bool:
    """Return whether a process has a word anywhere in the memory that it may write."""
    regions = [line.split()[:2] for line in Path(f"/proc/{process}/maps").read_text("utf-8").splitlines()]
    with Path(f"/proc/{process}/mem").open("rb", buffering=0) as memory:
        for span, _ in (region for region in regions if "w" in region[1]):
            start, end = (int(place, 16) for place in span.split("-"))
            memory.seek(start)
            if word in memory.read(end - start):
                return True
    return False


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="reads a process's memory as Linux shows it")
@pytest.mark.parametrize("kind", DURABLE)
def test_after_an_erasure_no_worker_holds_a_word_of_it(start_server: StartServer, tmp_path: Path, kind: str) -> None:
    word = "ellivlazteuq"[::-1]
    server = start_server(settings={"WORKER": "process", "DATABASE_URL": url_of(kind, tmp_path)})
    chat(server.port, "echo:1", [user(f"I live in {word.title()}.")], {"x-toldonce-user": "ana"})
    assert eventually(lambda: server.health()["worker"]["formed"] >= 1), server.output()
    [before] = workers_of(server)
    assert is_in_memory(before, word.title().encode())
    assert request(server.port, "/v1/subjects/user:ana", method="DELETE").status == 200
    assert eventually(lambda: has_ended(before)), server.output()

    formed = server.health()["worker"]["formed"]
    chat(server.port, "echo:1", [user("I keep bees.")], {"x-toldonce-user": "bob"})
    assert eventually(lambda: server.health()["worker"]["formed"] > formed), server.output()
    [_, after] = workers_of(server)
    assert not is_in_memory(after, word.title().encode())
    assert server.health()["worker"]["restarts"] == 0
    assert "Traceback" not in server.output()


@asynccontextmanager
async def child_of(
    engine: AsyncToldOnce, program: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[WorkerProcess]:
    """Run a program in place of the worker while the block lasts."""
    monkeypatch.setattr(worker_process, "module_command", lambda *_: [sys.executable, "-c", program])
    child = WorkerProcess(engine)
    running = asyncio.create_task(child.run())
    child.wake(None)
    try:
        yield child
    finally:
        child.stop()
        await asyncio.wait_for(running, PATIENCE_S)


async def become(what: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not what():  # noqa: ASYNC110  # counts of another process set no event
            await asyncio.sleep(0.01)


@pytest.mark.near_only("a server's own worker")
async def test_a_child_that_always_fails_is_tried_less_and_less_and_breaks_no_chat(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(worker_process, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(worker_process, "MAX_WAIT_S", 0.02)
    async with child_of(engine, "raise SystemExit(3)", monkeypatch):
        await become(lambda: engine.admin.worker_counters.restarts >= 3)
        await engine.record([{"role": "user", "content": "I live in Oslo."}], user="ana")
        assert (await engine.context("Where do I live?", user="ana")).text
    waits = [
        (vars(record)["error"], vars(record)["wait_s"]) for record in caplog.records if record.name.endswith("_process")
    ]
    assert waits[:3] == [("exit code 3", 0.01), ("exit code 3", 0.02), ("exit code 3", 0.02)]
    assert await engine.form() > 0


@pytest.mark.near_only("a server's own worker")
async def test_a_child_that_cannot_be_started_is_logged(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(worker_process, "module_command", lambda *_: ["/nowhere/python"])
    child = WorkerProcess(engine)
    child.wake(None)
    running = asyncio.create_task(child.run())
    await become(lambda: engine.admin.worker_counters.restarts == 1)
    child.stop()
    await running
    assert [vars(record)["error"] for record in caplog.records] == ["not started: No such file or directory"]


@pytest.mark.near_only("a server's own worker")
async def test_a_childs_counts_are_its_servers_and_other_output_is_skipped(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"import sys; print('hello'); print({REPORT!r}, flush=True); sys.stdin.read()"
    async with child_of(engine, program, monkeypatch):
        await become(lambda: engine.admin.worker_counters.formed == 2)
        assert (engine.metrics.saved, engine.metrics.decisions["add"]) == (3, 1)
        assert (engine.admin.breaker.state, engine.admin.breaker.retry_in_s) == ("open", 4.5)


@pytest.mark.near_only("a server's own worker")
@pytest.mark.parametrize("named", ["elsewhere", "in a file"])
async def test_a_child_opens_its_servers_database_and_a_password_stays_in_its_file(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: str
) -> None:
    monkeypatch.delenv("TOLDONCE_DATABASE_URL", raising=False)
    file = tmp_path / "url"
    file.write_text("sqlite:///elsewhere.sqlite3" if named == "elsewhere" else engine.settings.database_url)
    monkeypatch.setenv("TOLDONCE_DATABASE_URL_FILE", str(file))
    told = WorkerProcess(engine)._environment()
    expected = (engine.settings.database_url, None) if named == "elsewhere" else (None, str(file))
    assert (told.get("TOLDONCE_DATABASE_URL"), told.get("TOLDONCE_DATABASE_URL_FILE")) == expected


@pytest.mark.near_only("a server's own worker")
async def test_a_child_that_does_not_end_is_killed(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    monkeypatch.setattr(worker_process, "STOP_S", 0.1)
    async with child_of(engine, "import time; time.sleep(1000)", monkeypatch):
        await become(lambda: "worker process started" in caplog.messages)
    [child] = [vars(record)["pid"] for record in caplog.records if record.message == "worker process started"]
    assert has_ended(child)


def test_counts_that_are_added_by_name_are_the_counts() -> None:
    counted = Metrics(saved=2, app_energy=0.5)
    counted.scrubbed["card.number"] += 2
    counted.formation_seconds.observe(0.3)
    sum_of_both = Metrics(saved=1)
    add_counts(sum_of_both, counts_by_name(counted))
    assert counts_by_name(sum_of_both) == {**counts_by_name(counted), "saved": 3}
    assert isinstance(sum_of_both.formation_seconds, Histogram)
    assert sum_of_both.formation_seconds.count == 1


@pytest.mark.parametrize(
    ("worker", "database", "expected"),
    [
        ("true", "memory.db", True),
        ("process", "postgresql://host/db", True),
        ("process", ":memory:", False),
        ("thread", "memory.db", False),
        ("false", "memory.db", False),
    ],
)
def test_a_worker_is_a_process_where_another_can_open_the_database(worker: str, database: str, expected: bool) -> None:
    assert may_have_child(Settings.load(worker=worker, database_url=database)) is expected
