"""One exchange: what reaches upstream, what reaches the client and when, and what is recorded."""

import asyncio
import json
from dataclasses import replace

import pytest

from patience import PATIENCE_S
from sample_chats import tell
from server.asgi import DONE, EVENTS, JSON, Call, ScriptedBackend, broken, chat, event, whole
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.context_builder import ContextBuilder
from toldonce.errors import StoreUnavailableError
from toldonce.server.backends import Backend
from toldonce.server.chat_completions import ChatProxy
from toldonce.server.turn_recorder import NOT_RECORDED, NOT_RECORDED_IN_TIME
from toldonce.store.sql.log.insertions import InsertionRepository
from toldonce.types import LoggedMessage, RecordedTurn, Turn

POLICY = IdentityPolicy(default_user="ana", trusted=True, jwt_secret=None)


async def serve(engine: AsyncToldOnce, backend: Backend, call: Call, policy: IdentityPolicy = POLICY) -> ChatProxy:
    proxy = ChatProxy(OPENAI_CHAT, engine, backend, policy)
    await asyncio.wait_for(proxy(call.scope(), call.receive(), call.send()), PATIENCE_S)
    await proxy.close()
    return proxy


async def logged(engine: AsyncToldOnce, user: str = "ana") -> list[LoggedMessage]:
    return [
        message
        for conversation in reversed(await engine.conversations.list(user=user))
        for message in await engine.conversations.messages(conversation.id, user=user)
    ]


class Talk:
    """A client that sends what was said so far with each message."""

    def __init__(self, proxy: ChatProxy) -> None:
        self.proxy = proxy
        self.messages: list[dict[str, str]] = []

    async def ask(self, text: str) -> Call:
        self.messages.append({"role": "user", "content": text})
        call = Call(json.dumps({"model": "m", "messages": self.messages}).encode())
        await self.proxy(call.scope(), call.receive(), call.send())
        self.messages.append({"role": "assistant", "content": "No."})
        return call


async def test_an_answer_passes_and_both_messages_are_recorded(engine: AsyncToldOnce) -> None:
    backend = ScriptedBackend([(200, JSON, [whole("Noted.")])])
    call = Call(chat("I like tea."))
    proxy = await serve(engine, backend, call)
    assert (call.status, call.finished) == (200, True)
    assert json.loads(call.text)["memories"] == []
    assert backend.asked[0].body == call.body, "nothing was known, so nothing was added"
    assert [(m.role, m.text, m.complete) for m in await logged(engine)] == [
        ("user", "I like tea.", True),
        ("assistant", "Noted.", True),
    ]
    assert (proxy.counters.recorded, backend.closed) == (1, 1)


async def test_memories_reach_the_next_prompt_and_the_client_sees_no_change(
    engine: AsyncToldOnce,
) -> None:
    await engine.add("Ana is allergic to peanuts.", user="ana")
    backend = ScriptedBackend([(200, JSON, [whole("No peanuts.")])])
    call = Call(chat("May I eat peanuts?", temperature=0.1))
    await serve(engine, backend, call)
    sent = json.loads(backend.asked[0].body)
    assert "Ana is allergic to peanuts." in sent["messages"][0]["content"]
    assert sent["messages"][0]["content"].startswith("May I eat peanuts?\n\n<toldonce-memory")
    assert sent["temperature"] == 0.1
    assert [memory["text"] for memory in json.loads(call.text)["memories"]] == ["Ana is allergic to peanuts."]
    assert call.answer_headers["x-toldonce-memory"] == "on; recalled=1; replayed=0; prefix=new"
    assert call.answer_headers["x-toldonce-subject"] == "user:ana"
    assert (await logged(engine))[0].text == "May I eat peanuts?"


