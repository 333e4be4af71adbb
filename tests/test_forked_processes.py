"""A forked process sees what a fresh interpreter would: arguments, environment, folder, open files, signals."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from forked_processes import ForkedProcess, run_python
from patience import PATIENCE_S

pytestmark = pytest.mark.process

SCRIPT = """
import json, os, signal, sys
# The program that forks has the embedder's model mapped, which keeps its file open.
files = [name for name in os.listdir("/proc/self/fd") if not os.path.realpath(f"/proc/self/fd/{name}").endswith(".npy")]
print(json.dumps({
    "arguments": sys.argv, "environment": dict(os.environ), "folder": os.getcwd(), "files": files,
    "path": sys.path[:2], "name": __name__, "interrupts": signal.getsignal(signal.SIGINT) is not signal.SIG_IGN,
}))
sys.stderr.write("told")
sys.exit(int(sys.argv[1]))
"""


def test_it_sees_what_a_fresh_interpreter_sees(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, "utf-8")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": "/somewhere", "TOLDONCE_PORT": "0", "LC_CTYPE": "C.UTF-8"}
    fresh = subprocess.run(
        [sys.executable, str(script), "3", "ä"], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    forked = run_python(str(script), "3", "ä", env=environment, cwd=tmp_path, timeout=PATIENCE_S)
    assert (forked.returncode, forked.stderr) == (fresh.returncode, fresh.stderr) == (3, "told")
    assert json.loads(forked.stdout) == json.loads(fresh.stdout)


def test_it_tells_which_signal_ended_it(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("print('begun'); import time; time.sleep(60)", "utf-8")
    process = ForkedProcess(str(script), env={})
    assert process.wait_for_output("begun\n", within_s=PATIENCE_S)
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    process.kill()
    assert process.communicate(30) == ("begun\n", "")
    assert process.returncode == process.poll() == -signal.SIGKILL


def test_a_module_is_run_as_by_a_fresh_interpreter() -> None:
    arguments, environment = ("-m", "toldonce", "--help"), {"PATH": os.environ["PATH"]}
    fresh = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True)
    forked = run_python(*arguments, env=environment, timeout=PATIENCE_S)
    assert (forked.returncode, forked.stdout, forked.stderr) == (0, fresh.stdout, fresh.stderr)
