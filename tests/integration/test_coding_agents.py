"""Claude Code and Codex, as npm serves them, with our hooks: what one session says, the next one's request contains."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from integration.agent_upstream import ANSWER, agent_upstream
from integration.database_reader import Database
from integration.hook_process import SCRIPT, HookProcess
from integration.raw_client import eventually
from patience import PATIENCE_S
from soak import only_whole

SAID = "We use pnpm in this project, never npm. I'm allergic to peanuts."
ASKED = "Which package manager do we use?"
_CODEX = """model = "gpt-5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:{port}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
"""


@pytest.fixture
def hook(tmp_path: Path) -> Iterator[HookProcess]:
    process = HookProcess(tmp_path / "home")
    yield process
    process.close()


class Agent:
    """One of the two, in the home folder of the hooks."""

    def __init__(self, name: str, programs: Path, hook: HookProcess, port: int) -> None:
        self.name, self.hook = name, hook
        path = f"{programs}:{Path(SCRIPT).parent}:{os.environ['PATH']}"
        keys = {"ANTHROPIC_AUTH_TOKEN": "x", "SCRIPTED_KEY": "x", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        self.env = hook.env | keys | {"PATH": path, "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}"}
        config = hook.home / ".codex" / "config.toml"
        config.parent.mkdir()
        config.write_text(_CODEX.format(port=port), "utf-8")
        self.run(SCRIPT, "hook", "install", name, "--timeout", "8", "--yes", folder=hook.home)

    def say(self, text: str, project: str) -> None:
        folder = self.hook.home / project
        (folder / ".git").mkdir(parents=True, exist_ok=True)
        if self.name == "codex":
            options = ("--skip-git-repo-check", "--dangerously-bypass-hook-trust")
            answer = self.run("codex", "exec", *options, text, folder=folder)
        else:
            answer = self.run("claude", "-p", text, folder=folder)
        assert ANSWER in answer

    def run(self, *command: str, folder: Path) -> str:
        done = subprocess.run(
            command,
            cwd=folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


# That both run the hooks, tests/integration/test_use_with_npm.py shows in every run, and test_hook_process.py what a
# hook brings into the sessions of one project and another.
@pytest.mark.soak
@only_whole
@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_an_agent_remembers_from_one_session_to_the_next(coding_agents: Path, hook: HookProcess, name: str) -> None:
    with agent_upstream() as (port, bodies):
        agent = Agent(name, coding_agents, hook, port)
        agent.say(SAID, "shop")
        assert eventually(lambda: Database(hook.database).settled("local"))
        before = len(bodies)
        assert not any("toldonce-memory" in body for body in bodies)

        agent.say(ASKED, "shop")
        asked = [body for body in bodies[before:] if ASKED in body]
        assert any("We use pnpm in this project" in body and "allergic to peanuts" in body for body in asked)

        before = len(bodies)
        agent.say(ASKED, "bank")
        asked = [body for body in bodies[before:] if ASKED in body]
        assert any("allergic to peanuts" in body for body in asked)
        assert not any("We use pnpm in this project" in body for body in asked)

    log = Database(hook.database).messages("local")
    assert [(message.role, message.text) for message in log] == [
        *(("user", SAID), ("assistant", ANSWER)),
        *(("user", ASKED), ("assistant", ANSWER)),
        *(("user", ASKED), ("assistant", ANSWER)),
    ]
    # On a busy machine a hook may be late: what it could not hand over was delivered afterwards, as is seen above.
    assert [line for line in hook.log.splitlines() if "TimeoutError" not in line] == []