@pytest.mark.parametrize("stream", [False, True])
async def test_with_memory_off_bytes_pass_and_nothing_is_kept(engine: AsyncToldOnce, stream: bool) -> None:
    await engine.add("Ana is allergic to peanuts.", user="ana")
    body = [event("No."), event("", "stop"), DONE] if stream else [whole("No.")]
    backend = ScriptedBackend([(200, EVENTS if stream else JSON, body)])
    call = Call(b' {"messages" : [{"role":"user","content":"Peanuts?"}]}', {"x-toldonce-memory": "off"})
    await serve(engine, backend, call)
    assert backend.asked[0].body == call.body
    assert b"".join(call.chunks) == b"".join(body)
    assert call.answer_headers["x-toldonce-memory"] == "off"
    assert "x-toldonce-subject" not in call.answer_headers
    assert await logged(engine) == []


async def test_reading_only_recalls_and_keeps_nothing(engine: AsyncToldOnce) -> None:
    await engine.add("Ana is allergic to peanuts.", user="ana")
    backend = ScriptedBackend([(200, JSON, [whole("No.")])])
    await serve(engine, backend, Call(chat("Peanuts?"), {"x-toldonce-memory": "read"}))
    assert b"allergic" in backend.asked[0].body
    assert await logged(engine) == []


async def test_done_leaves_only_when_the_turn_can_be_read_back(engine: AsyncToldOnce) -> None:
    seen: list[int] = []
    backend = ScriptedBackend([(200, EVENTS, [event("No."), event("", "stop"), DONE])])
    call = Call(chat("Peanuts?", stream=True))
    send = call.send()

    async def watching(message: object) -> None:
        assert isinstance(message, dict)
        if b"[DONE]" in message.get("body", b""):
            seen.append(len(await logged(engine)))
        await send(message)

    proxy = ChatProxy(OPENAI_CHAT, engine, backend, POLICY)
    await proxy(call.scope(), call.receive(), watching)
    assert seen == [2]
    assert call.text.endswith("data: [DONE]\n\n")


class SlowStore:
    """Records when a test lets it."""

    def __init__(self, engine: AsyncToldOnce, *, fails: bool = False) -> None:
        self.may_go = asyncio.Event()
        self._record = engine.turns.record
        self._fails = fails

    async def record(self, turn: Turn) -> RecordedTurn:
        await self.may_go.wait()
        if self._fails:
            raise StoreUnavailableError("the disk is asleep")
        return await self._record(turn)


