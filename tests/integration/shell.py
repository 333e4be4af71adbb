"""Command lines on a database of their own, each a process. Starts and ends processes."""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from forked_processes import forked_script, run_python
from patience import PATIENCE_S


class Shell:
    """Runs command lines on a database of their own."""

    def __init__(self, folder: Path) -> None:
        """Take the folder that all of them start in."""
        self.folder = folder
        self._running = ExitStack()
        self.environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "TMPDIR") if name in os.environ}
        # Port 0: nobody's server is asked, whatever runs on this machine.
        self.environment |= {
            "HOME": str(folder),
            "TOLDONCE_DATABASE_URL": f"sqlite:///{folder / 'memory.sqlite3'}",
            "TOLDONCE_PORT": "0",
        }

    def start(self, *arguments: str, fresh: bool = False) -> subprocess.Popen[bytes]:
        """Start a command in a fork, or in a `fresh` interpreter; it ends with the shell, if not before."""
        script = [sys.executable, "-m", "toldonce"] if fresh else [str(forked_script())]
        process = subprocess.Popen(
            [*script, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._running.enter_context(process)
        self._running.callback(process.kill)
        return process

    def run(self, *arguments: str, stdin: str = "") -> tuple[int, str, str]:
        """Run a command to its end, in a fork; return its exit code, output and errors."""
        command = ("-m", "toldonce", *arguments)
        done = run_python(*command, env=self.environment, cwd=self.folder, timeout=PATIENCE_S, stdin=stdin)
        return done.returncode, done.stdout, done.stderr

    def close(self) -> None:
        """End what still runs."""
        self._running.close()
