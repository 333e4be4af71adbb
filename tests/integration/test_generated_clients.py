"""Clients generated from the OpenAPI document by well-known generators work with a real server and a key.

The generators are fetched from PyPI and npm at their first use, into their own environments.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from integration.npm_packages import INSTALL_S, TSC, linked_libraries
from integration.raw_client import request
from integration.server_process import ServerProcess
from patience import PATIENCE_S
from toldonce import ToldOnce
from toldonce.types import Access, NewApiKey

HERE = Path(__file__).parent / "generated"
GENERATOR = "openapi-python-client==0.29.1"
SEEN = {
    "listed": ["Ana plays the cello."],
    "found": ["Ana plays the cello."],
    "corrected": "Ana plays the tuba.",
    "done": True,
    "missing": "/docs#unknown-memory",
    "foreign": 403,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("generated"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def document(server: ServerProcess, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The document as the server gives it, before it has keys."""
    file = tmp_path_factory.mktemp("document") / "openapi.json"
    file.write_bytes(request(server.port, "/openapi.json", method="GET").body)
    return file


@pytest.fixture(scope="module")
def key(server: ServerProcess, document: Path) -> str:
    """A key of user ana, and of none else."""
    with ToldOnce.connect(server.base_url) as memory:
        return memory.keys.create(NewApiKey(name="generated", access=Access.WRITE, user="ana"))[1]


def run(*command: str, folder: Path, env: Mapping[str, str] | None = None, within_s: float = PATIENCE_S) -> str:
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=within_s, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout + done.stderr


def fetch(*command: str, folder: Path) -> None:
    """Fetch a generator; skip, with the reason, where it cannot be had."""
    what = command[0].rpartition("/")[2]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{what} took over {INSTALL_S} s: a generated client was NOT tested")
    if done.returncode:
        pytest.skip(f"{what} failed: a generated client was NOT tested: {done.stderr[-300:]}")


def url_of(server: ServerProcess) -> str:
    return server.base_url.removesuffix("/v1")


def test_a_python_client_is_generated_and_works(
    server: ServerProcess, document: Path, key: str, tmp_path: Path
) -> None:
    uv = str(Path(sys.executable).with_name("uv"))
    fetch(uv, "tool", "run", "--from", GENERATOR, "python", "-S", "-c", "", folder=tmp_path)
    generate = ("tool", "run", "--from", GENERATOR, "openapi-python-client", "generate", "--meta", "none")
    said = run(uv, *generate, "--path", str(document), "--output-path", "generated_client", folder=tmp_path)
    assert "response will be omitted" not in said
    operations = sum(len(methods) for methods in json.loads(document.read_text("utf-8"))["paths"].values())
    generated = [path for path in tmp_path.glob("generated_client/api/*/*.py") if path.name != "__init__.py"]
    assert len(generated) == operations, said
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)}
    program = run(sys.executable, str(HERE / "client_program.py"), url_of(server), key, folder=tmp_path, env=env)
    assert json.loads(program) == {**SEEN, "subject": "user:ana", "exported": True}


def test_a_typescript_client_is_generated_checked_and_works(
    server: ServerProcess, document: Path, key: str, tmp_path: Path
) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed: the TypeScript client was NOT tested")
    folder = tmp_path / "client"
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    libraries = linked_libraries(folder)
    run(str(libraries / ".bin" / "openapi-typescript"), str(document), "-o", "api.d.ts", folder=folder)
    options = ("--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom", "--skipLibCheck")
    run(str(libraries / TSC), *options, "client.ts", folder=folder)
    env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    assert json.loads(run("node", "client.js", url_of(server), key, folder=folder, env=env)) == SEEN
