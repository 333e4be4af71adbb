"""The official Anthropic SDK with its base URL changed, against an upstream that binds its answers to the prompts.

The SDK is imported when a test runs: each worker would need seconds for that only to collect.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from integration.database_reader import Database
from integration.fake_upstream import FakeUpstream
from integration.messages_upstream import REFUSALS
from integration.raw_client import chat, eventually, user
from integration.server_process import ServerProcess

if TYPE_CHECKING:
    from anthropic import Anthropic
    from anthropic.types import ImageBlockParam, Message, MessageParam, ToolParam, ToolResultBlockParam

ASKS = "What am I allergic to?"
TOOL: ToolParam = {"name": "weather", "input_schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
IMAGE: ImageBlockParam = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
}
MODELS = ["claude-opus-5", "claude-haiku-4-5"]


@pytest.fixture
def known(server: ServerProcess, database: Database, name: str) -> str:
    """A user whose allergy is known, so that something is put into each request."""
    chat(server.port, "echo", [user("I am allergic to almonds. I live in Turku.")], {"x-toldonce-user": name})
    assert eventually(lambda: database.settled(name))
    return name


@pytest.fixture
def client(server: ServerProcess, known: str) -> Iterator[Anthropic]:
    import anthropic

    url, named = server.base_url.removesuffix("/v1"), {"x-toldonce-user": known}
    with anthropic.Anthropic(base_url=url, api_key="sk-client", max_retries=0, default_headers=named) as opened:
        yield opened


def answer(
    client: Anthropic, model: str, messages: list[MessageParam], *, stream: bool, tools: bool = False
) -> Message:
    """Ask, and append the answer to the messages."""
    offered = [TOOL] if tools else []
    if stream:
        with client.messages.stream(model=model, max_tokens=99, messages=messages, tools=offered) as streamed:
            message: Message = streamed.get_final_message()
    else:
        message = client.messages.create(model=model, max_tokens=99, messages=messages, tools=offered)
    messages.append({"role": "assistant", "content": message.content})
    return message


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", MODELS)
def test_a_chat_with_tools_thinking_and_images_goes_on(
    client: Anthropic, upstream: FakeUpstream, database: Database, known: str, model: str, stream: bool
) -> None:
    bound = f"{model}:{known}"
    messages: list[MessageParam] = [{"role": "user", "content": ASKS}]
    calling = answer(client, bound, messages, stream=stream, tools=True)
    assert "almonds" in str((calling.model_extra or {})["memories"])
    assert [block.type for block in calling.content] == ["thinking", "tool_use"]
    [call] = [block for block in calling.content if block.type == "tool_use"]
    assert call.input == {"a": 1}
    result: ToolResultBlockParam = {"type": "tool_result", "tool_use_id": call.id, "content": "Sun."}
    messages.append({"role": "user", "content": [result]})
    answer(client, bound, messages, stream=stream, tools=True)
    messages.append({"role": "user", "content": [IMAGE, {"type": "text", "text": "Where do I live?"}]})
    last = answer(client, bound, messages, stream=stream)
    [block] = last.content
    assert block.type == "text"
    assert block.text.strip() == "You said: Where do I live?"
    assert last.usage.output_tokens == 4
    assert all(b"c2lnbmF0dXJl" in request.body for request in upstream.having(bound)[1:])
    log = database.messages(known)[2:]
    assert [message.role for message in log] == ["user", "assistant", "tool", "assistant", "user", "assistant"]


def test_a_count_has_what_memory_adds(client: Anthropic, known: str) -> None:
    asked: list[MessageParam] = [{"role": "user", "content": ASKS}]
    with_memory = client.messages.count_tokens(model=MODELS[0], messages=asked)
    without = client.messages.count_tokens(model=MODELS[0], messages=asked, extra_headers={"x-toldonce-memory": "off"})
    assert with_memory.input_tokens > without.input_tokens


@pytest.mark.parametrize("model", REFUSALS)
def test_refusals_pass_with_the_time_to_wait(client: Anthropic, database: Database, known: str, model: str) -> None:
    import anthropic

    status, kind, after = REFUSALS[model]
    with pytest.raises(anthropic.APIStatusError) as raised:
        client.messages.create(model=model, max_tokens=9, messages=[{"role": "user", "content": ASKS}])
    assert (raised.value.status_code, raised.value.response.headers["retry-after"]) == (status, after.decode())
    assert raised.value.body == {"type": "error", "error": {"type": kind, "message": "Later."}}
    assert len(database.messages(known)) == 2


def test_what_the_server_refuses_reads_as_anthropics(client: Anthropic) -> None:
    import anthropic

    with pytest.raises(anthropic.APIStatusError) as raised:
        client.messages.create(
            model=MODELS[0],
            max_tokens=9,
            messages=[{"role": "user", "content": ASKS}],
            extra_headers={"x-toldonce-user": "", "x-toldonce-memory": "maybe"},
        )
    assert raised.value.status_code == 400
    assert raised.value.body["error"]["type"] == "invalid_request_error"  # type: ignore[index]
