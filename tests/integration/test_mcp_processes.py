"""`toldonce mcp` and /mcp as processes: the SDK's client in both eras, kills, and several clients of one file."""

import asyncio
import json
import os
import subprocess
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import ElicitRequestParams, ElicitResult

from forked_processes import forked_script
from integration.server_process import StartServer
from patience import PATIENCE_S
from soak import whole_only
from toldonce import AsyncToldOnce
from toldonce.types import Access, NewApiKey

BOATS = 4
_HELLO = {
    **{"jsonrpc": "2.0", "id": 0, "method": "initialize"},
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}


def environment(database: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(database.parent),
        "TOLDONCE_DATABASE_URL": f"sqlite:///{database}",
    }


class Relayed(str):
    """URL of a server that is reached through `toldonce mcp --url`."""

    __slots__ = ()


@asynccontextmanager
async def connected(where: str | Path, era: str, *options: str, **env: str) -> AsyncIterator[Client]:
    """Connect to a URL, or start a server on a database, or a relay to a URL."""
    if isinstance(where, Relayed):
        own = environment(Path("/none")) | {"HOME": "/none"} | env
        program = StdioServerParameters(command=str(forked_script()), args=["mcp", "--url", where, *options], env=own)
        client = Client(stdio_client(program), mode=era)
    elif isinstance(where, Path):
        program = StdioServerParameters(command=str(forked_script()), args=["mcp"], env=environment(where))
        client = Client(stdio_client(program), mode=era)
    else:
        client = Client(where, mode=era)
    async with client as opened:
        yield opened


async def live(where: str | Path, era: str) -> None:
    """Remember in one session, recall in a new one, correct, and forget in a third."""
    async with connected(where, era) as agent:
        kept = (await agent.call_tool("remember", {"text": f"Ana lives in Oslo, says {era}."})).structured_content
    async with connected(where, era) as agent:
        found = (await agent.call_tool("recall_memory", {"query": "Oslo"})).structured_content
        assert kept["id"] in [memory["id"] for memory in found["memories"]]
        fixed = await agent.call_tool("correct_memory", {"id": kept["id"], "text": f"Ana lives in Bergen, says {era}."})
    async with connected(where, era) as agent:
        done = await agent.call_tool("forget_memory", {"id": fixed.structured_content["now"]["id"]})
        assert not done.is_error
        assert (await agent.call_tool("list_memories", {})).structured_content == {"memories": []}
        assert (await agent.call_tool("recall_memory", {"query": "x" * 5000})).is_error


# The era decides what is said, the transport who carries it: over HTTP each era is tried, over the others one of them.
@pytest.mark.parametrize("era", ["auto", pytest.param("legacy", marks=whole_only)])
async def test_an_agent_lives_over_stdio(tmp_path: Path, era: str) -> None:
    await live(tmp_path / "memory.sqlite3", era)


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_an_agent_lives_over_http(start_server: StartServer, era: str) -> None:
    server = start_server(offline=True)
    await live(f"http://127.0.0.1:{server.port}/mcp", era)
    server.stop()
    assert "Traceback" not in server.output()


@pytest.mark.parametrize("era", [pytest.param("auto", marks=whole_only), "legacy"])
async def test_an_agent_lives_over_a_relay(start_server: StartServer, era: str) -> None:
    server = start_server(offline=True)
    await live(Relayed(f"http://127.0.0.1:{server.port}/mcp"), era)
    server.stop()
    assert "Traceback" not in server.output()


@pytest.mark.parametrize(("era", "asked"), [("auto", 1), ("legacy", 0)])
async def test_over_http_only_clients_of_the_new_era_ask(start_server: StartServer, era: str, asked: int) -> None:
    server = start_server(offline=True)
    questions: list[str] = []

    async def answer(context: object, params: ElicitRequestParams) -> ElicitResult:
        questions.append(params.message)
        return ElicitResult(action="accept", content={})

    async with Client(f"http://127.0.0.1:{server.port}/mcp", mode=era, elicitation_callback=answer) as agent:
        kept = (await agent.call_tool("remember", {"text": "Ana rows."})).structured_content
        done = await agent.call_tool("forget_memory", {"id": kept["id"]})
    assert (len(questions), len(done.structured_content["closed"])) == (asked, 1)


async def test_relays_have_the_rights_of_their_keys(start_server: StartServer) -> None:
    server = start_server(offline=True)
    async with await AsyncToldOnce.open(server.database) as memory:
        keys = {
            name: (await memory.keys.create(NewApiKey(name=name, access=access, user=user)))[1]
            for name, access, user in (
                ("ana", Access.WRITE, "ana"),
                ("reader", Access.READ, "ana"),
                ("ben", Access.WRITE, "ben"),
            )
        }
    url = Relayed(f"http://127.0.0.1:{server.port}")
    async with (
        connected(url, "auto", TOLDONCE_KEY=keys["ana"]) as ana,
        connected(url, "legacy", TOLDONCE_KEY=keys["reader"]) as reader,
        connected(url, "auto", TOLDONCE_KEY=keys["ben"]) as ben,
        connected(url, "auto", "--read-only", TOLDONCE_KEY=keys["ben"]) as bens_reader,
    ):
        assert not (await ana.call_tool("remember", {"text": "Ana rows."})).is_error
        assert [tool.name for tool in (await reader.list_tools()).tools] == ["recall_memory", "list_memories"]
        assert [tool.name for tool in (await bens_reader.list_tools()).tools] == ["recall_memory", "list_memories"]
        found = (await reader.call_tool("recall_memory", {"query": "rows"})).structured_content["memories"]
        assert [memory["text"] for memory in found] == ["Ana rows."]
        assert (await ben.call_tool("list_memories", {})).structured_content == {"memories": []}
    client = RawClient(Path("/none"), "--url", url, TOLDONCE_KEY="rk_unknown")
    client.kill()
    assert "401" in str(client.hello.get("error"))


