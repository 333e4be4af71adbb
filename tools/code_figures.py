"""Compare trees of the code: modules, names, lines, and the path of one chat turn through the proxy.

    .venv/bin/python tools/code_figures.py                     # this tree
    git worktree add --detach /tmp/before 0106d3d
    .venv/bin/python tools/code_figures.py /tmp/before .       # one column per tree
    .venv/bin/python tools/code_figures.py --files .           # the files that the chat turn executed, too

The chat turn runs in a process of its own, which imports `toldonce` from the tree and sends one streamed request
through the ASGI application to a small upstream on loopback. SQLite in a temporary folder, the built-in embedder, the
built-in rules. A turn before it is not counted: it opens and imports what is opened and imported once. Counted are all
threads: until the last byte of the answer, and until the memories of the turn are formed. Opens a port on
loopback.
"""

import argparse
import ast
import asyncio
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_GERUND = re.compile(r"(?:.*_)?[a-z]+ing")
_LIMIT = re.compile(r"_?(?:MAX|MIN)(?:_.*)?")
_OLD_LIMIT = re.compile(r"_?(?:MOST|LONGEST|LARGEST|LEAST|SHORTEST|FEW|ENOUGH|FARTHEST)(?:_.*)?")
_MAX_FILE_LINES = 400
_FORMATION_S = 60
_WARM_UP = "I'm allergic to peanuts and I moved from Rome to Oslo in May."
_TURN = "My sister Clara is a nurse. What should I avoid at a restaurant?"
_ANSWER = "Avoid anything with peanuts."


Event = MutableMapping[str, Any]
Application = Callable[
    [MutableMapping[str, Any], Callable[[], Awaitable[Event]], Callable[[Event], Awaitable[None]]], Awaitable[None]
]


@dataclass(frozen=True, slots=True)
class Trace:
    """What a chat turn executed."""

    figures: dict[str, float]
    answer_files: list[str]
    """Files executed until the last byte of the answer, relative to `toldonce/`."""
    formation_files: list[str]
    """Further files executed until the turn's memories were formed."""


# The tree


