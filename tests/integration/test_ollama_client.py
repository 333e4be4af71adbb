"""Ollama's Python library with its host changed, as Home Assistant uses it, against an upstream that keeps its prompt.

The library is imported when a test runs: each worker would need time for that only to collect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from integration.database_reader import Database
from integration.fake_upstream import FakeUpstream
from integration.ollama_upstream import REFUSALS
from integration.raw_client import chat, eventually, request, user
from integration.server_process import ServerProcess

if TYPE_CHECKING:
    from ollama import Client, Message

ASKS = "What am I allergic to?"
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
SPLICE = re.compile(rb'"memories":\[(?:\{[^{}]*\},?)*\],')


@pytest.fixture
def known(server: ServerProcess, database: Database, name: str) -> str:
    """A user whose allergy is known, so that something is put into each request."""
    chat(server.port, "echo", [user("I am allergic to almonds. I live in Turku.")], {"x-toldonce-user": name})
    assert eventually(lambda: database.settled(name))
    return name


@pytest.fixture
def client(server: ServerProcess, known: str) -> Iterator[Client]:
    import ollama

    with ollama.Client(host=f"{server.base_url.removesuffix('/v1')}/u/{known}") as opened:
        yield opened


def answer(client: Client, model: str, messages: list[Any], *, stream: bool, tools: bool = False) -> Message:
    """Ask, and append the answer to the messages."""
    import ollama

    offered = [TOOL] if tools else None
    if not stream:
        message: Message = client.chat(model, messages, tools=offered, options={"num_ctx": 8192}).message
    else:
        *parts, end = client.chat(model, messages, tools=offered, stream=True, keep_alive="5m")
        assert end.done
        calls = [call for part in parts for call in part.message.tool_calls or ()]
        message = ollama.Message(
            role="assistant",
            content="".join(part.message.content or "" for part in parts),
            thinking="".join(part.message.thinking or "" for part in parts) or None,
            tool_calls=calls or None,
        )
    messages.append(message)
    return message


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_chat_with_tools_thinking_and_images_goes_on(
    client: Client, upstream: FakeUpstream, database: Database, known: str, stream: bool
) -> None:
    from ollama import Image

    model = f"qwen3:{known}"
    messages: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": ASKS}]
    calling = answer(client, model, messages, stream=stream, tools=True)
    [call] = calling.tool_calls or ()
    assert (call.function.name, call.function.arguments) == ("weather", {"a": 1, "unit": ""})
    assert (calling.thinking or "").strip() == "Let me look."
    call.function.arguments = {"a": 1}  # as Home Assistant sends them back
    messages.append({"role": "tool", "content": '{"data": "Sun."}'})
    answer(client, model, messages, stream=stream, tools=True)
    messages.append({"role": "user", "content": "Where do I live?", "images": [Image(value=b"\x89PNG")]})
    last = answer(client, model, messages, stream=stream)
    assert (last.content or "").strip() == "You said: Where do I live?"
    first, *_, newest = upstream.having(model)
    assert first.path == newest.path == "/api/chat"
    assert b"allergic to almonds" in first.body
    assert b"Turku" in newest.body
    log = database.messages(known)[2:]
    assert [message.role for message in log] == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert len({message.conversation for message in log}) == 1


@pytest.mark.parametrize("model", REFUSALS)
def test_refusals_pass_as_they_came(client: Client, database: Database, known: str, model: str) -> None:
    import ollama

    with pytest.raises(ollama.ResponseError) as raised:
        client.chat(model, [{"role": "user", "content": ASKS}])
    assert (raised.value.status_code, raised.value.error) == REFUSALS[model]
    assert len(database.messages(known)) == 2


def test_an_error_within_an_answer_leaves_nothing(client: Client, database: Database, known: str) -> None:
    import ollama

    with pytest.raises(ollama.ResponseError, match="out of memory"):
        list(client.chat(f"failing:{known}", [{"role": "user", "content": ASKS}], stream=True))
    assert len(database.messages(known)) == 2


def test_what_the_server_refuses_reads_as_ollamas(server: ServerProcess) -> None:
    import ollama

    client = ollama.Client(
        host=server.base_url.removesuffix("/v1"), headers={"x-toldonce-user": "ana", "x-toldonce-memory": "maybe"}
    )
    with client, pytest.raises(ollama.ResponseError, match="maybe") as raised:
        client.chat("qwen3", [{"role": "user", "content": ASKS}])
    assert raised.value.status_code == 400


def test_models_and_embeddings_pass(client: Client, upstream: FakeUpstream, known: str) -> None:
    assert [model.model for model in client.list().models] == ["qwen3:8b"]
    assert client.embed(f"embed:{known}", "Hi").embeddings == [[0.5, 0.25]]
    assert [seen.path for seen in upstream.having(f"embed:{known}")] == ["/api/embed"]


# Written the way no serialiser would: blanks, repeated keys, escapes, a number with more digits than a float has.
ODD_BODY = (
    '{ %s\n\t"model":"%s", "x-\\u00e9": 1.10000000000000000001, "options":{"seed":1, "seed":2},'
    ' "messages":[ {"role":"user" ,"content":"\\u0041llergic to %s? \\ud83e\\udd5c \\/ é"} ] , "keep_alive": -1 }\r\n'
)


@pytest.mark.parametrize("stream", ["", '"stream" : false,'], ids=["stream", "whole"])
@pytest.mark.parametrize("kind", ["odd", "cut"])
def test_bodies_differ_by_our_splices_alone(
    server: ServerProcess, upstream: FakeUpstream, known: str, stream: str, kind: str
) -> None:
    name = f"{kind}:{known}"
    body = (ODD_BODY % (stream, name, "almonds")).encode()
    bare = request(server.port, "/api/chat", body, {"x-toldonce-memory": "off"})
    answer = request(server.port, f"/u/{known}/api/chat", body)
    without, spliced = [seen.body for seen in upstream.having(name)]
    assert without == body
    end = body.index(b'"} ] ,')
    assert (spliced[:end], spliced[end - len(body) :]) == (body[:end], body[end:])
    assert b"allergic to almonds" in spliced[end : end - len(body)]
    assert SPLICE.search(answer.body) is not None
    assert SPLICE.sub(b"", answer.body, count=1) == bare.body
    assert answer.whole == bare.whole == (kind == "odd" or bool(stream))
    assert all(json.loads(line) for line in answer.body.splitlines())
