"""Ollama's own API through the server: chats with memory, and what passes beside them."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from append_only import Message, tool_call, tool_result
from patience import PATIENCE_S
from sample_chats import PEANUTS_AND_OSLO, tell
from server.asgi import JSON, Call, ScriptedBackend
from toldonce.chat.formats.ollama_chat import OLLAMA_CHAT, OTHER_ROUTES
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce, Components
from toldonce.server.app import build_app
from toldonce.server.asgi import Headers, Send
from toldonce.server.backends import BackendRequest, OfflineBackend
from toldonce.server.chat_completions import ChatProxy
from toldonce.server.http_upstream import HttpUpstream
from toldonce.server.turn_recorder import NOT_RECORDED, TurnRecorder
from toldonce.server.upstream import BackendResponse
from toldonce.settings import Settings
from toldonce.types import LoggedMessage

POLICY = IdentityPolicy(default_user="ana", trusted=True, jwt_secret=None)
LINES: Headers = ((b"content-type", b"application/x-ndjson"),)


def answered(message: Message, *, stream: bool) -> list[bytes]:
    """Write an answer: whole, or its words line by line and the end."""
    end = {"model": "m", "done": True, "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 2}
    if not stream:
        return [json.dumps({**end, "message": message}).encode()]
    words = [json.dumps({"model": "m", "message": message, "done": False}).encode() + b"\n"]
    return [*words, json.dumps({**end, "message": {"role": "assistant", "content": ""}}).encode() + b"\n"]


@dataclass
class OllamaBackend(ScriptedBackend):
    """An Ollama that remembers the prompts it got, and answers what it is told to."""

    replies: list[Message] = field(default_factory=list)
    """The next answers; without any, one word."""

    @asynccontextmanager
    async def chat(self, ask: BackendRequest) -> AsyncIterator[BackendResponse]:
        stream = json.loads(ask.body).get("stream") is not False
        message = self.replies.pop(0) if self.replies else {"role": "assistant", "content": "Noted."}
        self.answers.append((200, LINES if stream else JSON, answered(message, stream=stream)))
        async with super().chat(ask) as answer:
            yield answer

    def sent(self, place: int = -1) -> str:
        """Return a request's messages as they were written, the newest one's without a place."""
        return self.asked[place].body.decode().partition('"messages": ')[2].removesuffix("]}")


@dataclass
class Client:
    """A client that sends its history: Home Assistant, Continue, Open WebUI."""

    backend: ScriptedBackend
    engine: AsyncToldOnce
    stream: bool = True
    messages: list[Message] = field(default_factory=list)
    proxy: ChatProxy = field(init=False)

    def __post_init__(self) -> None:
        self.proxy = ChatProxy(OLLAMA_CHAT, self.engine, self.backend, POLICY)

    def call(self, *messages: Message, **headers: str) -> Call:
        self.messages += messages
        more = {} if self.stream else {"stream": False}
        body = {"model": "m", "options": {"num_ctx": 8192}, **more, "messages": self.messages}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Call(json.dumps(body).encode(), named, path="/api/chat")

    async def send(self, *messages: Message, **headers: str) -> Call:
        """Send the history with further messages, which become part of it, as does the answer."""
        call = self.call(*messages, **headers)
        await self.serve(call)
        if call.status == 200:
            told = [json.loads(line)["message"] for line in call.text.splitlines()]
            self.messages.append(told[0])
        return call

    async def serve(self, call: Call, send: Send | None = None) -> None:
        await asyncio.wait_for(self.proxy(call.scope(), call.receive(), send or call.send()), PATIENCE_S)

    async def say(self, text: str, **headers: str) -> Call:
        return await self.send({"role": "user", "content": text}, **headers)


async def logged(engine: AsyncToldOnce) -> list[LoggedMessage]:
    return [
        message
        for conversation in reversed(await engine.conversations.list(user="ana"))
        for message in await engine.conversations.messages(conversation.id, user="ana")
    ]


def note(call: Call) -> str:
    return call.answer_headers["x-toldonce-memory"]


# ---- chats


@pytest.mark.parametrize("stream", [False, True])
async def test_every_prompt_begins_with_the_one_before(engine: AsyncToldOnce, stream: bool) -> None:
    await tell(engine, f"{PEANUTS_AND_OSLO} My sister Eva runs a restaurant in Lima.")
    known = len(await logged(engine))
    backend = OllamaBackend([])
    client = Client(backend, engine, stream, [{"role": "system", "content": "Be kind."}])
    first = await client.say("Which restaurant does my sister run?")
    assert "Eva" in backend.sent()
    assert first.text.startswith('{"memories":[{"id"')
    backend.replies = [tool_call(number, OLLAMA_CHAT) for number in range(3)]
    notes = [note(await client.say("May I eat nuts there?"))]
    notes += [note(await client.send(tool_result(number, OLLAMA_CHAT))) for number in range(3)]
    notes += [note(await client.say("Thanks!"))]
    assert all("prefix=kept" in each for each in notes)
    assert all("recalled=0" in each for each in notes[1:4]), "a loop of tools is one turn"
    for place in range(5):
        assert backend.sent(place + 1).startswith(backend.sent(place))
    log = (await logged(engine))[known:]
    assert [message.role for message in log] == ["user", "assistant"] * 2 + ["tool", "assistant"] * 3 + [
        *("user", "assistant")
    ]
    assert backend.asked[0].path == "/api/chat"


async def test_a_chat_that_begins_with_a_call_without_an_id_goes_on(engine: AsyncToldOnce) -> None:
    client = Client(OllamaBackend([], replies=[tool_call(1, OLLAMA_CHAT)]), engine)
    await client.say("Is the light on?")
    await client.send(tool_result(1, OLLAMA_CHAT))
    assert [message.role for message in await logged(engine)] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.parametrize("stream", [False, True])
async def test_a_turn_is_recorded_before_its_last_line_is_passed_on(engine: AsyncToldOnce, stream: bool) -> None:
    client = Client(OllamaBackend([]), engine, stream)
    call = client.call({"role": "user", "content": "I like tea."})
    send, known = call.send(), []

    async def sent(event: Any) -> None:
        if b'"done": true' in event.get("body", b""):
            known.extend([message.text for message in await logged(engine)])
        await send(event)

    await client.serve(call, sent)
    assert known == ["I like tea.", "Noted."]


async def test_a_turn_that_could_not_be_recorded_is_told_in_the_last_line(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(recorder: TurnRecorder, turn: object) -> str:
        return NOT_RECORDED

    monkeypatch.setattr(TurnRecorder, "record_before_done", fails)
    call = await Client(OllamaBackend([]), engine).say("I like tea.")
    *words, last = [json.loads(line) for line in call.text.splitlines()]
    assert (last["toldonce"], last["done"]) == (NOT_RECORDED, True)
    assert not any("toldonce" in line for line in words)


@pytest.mark.parametrize("stream", [False, True])
async def test_what_was_said_is_kept_when_the_client_leaves(engine: AsyncToldOnce, stream: bool) -> None:
    arrived = answered({"role": "assistant", "content": "Noted so far"}, stream=True)[:1] if stream else []
    asked = asyncio.Event()

    class Silent(ScriptedBackend):
        @asynccontextmanager
        async def chat(self, ask: BackendRequest) -> AsyncIterator[BackendResponse]:
            asked.set()
            async with super().chat(ask) as answer:
                yield answer

    backend = Silent([(200, LINES if stream else JSON, [*arrived, asyncio.Event()])])
    client = Client(backend, engine, stream)
    call = client.call({"role": "user", "content": "I like tea."})
    serving = asyncio.create_task(client.serve(call))
    await asyncio.wait_for((call.first_chunk if stream else asked).wait(), PATIENCE_S)
    call.gone.set()
    await serving
    await client.proxy.close()
    log = [(message.text, message.complete) for message in await logged(engine)]
    assert log == [("I like tea.", True), *([("Noted so far", False)] if stream else [])]


async def test_errors_pass_as_they_came_and_leave_nothing(engine: AsyncToldOnce) -> None:
    said, failed = answered({"role": "assistant", "content": "No"}, stream=True)[0], b'{"error":"out of memory"}\n'
    missing = b'{"error":"model \'m\' not found"}'
    backend = ScriptedBackend([(404, JSON, [missing]), (200, LINES, [said, failed])])
    client = Client(backend, engine)
    call = await client.say("I like tea.", x_toldonce_show="off")
    assert (call.status, call.text) == (404, missing.decode())
    call = client.call(x_toldonce_show="off")
    await client.serve(call)
    assert call.text == (said + failed).decode()
    assert await logged(engine) == []


async def test_what_we_refuse_has_the_shape_of_the_route(engine: AsyncToldOnce) -> None:
    call = await Client(ScriptedBackend([]), engine).say("Hi", x_toldonce_memory="maybe")
    assert (call.status, list(json.loads(call.text))) == (400, ["error"])
    assert "maybe" in json.loads(call.text)["error"]


@pytest.mark.parametrize("body", [b'{"model":"m"}', b'{"model":"m","messages":[],"keep_alive":0}'])
async def test_a_request_that_loads_a_model_passes_as_it_is(engine: AsyncToldOnce, body: bytes) -> None:
    loaded = b'{"model":"m","message":{"role":"assistant","content":""},"done_reason":"load","done":true}'
    backend = ScriptedBackend([(200, JSON, [loaded])])
    call = Call(body, path="/api/chat")
    await Client(backend, engine).serve(call)
    assert (backend.asked[0].body, call.text) == (body, loaded.decode())
    assert note(call) == "skipped"


@pytest.mark.parametrize("stream", [False, True])
async def test_the_built_in_model_answers_in_the_format(engine: AsyncToldOnce, stream: bool) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    client = Client(OllamaBackend([]), engine, stream)
    client.proxy = ChatProxy(OLLAMA_CHAT, engine, OfflineBackend(engine.clock, engine.counter), POLICY)
    call = await client.say("Where do I live?")
    assert "Oslo" in client.messages[-1]["content"]
    kind = "application/x-ndjson" if stream else "application/json"
    assert call.answer_headers["content-type"] == kind


# ---- routes


@dataclass
class Seen:
    """What reached upstream."""

    requests: list[tuple[str, str, Mapping[str, str]]] = field(default_factory=list)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    seen = Seen()

    class Recorder(HttpUpstream):
        """An upstream that is not there: it notes what arrives, and answers."""

        @asynccontextmanager
        async def send(self, method: str, path: str, headers: Headers, body: bytes) -> AsyncIterator[BackendResponse]:
            named = {name.decode().lower(): value.decode() for name, value in headers}
            seen.requests.append((method, path, named))
            backend = ScriptedBackend([])
            async with backend.forward(method, path, headers, body, carries_key=False) as answer:
                yield answer

    monkeypatch.setattr("toldonce.server.http_upstream.HttpUpstream", Recorder)
    return seen


async def asked(parts: Components, method: str, path: str, body: bytes = b"", **settings: Any) -> Call:
    at = {"upstream_url": "http://127.0.0.1:11434", "database_url": parts.settings.database_url}
    engine = AsyncToldOnce(replace(parts, settings=Settings(**(at | settings))))
    call = Call(body, {"host": "127.0.0.1:8765", "content-type": "application/json"}, path=path)
    await build_app(engine)({**call.scope(), "method": method}, call.receive(), call.send())
    return call


async def test_the_rest_of_ollamas_api_passes_with_our_key(parts: Components, seen: Seen) -> None:
    for route in OTHER_ROUTES:
        method, path = route.split(" ")
        for user in ("", "/u/ana"):
            assert (await asked(parts, method, user + path, upstream_key="sk-ours")).status == 200
    assert [f"{method} {path}" for method, path, _ in seen.requests] == [
        route for route in OTHER_ROUTES for _ in range(2)
    ]
    assert {headers["authorization"] for _, _, headers in seen.requests} == {"Bearer sk-ours"}


async def test_prompts_without_a_chat_say_that_they_have_no_memory(parts: Components, seen: Seen) -> None:
    assert note(await asked(parts, "POST", "/api/generate", b'{"model":"m","prompt":"Hi"}')) == "not on this route"
    assert "x-toldonce-memory" not in (await asked(parts, "POST", "/api/embed", b"{}")).answer_headers


@pytest.mark.parametrize(("method", "path"), [("DELETE", "/api/delete"), ("POST", "/api/pull"), ("POST", "/api/tags")])
async def test_nothing_else_below_api_reaches_upstream(parts: Components, seen: Seen, method: str, path: str) -> None:
    call = await asked(parts, method, path, b"{}")
    assert (call.status, seen.requests) == (405 if path == "/api/tags" else 404, [])
    assert isinstance(json.loads(call.text)["error"], str) is (path == "/api/tags")


async def test_the_user_of_a_chat_may_be_named_in_the_path(parts: Components, seen: Seen) -> None:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi"}]}).encode()
    for path, user in (("/u/bob/api/chat", "on; recalled=0"), ("/api/chat/", "anonymous")):
        assert note(await asked(parts, "POST", path, body, default_user="")).startswith(user)
    assert [path for _, path, _ in seen.requests] == ["/api/chat"] * 2


async def test_the_built_in_model_is_listed(parts: Components) -> None:
    call = await asked(parts, "GET", "/api/tags", upstream_url=None)
    assert [model["model"] for model in json.loads(call.text)["models"]] == ["toldonce/offline"]
    call = await asked(parts, "POST", "/api/show", b"{}", upstream_url=None)
    assert call.status == 404
    assert "TOLDONCE_UPSTREAM_URL" in json.loads(call.text)["error"]
