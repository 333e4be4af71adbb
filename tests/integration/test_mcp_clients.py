"""MCP clients as npm serves them: both TypeScript generations, the inspector, Claude Code and Codex."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree

import pytest

from forked_processes import forked_script
from integration.agent_upstream import ANSWER, ToolCall, agent_upstream
from integration.hook_process import SCRIPT
from integration.npm_packages import installed_packages, linked_libraries
from integration.server_process import StartServer
from integration.test_mcp_processes import environment
from patience import PATIENCE_S
from soak import only_whole, whole_only
from toldonce import ToldOnce
from toldonce.types import MemoryState

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
CALLS = (
    ToolCall("toldonce", "remember", {"text": "Ana rows on Tuesdays."}),
    ToolCall("toldonce", "recall_memory", {"query": "When does Ana row?"}),
)
TOOLS = ["recall_memory", "remember", "list_memories", "correct_memory", "forget_memory"]
_CODEX = """model = "gpt-5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:{port}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
[mcp_servers.toldonce]
{server}
required = true
default_tools_approval_mode = "approve"
"""


@pytest.fixture(scope="session")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("npm") / "mcp"
    copytree(Path(__file__).parent / "mcp_npm", folder)
    linked_libraries(folder)
    return folder


def run(programs: Path, command: Sequence[str], env: dict[str, str], folder: Path) -> str:
    """Run a program with node 24 first on its path."""
    path = f"{programs}:{Path(SCRIPT).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env=env | {"PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def crossed(*cases: tuple[str, str], others: Sequence[tuple[str, str]]) -> pytest.MarkDecorator:
    """Mark a test of clients over transports: `others` in a long run alone."""
    rare = [pytest.param(*case, marks=whole_only) for case in others]
    return pytest.mark.parametrize(("name", "transport"), [*cases, *rare])


@crossed(("new", "http"), ("old", "stdio"), others=[("new", "stdio"), ("old", "http")])
def test_a_typescript_client_lives_with_memory(
    clients: Path, coding_agents: Path, start_server: StartServer, tmp_path: Path, name: str, transport: str
) -> None:
    is_http = transport == "http"
    where = [f"http://127.0.0.1:{start_server(offline=True).port}/mcp"] if is_http else [str(forked_script()), "mcp"]
    command = ["node", "scenario.mjs", name, transport, *where]
    came = json.loads(run(coding_agents, command, environment(tmp_path / "memory.sqlite3"), clients))
    assert came["tools"] == TOOLS
    assert "Ana lives in Oslo." in came["found"]
    assert ("Bergen" in came["again"], "Oslo" in came["again"]) == (True, False)
    assert (came["bad"], came["left"]) == (True, "Nothing is remembered yet.")


# Both TypeScript generations list and call the tools in every run.
@pytest.mark.soak
@only_whole
def test_the_inspector_lists_and_calls_the_tools(
    coding_agents: Path, start_server: StartServer, tmp_path: Path
) -> None:
    url = f"http://127.0.0.1:{start_server(offline=True).port}/mcp"
    inspect = [
        str(installed_packages((INSPECTOR,)) / "mcp-inspector"),
        "--cli",
        url,
        "--transport",
        "http",
        "--method",
    ]
    env = environment(tmp_path / "memory.sqlite3")
    listed = json.loads(run(coding_agents, [*inspect, "tools/list"], env, tmp_path))
    assert [tool["name"] for tool in listed["tools"]] == TOOLS
    call = [*inspect, "tools/call", "--tool-name", "remember", "--tool-arg", "text=Ana rows."]
    assert json.loads(run(coding_agents, call, env, tmp_path))["isError"] is False


# Of Claude Code, test_use_with_npm.py shows that its model remembers and recalls over both transports.
@crossed(("codex", "http"), others=[("claude", "stdio"), ("codex", "stdio"), ("claude", "http")])
def test_an_agents_model_remembers_and_recalls(
    coding_agents: Path, start_server: StartServer, tmp_path: Path, name: str, transport: str
) -> None:
    """What the tools answer reaches the model, in the next request of the agent."""
    database, url = tmp_path / "memory.sqlite3", ""
    if transport == "http":
        server = start_server(offline=True)
        database, url = server.database, f"http://127.0.0.1:{server.port}/mcp"
    env = environment(database) | {"HOME": str(tmp_path), "SCRIPTED_KEY": "x", "ANTHROPIC_AUTH_TOKEN": "x"}
    env |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    with ToldOnce(database) as memory:
        boat = memory.add("Ana sold her boat.")
    forget = ToolCall("toldonce", "forget_memory", {"id": boat.id[-8:], "reason": "the user asked for it"})
    with agent_upstream((*CALLS, forget)) as (port, bodies):
        env["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{port}"
        command = _codex(tmp_path, url, env, port) if name == "codex" else _claude(tmp_path, url, env)
        assert ANSWER in run(coding_agents, command, env, tmp_path)
        results = [body for body in bodies if "Ana rows on Tuesdays." in body]
    assert len(results) == 3
    assert "memories" in results[1]
    assert "toldonce undo" in bodies[-1] or '\\"undo\\"' in bodies[-1]
    with ToldOnce(database) as memory:
        assert memory.get(boat.id).state is MemoryState.CLOSED


def _claude(folder: Path, url: str, env: dict[str, str]) -> list[str]:
    own = {name: value for name, value in env.items() if name.startswith("TOLDONCE_")}
    server = {"type": "http", "url": url} if url else {"command": SCRIPT, "args": ["mcp"], "env": own}
    config = folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": {"toldonce": server}}), "utf-8")
    options = ["--mcp-config", str(config), "--strict-mcp-config", "--allowedTools", "mcp__toldonce"]
    return ["claude", "-p", "When do I row?", *options]


def _codex(folder: Path, url: str, env: dict[str, str], port: int) -> list[str]:
    database = env["TOLDONCE_DATABASE_URL"]
    program = f'command = "{forked_script()}"\nargs = ["mcp"]\nenv = {{TOLDONCE_DATABASE_URL = "{database}"}}'
    config = folder / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text(_CODEX.format(port=port, server=f'url = "{url}"' if url else program), "utf-8")
    return ["codex", "exec", "--skip-git-repo-check", "When do I row?"]
