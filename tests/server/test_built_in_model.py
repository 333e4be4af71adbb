"""The built-in model behind the proxy: what it promises is so."""

import json

import pytest

from server.asgi import Call, chat
from server.test_chat_completions import SlowStore, logged, serve
from toldonce.engine import AsyncToldOnce
from toldonce.server.backends import OfflineBackend
from toldonce.server.turn_recorder import NOT_RECORDED


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("stream", [False, True])
async def test_the_built_in_model_promises_only_what_is_stored(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch, stream: bool, fails: bool
) -> None:
    store = SlowStore(engine, fails=fails)
    store.may_go.set()
    monkeypatch.setattr(engine.turns, "record", store.record)
    call = Call(chat("I live in Oslo.", stream=stream))
    proxy = await serve(engine, OfflineBackend(engine.clock, engine.counter), call)
    if stream:
        events = [json.loads(line[6:]) for line in call.text.splitlines() if line.startswith("data: {")]
        said = "".join(event["choices"][0]["delta"].get("content", "") for event in events)
    else:
        said = json.loads(call.text)["choices"][0]["message"]["content"]
    assert said.endswith("is not stored: I may not remember it." if fails else "will be remembered.")
    assert call.answer_headers["x-toldonce-memory"].endswith(NOT_RECORDED) is fails
    assert (proxy.counters.recorded, proxy.counters.not_recorded) == ((0, 1) if fails else (1, 0))
    assert [message.text for message in await logged(engine)] == ([] if fails else ["I live in Oslo.", said])
