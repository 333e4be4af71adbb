"""JavaScript clients with only their base URL changed: the official SDKs and Vercel's AI SDK. Needs node and npm."""

import json
import os
import re
import shutil
import subprocess
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest

from integration.database_reader import Database
from integration.fake_upstream import FakeUpstream
from integration.npm_packages import linked_libraries
from integration.raw_client import chat, eventually, user
from integration.server_process import ServerProcess
from patience import PATIENCE_S

HERE = Path(__file__).parent / "npm"
USERS = [f"{library}-{model}" for library in ("openai", "vercel") for model in ("echo", "strict", "tools")]
SAID = "I am allergic to almonds. I live in Turku."
NUMBERED = re.compile(rb"(rs|fc|call|toolu|msg)_[0-9]+")
"""Ids that upstream gives: another one in each answer."""


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the script with its libraries beside it; skips, with the reason, where they cannot be had."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed: the JavaScript clients were NOT tested")
    folder = tmp_path_factory.mktemp("npm") / "clients"
    shutil.copytree(HERE, folder)
    linked_libraries(folder)
    return folder


def run(folder: Path, program: str, *arguments: str) -> dict[str, Any]:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    done = subprocess.run(
        ["node", program, *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@pytest.fixture(scope="module")
def chats(installed: Path, server: ServerProcess) -> dict[str, Any]:
    """What came of the chats of each user, in one process: node takes most of a second to import the libraries."""
    database = Database(server.database)
    for name in USERS:
        chat(server.port, "echo", [user(SAID)], {"x-toldonce-user": name})
    assert eventually(lambda: all(database.settled(name) for name in USERS))
    return run(installed, "chat.mjs", server.base_url, *USERS)


@pytest.mark.parametrize("name", USERS)
def test_a_javascript_client_chats(chats: dict[str, Any], database: Database, name: str) -> None:
    library, _, model = name.partition("-")
    came = chats[name]
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


def inserted(bare: bytes, body: bytes) -> list[str]:
    """Return what was put into a body, which is otherwise the same byte for byte."""
    before, after = bare.decode(), body.decode()
    steps = [step for step in SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if step[0] != "equal"]
    assert {kind for kind, *_ in steps} == {"insert"}, steps
    return [after[start:end] for _, _, _, start, end in steps]


def test_the_official_sdks_speak_the_formats_of_agents(
    installed: Path, server: ServerProcess, upstream: FakeUpstream, name: str
) -> None:
    """Each chats with memory off and on, whole and streamed, is refused, and breaks off an answer."""
    database = Database(server.database)
    chat(server.port, "echo", [user(SAID)], {"x-toldonce-user": name})
    assert eventually(lambda: database.settled(name))

    came = run(installed, "sdks.mjs", server.base_url.removesuffix("/v1"), name)

    for format_ in came.values():
        assert all(answer["said"].startswith("You said:") for answer in format_["chats"])
        shown = [(answer["memory"], "almonds" in str(answer.get("memories"))) for answer in format_["chats"]]
        assert shown == [("off", False)] * 2 + [("on", True)] * 2
        assert 1 <= format_["brokenOff"] <= 3
    assert came["responses"]["refusals"] == [
        {"kind": "RateLimitError", "status": 429, "after": "7"},
        {"kind": "InternalServerError", "status": 500, "after": "11"},
    ]
    assert came["messages"]["refusals"] == [
        {"kind": "RateLimitError", "status": 429, "after": "7"},
        {"kind": "OverloadedError", "status": 529, "after": "11"},
    ]
    for model in ("gpt-5", "claude-opus-5"):
        for streamed in ("false", "true"):
            bare, spliced = (
                [NUMBERED.sub(rb"\1_0", seen.body) for seen in upstream.having(f"{model}:{name}-{memory}-{streamed}")]
                for memory in ("off", "on")
            )
            assert len(bare) == len(spliced) == 2
            for before, after in zip(bare, spliced, strict=True):
                assert "almonds" in str(inserted(before.replace(b"-off-", b"-on-"), after))

    def said() -> list[str]:
        return sorted(message.text for message in database.messages(name)[2:] if message.role == "user")

    # In each format two chats with memory, and a question whose answer was broken off. Refused requests leave nothing.
    questions = ["Are almonds in marzipan?", "Are almonds in marzipan?!", *["What am I allergic to?"] * 4]
    assert eventually(lambda: said() == questions), database.conversations(name)
