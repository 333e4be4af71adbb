"""Program that imports ToldOnce once and then becomes, in a fork each, the processes that tests ask for.

Started by forked_processes.py, with the number of the socket that programs connect to (see forked_command.py) as its
argument. A message on a connection is a line of JSON (see `forked_processes.py`), with four file descriptors: standard
input, output and error, and a pipe on which the process id and, at the end, the exit code are reported. A process whose
reports can be read no more is killed. Connections of another kind, with `MEMBER`, stay open as long as a process may
ask: at the end of the last, the server removes the folder of its socket and ends.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import runpy
import select
import shutil
import signal
import socket
import sys
import tempfile
import threading
from typing import Any

PRELOADED = (
    *(
        "toldonce.cli.main",
        "toldonce.server.http_server",
        "toldonce.sync.client",
        "toldonce.testing",
    ),
    # What a process loads when its worker starts, or with its first use.
    *(
        "toldonce.engine.admin",
        "toldonce.engine.conversations",
        "toldonce.engine.prompts",
        "toldonce.engine.memory_tools",
        "toldonce.engine.stages",
        "toldonce.engine.turn",
        "toldonce.maintenance.reindex_terms",
        "toldonce.maintenance.sweep",
        "toldonce.mcp_server.stdio",
        "toldonce.mcp_server.streamable_http",
        "aiohttp",
        "toldonce.worker.bulk",
        "rapidfuzz.distance",
    ),
    *(
        "uvicorn.lifespan.on",
        "uvicorn.loops.auto",
        "uvicorn.protocols.http.httptools_impl",
        "toldonce.store.postgres.executor",
    ),
    "tokenizers",
)


MEMBER = b"member\n"


def serve(programs: socket.socket) -> dict[str, Any] | None:
    """Fork for each request; return the request in the process that is to run it, None at the end."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers need no funeral
    members: list[socket.socket] = []
    while True:
        for ready in select.select([programs, *members], [], [])[0]:
            if ready is programs:
                program, _ = programs.accept()
                message, descriptors = _receive(program)
                if message == MEMBER:
                    members.append(program)
                    continue
                program.close()
                request = _fork(message, descriptors, [programs, *members])
                if request is not None:
                    return request
            else:
                members.remove(ready)
                ready.close()
                if not members:
                    return None


def _fork(message: bytes, descriptors: list[int], sockets: list[socket.socket]) -> dict[str, Any] | None:
    """Return the request in the process that is to run it, None in this one."""
    if os.fork() == 0:
        for each in sockets:
            each.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        *standard, report = descriptors
        process = os.fork()
        if process == 0:
            os.close(report)
            for number, descriptor in enumerate(standard):
                os.dup2(descriptor, number)
                os.close(descriptor)
            request: dict[str, Any] = json.loads(message)
            return request
        _keep(process, standard, report)
    for descriptor in descriptors:
        os.close(descriptor)
    return None


def _receive(sender: socket.socket) -> tuple[bytes, list[int]]:
    message, descriptors, _, _ = socket.recv_fds(sender, 1 << 16, 4)
    while message and not message.endswith(b"\n"):
        message += sender.recv(1 << 16)
    return message, descriptors


def _keep(process: int, standard: list[int], report: int) -> None:
    """Wait for a process and report its end. Does not return."""
    for descriptor in (0, 1, 2, *standard):
        os.close(descriptor)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.write(report, f"{process}\n".encode())
    either = select.poll()
    either.register(report, 0)  # its error is that it is read no more
    either.register(os.pidfd_open(process), select.POLLIN)
    if any(descriptor == report for descriptor, _ in either.poll()):
        os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    os.write(report, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def become(request: dict[str, Any]) -> None:
    """Run what a fresh interpreter with these arguments, environment and folder would run."""
    if request["new_session"]:
        os.setsid()
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    tempfile.tempdir = None  # its environment names it
    paths = [path for path in request["env"].get("PYTHONPATH", "").split(os.pathsep) if path]
    first, *arguments = request["arguments"]
    if first == "-m":
        sys.path[:1] = [request["cwd"], *paths]
        sys.argv = arguments
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[:1] = [os.path.dirname(first), *paths]
        sys.argv = [first, *arguments]
        runpy.run_path(first, run_name="__main__")


def end(request: dict[str, Any]) -> None:
    """Become a process and end it as an interpreter does, but for the modules: taking them down copies them all.

    That would be 0.2 s of CPU time in each process. An error that is not caught takes the long way.
    """
    code = 0
    try:
        become(request)
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        code = ended.code or 0
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


async def build_once(folder: str) -> None:
    """Build the application on a database in a folder: the patterns of its paths are compiled."""
    engine = importlib.import_module("toldonce.engine")
    settings = importlib.import_module("toldonce.settings").Settings(database_url=f"sqlite:///{folder}/none.sqlite3")
    async with await engine.AsyncToldOnce.open(settings) as opened:
        importlib.import_module("toldonce.server.app").build_app(opened)


if __name__ == "__main__":
    listening = socket.socket(fileno=int(sys.argv[1]))
    place = listening.getsockname()
    for name in PRELOADED:
        importlib.import_module(name)
    preload = importlib.import_module("toldonce.engine.preload")
    preload.load_turns()
    preload.load_formations(lambda: False)
    slots = importlib.import_module("toldonce.reading.slots")
    for code in slots.languages():
        slots._frames_by_word(code)
    importlib.import_module("toldonce.reading.forget_words").wording("Please forget my cat.")
    importlib.import_module("toldonce.reading.heads").shipped_heads()
    importlib.import_module("toldonce.providers.static_embedder").static_model().tokenizer  # noqa: B018
    importlib.import_module("toldonce.providers.multilingual_model").multilingual_model()
    routing: Any = importlib.import_module("starlette.routing")
    routing.compile_path = functools.cache(routing.compile_path)
    importlib.import_module("asyncio").run(build_once(os.path.dirname(place)))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    assert threading.active_count() == 1, "only the forking thread lives on in a fork"
    gc.freeze()
    wanted = serve(listening)
    if wanted is not None:
        end(wanted)
    else:
        shutil.rmtree(os.path.dirname(place))
