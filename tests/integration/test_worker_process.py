"""`toldonce worker`, as a process of its own, on an SQLite file. Starts processes."""

from contextlib import ExitStack
from pathlib import Path

from integration.database_reader import reading
from integration.raw_client import eventually
from integration.worker_process import WorkerProcess
from toldonce.engine import AsyncToldOnce
from toldonce.settings import Settings


def test_a_worker_names_unknown_variables_at_its_start(tmp_path: Path) -> None:
    with ExitStack() as running:
        url = f"sqlite:///{tmp_path / 'memory.db'}"
        worker = WorkerProcess(url, tmp_path / "home", running, {"TEND_EVERY_S": "0"})
        assert eventually(lambda: worker.ready)
        assert worker.stop() == 0
    assert "warning: TOLDONCE_TEND_EVERY_S is not a setting and has no effect" in worker.output


def maintenance_of(file: Path) -> tuple[bool, bool]:
    """Return whether a worker holds the user's maintenance, and whether all of it is done."""
    with reading(file) as db:
        held, at = db.execute("SELECT tend_token IS NOT NULL, tended_at FROM subject WHERE name = 'user:ana'").get
    return bool(held), at > 0


async def test_sigterm_ends_maintenance_of_a_large_user_and_the_next_worker_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    async with await AsyncToldOnce.open(Settings(database_url=f"sqlite:///{file}")) as engine:
        for start in (0, 1_000, 2_000):
            notes = [f"The user bought plums number {number} in Oslo." for number in range(start, start + 1_000)]
            await engine.bulk.add(notes, user="ana")
    with ExitStack() as running:
        worker = WorkerProcess(f"sqlite:///{file}", tmp_path / "first", running)
        assert eventually(lambda: maintenance_of(file)[0])
        assert worker.stop() == 0
    assert maintenance_of(file) == (False, False), "given back in the middle"
    with ExitStack() as running:
        worker = WorkerProcess(f"sqlite:///{file}", tmp_path / "second", running)
        assert eventually(lambda: maintenance_of(file)[1])
        assert worker.stop() == 0
