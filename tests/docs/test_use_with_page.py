"""The snippets of `docs/use-with.md` for clients that are no packages, by the SDKs: each command and URL works.

Those for clients of npm are in tests/integration/test_use_with_npm.py; the examples of the OpenAI SDK run with the
other pages' examples. SDKs are imported when a test runs: each worker would need seconds for that only to collect.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import yaml

from client_snippets import PAGE, sections, snippets
from forked_processes import forked_script, run_python
from integration.agent_upstream import ANSWER, ToolCall, agent_upstream
from integration.server_process import ServerProcess
from patience import PATIENCE_S
from toldonce import ToldOnce
from toldonce.types import Access, NewApiKey

if TYPE_CHECKING:
    from mcp import Client

pytestmark = pytest.mark.process

ROOT = PAGE.parents[1]
KEY_PLACES = ("${env:TOLDONCE_KEY}", "${input:toldonce-key}")
"""Where the snippets have a key: the client puts it there."""
FACT = "Ana rows on Tuesdays."


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path / "data")
    server.start()
    yield server
    server.kill()


def environment(folder: Path) -> dict[str, str]:
    return {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(folder)}


async def remember(client: Client) -> None:
    """Remember in one call and recall in the next."""
    assert not (await client.call_tool("remember", {"text": FACT})).is_error
    found = await client.call_tool("recall_memory", {"query": "When does Ana row?"})
    assert FACT in str(found.structured_content)


async def remember_at(url: str, headers: Mapping[str, str]) -> None:
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    async with (
        create_mcp_http_client(headers=dict(headers)) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        await remember(client)


def entry(client: str, number: int, port: int | None = None) -> dict[str, Any]:
    """Return the entry of the MCP server in a client's configuration."""
    configuration = json.loads(snippets(client, "json", port)[number])
    servers = configuration["mcpServers" if client == "Cursor" else "servers"]
    assert list(servers) == ["toldonce"]
    read: dict[str, Any] = servers["toldonce"]
    return read


async def test_the_command_of_an_editor_serves_memory(tmp_path: Path) -> None:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    found, other = entry("Cursor", 0), entry("VS Code", 0)
    assert [other[part] for part in ("command", "args")] == [found[part] for part in ("command", "args")]
    env = environment(tmp_path)
    env["PATH"] = f"{forked_script().parent}:{env['PATH']}"
    program = StdioServerParameters(command=found["command"], args=found["args"], env=env)
    async with Client(stdio_client(program)) as opened:
        await remember(opened)


@pytest.mark.parametrize("client", ["Cursor", "VS Code"])
async def test_the_url_and_key_of_an_editor_serve_memory(client: str, server: ServerProcess) -> None:
    with ToldOnce.connect(server.base_url) as memory:
        _, key = memory.keys.create(NewApiKey(name="editor", access=Access.WRITE, user="ana"))
    found = entry(client, 1, server.port)
    written = found["headers"]["Authorization"]
    assert any(place in written for place in KEY_PLACES)
    for place in KEY_PLACES:
        written = written.replace(place, key)
    await remember_at(found["url"], {"Authorization": written})
    with ToldOnce.connect(server.base_url, key) as memory:
        assert [known.text for known in memory.list()] == [FACT]


def test_vs_code_asks_for_the_key_that_it_sends() -> None:
    configuration = json.loads(snippets("VS Code", "json")[1])
    asked = [f"${{input:{wanted['id']}}}" for wanted in configuration["inputs"]]
    assert asked == re.findall(r"\$\{input:[^}]+\}", json.dumps(configuration["servers"]))


def exported(code: str) -> dict[str, str]:
    """Return the variables that a snippet of shell commands exports."""
    printed = subprocess.run(
        ["bash", "-c", f"env -i bash -c '{_quoted(code)}\nenv -0'"], capture_output=True, check=True
    )
    pairs = (line.partition("=") for line in printed.stdout.decode().split("\0") if line)
    return {name: value for name, _, value in pairs}


def _quoted(code: str) -> str:
    return code.replace("'", "'\\''")


