"""docs/use-with.md with clients that npm serves: Claude Code, Codex, the OpenAI SDK, LibreChat's schema."""

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from anthropic_rules import as_read, refusal_of
from client_snippets import commands, snippets
from forked_processes import forked_script
from integration.agent_upstream import ANSWER, ToolCall, agent_upstream
from integration.database_reader import Database
from integration.hook_process import HookProcess
from integration.npm_packages import TSC, linked_libraries
from integration.raw_client import eventually
from integration.responses_upstream import as_read as responses_as_read
from integration.responses_upstream import refusal_of as responses_refusal_of
from integration.server_process import ServerProcess, StartServer
from patience import PATIENCE_S
from sample_chats import PEANUTS_AND_OSLO, user
from soak import whole_only
from toldonce import ToldOnce
from toldonce.types import Access, NewApiKey

CALLS = (
    ToolCall("toldonce", "remember", {"text": "Ana rows on Tuesdays."}),
    ToolCall("toldonce", "recall_memory", {"query": "When does Ana row?"}),
)
ASKED = "When do I row?"
AGAIN = "Does Ana row on Fridays, too?"
TURNS = [("user", ASKED), ("assistant", ANSWER), ("user", AGAIN), ("assistant", ANSWER)]
SKILL = "toldonce: Long-term memory of the user and of their projects"
SESSION = "5f0e1f6a-52a5-4a53-9d37-6b1d0b8f6c11"
SAID, MAY_I, FURTHER = "I'm allergic to peanuts.", "May I eat peanuts?", "And almonds?"
PROVIDER = """model = "gpt-5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:{port}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
"""
# Without a person at the terminal, Codex calls a tool, and runs a hook, only if it is told to.
CODEX = ("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust")
APPROVED = ("-c", 'mcp_servers.toldonce.default_tools_approval_mode="approve"')
CHECK = """import {configSchema} from "librechat-data-provider";
import {load} from "js-yaml";
import {readFileSync} from "node:fs";
const read = configSchema.strict().safeParse(load(readFileSync("librechat.yaml", "utf8")));
console.log(JSON.stringify(read.success ? read.data : read.error.issues));
process.exit(read.success ? 0 : 1);
"""


