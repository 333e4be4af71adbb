"""Requests that Schemathesis makes of the OpenAPI document, at a live server. 20,000 of them: `make soak COUNT=370`."""

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from integration.server_process import ServerProcess, StartServer
from patience import PATIENCE_S
from postgres_server import NEEDS_POSTGRES, shared_server
from soak import SOAK, only_whole, sampled

# Beside these, `positive_data_acceptance` knows nothing of names that must exist, such as those of profiles.
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
    "unsupported_method",
    "negative_data_rejection",
)
EXAMPLES = SOAK or 1
# Some 50 requests for each example, of which a busy machine answers five a second.
LIMIT_S = 600 + 10 * EXAMPLES
# Draws the bodies of imports: JSON lines are a format that Schemathesis does not know.
HOOKS = "integration.import_bodies"


@pytest.mark.soak
@only_whole
def test_a_server_on_sqlite_answers_as_its_document_says(start_server: StartServer) -> None:
    fuzz(start_server(offline=True), seed=7)


# It takes no NUL and no half of a surrogate pair, which SQLite does.
@NEEDS_POSTGRES
@pytest.mark.soak
def test_a_server_on_postgres_answers_as_its_document_says(start_server: StartServer) -> None:
    url = shared_server().new_database("fuzzed")
    fuzz(start_server(offline=True, settings={"DATABASE_URL": url}), seed=8)


def fuzz(server: ServerProcess, *, seed: int) -> None:
    """Send requests to each eighth operation, or to all, and check each answer and the server's log."""
    program = Path(sys.executable).with_name("st")
    options = [
        "--phases",
        "coverage,fuzzing,stateful" if SOAK else "coverage,fuzzing",
        "-n",
        str(EXAMPLES),
        "--seed",
        str(seed),
        "--no-color",
    ]
    for operation in sampled(operations(server), 8):
        options += ["--include-operation-id", operation]
    command = [
        str(program),
        "run",
        f"http://127.0.0.1:{server.port}/openapi.json",
        "--checks",
        ",".join(CHECKS),
        *options,
    ]
    folder = Path(__file__).parent.parent
    env = {**os.environ, "SCHEMATHESIS_HOOKS": HOOKS, "PYTHONPATH": f"{folder}{os.pathsep}{folder.parent}"}
    report = server.folder / "schemathesis.txt"
    with report.open("wb") as out:
        done = subprocess.run(command, stdout=out, stderr=out, timeout=LIMIT_S, cwd=server.folder, env=env, check=False)
    assert done.returncode == 0, report.read_text("utf-8", "replace")[-20_000:]
    server.stop()
    assert "Traceback" not in server.output()


def operations(server: ServerProcess) -> list[str]:
    """Return the names of all operations that can be tried: a key would shut out the requests without one."""
    paths = httpx.get(f"http://127.0.0.1:{server.port}/openapi.json", timeout=PATIENCE_S).json()["paths"]
    named = [operation.get("operationId") for path in paths.values() for operation in path.values()]
    return [name for name in named if name not in ("createKey", "revokeKey")]
