"""Requests that Schemathesis makes of the OpenAPI document, at a live server. More of them: `make soak`."""

import os
import subprocess
import sys
from pathlib import Path

from integration.server_process import StartServer

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
EXAMPLES = int(os.environ.get("RECOLLECT_SOAK", "2"))


def test_the_server_answers_as_its_document_says(start_server: StartServer) -> None:
    server = start_server(offline=True)
    program = Path(sys.executable).with_name("st")
    options = ["--phases", "coverage,fuzzing,stateful", "-n", str(EXAMPLES), "--seed", "7", "--no-color"]
    # A key would shut out the requests without one; JSON lines are a format that Schemathesis does not write.
    for excluded in ("createKey", "revokeKey", "importSubjects"):
        options += ["--exclude-operation-id", excluded]
    command = [
        str(program),
        "run",
        f"http://127.0.0.1:{server.port}/openapi.json",
        "--checks",
        ",".join(CHECKS),
        *options,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, cwd=server.folder, check=False)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
    server.stop()
    assert "Traceback" not in server.output()