async def test_a_relay_without_a_server_says_so_in_the_tools_answer(start_server: StartServer) -> None:
    server = start_server(offline=True)
    async with connected(Relayed(f"http://127.0.0.1:{server.port}"), "auto") as agent:
        assert not (await agent.call_tool("list_memories", {})).is_error
        server.stop()
        answer = await agent.call_tool("recall_memory", {"query": "rows"})
        assert (answer.is_error, "does not answer" in str(answer.content)) == (True, True)


async def test_clients_of_one_file_see_what_each_other_say(start_server: StartServer) -> None:
    server = start_server(offline=True)
    url = f"http://127.0.0.1:{server.port}/mcp"
    async with (
        connected(server.database, "legacy") as one,
        connected(server.database, "auto") as two,
        connected(url, "auto") as three,
    ):

        async def say(client: Client, name: str) -> None:
            for number in range(BOATS):
                told = await client.call_tool("remember", {"text": f"{name} owns boat number {number}."})
                assert not told.is_error

        clients = {"Ana": one, "Ben": two, "Cleo": three}
        await asyncio.gather(*(say(client, name) for name, client in clients.items()))
        expected = {f"{name} owns boat number {number}." for name in clients for number in range(BOATS)}
        for client in clients.values():
            listed = (await client.call_tool("list_memories", {})).structured_content["memories"]
            assert {memory["text"] for memory in listed} == expected


class RawClient:
    """`toldonce mcp` with its bare lines."""

    def __init__(self, database: Path, *options: str, **env: str) -> None:
        self._process = subprocess.Popen(
            [str(forked_script()), "mcp", *options],
            env=environment(database) | env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.send(json.dumps(_HELLO))
        self.hello = self.receive()
        assert self.hello["id"] == 0
        self.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        message: dict[str, Any] = json.loads(self._process.stdout.readline())
        return message

    def end(self) -> tuple[int, str]:
        """Close its stdin; return its exit code and its log."""
        _, log = self._process.communicate(timeout=PATIENCE_S)
        return self._process.returncode, log.decode()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate(timeout=PATIENCE_S)


def remember(text: str) -> str:
    call = {"name": "remember", "arguments": {"text": text}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})


def acknowledged_until_kill(database: Path, kill_after: int) -> set[str]:
    """Say one thing after another, and kill the server after so many answers, in the next call."""
    client = RawClient(database)
    texts = [f"Boat number {kill_after}-{number} is for sale." for number in range(kill_after + 1)]
    for text in texts[:-1]:
        client.send(remember(text))
        assert client.receive()["result"]["isError"] is False
    client.send(remember(texts[-1]))
    client.kill()
    return set(texts[:-1])


async def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    database = tmp_path / "memory.sqlite3"
    acknowledged = set.union(*(acknowledged_until_kill(database, count) for count in (1, 6)))
    async with connected(database, "auto") as agent:
        listed = (await agent.call_tool("list_memories", {})).structured_content["memories"]
    texts = [memory["text"] for memory in listed]
    assert acknowledged <= set(texts)
    assert len(texts) == len(set(texts))


def test_half_a_character_over_stdio_is_answered(tmp_path: Path) -> None:
    client = RawClient(tmp_path / "memory.sqlite3")
    client.send(remember("Ana rows HALF.").replace("HALF", "\\ud800"))
    answer = client.receive()
    assert (answer["id"], answer["result"]["structuredContent"]["text"]) == (1, "Ana rows ?.")
    client.send("this is no JSON")
    client.send(remember("Ana swims."))
    while "result" not in (answer := client.receive()):
        assert "error" in answer
    assert answer["result"]["structuredContent"]["text"] == "Ana swims."
    assert client.end() == (0, "")


class _HeldEmbeddings(BaseHTTPRequestHandler):
    """An embeddings API that answers nothing while it is held."""

    go = threading.Event()

    def do_POST(self) -> None:
        self.go.wait(PATIENCE_S)
        self.send_error(503)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def test_the_handshake_is_answered_before_the_embedder_is_there(tmp_path: Path) -> None:
    _HeldEmbeddings.go.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _HeldEmbeddings) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        named = {"TOLDONCE_EMBED_MODEL": "held", "TOLDONCE_EMBED_DIM": "8"}
        url = f"http://127.0.0.1:{api.server_address[1]}/v1"
        client = RawClient(tmp_path / "memory.sqlite3", TOLDONCE_EMBED_URL=url, **named)
        assert client.hello["result"]["serverInfo"]["name"] == "toldonce"
        client.send('{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}')
        assert len(client.receive()["result"]["tools"]) == 5
        _HeldEmbeddings.go.set()
        client.send('{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_memories"}}')
        assert client.receive()["result"]["structuredContent"] == {"memories": []}
        client.kill()
        api.shutdown()


def test_a_file_that_is_no_database_is_said_in_the_answer_and_at_the_end(tmp_path: Path) -> None:
    database = tmp_path / "memory.sqlite3"
    database.write_text("no database\n" * 500, "utf-8")
    client = RawClient(database)
    client.send(remember("Ana rows."))
    assert "is not a database" in client.receive()["error"]["message"]
    code, log = client.end()
    assert (code, "is not a database" in log) == (3, True)
