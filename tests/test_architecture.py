"""Imports go down the list of the house, never up; files and functions stay small enough to read."""

import ast
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from naming import nodes, parse

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "toldonce"

# Highest first. Packages on one line may not import each other.
FLOORS: tuple[frozenset[str], ...] = (
    frozenset({"__main__"}),
    frozenset({"cli"}),
    frozenset({"integrations"}),
    frozenset({"server", "sync"}),
    frozenset({"mcp_server"}),
    frozenset({"hook"}),
    frozenset({"evaluation", "remote"}),
    frozenset({"engine"}),
    frozenset({"worker", "curation"}),
    frozenset({"maintenance"}),
    frozenset({"formation"}),
    frozenset({"extraction", "resolution"}),
    frozenset({"reading"}),
    frozenset({"recall", "prompt"}),
    frozenset({"chat"}),
    frozenset({"testing"}),
    frozenset({"providers"}),
    frozenset({"store"}),
    frozenset({"profiles"}),
    frozenset({"importers"}),
    frozenset({"settings", "datasets"}),
    frozenset({"dates"}),
    frozenset({"text", "decay"}),
    frozenset({"operations"}),
    frozenset({"types"}),
    frozenset({"concurrency", "guard", "ids", "time_zones"}),
    frozenset(
        {
            "child_process",
            "clock",
            "collector",
            "environment",
            "errors",
            "file_lock",
            "former_name",
            "freed_memory",
            "http_stream",
            "lazy_pattern",
            "memo",
            "metrics",
            "plural",
            "text_caches",
        }
    ),
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
# Files that may catch everything: each logs the traceback (style.md, "Failing"). The others are guarded by one of them.
CATCH_ALL = {
    "cli/main.py",
    "guard.py",
    "hook/command.py",
    "worker/loop.py",
}
# Files that name a format: the server for its routes and errors; the others as the library's messages are in its shape.
FORMAT_CHOSEN = {
    "cli/replay_run.py",
    "engine/agents.py",
    "engine/prompts.py",
    "engine/recorder.py",
    "integrations/free_files.py",
    "server/app.py",
    "server/status.py",
}
# Keeps what was raised for the future that waits for it.
HANDS_OVER = "store/sql/jobs.py"


@cache
def modules() -> tuple[tuple[str, Path, ast.Module], ...]:
    """Parse each file of the package once for all tests."""
    return tuple((path.relative_to(PACKAGE).as_posix(), path, parse(path)) for path in sorted(PACKAGE.rglob("*.py")))


def room(relative: str) -> str:
    return relative.split("/")[0].removesuffix(".py")


def floor(name: str) -> int:
    for height, names in enumerate(FLOORS):
        if name in names:
            return height
    raise AssertionError(f"toldonce/{name} stands on no floor: put it on the list in this test and in the docs")


def module_name(relative: str) -> str:
    """Return the name that a file is imported by."""
    return "toldonce." + relative.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imported_modules(path: Path, known: Collection[str]) -> Iterator[str]:
    """Yield what a file imports: at its top, in functions, or for its types alone. Known modules come in full."""
    for node in nodes(path, ast.ImportFrom):
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            yield full if full in known else node.module or ""
    for imported in nodes(path, ast.Import):
        yield from (alias.name for alias in imported.names)


def catches_everything(path: Path) -> bool:
    """Return whether a file has such an `except`, or an end of a `with` block that may swallow what was raised."""
    ends = [node for node in nodes(path, *_FUNCTIONS) if node.name in {"__exit__", "__aexit__"}]
    return any(node.returns is not None and ast.unparse(node.returns) == "bool" for node in ends) or any(
        node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"}
        for node in nodes(path, ast.ExceptHandler)
    )


def imported_rooms(path: Path) -> Iterator[tuple[str, int]]:
    for node in nodes(path, ast.ImportFrom, ast.Import):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module] if node.module != "toldonce" else [f"toldonce.{n.name}" for n in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "toldonce" and len(parts) > 1:
                yield parts[1], node.lineno


def test_imports_go_down_the_house_never_up() -> None:
    wrong = []
    for relative, path, _ in modules():
        here = room(relative)
        if here == "__init__":
            continue
        for there, line in imported_rooms(path):
            allowed = here == there or floor(here) < floor(there)
            if not allowed:
                wrong.append(f"{relative}:{line} imports toldonce.{there}")
    assert wrong == []


def test_no_module_imports_itself_through_others() -> None:
    paths = {module_name(relative): path for relative, path, _ in modules()}
    graph = {name: {*imported_modules(path, paths)} - {name} for name, path in paths.items()}

    TopologicalSorter(graph).prepare()  # raises CycleError, with the modules of the circle


def test_the_faces_know_the_engine_and_not_the_steps() -> None:
    steps = {"worker", "curation", "formation", "maintenance", "extraction", "resolution", "recall", "store"}
    wrong = [
        f"{relative}:{line} imports toldonce.{there}"
        for relative, path, _ in modules()
        if room(relative) in {"cli", "server", "sync", "mcp_server"}
        for there, line in imported_rooms(path)
        if there in steps
    ]
    assert wrong == []


def test_chats_are_known_by_their_protocol_and_not_by_a_format() -> None:
    formats = {path.stem for path in (PACKAGE / "chat" / "formats").glob("*.py")} - {"__init__", "base"}
    inner = {f"toldonce.chat.formats.{name}" for name in formats}
    knowing = {
        relative
        for relative, path, _ in modules()
        if not relative.startswith("chat/formats/") and inner & set(imported_modules(path, inner))
    }
    assert knowing == FORMAT_CHOSEN


@pytest.mark.parametrize("where", ["toldonce", "tests", "benchmarks"])
def test_no_file_is_longer_than_can_be_read_in_one_sitting(where: str) -> None:
    long = [
        f"{path.relative_to(ROOT)}: {lines} lines"
        for path in sorted((ROOT / where).rglob("*.py"))
        if (lines := len(path.read_text("utf-8").splitlines())) > MAX_FILE_LINES
    ]
    assert long == []


def test_no_function_is_longer_than_fifty_lines() -> None:
    long = []
    for relative, path, _ in modules():
        for node in nodes(path, *_FUNCTIONS):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
            if lines > MAX_FUNCTION_LINES:
                long.append(f"{relative}:{node.lineno} {node.name}: {lines} lines")
    assert long == []


def test_only_listed_modules_catch_everything() -> None:
    caught = {relative for relative, path, _ in modules() if catches_everything(path)}
    assert caught == {*CATCH_ALL, HANDS_OVER}


def test_every_module_says_its_purpose() -> None:
    assert [relative for relative, _, tree in modules() if not ast.get_docstring(tree)] == []


def test_no_room_is_called_after_nothing() -> None:
    vague = {"utils", "helpers", "common", "manager", "misc"}
    assert [relative for relative, path, _ in modules() if path.stem in vague] == []


def test_no_two_test_files_are_imported_by_one_name() -> None:
    names = Counter(
        f"{path.parent.name}.{path.stem}" if (path.parent / "__init__.py").exists() else path.stem
        for path in (ROOT / "tests").rglob("test_*.py")
    )
    assert [name for name, count in names.items() if count > 1] == []
