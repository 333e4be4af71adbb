"""After an erasure no cache of the process holds words of what was erased."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

SCRIPT = Path(__file__).with_name("erase_cache_process.py")


def test_no_live_object_holds_what_was_erased(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), str(tmp_path / "memory.db")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    before, in_child, *holders = done.stdout.split("\n")
    held, read_by_child = map(int, before.split())
    assert held > 10
    assert read_by_child > 0
    assert int(in_child) == 0
    assert [holder for holder in holders if holder] == []
