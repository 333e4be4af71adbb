"""A program without what Python has on POSIX systems alone: loads the whole package, remembers, and serves."""

import _socket
import asyncio
import importlib
import pkgutil
import signal
import sys
from asyncio.base_events import BaseEventLoop
from asyncio.unix_events import _UnixSelectorEventLoop

import mcp.server.stdio  # noqa: F401  # chooses by the name of the system

MODULES = ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty")
SIGNALS = ("SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2")


def main(database: str) -> int:
    """Take away, load, remember, and serve until SIGTERM."""
    _take_away()
    import toldonce
    from toldonce.cli.main import run

    for module in pkgutil.walk_packages(toldonce.__path__, "toldonce."):
        if not module.name.startswith("toldonce.integrations"):  # frameworks take seconds to load
            importlib.import_module(module.name)
    with toldonce.ToldOnce(database) as memory:
        memory.add("Ana is allergic to peanuts.", user="ana")
        [found] = memory.search("What may Ana not eat?", user="ana").items
    sys.stdout.write(f"found: {found.memory.text}\n")
    code = run(["hook", "install", "codex", "--yes"])
    sys.stdout.write(f"hook: {code}\n")
    return run(["serve", "--database", database, "--port", "0"])


def _take_away() -> None:
    sys.modules.update(dict.fromkeys(MODULES))  # type: ignore[arg-type]  # None: importing it fails
    del _socket.AF_UNIX, asyncio.start_unix_server
    for name in SIGNALS:
        delattr(signal, name)
    # Windows' loops have these of the base class.
    _UnixSelectorEventLoop.add_signal_handler = BaseEventLoop.add_signal_handler  # type: ignore[method-assign]
    _UnixSelectorEventLoop.create_unix_server = BaseEventLoop.create_unix_server  # type: ignore[method-assign]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
