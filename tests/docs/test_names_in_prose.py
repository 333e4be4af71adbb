"""No page, comment or docstring names a file, module or class that does not exist."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from naming import nodes, prose_of_code
from tables import check_each

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
FOLDERS = ("toldonce", "corpora", "tests", "benchmarks", "tools", "docs", "deploy", ".ci")
# Files of users in examples, and a host.
FOREIGN = {"AGENTS.md", "NAME.toml", "mine.toml", "ana.md", "mine.md", "beam.md", "toldonce.default.svc"}
_FILE = re.compile(r"(?<![\w/.~<*-])((?:[\w.-]+/)*[\w-]+\.(?:py|sql|toml|md))(?![\w/*])")
_PARTS = (".py", ".sql", ".toml", ".md", "/`")
_FOLDER = re.compile(r"`((?:[a-z_]+/)+)`")
_MODULE = re.compile(r"`(toldonce(?:\.[a-z_]\w*)+)")


@cache
def endings() -> frozenset[str]:
    """Return what the paths of all files and folders of the project end with, from any of their slashes on."""
    inside = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
    names = [f"/{path.relative_to(ROOT).as_posix()}{'/' if path.is_dir() else ''}" for path in inside]
    paths = (*names, *(f"/{path.name}" for path in ROOT.iterdir()), *(f"/{folder}/" for folder in FOLDERS))
    return frozenset(path[slash.start() :] for path in paths for slash in re.finditer("/", path))


def names_files(text: str) -> bool:
    """Return whether a text may name a file; most do not, and the patterns would try every word."""
    return any(part in text for part in _PARTS)


def unknown_files(text: str) -> set[str]:
    if not names_files(text):
        return set()
    named = {match[1] for match in _FILE.finditer(text)} | {match[1] for match in _FOLDER.finditer(text)}
    return {name for name in named - FOREIGN if f"/{name.removeprefix('../')}" not in endings()}


@check_each("page", PAGES)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    assert unknown_files(page.read_text("utf-8")) == set()


def test_every_file_that_a_comment_or_docstring_names_exists() -> None:
    unknown = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted((ROOT / "toldonce").rglob("*.py"))
        if names_files(path.read_text("utf-8"))  # to parse each file would take five times as long
        for line, prose in prose_of_code(path)
        for name in unknown_files(prose)
    ]
    assert unknown == []


def attributes(name: str) -> set[str]:
    """Return the top-level names of a module, or the modules of a package."""
    path = ROOT.joinpath(*name.split("."))
    modules = {child.stem for child in path.glob("*")} if path.is_dir() else set()
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return modules | (set(_defined(file)) if file.is_file() else set())


def _defined(file: Path) -> Iterator[str]:
    yield from (node.name for node in nodes(file, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
    yield from (node.id for node in nodes(file, ast.Name) if isinstance(node.ctx, ast.Store))
    for node in nodes(file, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)


def test_every_dotted_module_that_a_page_names_exists() -> None:
    unknown = []
    for page in PAGES:
        for match in _MODULE.finditer(page.read_text("utf-8")):
            above, _, last = match[1].rpartition(".")
            if match[1] not in FOREIGN and last not in attributes(above):
                unknown.append(f"{page.name}: {match[1]}")
    assert unknown == []


def test_a_stale_name_is_found() -> None:
    assert unknown_files("see chat/thread.py, `recall/rank.py` and `store/nowhere/`") == {
        "chat/thread.py",
        "store/nowhere/",
    }
