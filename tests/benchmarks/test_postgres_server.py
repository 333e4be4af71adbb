"""The server that tests and benchmarks start goes with whoever started it, also where that is killed."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from patience import PATIENCE_S
from postgres_server import NEEDS_POSTGRES

pytestmark = NEEDS_POSTGRES
ROOT = Path(__file__).parent.parent.parent
_STARTS = """
import time
from benchmarks.postgres_server import QUICK, PostgresServer
server = PostgresServer(QUICK)
server.start()
print(server.folder, flush=True)
time.sleep(600)
"""


def test_a_server_ends_and_leaves_nothing_when_whoever_started_it_is_killed() -> None:
    starter = subprocess.Popen([sys.executable, "-c", _STARTS], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert starter.stdout is not None
        folder = Path(starter.stdout.readline().strip())
        server = int((folder / "data" / "postmaster.pid").read_text("utf-8").splitlines()[0])
        os.kill(server, 0)
    finally:
        starter.kill()
        starter.communicate()
    until = time.monotonic() + PATIENCE_S
    while folder.exists() and time.monotonic() < until:
        time.sleep(0.1)
    assert not folder.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)
