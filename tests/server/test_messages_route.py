"""Anthropic's Messages through the server: an upstream that refuses a changed prompt, and what is recorded."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from anthropic_rules import Message, as_read, refusal_of
from append_only import tool_call, tool_result
from patience import PATIENCE_S
from sample_chats import PEANUTS_AND_OSLO, tell
from server.asgi import EVENTS, JSON, Call, ScriptedBackend, chat, whole
from soak import SOAK
from toldonce.chat.formats.anthropic_messages import ANTHROPIC_MESSAGES
from toldonce.chat.formats.base import WireFormat
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce
from toldonce.server.app import COUNT_TOKENS
from toldonce.server.backends import BackendRequest, OfflineBackend
from toldonce.server.chat_completions import ChatProxy
from toldonce.server.upstream import BackendResponse
from toldonce.types import LoggedMessage

POLICY = IdentityPolicy(default_user="ana", trusted=True, jwt_secret=None)
MODELS = ["claude-opus-5", "claude-haiku-4-5"]
ROUNDS = 30 if SOAK else 5
"""Of a tool loop."""


def answered(content: list[dict[str, Any]], *, stream: bool = False) -> bytes:
    """Write an answer, whole or streamed."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m"}
    usage = {"input_tokens": 5, "output_tokens": 4}
    if not stream:
        return json.dumps(message | {"content": content, "stop_reason": "end_turn", "usage": usage}).encode()
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message | {"content": [], "usage": usage}}]
    for index, block in enumerate(content):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "content_block_stop", "index": index})
    events += [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


@dataclass
class BindingBackend(ScriptedBackend):
    """An upstream that binds its answers to the prompts before them, as the signatures of thinking do."""

    before: list[Message] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    replies: list[list[dict[str, Any]]] = field(default_factory=list)
    """Contents of the next answers; without any, one word."""

    @asynccontextmanager
    async def chat(self, ask: BackendRequest) -> AsyncIterator[BackendResponse]:
        body = json.loads(ask.body)
        refusal = refusal_of(body["model"], body["messages"])
        read = as_read(body["messages"])
        if read[: len(self.before)] != self.before:
            refusal = "The block is bound to a different conversation"
        if refusal:
            self.refusals.append(refusal)
            self.answers.append((400, JSON, [ANTHROPIC_MESSAGES.error(400, refusal)]))
        else:
            self.before = read
            content = self.replies.pop(0) if self.replies else [{"type": "text", "text": "Noted."}]
            stream = bool(body.get("stream"))
            self.answers.append((200, EVENTS if stream else JSON, [answered(content, stream=stream)]))
        async with super().chat(ask) as answer:
            yield answer

    def sent(self) -> str:
        """Return the newest request."""
        return self.asked[-1].body.decode()


@dataclass
class Client:
    """Claude Code, or a client like it: it sends its history, and marks the last block for the cache."""

    backend: ScriptedBackend
    engine: AsyncToldOnce
    model: str = "claude-opus-5"
    stream: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    proxy: ChatProxy = field(init=False)

    def __post_init__(self) -> None:
        self.proxy = ChatProxy(ANTHROPIC_MESSAGES, self.engine, self.backend, POLICY)

    async def send(self, *messages: Message, **headers: str) -> Call:
        """Send the history with further messages, which become part of it, as does the answer."""
        self.messages += messages
        *before, last = self.messages
        content = last["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else [*content]
        blocks[-1] = blocks[-1] | {"cache_control": {"type": "ephemeral"}}
        session = {"user_id": json.dumps({"device_id": "d", "session_id": "s1"})}
        body = {"model": self.model, "messages": [*before, {**last, "content": blocks}], "metadata": session}
        call = Call(
            json.dumps(body | {"stream": self.stream}).encode(),
            {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}},
            path="/v1/messages",
            query=b"beta=true",
        )
        await asyncio.wait_for(self.proxy(call.scope(), call.receive(), call.send()), PATIENCE_S)
        if call.status == 200:
            reply = ANTHROPIC_MESSAGES.splice_stream(None, 10_000)
            reply.feed(b"".join(call.chunks))
            read = reply.reply() if self.stream else ANTHROPIC_MESSAGES.read_answer(b"".join(call.chunks))
            assert read is not None
            told = json.loads(read.payload)["content"] if read.payload else read.text
            self.messages.append({"role": "assistant", "content": told})
        return call

    async def say(self, text: str, **headers: str) -> Call:
        return await self.send({"role": "user", "content": text}, **headers)


async def logged(engine: AsyncToldOnce) -> list[LoggedMessage]:
    return [
        message
        for conversation in reversed(await engine.conversations.list(user="ana"))
        for message in await engine.conversations.messages(conversation.id, user="ana")
    ]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("stream", [False, True])
async def test_every_prompt_begins_with_the_one_before(engine: AsyncToldOnce, model: str, stream: bool) -> None:
    await tell(engine, f"{PEANUTS_AND_OSLO} My sister Eva runs a restaurant in Lima.")
    backend = BindingBackend([])
    client = Client(backend, engine, model, stream)
    first = await client.say("Which restaurant does my sister run?")
    assert "Eva" in backend.sent()
    assert '"memories":[{"id"' in first.text
    notes = [(await client.say(text)).answer_headers["x-toldonce-memory"] for text in ("May I eat nuts?", "Thanks!")]
    assert all("prefix=kept" in note for note in notes)
    assert backend.refusals == []
    assert backend.asked[0].path == "/v1/messages?beta=true"
    log = await engine.conversations.list(user="ana")
    assert "s1" in [conversation.external_id for conversation in log]


@pytest.mark.parametrize("model", MODELS)
async def test_a_tool_loop_of_many_requests_is_one_turn(engine: AsyncToldOnce, model: str) -> None:
    await tell(engine, f"{PEANUTS_AND_OSLO} My sister Eva runs a restaurant in Lima.")
    backend = BindingBackend([])
    client = Client(backend, engine, model)
    backend.replies = [[*tool_call(number, ANTHROPIC_MESSAGES)["content"]] for number in range(ROUNDS)]
    await client.say("Which restaurant does my sister run?")
    recalled = engine.metrics.retrieved
    for number in range(ROUNDS):
        await engine.add(f"The restaurant has {number} tables.", user="ana")
        call = await client.send(tool_result(number, ANTHROPIC_MESSAGES))
        assert "recalled=0" in call.answer_headers["x-toldonce-memory"]
        assert "prefix=kept" in call.answer_headers["x-toldonce-memory"]
    assert engine.metrics.retrieved == recalled > 0
    assert backend.refusals == []
    log = [message for message in await logged(engine) if "restaurant does" in message.text or message.role == "tool"]
    assert [message.role for message in log] == ["user", *["tool"] * ROUNDS]


async def test_notices_of_the_client_are_nobodys_words(engine: AsyncToldOnce) -> None:
    reminder = {"type": "text", "text": "<system-reminder>I'm allergic to cats.</system-reminder>"}
    client = Client(BindingBackend([]), engine)
    await client.send(
        {"role": "user", "content": [reminder, {"type": "text", "text": "I'm allergic to peanuts."}]},
        {"role": "system", "content": "2,000 tokens left"},
    )
    assert [message.text for message in await logged(engine)] == ["I'm allergic to peanuts.", "Noted."]


async def test_requests_of_the_agents_own_replay_and_record_nothing(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    backend = BindingBackend([])
    client = Client(backend, engine)
    first = await client.say("May I eat peanuts?", x_claude_code_request_class="main")
    shown = first.answer_headers["x-toldonce-memory"].partition("recalled=")[2].partition(";")[0]
    known = len(await logged(engine))
    blocks = backend.sent().count("<toldonce-memory")
    call = await client.say("Summarize it.", x_claude_code_request_class="compaction")
    assert call.answer_headers["x-toldonce-memory"] == f"task; recalled=0; replayed={shown}; prefix=kept"
    assert backend.sent().count("<toldonce-memory") == blocks
    assert backend.refusals == []

    alone = Client(BindingBackend([]), engine)
    agent = await alone.say("I'm allergic to cats.", x_claude_code_request_class="subagent")
    assert alone.backend.asked[-1].body == agent.body
    assert len(await logged(engine)) == known


async def test_a_compacted_history_begins_anew(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    backend = BindingBackend([])
    client = Client(backend, engine)
    await client.say("May I eat peanuts?")
    backend.before, client.messages = [], []
    summary = "This session is being continued from a previous conversation. The user asked about peanuts."
    call = await client.send({"role": "user", "content": summary}, {"role": "user", "content": "And almonds?"})
    assert "prefix=new" in call.answer_headers["x-toldonce-memory"]
    assert "allergic to peanuts" in backend.sent()
    assert summary not in [message.text for message in await logged(engine)]


async def counted(client: Client, text: str) -> Call:
    body = {"model": client.model, "messages": [*client.messages, {"role": "user", "content": text}]}
    call = Call(json.dumps(body).encode(), path="/v1/messages/count_tokens")
    await client.proxy.counter_at(COUNT_TOKENS)(call.scope(), call.receive(), call.send())
    return call


async def test_a_count_is_that_of_the_prompt_and_leaves_nothing(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    known = len(await logged(engine))
    backend = ScriptedBackend([(200, JSON, [b'{"input_tokens": 60}']), (200, JSON, [answered([])])])
    client = Client(backend, engine, "claude-haiku-4-5")
    call = await counted(client, "May I eat peanuts?")
    assert (call.status, call.text) == (200, '{"input_tokens": 60}')
    assert backend.asked[0].path == COUNT_TOKENS
    assert len(await logged(engine)) == known
    note = (await client.say("May I eat peanuts?")).answer_headers["x-toldonce-memory"]
    assert note == call.answer_headers["x-toldonce-memory"]
    assert note.endswith("; replayed=0; prefix=new")
    both = [json.loads(asked.body)["messages"][0]["content"][-1]["text"] for asked in backend.asked]
    assert both[0] == both[1]


async def test_a_prefilled_answer_is_logged_in_one_piece(engine: AsyncToldOnce) -> None:
    backend = BindingBackend([])
    client = Client(backend, engine, "claude-haiku-4-5")
    await client.send({"role": "user", "content": "Name a color."}, {"role": "assistant", "content": "My color is: "})
    assert [message.text for message in await logged(engine)] == ["Name a color.", "My color is: Noted."]
    client.messages[-2:] = [{"role": "assistant", "content": "My color is: Noted."}]
    backend.before = []
    await client.say("Thanks!")
    assert [message.text for message in await logged(engine)][1:3] == ["My color is: Noted.", "Thanks!"]


@pytest.mark.parametrize(("wire", "body"), [
    (ANTHROPIC_MESSAGES, json.dumps({"model": "m", "messages": [{"role": "user", "content": "I like tea."}]}).encode()),
    (OPENAI_CHAT, chat("I like tea.")),
])  # fmt: skip
@pytest.mark.parametrize("arrived", [[], [whole("No.")[:20]]])
async def test_what_was_said_is_kept_when_the_client_leaves_before_the_answer(
    engine: AsyncToldOnce, wire: WireFormat, body: bytes, arrived: list[bytes]
) -> None:
    asked = asyncio.Event()

    class Silent(ScriptedBackend):
        @asynccontextmanager
        async def chat(self, ask: BackendRequest) -> AsyncIterator[BackendResponse]:
            asked.set()
            if not arrived:
                await asyncio.Event().wait()
            async with super().chat(ask) as answer:
                yield answer

    call = Call(body)
    proxy = ChatProxy(wire, engine, Silent([(200, JSON, [*arrived, asyncio.Event()])]), POLICY)
    serving = asyncio.create_task(proxy(call.scope(), call.receive(), call.send()))
    await asyncio.wait_for(asked.wait(), PATIENCE_S)
    await asyncio.sleep(0)
    call.gone.set()
    await asyncio.wait_for(serving, PATIENCE_S)
    await proxy.close()
    assert [(message.role, message.text) for message in await logged(engine)] == [("user", "I like tea.")]


async def test_errors_of_upstream_pass_as_they_came(engine: AsyncToldOnce) -> None:
    error = ANTHROPIC_MESSAGES.error(529, "Overloaded")
    headers = (*JSON, (b"retry-after", b"7"), (b"x-should-retry", b"true"))
    client = Client(ScriptedBackend([(529, headers, [error]), (429, headers, [error])]), engine)
    for status in (529, 429):
        call = await client.say("I like tea.")
        assert (call.status, call.text) == (status, error.decode())
        assert (call.answer_headers["retry-after"], call.answer_headers["x-should-retry"]) == ("7", "true")
    assert await logged(engine) == []


async def test_what_we_refuse_has_the_shape_of_the_route(engine: AsyncToldOnce) -> None:
    client = Client(ScriptedBackend([]), engine)
    call = await client.say("Hi", x_toldonce_memory="maybe")
    assert call.status == 400
    assert json.loads(call.text)["error"]["type"] == "invalid_request_error"
    assert json.loads(call.text)["type"] == "error"


@pytest.mark.parametrize("stream", [False, True])
async def test_the_built_in_model_answers_in_the_format(engine: AsyncToldOnce, stream: bool) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    backend = OfflineBackend(engine.clock, engine.counter)
    body = {"model": "m", "messages": [{"role": "user", "content": "Where do I live?"}], "stream": stream}
    call = Call(json.dumps(body).encode())
    await ChatProxy(ANTHROPIC_MESSAGES, engine, backend, POLICY)(call.scope(), call.receive(), call.send())
    relay = ANTHROPIC_MESSAGES.splice_stream(None, 1000)
    relay.feed(call.text.encode())
    reply = relay.reply() if stream else ANTHROPIC_MESSAGES.read_answer(call.text.encode())
    assert reply is not None
    assert reply.complete
    assert "Oslo" in reply.text