def tree_figures(tree: Path) -> dict[str, float]:
    """Count modules, names and lines of the package in a tree."""
    files = sorted((tree / "toldonce").rglob("*.py"))
    parsed = {path: ast.parse(path.read_text("utf-8")) for path in files}
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in files}
    modules = [path for path in files if path.name != "__init__.py"]
    stems = Counter(path.stem for path in modules)
    classes = Counter(
        node.name
        for module in parsed.values()
        for node in module.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    stored = [name for module in parsed.values() for name in _stored_names(module)]
    imports = sum(_import_lines(module) for module in parsed.values())
    return {
        "files": len(files),
        "modules (without __init__)": len(modules),
        "median lines of a module": statistics.median(lines[path] for path in modules),
        "modules under 110 lines": sum(lines[path] < 110 for path in modules),
        "files over 400 lines": sum(count > _MAX_FILE_LINES for count in lines.values()),
        "gerund modules": sum(bool(_GERUND.fullmatch(path.stem)) for path in modules),
        "file names used more than once": sum(count > 1 for count in stems.values()),
        "public class names used more than once": sum(count > 1 for count in classes.values()),
        "MAX_/MIN_ constants": sum(bool(_LIMIT.fullmatch(name)) and name.isupper() for name in stored),
        "MOST_/LONGEST_/LEAST_ … constants": sum(
            bool(_OLD_LIMIT.fullmatch(name)) and name.isupper() for name in stored
        ),
        "loop variables `one`": sum(_loops_over_one(module) for module in parsed.values()),
        "lines": sum(lines.values()),
        "lines of code (no blank, comment, docstring)": sum(_code_lines(path, parsed[path]) for path in files),
        "lines of imports": imports,
        "imports, % of lines": round(100 * imports / sum(lines.values()), 1),
    }


def _stored_names(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _import_lines(module: ast.Module) -> int:
    imports = [node for node in ast.walk(module) if isinstance(node, ast.Import | ast.ImportFrom)]
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in imports)


def _loops_over_one(module: ast.Module) -> int:
    targets = [node.target for node in ast.walk(module) if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension)]
    names = [name for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return sum(name.id == "one" for name in names)


def _code_lines(path: Path, module: ast.Module) -> int:
    prose: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            prose.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    numbered = enumerate(path.read_text("utf-8").splitlines(), start=1)
    return sum(bool(text.strip()) and text.strip()[0] != "#" and line not in prose for line, text in numbered)


# The chat turn


@dataclass(slots=True)
class Recorder:
    """A profile function for all threads: which code of the package runs, and how deep."""

    package: str
    on: bool = False
    codes: set[CodeType] = field(default_factory=set)
    calls: int = 0
    depth: int = 0
    own_depth: int = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Record one call; `sys.setprofile` and `threading.setprofile` call this."""
        del argument
        if not self.on or event != "call" or not frame.f_code.co_filename.startswith(self.package):
            return
        self.calls += 1
        self.codes.add(frame.f_code)
        depth = own = 0
        above: FrameType | None = frame
        while above is not None:
            depth += 1
            own += above.f_code.co_filename.startswith(self.package)
            above = above.f_back
        self.depth, self.own_depth = max(self.depth, depth), max(self.own_depth, own)

    def files(self) -> list[str]:
        """Return the executed files, relative to the package."""
        return sorted(
            {code.co_filename.removeprefix(self.package) for code in self.codes.copy()}
        )  # a thread may be loading modules

    def figures(self) -> dict[str, float]:
        """Return what was counted so far."""
        return {
            "files executed": len(self.files()),
            "functions executed": len(self.codes),
            "calls": self.calls,
            "greatest stack depth": self.depth,
            "of it frames of toldonce": self.own_depth,
        }


async def trace_turn(tree: Path) -> Trace:
    """Send two chat turns through the proxy of a tree, and record the second."""
    recorder = Recorder(f"{(tree / 'toldonce').resolve()}{os.sep}")
    # Before anything is imported: the profile function reaches only threads that start later.
    threading.setprofile(recorder)
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder, "memory.sqlite3")
        upstream = await asyncio.start_server(_answer, "127.0.0.1", 0)
        port = upstream.sockets[0].getsockname()[1]
        os.environ |= {
            "TOLDONCE_DATABASE_URL": f"sqlite:///{database}",
            "TOLDONCE_UPSTREAM_URL": f"http://127.0.0.1:{port}/v1",
        }
        from toldonce.engine import AsyncToldOnce
        from toldonce.server.app import build_app

        async with await AsyncToldOnce.open() as engine:
            app = build_app(engine)
            async with app.router.lifespan_context(app):
                await _chat(app, _WARM_UP)
                await _formed(database, messages=2)
                recorder.on = True
                sys.setprofile(recorder)  # this thread imports much, and more slowly under a profile function
                await _chat(app, _TURN)
                answer, files = recorder.figures(), recorder.files()
                await _formed(database, messages=4)
                recorder.on = False
        upstream.close()
    figures = {f"until the answer ends: {name}": value for name, value in answer.items()}
    figures |= {f"with formation: {name}": value for name, value in recorder.figures().items()}
    return Trace(figures, files, sorted({*recorder.files()} - {*files}))


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer every request with one streamed completion."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: (\d+)", head)
            await reader.readexactly(int(length[1]) if length else 0)
            deltas = [{"role": "assistant", "content": ""}, *({"content": f"{word} "} for word in _ANSWER.split()), {}]
            finish = [None] * (len(deltas) - 1) + ["stop"]
            body = b"".join(_event(delta, end) for delta, end in zip(deltas, finish, strict=True)) + b"data: [DONE]\n\n"
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n")
            writer.write(b"content-length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _event(delta: dict[str, str], finish: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: %s\n\n" % json.dumps(chunk).encode()


async def _chat(app: Application, text: str) -> None:
    """Call the ASGI application as a server would, and wait for the last byte."""
    request = {"model": "m", "stream": True, "messages": [{"role": "user", "content": text}]}
    body, sent = json.dumps(request).encode(), False
    chunks: list[bytes] = []

    async def receive() -> Event:
        nonlocal sent
        if sent:
            await asyncio.Event().wait()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(event: Event) -> None:
        chunks.append(event.get("body", b""))

    path = "/v1/chat/completions"
    headers = [(b"host", b"127.0.0.1:8765"), (b"content-type", b"application/json"), (b"x-toldonce-user", b"ana")]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8765),
    }
    await app(scope, receive, send)
    assert b"[DONE]" in b"".join(chunks), b"".join(chunks)[:500]


async def _formed(database: Path, *, messages: int) -> None:
    """Wait until so many messages are logged and no formation is due."""
    until = time.monotonic() + _FORMATION_S
    while True:
        await asyncio.sleep(0.2)
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            logged = connection.execute("SELECT count(*) FROM message").fetchone()[0]
            due = connection.execute("SELECT count(*) FROM formation WHERE due_at IS NOT NULL").fetchone()[0]
        connection.close()
        if logged >= messages and not due:
            return
        assert time.monotonic() < until, f"{due} formations were not done in {_FORMATION_S} s"


# The table


def traced(tree: Path) -> Trace:
    """Trace a chat turn in a process that imports the tree."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TOLDONCE_")}
    command = [sys.executable, "-P", __file__, "--trace", str(tree)]
    environment = {**kept, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=tree)
    if done.returncode:
        raise SystemExit(f"{tree}: the chat turn failed\n{done.stderr}")
    return Trace(**json.loads(done.stdout))


def main() -> None:
    """Print one column of figures per tree."""
    parser = argparse.ArgumentParser(description="Compare trees of the code.")
    parser.add_argument("trees", nargs="*", type=Path, default=[Path(__file__).parents[1]])
    parser.add_argument("--files", action="store_true", help="list the files that the chat turn executed")
    parser.add_argument("--trace", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    trees = [tree.resolve() for tree in options.trees]
    if options.trace:
        print(json.dumps(asdict(asyncio.run(trace_turn(trees[0])))))
        return
    traces = [traced(tree) for tree in trees]
    columns = [tree_figures(tree) | trace.figures for tree, trace in zip(trees, traces, strict=True)]
    width = max(len(name) for name in columns[0])
    print(" " * width, *(f"{tree.name[:12]:>12}" for tree in trees))
    for name in columns[0]:
        print(f"{name:{width}}", *(f"{column[name]:>12,}" for column in columns))
    if options.files:
        for tree, trace in zip(trees, traces, strict=True):
            print(f"\n{tree.name}, until the answer ends:", *trace.answer_files, sep="\n  ")
            print(f"\n{tree.name}, then until memories are formed:", *trace.formation_files, sep="\n  ")


if __name__ == "__main__":
    main()
