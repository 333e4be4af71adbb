"""The relay: what it sends for each line, and what it says when the server does not."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from toldonce.hook.http_post import BadAnswerError, NotConnectedError
from toldonce.mcp_server import relay
from toldonce.mcp_server.relay import Relay

MODERN = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}


class ScriptedServer:
    """Answers in the order of its script, and keeps the headers of the requests."""

    def __init__(self, answers: Sequence[tuple[int, object] | Exception]) -> None:
        self.requests: list[dict[str, str]] = []
        self._answers = list(answers)

    async def post(self, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        json.loads(body)
        self.requests.append(headers)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, said = answer
        return status, b"" if said is None else json.dumps(said).encode()


async def relayed(server: ScriptedServer, *messages: object) -> list[dict[str, Any]]:
    """Relay messages one after another, and return the answers."""
    written: list[dict[str, Any]] = []

    async def write(line: bytes) -> None:
        assert line.count(b"\n") == 1
        written.append(json.loads(line))

    client = Relay(server.post, {"authorization": "Bearer rk_x"}, write)
    for message in messages:
        await client.take(message if isinstance(message, bytes) else json.dumps(message).encode())
        await client.settle()
    return written


def call(number: int = 1, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "recall_memory", **params}}


def result(number: int = 1, **fields: object) -> tuple[int, object]:
    return 200, {"jsonrpc": "2.0", "id": number, "result": fields}


async def test_a_message_of_the_new_era_has_its_headers() -> None:
    server = ScriptedServer([result(1, isError=False)])

    [answer] = await relayed(server, call(1, **MODERN))

    assert answer == {"jsonrpc": "2.0", "id": 1, "result": {"isError": False}}
    headers = server.requests[0]
    assert headers["authorization"] == "Bearer rk_x"
    assert headers["mcp-protocol-version"] == "2026-07-28"
    assert (headers["mcp-method"], headers["mcp-name"]) == ("tools/call", "recall_memory")


async def test_a_client_of_the_old_era_keeps_the_revision_it_agreed_on() -> None:
    server = ScriptedServer([result(0, protocolVersion="2025-11-25"), (202, None), result(1)])
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}

    answers = await relayed(server, hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}, call())

    assert [answer["id"] for answer in answers] == [0, 1]
    versions = [request.get("mcp-protocol-version") for request in server.requests]
    assert versions == [None, "2025-11-25", "2025-11-25"]


async def test_a_name_that_no_header_carries_is_encoded() -> None:
    server = ScriptedServer([result()])

    await relayed(server, call(name="rück\nruf"))

    assert server.requests[0]["mcp-name"] == "=?base64?csO8Y2sKcnVm?="


@pytest.mark.parametrize("line", [b"no JSON\n", b"[1]\n", b"[" * 100_000, b"\xff\xfe\n"])
async def test_a_line_that_is_no_message_is_said(line: bytes) -> None:
    [answer] = await relayed(ScriptedServer([]), line)

    assert (answer["id"], answer["error"]["code"]) == (None, -32700)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((401, {"error": {"message": "no valid key"}}), "the server answered 401: no valid key"),
        ((404, {"detail": "Not Found"}), "the server answered 404: Not Found"),
        ((200, "hello"), "is it a ToldOnce server"),
        ((500, None), "the server answered 500"),
        (ConnectionResetError("reset"), "the server broke off: reset"),
        (BadAnswerError("no HTTP"), "the server answered wrongly: no HTTP"),
    ],
)
async def test_what_fails_is_an_answer_of_the_tool(given: Any, said: str) -> None:
    server = ScriptedServer([given])

    [answer] = await relayed(server, call(3, **MODERN))

    assert answer["id"] == 3
    assert (answer["result"]["isError"], answer["result"]["resultType"]) == (True, "complete")
    assert said in answer["result"]["content"][0]["text"]
    assert len(server.requests) == 1


async def test_other_requests_fail_by_the_protocol() -> None:
    server = ScriptedServer([(403, {"error": {"message": "not allowed"}})])

    [answer] = await relayed(server, {"jsonrpc": "2.0", "id": "a", "method": "tools/list"})

    assert answer["error"] == {"code": -32603, "message": "the server answered 403: not allowed"}


async def test_a_server_that_starts_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "_PAUSES_S", (0.0, 0.0))
    down = NotConnectedError("refused")

    [answer] = await relayed(ScriptedServer([down, down, result()]), call())
    [failed] = await relayed(ScriptedServer([down, down, down]), call())

    assert "result" in answer
    assert failed["result"]["isError"]


async def test_a_cancelled_call_is_given_up() -> None:
    written: list[bytes] = []

    async def write(line: bytes) -> None:
        written.append(line)

    async def post(headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        await asyncio.Event().wait()
        return 200, b"{}"

    client = Relay(post, {}, write)
    await client.take(json.dumps(call(5)).encode())
    await client.take(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}')
    await client.settle()

    assert written == []
