"""Processes that the package starts execute nothing of the folder where it works."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from naming import nodes
from test_architecture import modules
from toldonce.child_process import module_command

# Whatever else starts a process: none of it is used.
_OTHER_WAYS = {"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "startfile"}
_OTHER_MODULES = {"multiprocessing", "pty", "runpy"}
_POOLS = {"ProcessPoolExecutor", "create_subprocess_exec", "create_subprocess_shell"}
# It works where its server does, whose settings may name files from there, and is started by `module_command`.
_TWINS = {"server/worker_process.py": "create_subprocess_exec"}


def calls(path: Path) -> Iterator[tuple[str, str, ast.Call]]:
    for node in nodes(path, ast.Call):
        if isinstance(node.func, ast.Attribute):
            owner = node.func.value
            yield owner.id if isinstance(owner, ast.Name) else "", node.func.attr, node


def test_every_process_is_started_in_a_folder_of_its_own() -> None:
    started = {
        f"{relative}:{call.lineno}": [ast.unparse(word.value) for word in call.keywords if word.arg == "cwd"]
        for relative, path, _ in modules()
        for owner, _, call in calls(path)
        if owner == "subprocess"
    }

    assert {folder for folders in started.values() for folder in folders} == {"FOLDER"}, started
    assert all(started.values()), started


def test_there_is_no_other_way_to_start_a_process() -> None:
    wrong = []
    for relative, path, _ in modules():
        wrong += [
            f"{relative}:{call.lineno} calls {owner}.{name}"
            for owner, name, call in calls(path)
            if (name in _POOLS and _TWINS.get(relative) != name)
            or (owner == "os" and (name in _OTHER_WAYS or name.startswith(("exec", "spawn"))))
        ]
        for node in nodes(path, ast.Import, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom):
                names.append(node.module or "")
            wrong += [f"{relative} imports {name}" for name in names if name.split(".")[0] in _OTHER_MODULES | _POOLS]
    assert wrong == []


def test_the_interpreter_is_named_where_its_flags_are_chosen() -> None:
    named = {
        relative for relative, path, _ in modules() for node in nodes(path, ast.Attribute) if node.attr == "executable"
    }

    assert named == {"child_process.py", "hook/clients.py"}


@pytest.mark.parametrize("module", ["toldonce.hook.resident", "toldonce.hook.backlog"])
def test_a_module_is_run_without_the_working_folder_on_the_path(module: str) -> None:
    assert module_command(module)[1:] == ["-P", "-m", module]
