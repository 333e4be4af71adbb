"""`recollect worker`, as a process of its own, on an SQLite file. Starts processes."""

from contextlib import ExitStack
from pathlib import Path

from integration.raw_client import eventually
from integration.worker_process import WorkerProcess


def test_a_worker_names_unknown_variables_at_its_start(tmp_path: Path) -> None:
    with ExitStack() as running:
        url = f"sqlite:///{tmp_path / 'memory.db'}"
        worker = WorkerProcess(url, tmp_path / "home", running, {"TEND_EVERY_S": "0"})
        assert eventually(lambda: worker.ready, within_s=60)
        assert worker.stop() == 0
    assert "warning: RECOLLECT_TEND_EVERY_S is not a setting and has no effect" in worker.output
