"""What Python has on POSIX systems alone is not needed: a process without it remembers, recalls and serves."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from integration.raw_client import request
from patience import PATIENCE_S

_PROGRAM = Path(__file__).with_name("without_posix.py")
_TESTS = _PROGRAM.parents[1]


def test_library_command_line_and_server_work_without_posix(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": f"{_TESTS.parent}:{_TESTS}"}
    command = [sys.executable, "-W", "error", str(_PROGRAM), str(tmp_path / "memory.sqlite3")]
    with (
        (tmp_path / "errors").open("w+") as errors,
        subprocess.Popen(command, env=env, cwd=tmp_path, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            lines: list[str] = []
            for line in process.stdout or ():
                lines.append(line.strip())
                if listens := re.search(r"listens on http://[^/]*:(\d+)/v1", line):
                    answer = request(int(listens[1]), "/readyz", b"", method="GET")
                    process.send_signal(signal.SIGTERM)
            code = process.wait(PATIENCE_S)
        finally:
            process.kill()
        errors.seek(0)
        told = errors.read()

    assert lines[:2] == ["found: Ana is allergic to peanuts.", "hook: 2"], told
    assert "on this system a hook needs a server: run `toldonce serve`, and pass its --url" in " ".join(told.split())
    assert (answer.status, code) == (200, 0)