@pytest.mark.parametrize("stream", [True, False])
async def test_a_slow_commit_is_reported_and_does_not_hold_the_answer(
    parts: Components, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    engine = AsyncToldOnce(replace(parts, settings=parts.settings.model_copy(update={"commit_timeout_s": 0.01})))
    slow = SlowStore(engine)
    monkeypatch.setattr(engine.turns, "record", slow.record)
    answer = [event("No."), event("", "stop"), DONE] if stream else [whole("No.")]
    call = Call(chat("Peanuts?", stream=stream))
    proxy = ChatProxy(OPENAI_CHAT, engine, ScriptedBackend([(200, EVENTS if stream else JSON, answer)]), POLICY)
    await asyncio.wait_for(proxy(call.scope(), call.receive(), call.send()), PATIENCE_S)
    if stream:
        assert call.text.endswith(f": toldonce: {NOT_RECORDED_IN_TIME}\n\ndata: [DONE]\n\n")
    else:
        assert call.answer_headers["x-toldonce-memory"].endswith("; not recorded in time")
    assert proxy.counters.not_recorded == 1
    slow.may_go.set()
    await proxy.close()
    assert len(await logged(engine)) == 2, "late is better than never"
    await engine.close()


async def test_a_failing_commit_is_reported_and_the_chat_goes_on(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = SlowStore(engine, fails=True)
    failing.may_go.set()
    monkeypatch.setattr(engine.turns, "record", failing.record)
    call = Call(chat("Peanuts?", stream=True))
    proxy = await serve(engine, ScriptedBackend([(200, EVENTS, [event("No.", "stop"), DONE])]), call)
    assert f": toldonce: {NOT_RECORDED}\n\n" in call.text
    assert call.finished
    assert (proxy.counters.not_recorded, proxy.counters.memory_failed) == (1, 1)


async def test_failing_recall_leaves_the_chat_as_it_is(engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise StoreUnavailableError("the disk is asleep")

    monkeypatch.setattr(engine.turns, "prepare", fails)
    backend = ScriptedBackend([(200, JSON, [whole("No.")])])
    call = Call(chat("Peanuts?"))
    proxy = await serve(engine, backend, call)
    assert (call.status, backend.asked[0].body) == (200, call.body)
    assert call.answer_headers["x-toldonce-memory"] == "skipped; prefix=lost"
    assert proxy.counters.memory_failed == 1
    assert len(await logged(engine)) == 2


@pytest.mark.parametrize(("fault", "timeout_s"), [("fails", 60.0), ("is late", 2.0)])
async def test_what_earlier_prompts_had_does_not_depend_on_recall(
    parts: Components, monkeypatch: pytest.MonkeyPatch, fault: str, timeout_s: float
) -> None:
    engine = AsyncToldOnce(replace(parts, settings=parts.settings.model_copy(update={"recall_timeout_s": timeout_s})))
    await engine.add("Ana is allergic to peanuts.", user="ana")
    backend = ScriptedBackend([(200, JSON, [whole("No.")])] * 3)
    proxy = ChatProxy(OPENAI_CHAT, engine, backend, POLICY)
    talk = Talk(proxy)

    async def write(*_: object) -> None:
        if fault == "fails":
            raise StoreUnavailableError("the database does not answer")
        await asyncio.sleep(60)

    await talk.ask("May I eat peanuts?")
    with monkeypatch.context() as patched:
        patched.setattr(ContextBuilder, "write", write)
        failed = await talk.ask("Sure?")
    reason = "recall failed" if fault == "fails" else "recall was late"
    assert failed.answer_headers["x-toldonce-memory"] == f"on; recalled=0; replayed=1; prefix=kept; {reason}"
    assert b"Ana is allergic" in backend.asked[-1].body
    assert proxy.counters.memory_failed == 1
    later = await talk.ask("Really?")
    assert later.answer_headers["x-toldonce-memory"] == "on; recalled=0; replayed=1; prefix=kept"


async def test_a_store_that_does_not_answer_in_time_costs_one_prompt(
    parts: Components, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = AsyncToldOnce(replace(parts, settings=parts.settings.model_copy(update={"recall_timeout_s": 2.0})))
    await engine.add("Ana is allergic to peanuts.", user="ana")
    talk = Talk(ChatProxy(OPENAI_CHAT, engine, backend := ScriptedBackend([(200, JSON, [whole("No.")])] * 4), POLICY))

    async def hangs(*_: object) -> None:
        await asyncio.sleep(60)

    await talk.ask("May I eat peanuts?")
    with monkeypatch.context() as patched:
        patched.setattr(InsertionRepository, "find", hangs)
        plain = await talk.ask("Sure?")
    assert plain.answer_headers["x-toldonce-memory"] == "skipped; prefix=lost"
    assert backend.asked[-1].body == plain.body
    for text in ("Really?", "Thanks!"):
        later = await talk.ask(text)
        assert later.answer_headers["x-toldonce-memory"] == "on; recalled=0; replayed=1; prefix=kept"
    assert b"Ana is allergic" in backend.asked[-1].body


async def test_a_conversation_goes_on_from_the_request_that_upstream_accepted(engine: AsyncToldOnce) -> None:
    await tell(engine, "I live in Oslo. I'm allergic to peanuts.")
    answers = [200, 400, 200, 200, 200]
    backend = ScriptedBackend([(status, JSON, [whole("No.") if status == 200 else b"{}"]) for status in answers])
    talk = Talk(ChatProxy(OPENAI_CHAT, engine, backend, POLICY))
    await talk.ask("May I eat peanuts?")
    refused = await talk.ask("Sure?")
    assert refused.answer_headers["x-toldonce-memory"] == "refused by upstream"
    await talk.ask("Where do I live?")
    await talk.ask("Thanks!")
    _, _, accepted, third, fourth = [json.loads(asked.body)["messages"] for asked in backend.asked]
    assert third[:3] == accepted, "upstream has cached these"
    assert "Oslo" in third[4]["content"]
    assert fourth[:5] == third


async def test_a_refused_altered_request_is_resent_unaltered_and_remembered(engine: AsyncToldOnce) -> None:
    await engine.add("Ana is allergic to peanuts.", user="ana")
    backend = ScriptedBackend([(400, JSON, [b"{}"]), (200, JSON, [whole("No.")]), (200, JSON, [whole("No!")])])
    proxy = ChatProxy(OPENAI_CHAT, engine, backend, POLICY)
    first, second = Call(chat("Peanuts?")), Call(chat("Peanuts again?"))
    for call in (first, second):
        await proxy(call.scope(), call.receive(), call.send())
    assert backend.asked[0].body != first.body
    assert backend.asked[1].body == first.body
    assert json.loads(first.text)["memories"] == [], "nothing was used, so nothing is claimed"
    assert json.loads(backend.asked[2].body)["messages"][0]["role"] == "user", "memory stands in the user's message now"
    assert b"allergic" in backend.asked[2].body


async def test_an_upstream_error_passes_and_records_nothing(engine: AsyncToldOnce) -> None:
    backend = ScriptedBackend([(429, (*JSON, (b"retry-after", b"7")), [b'{"error":{}}'])])
    call = Call(chat("Peanuts?"))
    await serve(engine, backend, call)
    assert (call.status, call.text, call.answer_headers["retry-after"]) == (429, '{"error":{}}', "7")
    assert await logged(engine) == []


async def test_a_broken_stream_ends_as_broken_and_is_kept_as_incomplete(engine: AsyncToldOnce) -> None:
    call = Call(chat("Peanuts?", stream=True))
    await serve(engine, ScriptedBackend([(200, EVENTS, [event("No pea"), broken()])]), call)
    assert "[DONE]" not in call.text
    assert not call.finished
    assert [(m.text, m.complete) for m in await logged(engine)] == [("Peanuts?", True), ("No pea", False)]


async def test_an_error_in_the_stream_records_nothing(engine: AsyncToldOnce) -> None:
    error = b'data: {"error":{"message":"overloaded"}}\n\n'
    call = Call(chat("Peanuts?", stream=True), {"x-toldonce-show": "off"})
    await serve(engine, ScriptedBackend([(200, EVENTS, [event("No pea"), error, DONE])]), call)
    assert call.text == (event("No pea") + error + DONE).decode()
    assert await logged(engine) == []


async def test_a_disconnect_closes_upstream_and_keeps_the_partial_answer(engine: AsyncToldOnce) -> None:
    never = asyncio.Event()
    backend = ScriptedBackend([(200, EVENTS, [event("No pea"), never])])
    call = Call(chat("Peanuts?", stream=True))
    proxy = ChatProxy(OPENAI_CHAT, engine, backend, POLICY)
    serving = asyncio.create_task(proxy(call.scope(), call.receive(), call.send()))
    await asyncio.wait_for(call.first_chunk.wait(), PATIENCE_S)
    call.gone.set()
    await asyncio.wait_for(serving, PATIENCE_S)
    await proxy.close()
    assert (backend.closed, proxy.counters.client_left) == (1, 1)
    assert [(m.text, m.complete) for m in await logged(engine)] == [("Peanuts?", True), ("No pea", False)]


async def test_anonymous_requests_are_answered_and_leave_nothing(engine: AsyncToldOnce) -> None:
    stranger = IdentityPolicy(default_user="ana", trusted=False, jwt_secret=None)
    await engine.add("Ana is allergic to peanuts.", user="ana")
    backend = ScriptedBackend([(200, JSON, [whole("No.")])])
    call = Call(chat("Peanuts?"), {"x-toldonce-user": "ana"})
    await serve(engine, backend, call, stranger)
    assert backend.asked[0].body == call.body
    assert call.answer_headers["x-toldonce-memory"] == "anonymous"
    assert await logged(engine) == []


async def test_background_tasks_of_open_webui_are_left_alone(engine: AsyncToldOnce) -> None:
    await engine.add("Ana is allergic to peanuts.", user="ana")
    backend = ScriptedBackend([(200, JSON, [whole("Peanuts")])])
    call = Call(chat("### Task:\nMake a title.\n<chat_history>peanuts</chat_history>"))
    proxy = await serve(engine, backend, call)
    assert backend.asked[0].body == call.body
    assert proxy.counters.background_tasks == 1
    assert await logged(engine) == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"messages":[]}', b"\xff", b'{"messages":7}'])
async def test_what_cannot_be_read_passes_untouched_or_is_refused_in_openais_shape(
    engine: AsyncToldOnce, body: bytes
) -> None:
    backend = ScriptedBackend([(422, JSON, [b'{"error":"upstream says so"}'])])
    call = Call(body)
    await serve(engine, backend, call)
    assert backend.asked[0].body == body
    assert (call.status, call.text) == (422, '{"error":"upstream says so"}')
    call = Call(body)
    await serve(engine, ScriptedBackend([], needs_valid_requests=True), call)
    assert call.status == 400
    assert json.loads(call.text)["error"]["type"] == "invalid_request_error"


async def test_an_unknown_profile_and_a_wrong_header_are_refused_by_name(engine: AsyncToldOnce) -> None:
    for headers, said in (({"x-toldonce-profile": "nope"}, "nope"), ({"x-toldonce-memory": "maybe"}, "maybe")):
        call = Call(chat("Hi"), headers)
        await serve(engine, ScriptedBackend([]), call)
        assert 400 <= call.status < 500
        assert said in json.loads(call.text)["error"]["message"]


async def test_a_body_too_large_is_refused_before_it_is_read(parts: Components) -> None:
    engine = AsyncToldOnce(replace(parts, settings=parts.settings.model_copy(update={"max_body_bytes": 1024})))
    call = Call(chat("x" * 2000))
    await serve(engine, ScriptedBackend([]), call)
    assert call.status == 413
    assert "TOLDONCE_MAX_BODY_BYTES" in call.text
    await engine.close()


async def test_the_list_of_memories_can_be_turned_off(engine: AsyncToldOnce) -> None:
    call = Call(chat("Hi there"), {"x-toldonce-show": "off"})
    await serve(engine, ScriptedBackend([(200, JSON, [whole("Hello.")])]), call)
    assert call.text == whole("Hello.").decode()


async def test_an_answer_compressed_against_our_wish_passes_unrecorded(
    engine: AsyncToldOnce,
) -> None:
    backend = ScriptedBackend([(200, (*JSON, (b"content-encoding", b"gzip")), [b"\x1f\x8b"])])
    call = Call(chat("I like tea."))
    proxy = await serve(engine, backend, call)
    assert call.chunks == [b"\x1f\x8b"]
    assert call.answer_headers["x-toldonce-memory"] == "on; recalled=0; replayed=0; prefix=new; not recorded"
    assert proxy.counters.not_recorded == 1


async def test_an_answer_whose_encoding_is_identity_is_read(engine: AsyncToldOnce) -> None:
    backend = ScriptedBackend([(200, (*JSON, (b"content-encoding", b"identity")), [whole("Noted.")])])
    await serve(engine, backend, Call(chat("I like tea.")))
    assert [message.text for message in await logged(engine)] == ["I like tea.", "Noted."]


async def test_a_stream_under_another_name_passes_chunk_by_chunk_and_is_recorded(engine: AsyncToldOnce) -> None:
    backend = ScriptedBackend([(200, ((b"content-type", b"text/plain"),), [event("No"), event("ted."), DONE])])
    call = Call(chat("I like tea.", stream=True))
    await serve(engine, backend, call)
    assert len(call.chunks) > 1
    assert [message.text for message in await logged(engine)] == ["I like tea.", "Noted."]
