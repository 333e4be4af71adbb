"""`docs/library.md` lists every public method of the library with its parameters, and no other; its examples run."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from integration.server_process import ServerProcess
from library_methods import is_property, namespaces, public_methods
from toldonce.remote.over_http import NOT_OVER_HTTP

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "library.md").read_text("utf-8")
ALL_EXAMPLES = re.findall(r"(?ms)^```python\n(.*?)^```$", PAGE)
EXAMPLES = [code for code in ALL_EXAMPLES if ".connect(" not in code]
CONNECTED_EXAMPLES = [code for code in ALL_EXAMPLES if ".connect(" in code]


def sections() -> dict[str, str]:
    """Return the page's sections by heading."""
    return dict(re.findall(r"(?ms)^## `?([^\n`]+)`?\n(.*?)(?=^## |\Z)", PAGE))


def listed(section: str) -> set[str]:
    """Return the signatures of a section's table."""
    return set(re.findall(r"(?m)^\| `([^`]+` → `[^`]+)` \|", section))


def signature(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return a signature as the page shows it: names and defaults, without types, and what is returned."""
    arguments = function.args
    own = [argument.arg for argument in arguments.args if argument.arg not in ("self", "cls")]
    defaults = [None] * (len(own) - len(arguments.defaults)) + [ast.unparse(value) for value in arguments.defaults]
    shown = [name if value is None else f"{name}={value}" for name, value in zip(own, defaults, strict=True)]
    shown += ["*"] if arguments.kwonlyargs else []
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        shown.append(argument.arg if default is None else f"{argument.arg}={ast.unparse(default)}")
    shown += [f"**{arguments.kwarg.arg}"] if arguments.kwarg else []
    name = function.name if is_property(function) else f"{function.name}({', '.join(shown)})"
    returned = ast.unparse(function.returns).replace("ListOf", "list").strip("'") if function.returns else "None"
    return f"{name}` → `{returned}"


SIGNATURES = {f"memory.{name}": {signature(method) for method in methods} for name, methods in namespaces()}


@pytest.mark.parametrize(("name", "methods"), [pytest.param(*each, id=each[0]) for each in SIGNATURES.items()])
def test_each_namespace_has_its_methods_on_the_page(name: str, methods: set[str]) -> None:
    assert listed(sections()[name]) == methods


def test_the_page_has_no_other_namespace() -> None:
    assert {name for name in sections() if name.startswith("memory.")} == SIGNATURES.keys()


def test_the_verbs_and_the_lifecycle_are_on_the_page() -> None:
    methods = {signature(method) for method in public_methods("core", "AsyncToldOnce")}
    verbs = listed(sections()["The eleven verbs"])
    assert len(verbs) == 11
    assert verbs | listed(sections()["Opening a database"]) == methods


def test_the_functions_for_whole_databases_are_on_the_page() -> None:
    tree = ast.parse((ROOT / "toldonce" / "engine" / "databases.py").read_text("utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    public = {signature(function) for function in functions if not function.name.startswith("_")}
    assert listed(sections()["Whole databases"]) == public


@pytest.mark.parametrize("code", EXAMPLES, ids=lambda code: code.strip().splitlines()[-1].strip())
def test_an_example_prints_what_its_comments_say(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert printed_by(code, capsys) == promised_by(code)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("library"))
    server.start()
    yield server
    server.stop()


@pytest.mark.process
@pytest.mark.parametrize("code", CONNECTED_EXAMPLES, ids=["blocking", "asyncio"])
def test_an_example_does_the_same_on_a_server(
    code: str, server: ServerProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    address = "http://127.0.0.1:8765"
    assert address in code
    assert printed_by(code.replace(address, server.base_url), capsys) == promised_by(code)


def printed_by(code: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Run one of the page's own examples."""
    exec(compile(code, "library.md", "exec"), {"__name__": "__main__"})
    return capsys.readouterr().out.splitlines()


def promised_by(code: str) -> list[str]:
    """Return what the comments of an example say that it prints."""
    said = re.findall(r"print\(.*\)  # (.*)$", code, re.MULTILINE)
    assert said or "print" not in code
    return said


def test_the_page_says_how_a_connection_is_opened_and_what_it_lacks() -> None:
    section = sections()["Connecting to a server"]
    [connecting] = public_methods("connection", "Connectable")
    assert listed(section) == {signature(connecting).replace("Self", "AsyncToldOnce")}
    assert {name for name in NOT_OVER_HTTP if f"`{name}`" not in section} == set()


def test_every_section_has_an_example() -> None:
    without = {name for name, text in sections().items() if "```python" not in text}
    assert without == {"Common arguments"}
