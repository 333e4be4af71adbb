"""JavaScript clients with only their base URL changed: npm's openai and the Vercel AI SDK. Needs node and npm."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from integration.database_reader import Database
from integration.npm_packages import dependencies, linked_packages
from integration.raw_client import chat, eventually, user
from integration.server_process import ServerProcess
from patience import PATIENCE_S

HERE = Path(__file__).parent / "npm"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the script with its libraries beside it; skips, with the reason, where they cannot be had."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed: the JavaScript clients were NOT tested")
    folder = tmp_path_factory.mktemp("npm") / "clients"
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("node_modules"))
    linked_packages(folder, dependencies(HERE / "package.json"))
    return folder


def run(folder: Path, *arguments: str) -> dict[str, object]:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    done = subprocess.run(
        ["node", "chat.mjs", *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, object] = json.loads(done.stdout)
    return said


@pytest.mark.parametrize("model", ["echo", "strict", "tools"])
@pytest.mark.parametrize("library", ["openai", "vercel"])
def test_a_javascript_client_chats(installed: Path, server: ServerProcess, name: str, library: str, model: str) -> None:
    database = Database(server.database)
    chat(server.port, "echo", [user("I am allergic to almonds. I live in Turku.")], {"x-toldonce-user": name})
    assert eventually(lambda: database.settled(name))

    came = run(installed, library, server.base_url, name, model)
    log = database.conversations(name)[1]
    if model == "tools":
        assert came["said"] == "The tool says: Rain"
        assert [role for _, _, role, _ in log] == ["user", "assistant", "tool", "assistant"]
        return
    assert came["said"] == "You said: What am I allergic to?"
    assert came["streamed"] == "You said: And where do I live?"
    assert [role for _, _, role, _ in log] == ["user", "assistant"] * 2
    if library == "openai":
        assert "almonds" in str(came["memories"])
