"""OpenAI's Responses through the server: chats that the client keeps and chats that upstream keeps."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from patience import PATIENCE_S
from sample_chats import PEANUTS_AND_OSLO, tell
from server.asgi import EVENTS, JSON, Call, ScriptedBackend
from toldonce.chat.formats.openai_responses import OPENAI_RESPONSES
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce
from toldonce.server.backends import BackendRequest, OfflineBackend
from toldonce.server.chat_completions import ChatProxy
from toldonce.server.upstream import BackendResponse
from toldonce.types import LoggedMessage

POLICY = IdentityPolicy(default_user="ana", trusted=True, jwt_secret=None)
Item = Mapping[str, Any]
EVA = "My sister Eva runs a restaurant in Lima."
THOUGHT: Item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VjcmV0"}


def said(text: str) -> Item:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def called(number: int) -> Item:
    call = {"type": "function_call", "call_id": f"call_{number}", "name": "look", "arguments": '{"a": 1}'}
    return {"id": f"fc_{number}", "status": "completed", **call}


def result(number: int) -> Item:
    return {"type": "function_call_output", "call_id": f"call_{number}", "output": f"result {number}"}


def answered(number: int, output: list[Item], *, stream: bool) -> bytes:
    response: dict[str, Any] = {"id": f"resp_{number}", "object": "response", "status": "completed", "output": output}
    response["usage"] = {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 2}
    if not stream:
        return json.dumps(response).encode()
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        *({"type": "response.output_item.done", "output_index": at, "item": item} for at, item in enumerate(output)),
        {"type": "response.completed", "response": response},
    ]
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


@dataclass
class KeepingBackend(ScriptedBackend):
    """An upstream that keeps its responses, each with all that it had read before; `read` is what the model sees."""

    kept: dict[str, list[Item]] = field(default_factory=dict)
    read: list[Item] = field(default_factory=list)
    replies: list[list[Item]] = field(default_factory=list)

    @asynccontextmanager
    async def chat(self, ask: BackendRequest) -> AsyncIterator[BackendResponse]:
        body = json.loads(ask.body)
        chat = body.get("conversation")
        before = self.kept[chat or body["previous_response_id"]] if chat or body.get("previous_response_id") else []
        given = body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
        self.read = [*before, *given]
        output = self.replies.pop(0) if self.replies else [THOUGHT, said("Noted.")]
        number, stream = len(self.asked) + 1, bool(body.get("stream"))
        self.kept[chat or f"resp_{number}"] = [*self.read, *output]
        self.answers.append((200, EVENTS if stream else JSON, [answered(number, output, stream=stream)]))
        async with super().chat(ask) as answer:
            yield answer

    def text(self) -> str:
        """Return what the model reads for the newest request."""
        return json.dumps(self.read)


@dataclass
class Client:
    """A client of one chat, which it keeps itself, or leaves to upstream."""

    backend: ScriptedBackend
    engine: AsyncToldOnce
    stream: bool = False
    more: dict[str, Any] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)

    async def send(self, given: str | list[Item], *, headers: Mapping[str, str] | None = None, **more: Any) -> Call:
        body = {"model": "gpt-5", "input": given, "stream": self.stream, **self.more, **more}
        call = Call(json.dumps(body).encode(), headers or {}, path="/v1/responses")
        proxy = ChatProxy(OPENAI_RESPONSES, self.engine, self.backend, POLICY)
        await asyncio.wait_for(proxy(call.scope(), call.receive(), call.send()), PATIENCE_S)
        assert call.status == 200, call.text
        return call

    async def say(self, text: str | Item, **more: Any) -> Call:
        """Send the history with a message, as a client does that keeps it; the answer becomes part of it."""
        self.items.append({"role": "user", "content": text} if isinstance(text, str) else text)
        call = await self.send(self.items, store=False, include=["reasoning.encrypted_content"], **more)
        read = json.loads(call.text) if not self.stream else last_response(call.text)
        self.items += read["output"]
        return call


def last_response(events: str) -> dict[str, Any]:
    line = [line for line in events.splitlines() if line.startswith("data: ")][-1]
    response: dict[str, Any] = json.loads(line.removeprefix("data: "))["response"]
    return response


async def logged(engine: AsyncToldOnce) -> list[list[LoggedMessage]]:
    """Return the messages of all conversations, oldest first."""
    return [
        list(await engine.conversations.messages(conversation.id, user="ana"))
        for conversation in reversed(await engine.conversations.list(user="ana"))
    ]


def blocks(text: str) -> int:
    return text.count("<toldonce-memory")


def note(call: Call) -> str:
    return call.answer_headers["x-toldonce-memory"]


@pytest.mark.parametrize("stream", [False, True])
async def test_a_chat_that_the_client_keeps_grows_only(engine: AsyncToldOnce, stream: bool) -> None:
    await tell(engine, f"{PEANUTS_AND_OSLO} {EVA}")
    backend = KeepingBackend([])
    client = Client(backend, engine, stream)
    client.items = [{"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be kind."}]}]
    first = await client.say("Which restaurant does my sister run?")
    assert "Eva" in backend.text()
    assert '"memories":[{"id"' in first.text
    before = backend.read
    backend.replies = [[THOUGHT, called(1)], [called(2)], [said("It is fine.")]]
    await client.say("May I eat nuts there?")
    for number in (1, 2):
        assert "recalled=0" in note(await client.say(result(number)))
        assert backend.read[: len(before)] == before
    assert "prefix=kept" in note(await client.say("Thanks!"))
    assert backend.read[: len(before)] == before
    log = (await logged(engine))[-1]
    assert [message.role for message in log] == [
        *("user", "assistant") * 2,
        *("tool", "assistant") * 2,
        "user",
        "assistant",
    ]
    assert [message.text for message in log if message.role == "user"][-1] == "Thanks!"


async def test_a_string_is_the_same_as_a_message(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    backend = KeepingBackend([])
    client = Client(backend, engine)
    await client.send("May I eat peanuts?")
    first = backend.read
    assert [item["role"] for item in first] == ["developer", "user", "developer"]
    client.items = [{"role": "user", "content": "May I eat peanuts?"}, said("Noted.")]
    assert "prefix=kept" in note(await client.say("And almonds?"))
    assert backend.read[: len(first)] == first
    assert len((await logged(engine))[-1]) == 4


@pytest.mark.parametrize("how", ["previous_response_id", "conversation"])
async def test_a_chat_that_upstream_keeps_gets_each_memory_once(engine: AsyncToldOnce, how: str) -> None:
    for told in ("I'm allergic to peanuts.", "I live in Oslo.", EVA):
        await tell(engine, told)
    known = len(await logged(engine))
    backend = KeepingBackend([], kept={"conv_1": []})
    client = Client(backend, engine, more={"conversation": "conv_1"} if how == "conversation" else {})
    counts: list[int] = []
    for number, text in enumerate(
        ("What does Eva do?", "Which restaurant does my sister Eva run?", "My cat is Momo.", "Where does Eva cook?")
    ):
        more: dict[str, Any] = {"previous_response_id": f"resp_{number}"} if number and how != "conversation" else {}
        await client.send([{"role": "user", "content": text}], **more)
        counts.append(backend.text().count("Eva runs a restaurant"))
    # The sentence is in the profile block, and in the quotation of its message.
    assert counts == [counts[0], 2, 2, 2]
    assert backend.text().count("Momo") == 1, "what upstream has is not quoted to it"
    log = (await logged(engine))[known:]
    assert [[message.role for message in chat] for chat in log] == [["user", "assistant"] * 4]

    # What has changed meanwhile is said where it comes up.
    await engine.add("Eva closed the restaurant.", user="ana")
    more = {} if how == "conversation" else {"previous_response_id": "resp_4"}
    await client.send("Is Eva's restaurant open?", **more)
    assert "Eva closed the restaurant" in backend.text()


async def test_a_tool_loop_that_upstream_keeps_is_one_turn(engine: AsyncToldOnce) -> None:
    await tell(engine, f"{PEANUTS_AND_OSLO} {EVA}")
    known = len(await logged(engine))
    backend = KeepingBackend([])
    client = Client(backend, engine)
    backend.replies = [[THOUGHT, called(1)], [called(2)], [said("Lima.")]]
    await client.send("Which restaurant does my sister run?")
    shown = blocks(backend.text())
    for number in (1, 2):
        call = await client.send([result(number)], previous_response_id=f"resp_{number}")
        assert (blocks(backend.text()), "recalled=0" in note(call)) == (shown, True)
    await client.send("Where is it?", previous_response_id="resp_3")
    assert backend.text().count("Eva runs") == 1
    (log,) = (await logged(engine))[known:]
    assert [message.role for message in log] == [
        *("user", "assistant"),
        *("tool", "assistant") * 2,
        "user",
        "assistant",
    ]


async def test_a_branch_goes_on_from_its_own_answer(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    known = len(await logged(engine))
    backend = KeepingBackend([])
    client = Client(backend, engine)
    await client.send("Hello!")
    for text in ("May I eat peanuts?", "Where do I live?"):
        await client.send(text, previous_response_id="resp_1")
    await client.send("And where do I live?", previous_response_id="resp_2")
    assert "Oslo" in backend.text()
    (log,) = (await logged(engine))[known:]
    questions = {message.text: message for message in log if message.role == "user"}
    assert questions["Where do I live?"].parent_seq == questions["May I eat peanuts?"].parent_seq
    assert questions["And where do I live?"].parent_seq == questions["May I eat peanuts?"].seq + 1


async def test_a_request_that_is_sent_again_is_one_turn(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    known = len(await logged(engine))
    backend = KeepingBackend([])
    client = Client(backend, engine)
    await client.send("Hello!")
    for _ in range(2):
        await client.send("May I eat peanuts?", previous_response_id="resp_1")
        assert backend.text().count("allergic to peanuts") == 1
    (log,) = (await logged(engine))[known:]
    assert [message.text for message in log if message.role == "user"] == ["Hello!", "May I eat peanuts?"]


async def test_what_was_erased_is_shown_no_more(engine: AsyncToldOnce) -> None:
    await tell(engine, "I'm allergic to peanuts.")
    backend = KeepingBackend([])
    client = Client(backend, engine)
    assert "allergic" in (await client.send("May I eat peanuts?")).text
    (memory,) = [memory for memory in await engine.list(user="ana") if "peanuts" in memory.text]
    await engine.erase(memory.id, user="ana")
    call = await client.send("And almonds?", previous_response_id="resp_1")
    assert "allergic" not in call.text
    assert "allergic" not in backend.asked[-1].body.decode()


async def test_an_unknown_response_begins_a_conversation(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    known = len(await logged(engine))
    backend = KeepingBackend([], kept={"resp_old": [{"role": "user", "content": "Hi"}, said("Hello.")]})
    await Client(backend, engine).send("May I eat peanuts?", previous_response_id="resp_old")
    assert "allergic to peanuts" in backend.text()
    assert len((await logged(engine))[known:]) == 1


async def test_an_answer_in_the_background_leaves_what_the_user_said(engine: AsyncToldOnce) -> None:
    response = {"id": "resp_1", "object": "response", "status": "queued", "output": []}
    backend = ScriptedBackend([(200, JSON, [json.dumps(response).encode()])])
    await Client(backend, engine).send("I'm allergic to peanuts.", background=True)
    assert [[message.text for message in chat] for chat in await logged(engine)] == [["I'm allergic to peanuts."]]


@pytest.mark.parametrize("headers", [
    {"x-openai-subagent": "compact"},
    {"x-codex-turn-metadata": '{"request_kind": "compaction", "thread_source": "user"}'},
])  # fmt: skip
async def test_codex_own_requests_leave_nothing(engine: AsyncToldOnce, headers: Mapping[str, str]) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    known = len(await logged(engine))
    backend = KeepingBackend([])
    call = await Client(backend, engine).send("May I eat peanuts? I'm allergic to cats.", headers=headers)
    assert (blocks(backend.text()), note(call).startswith("task")) == (0, True)
    assert len(await logged(engine)) == known


@pytest.mark.parametrize("stream", [False, True])
async def test_the_built_in_model_answers_in_the_format(engine: AsyncToldOnce, stream: bool) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    backend = OfflineBackend(engine.clock, engine.counter)
    body = {"model": "m", "input": "Where do I live?", "stream": stream}
    call = Call(json.dumps(body).encode())
    await ChatProxy(OPENAI_RESPONSES, engine, backend, POLICY)(call.scope(), call.receive(), call.send())
    read = last_response(call.text) if stream else json.loads(call.text)
    assert "Oslo" in read["output"][0]["content"][0]["text"]
