"""The commands of `docs/tutorial.md`, in their order, with what the page says that they print."""

import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from forked_processes import forked_script
from integration.server_process import ServerProcess
from patience import PATIENCE_S

pytestmark = pytest.mark.process

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text("utf-8")
ADDRESS = "http://127.0.0.1:8765"
STARTED_BY_HAND = "make run"


def commands() -> Iterator[tuple[str, str]]:
    """Yield each command of the page with what it prints there."""
    for block in re.findall(r"(?ms)^```console\n(.*?)^```$", PAGE):
        for shown in block.removeprefix("$ ").split("\n$ "):
            command, _, printed = shown.partition("\n")
            yield command, printed


def is_like(printed: str, shown: str) -> bool:
    """Return whether what was printed has the parts of what is shown, in order; `…` is anything."""
    pattern = ".*".join(re.escape(" ".join(part.split())) for part in shown.split("…"))
    return re.fullmatch(pattern, " ".join(printed.split())) is not None


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data")
    server.start()
    (tmp_path / "toldonce").symlink_to(forked_script())
    [functions] = re.findall(r"(?ms)^```sh\n(.*?)^```$", PAGE)
    where = {"TOLDONCE_DATABASE_URL": server.settings["DATABASE_URL"], "HOME": str(tmp_path)}
    env = os.environ | where | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    def run(command: str) -> str:
        script = f"{functions}\n{command}".replace(ADDRESS, f"http://127.0.0.1:{server.port}")
        return subprocess.run(
            ["bash", "-c", script],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        ).stdout

    try:
        for command, shown in commands():
            if STARTED_BY_HAND in command:
                continue
            until = time.monotonic() + PATIENCE_S
            while not is_like(printed := run(command), shown):  # memories are formed a moment after the answer
                assert command.startswith("toldonce list"), f"{command}\n{printed}"
                assert time.monotonic() < until, f"{command}\n{printed}"
    finally:
        server.stop()
