"""SIGTERM while memories are formed or re-embedded: the process ends soon, the next goes on. Processes."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from forked_processes import ForkedProcess, run_python
from integration.gated_model import GatedModel, gated_model
from integration.raw_client import chat, eventually, user
from integration.server_process import ServerProcess
from integration.worker_process import WorkerProcess
from patience import PATIENCE_S
from sample_chats import ALL_KINDS
from toldonce.engine import AsyncToldOnce
from toldonce.settings import Settings

# A process that waited for the gate would wait ten times as long.
END_S = PATIENCE_S / 10
PEOPLE = ("ana", "ben", "eva")


@pytest.fixture
def model() -> Iterator[GatedModel]:
    with gated_model() as gate:
        yield gate


def said(number: int) -> str:
    return f"I keep bees in hive number {number}."


def forming(model: GatedModel) -> dict[str, str]:
    return {"FORM_MODEL": "hives", "FORM_URL": model.url, "FORM_TIMEOUT_S": str(PATIENCE_S)}


async def kept(file: Path) -> dict[str, list[str]]:
    """Return what is known of each person."""
    async with await AsyncToldOnce.open(Settings(database_url=f"sqlite:///{file}")) as engine:
        return {
            person: sorted(memory.text for memory in await engine.list(user=person, kinds=ALL_KINDS, limit=1000))
            for person in PEOPLE
        }


async def attempts(file: Path) -> list[int]:
    """Return how often each formation was tried that is not done."""
    async with await AsyncToldOnce.open(Settings(database_url=f"sqlite:///{file}")) as engine:
        return [status.attempts for status in await engine.admin.formations() if status.due_at is not None]


async def is_formed(file: Path) -> bool:
    return await attempts(file) == []


async def formed(file: Path, folder: Path, model: GatedModel) -> dict[str, list[str]]:
    """Let a worker form all that is due; return what is known then."""
    with ExitStack() as running:
        worker = WorkerProcess(f"sqlite:///{file}", folder, running, forming(model))
        until = time.monotonic() + PATIENCE_S
        while not await is_formed(file):
            assert time.monotonic() < until, worker.output
        assert worker.stop() == 0
    return await kept(file)


async def test_a_worker_stopped_while_a_model_answers_leaves_its_work_to_the_next(
    tmp_path: Path, model: GatedModel
) -> None:
    file = tmp_path / "memory.db"
    async with await AsyncToldOnce.open(Settings(database_url=f"sqlite:///{file}")) as engine:
        for number, person in enumerate(PEOPLE):
            await engine.record([user(said(number))], user=person, conversation="chat")
    shutil.copy(file, tmp_path / "whole.db")
    model.hold_after(1)
    with ExitStack() as running:
        worker = WorkerProcess(f"sqlite:///{file}", tmp_path / "first", running, forming(model))
        assert model.is_held.wait(PATIENCE_S)
        began = time.monotonic()
        assert worker.stop() == 0
        assert time.monotonic() - began < END_S
        assert "Traceback" not in worker.output
    assert set(await attempts(file)) == {0}, "the stop is no failure of what it ended"
    model.open()
    uninterrupted = await formed(tmp_path / "whole.db", tmp_path / "whole", model)
    assert all(uninterrupted.values())
    assert await formed(file, tmp_path / "second", model) == uninterrupted


async def test_a_server_stopped_while_a_model_answers_forms_after_its_next_start(
    tmp_path: Path, model: GatedModel
) -> None:
    server = ServerProcess(tmp_path / "data", settings=forming(model))
    with ExitStack() as running:
        running.callback(server.kill)
        server.start()
        model.hold_after(0)
        for number, person in enumerate(PEOPLE):
            answer = chat(server.port, "toldonce/offline", [user(said(number))], {"x-toldonce-user": person})
            assert answer.status == 200
        assert model.is_held.wait(PATIENCE_S)
        os.kill(server.pid, signal.SIGTERM)
        assert server.wait_ended(within_s=END_S), server.output()
        assert set(await attempts(server.database)) == {0}
        model.open()
        server.start()
        assert eventually(lambda: server.health()["worker"]["formed"] >= len(PEOPLE)), server.health()
        server.stop()
        assert "Traceback" not in server.output()
    known = await kept(server.database)
    for number, person in enumerate(PEOPLE):
        assert f"The user keeps bees in hive number {number}." in known[person]


async def test_an_embedder_change_that_sigterm_ends_is_resumed_by_reembed(tmp_path: Path, model: GatedModel) -> None:
    file = tmp_path / "memory.db"
    async with await AsyncToldOnce.open(Settings(database_url=f"sqlite:///{file}")) as engine:
        for person in PEOPLE:
            await engine.bulk.add([f"{person} saw hive number {number}." for number in range(200)], user=person)
    before = await kept(file)
    kept_variables = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    env = kept_variables | {"HOME": str(tmp_path), "TOLDONCE_DATABASE_URL": f"sqlite:///{file}"}
    model.hold_after(6)
    command = ("-m", "toldonce", "embedder", "use", model.url, "--model", "hives", "--yes", "--batch", "32")
    process = ForkedProcess(*command, env=env, cwd=tmp_path)
    try:
        assert model.is_held.wait(PATIENCE_S)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        _, shown = process.communicate(timeout=PATIENCE_S)
        assert time.monotonic() - began < END_S
    finally:
        process.kill()
    assert process.returncode == 128 + signal.SIGTERM
    assert "`toldonce reembed` resumes" in shown
    assert "Traceback" not in shown
    model.open()
    done = run_python("-m", "toldonce", "reembed", env=env, cwd=tmp_path, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    async with await AsyncToldOnce.open(Settings(database_url=f"sqlite:///{file}")) as engine:
        status = await engine.embedder.status()
        assert [(count.space, count.memories) for count in status.spaces] == [(status.record.space, 600)]
        assert (await engine.admin.stats(check=True)).problems == ()
    assert await kept(file) == before
