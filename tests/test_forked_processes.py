"""A forked process sees what a fresh interpreter would: arguments, environment, folder, open files, signals."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from forked_processes import ForkedProcess, forked_script, run_python
from patience import PATIENCE_S

pytestmark = pytest.mark.process

SCRIPT = """
import json, os, signal, sys
# The program that forks has the embedders' models mapped, which keeps their files open.
opened = {name: os.path.realpath(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")}
files = [name for name, path in opened.items() if not path.endswith((".npy", ".safetensors"))]
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


def test_a_program_that_starts_the_script_sees_its_input_output_and_exit_code(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "TOLDONCE_DATABASE_URL": f"sqlite:///{tmp_path / 'memory.sqlite3'}"}
    command = [str(forked_script()), "add", "-"]
    done = subprocess.run(command, input="Ana rows.\n", env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "Ana rows." in done.stdout) == (0, True), done.stderr
    wrong = subprocess.run([*command, "more"], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert (wrong.returncode, "Usage" in wrong.stderr) == (2, True)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_signal_to_the_program_ends_the_script(tmp_path: Path, number: int, code: int) -> None:
    environment = {"HOME": str(tmp_path), "TOLDONCE_DATABASE_URL": f"sqlite:///{tmp_path / 'memory.sqlite3'}"}
    command = [str(forked_script()), "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while b"Ctrl-C" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(number)
        process.stdout.read()  # it ends when the script has ended, in which it is open, too
    assert process.returncode == code