async def test_the_variables_of_open_webui_lead_to_memory(server: ServerProcess) -> None:
    from openai import OpenAI

    connection, ollamas, tools = (exported(code) for code in snippets("Open WebUI", "sh", server.port))
    forwarded = {"x-openwebui-user-id": "7f0c"}
    assert connection["ENABLE_FORWARD_USER_INFO_HEADERS"] == "true"
    with OpenAI(
        base_url=connection["OPENAI_API_BASE_URL"], api_key=connection["OPENAI_API_KEY"], default_headers=forwarded
    ) as client:
        client.chat.completions.create(model="any", messages=[{"role": "user", "content": "I live in Oslo."}])
    assert ollamas["ENABLE_FORWARD_USER_INFO_HEADERS"] == "true"
    chat_with_ollamas_api(ollamas["OLLAMA_BASE_URL"], forwarded | {"x-openwebui-chat-id": "c1"})
    [described] = json.loads(tools["TOOL_SERVER_CONNECTIONS"])
    assert described["type"] == "mcp"
    await remember_at(described["url"], forwarded)
    with ToldOnce.connect(server.base_url) as memory:
        assert FACT in [known.text for known in memory.list(user="7f0c")]
        assert len(memory.conversations.list(user="7f0c")) == 2


def test_the_addresses_of_ollamas_clients_lead_to_memory(server: ServerProcess) -> None:
    [url] = snippets("Home Assistant", "text", server.port)
    chat_with_ollamas_api(url.strip(), {})
    [model] = yaml.safe_load(snippets("Continue", "yaml", server.port)[0])["models"]
    assert model["provider"] == "ollama"
    chat_with_ollamas_api(model["apiBase"], model["requestOptions"]["headers"])
    with ToldOnce.connect(server.base_url) as memory:
        for user in ("home", "ana"):
            assert len(memory.conversations.list(user=user)) == 1


def chat_with_ollamas_api(url: str, headers: Mapping[str, str]) -> None:
    with httpx.Client(base_url=url, headers=headers) as client:
        [model] = client.get("api/tags").raise_for_status().json()["models"]
        said = {"role": "user", "content": "I live in Oslo."}
        answer = client.post("api/chat", json={"model": model["model"], "messages": [said]}).raise_for_status()
    assert json.loads(answer.text.splitlines()[-1])["done"]


async def test_the_endpoint_and_tools_of_librechat_lead_to_memory(server: ServerProcess) -> None:
    from openai import OpenAI

    configuration = yaml.safe_load(snippets("LibreChat", "yaml", server.port)[0])
    [endpoint] = configuration["endpoints"]["custom"]
    tools = configuration["mcpServers"]["toldonce"]
    for asked in (endpoint, tools):
        asked["headers"] = {
            name: value.replace("{{LIBRECHAT_USER_ID}}", "66a1") for name, value in asked["headers"].items()
        }
    with OpenAI(base_url=endpoint["baseURL"], api_key="x", default_headers=endpoint["headers"]) as client:
        client.chat.completions.create(model="any", messages=[{"role": "user", "content": "I live in Oslo."}])
    await remember_at(tools["url"], tools["headers"])
    with ToldOnce.connect(server.base_url) as memory:
        assert FACT in [known.text for known in memory.list(user="66a1")]
        assert len(memory.conversations.list(user="66a1")) == 1
    # LibreChat connects to private addresses only if they are listed.
    listed = configuration["mcpSettings"]["allowedAddresses"] + configuration["endpoints"]["allowedAddresses"]
    assert listed == ["127.0.0.1:8765"] * 2


def test_the_anthropic_example_keeps_files(tmp_path: Path) -> None:
    [code] = snippets("Anthropic SDK for Python", "python")
    create = {"command": "create", "path": "/memories/breakfast.md", "file_text": "milk and eggs"}
    with agent_upstream([ToolCall("", "memory", create)]) as (port, bodies):
        provider = {"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": "x"}
        (tmp_path / "example.py").write_text(code, "utf-8")
        env = environment(tmp_path) | provider
        done = run_python("example.py", env=env, cwd=tmp_path, timeout=PATIENCE_S)
    assert (done.returncode, done.stdout.strip()) == (0, ANSWER), done.stderr
    assert "File created successfully at: /memories/breakfast.md" in bodies[-1]


def test_each_client_says_how_to_see_and_remove_it() -> None:
    clients = sections()
    assert len(clients) == 11
    texts = {name: " ".join(text.split()) for name, text in clients.items()}
    silent = [
        name for name, text in texts.items() if "o remove it" not in text or not re.search("o see that|shows", text)
    ]
    assert silent == []
    pages = [ROOT / "README.md", ROOT / "docs" / "mcp.md", ROOT / "docs" / "hooks.md"]
    assert [page.name for page in pages if "use-with.md" not in page.read_text("utf-8")] == []