class Home:
    """A user's home folder, with the clients and `toldonce` on the path."""

    def __init__(self, programs: Path, hook: HookProcess) -> None:
        self.folder = hook.home / "shop"
        (self.folder / ".git").mkdir(parents=True)
        path = f"{programs}:{forked_script().parent}:{os.environ['PATH']}"
        keys = {"ANTHROPIC_AUTH_TOKEN": "x", "SCRIPTED_KEY": "x", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        self.env = hook.env | keys | {"PATH": path}
        # As with most people, the database is where it is by default.
        del self.env["TOLDONCE_DATABASE_URL"]

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, input="y\n", capture_output=True, text=True, timeout=PATIENCE_S
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run_lines(self, lines: Sequence[str]) -> list[str]:
        return [self.run("bash", "-c", line) for line in lines]

    def remembered(self, *options: str) -> list[str]:
        listed = json.loads(self.run("toldonce", "list", "--json", *options))
        return [memory["text"] for memory in listed["memories"]]

    def recorded(self) -> list[tuple[str, str]]:
        """Return what was recorded at the default place; of a prompt its first line, before what `run` types."""
        database = Database(Path(self.env["HOME"]) / ".local" / "share" / "toldonce" / "toldonce.sqlite3")
        return [(message.role, message.text.partition("\n")[0]) for message in database.messages("local")]

    def ask_until_shown(self, bodies: Sequence[str], *command: str) -> None:
        """Ask up to three times: on a busy machine a hook runs out of the two seconds that it has."""
        for _ in range(3):
            assert ANSWER in self.run(*command)
            if any("toldonce-memory" in body and "Ana rows on Tuesdays." in body for body in bodies):
                return
        raise AssertionError("no prompt held what was remembered")

    def write_codex(self, port: int, snippet: str = "") -> None:
        config = Path(self.env["HOME"]) / ".codex" / "config.toml"
        config.parent.mkdir()
        config.write_text(PROVIDER.format(port=port) + snippet, "utf-8")


@pytest.fixture
def home(coding_agents: Path, tmp_path: Path) -> Iterator[Home]:
    hook = HookProcess(tmp_path / "home")
    yield Home(coding_agents, hook)
    hook.close()


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("use-with")
    (folder / "package.json").write_text('{"private": true, "type": "module"}', "utf-8")
    linked_libraries(folder)
    return folder


def keyed(server: ServerProcess) -> str:
    """Make a key of user ana; from then on, the server takes no request without one."""
    with ToldOnce.connect(server.base_url) as memory:
        return memory.keys.create(NewApiKey(name="agent", access=Access.WRITE, user="ana"))[1]


def test_claude_code_is_installed_seen_and_removed(home: Home) -> None:
    install, check, remove = commands("Claude Code")
    home.run_lines(install)
    hooks, tools = home.run_lines(check)
    assert "claude-code, user: installed in" in hooks
    assert "toldonce: toldonce mcp --project - ✔ Connected" in tools
    with agent_upstream(CALLS) as (port, bodies):
        home.env["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{port}"
        assert ANSWER in home.run("claude", "-p", ASKED, "--allowedTools", "mcp__toldonce")
        assert SKILL in bodies[-1]
        home.ask_until_shown(bodies, "claude", "-p", AGAIN, "--allowedTools", "mcp__toldonce")
    assert eventually(lambda: home.recorded()[: len(TURNS)] == TURNS), home.recorded()
    home.run_lines(remove)
    hooks, tools = home.run_lines(check)
    assert "claude-code, user: not installed in" in hooks
    assert "No MCP servers configured" in tools


def test_claude_code_sends_its_key_to_a_server(home: Home, start_server: StartServer) -> None:
    server = start_server(offline=True)
    configuration, _ = snippets("Claude Code", "json", server.port)
    (home.folder / ".mcp.json").write_text(configuration, "utf-8")
    home.env["TOLDONCE_KEY"] = keyed(server)
    options = ("--mcp-config", ".mcp.json", "--strict-mcp-config", "--allowedTools", "mcp__toldonce")
    with agent_upstream(CALLS) as (port, bodies):
        home.env["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{port}"
        assert ANSWER in home.run("claude", "-p", ASKED, *options)
    assert any('"type":"tool_result"' in body and "Ana rows on Tuesdays." in body for body in bodies)
    assert home.remembered("--user", "ana", "--database", f"sqlite:///{server.database}") == ["Ana rows on Tuesdays."]


def test_codex_is_installed_seen_and_removed(home: Home) -> None:
    install, check, remove = commands("Codex")
    with agent_upstream(CALLS) as (port, bodies):
        home.write_codex(port, snippets("Codex", "toml")[0])
        home.run_lines(install)
        hooks, tools = home.run_lines(check)
        assert "codex, user: installed in" in hooks
        assert "toldonce mcp --project" in " ".join(tools.split())
        assert ANSWER in home.run(*CODEX, *APPROVED, ASKED)
        assert SKILL in bodies[-1]
        home.ask_until_shown(bodies, *CODEX, *APPROVED, AGAIN)
    assert eventually(lambda: home.recorded()[: len(TURNS)] == TURNS), home.recorded()
    home.run_lines(remove)
    hooks, tools = home.run_lines(check)
    assert "codex, user: not installed in" in hooks
    assert "toldonce" not in tools


def test_codex_refuses_what_changes_memories_where_nobody_approves(home: Home) -> None:
    calls = (
        ToolCall("toldonce", "remember", {"text": "Ana rows on Tuesdays."}),
        ToolCall("toldonce", "recall_memory", {"query": "When does Ana row?"}),
        ToolCall("toldonce", "list_memories", {}),
        ToolCall("toldonce", "correct_memory", {"id": "0000000a", "text": "Ana rows on Fridays."}),
        ToolCall("toldonce", "forget_memory", {"id": "0000000a", "reason": "asked"}),
    )
    with agent_upstream(calls) as (port, bodies):
        home.write_codex(port, snippets("Codex", "toml")[0])
        assert ANSWER in home.run(*CODEX, ASKED)
    outputs = [item["output"] for item in json.loads(bodies[-1])["input"] if item["type"] == "function_call_output"]
    said = {call.name: str(output) for call, output in zip(calls, outputs, strict=True)}
    assert [name for name, output in said.items() if "requires approval" in output] == [
        "correct_memory",
        "forget_memory",
    ]


def test_codex_sends_its_key_to_a_server(home: Home, start_server: StartServer) -> None:
    server = start_server(offline=True)
    home.env["TOLDONCE_KEY"] = keyed(server)
    with agent_upstream(CALLS) as (port, bodies):
        home.write_codex(port, snippets("Codex", "toml", server.port)[1])
        assert ANSWER in home.run(*CODEX, *APPROVED, ASKED)
    assert any('"type":"function_call_output"' in body and "Ana rows on Tuesdays." in body for body in bodies)
    assert home.remembered("--user", "ana", "--database", f"sqlite:///{server.database}") == ["Ana rows on Tuesdays."]


def run_node(libraries: Path, coding_agents: Path, *command: str) -> str:
    env = {"PATH": f"{coding_agents}:{os.environ['PATH']}", "HOME": str(libraries)}
    done = subprocess.run(command, cwd=libraries, env=env, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_typescript_snippet_has_right_types_and_recalls(
    libraries: Path, coding_agents: Path, start_server: StartServer
) -> None:
    server = start_server(offline=True)
    with ToldOnce.connect(server.base_url) as memory:
        memory.record([user(PEANUTS_AND_OSLO)], user="ana")
        memory.form()
    [code] = snippets("OpenAI SDK for TypeScript", "typescript", server.port)
    (libraries / "chat.ts").write_text(code, "utf-8")
    options = ("--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2023")
    run_node(libraries, coding_agents, str(libraries / "node_modules" / TSC), *options, "chat.ts")
    *answer, happened = run_node(libraries, coding_agents, "node", "chat.ts").splitlines()
    assert "peanuts" in " ".join(answer)
    assert happened.startswith("on; recalled=")


def test_librechat_takes_the_configuration(libraries: Path, coding_agents: Path) -> None:
    [configuration] = snippets("LibreChat", "yaml")
    (libraries / "librechat.yaml").write_text(configuration, "utf-8")
    (libraries / "check.mjs").write_text(CHECK, "utf-8")
    read = json.loads(run_node(libraries, coding_agents, "node", "check.mjs"))
    [endpoint] = read["endpoints"]["custom"]
    assert endpoint["headers"] == {"x-toldonce-user": "{{LIBRECHAT_USER_ID}}"}
    assert read["mcpServers"]["toldonce"]["type"] == "streamable-http"


# Of the other generation of models, test_anthropic_client.py holds the same against the same rules.
@pytest.mark.parametrize("model", ["claude-opus-5", pytest.param("claude-haiku-4-5", marks=whole_only)])
def test_claude_code_by_its_base_url(coding_agents: Path, tmp_path: Path, model: str) -> None:
    """One session says something, another one asks, calls a tool and goes on: no prompt changes what came before."""
    env = {"HOME": str(tmp_path / "home"), "PATH": f"{coding_agents}:{os.environ['PATH']}", "ANTHROPIC_AUTH_TOKEN": "x"}
    env |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_GATEWAY_HINT_HEADERS": "1"}
    folder = tmp_path / "home" / "shop"
    folder.mkdir(parents=True)

    def status_line(port: int) -> str:
        command = json.loads(snippets("Claude Code", "json", port)[1])["statusLine"]["command"]
        path = f"{forked_script().parent}:{env['PATH']}"
        state = json.dumps({"session_id": SESSION, "cwd": str(folder)})
        run = ("bash", "-c", command)
        return subprocess.run(run, input=state, env=env | {"PATH": path}, stdout=subprocess.PIPE, text=True).stdout

    def say(text: str, *options: str) -> None:
        command = ("claude", "-p", "--model", model, "--allowedTools", "Bash", *options, "--", text)
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=PATIENCE_S)
        assert ANSWER in done.stdout, done.stdout + done.stderr

    call = ToolCall("", "Bash", {"command": "echo hi", "description": "Say hi"})
    with agent_upstream([call]) as (port, bodies):
        server = ServerProcess(tmp_path / "data", upstream=f"http://127.0.0.1:{port}/v1")
        try:
            server.start()
            env["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{server.port}"
            say(SAID)
            database = Database(server.database)
            assert eventually(lambda: database.settled("local"))
            first = len(bodies)
            say(MAY_I, "--session-id", SESSION)
            say(FURTHER, "--continue")
            assert "allergic to peanuts" in status_line(server.port)
        finally:
            server.kill()
    prompts = [json.loads(body)["messages"] for body in bodies[first:] if json.loads(body).get("tools")]
    assert [refusal_of(model, messages) for messages in prompts] == [""] * 3
    read = [as_read(messages) for messages in prompts]
    assert all(after[: len(before)] == before for before, after in pairwise(read))
    assert all("allergic to peanuts" in json.dumps(messages) for messages in prompts)
    said = [message.text for message in database.messages("local") if message.role == "user"]
    assert said == [SAID, MAY_I, FURTHER]


class CodexByUrl:
    """Codex, with a server as the provider of its model."""

    def __init__(self, home: Home, server: ServerProcess) -> None:
        self.home, self.database = home, Database(server.database)
        home.env["OPENAI_API_KEY"] = "sk-client"
        config = Path(home.env["HOME"]) / ".codex" / "config.toml"
        config.parent.mkdir()
        config.write_text('model = "gpt-5"\n' + snippets("Codex", "toml", server.port)[2], "utf-8")

    def say(self, *command: str) -> None:
        assert ANSWER in self.home.run(*CODEX, *command)

    def recorded(self) -> list[tuple[str, str]]:
        """Return what users and assistants said; of what was typed its first line, before what `run` types."""
        log = [message for message in self.database.messages("local") if message.role != "tool"]
        return [(message.role, message.text.partition("\n")[0]) for message in log]


@contextmanager
def codex_that_knows(home: Home, folder: Path, *calls: ToolCall) -> Iterator[tuple[CodexByUrl, list[str]]]:
    """Run Codex that knows an allergy; yield it and the bodies of the requests that come after."""
    with agent_upstream(calls) as (port, bodies):
        server = ServerProcess(folder / "data", upstream=f"http://127.0.0.1:{port}/v1")
        try:
            server.start()
            opened = CodexByUrl(home, server)
            opened.say(SAID)
            assert eventually(lambda: opened.database.settled("local"))
            bodies.clear()
            yield opened, bodies
        finally:
            server.kill()


def inputs(bodies: Sequence[str]) -> list[list[dict[str, object]]]:
    return [json.loads(body)["input"] for body in bodies]


def memories(items: Sequence[dict[str, object]]) -> list[str]:
    return [text for item in items if "<toldonce-memory" in (text := json.dumps(item))]


def test_codex_by_its_base_url(home: Home, tmp_path: Path) -> None:
    """One session says something, another one asks, calls a tool and goes on: no prompt changes what came before."""
    with codex_that_knows(home, tmp_path, ToolCall("", "exec_command", {"cmd": "echo hi"})) as (codex, bodies):
        codex.say(MAY_I)
        codex.say("resume", "--last", FURTHER)
    prompts = inputs(bodies)
    assert [responses_refusal_of(prompt) for prompt in prompts] == [""] * 3
    read = [responses_as_read(prompt) for prompt in prompts]
    assert all(after[: len(before)] == before for before, after in pairwise(read))
    assert all("allergic to peanuts" in str(memories(prompt)) for prompt in prompts)
    called = [("assistant", ""), ("assistant", ANSWER)]
    answered = [("user", SAID), *called, ("user", MAY_I), *called, ("user", FURTHER), ("assistant", ANSWER)]
    assert codex.recorded() == answered


def test_requests_of_codex_itself_have_no_memory_of_their_own(home: Home, tmp_path: Path) -> None:
    """A review is no turn. A compaction has what its session's prompts had, and what comes of it is no user's words."""
    with codex_that_knows(home, tmp_path) as (codex, bodies):
        codex.say("review", "--commit", "HEAD")
        codex.say(MAY_I)
        codex.say("resume", "--last", "-c", "model_auto_compact_token_limit=5", FURTHER)
    review, asked, compaction, compacted = inputs(bodies)
    assert "Review the code changes" in json.dumps(review)
    assert memories(review) == []
    assert "CONTEXT CHECKPOINT COMPACTION" in json.dumps(compaction)
    assert responses_as_read(compaction)[: len(asked)] == responses_as_read(asked)
    assert memories(compaction) == memories(asked)
    assert "produced a summary of its thinking process" in json.dumps(compacted)
    assert {text for role, text in codex.recorded() if role == "user"} == {SAID, MAY_I, FURTHER}
