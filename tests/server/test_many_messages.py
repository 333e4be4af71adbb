"""A request with more messages or values than memory reads still reaches upstream."""

import asyncio
import json

import pytest

from patience import PATIENCE_S
from server.asgi import JSON, Call, ScriptedBackend, whole
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.formats.request_reader import MAX_MESSAGES
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce
from toldonce.server.chat_completions import ChatProxy


@pytest.mark.parametrize("what", ["messages", "metadata"])
async def test_too_much_to_read_passes_without_memory(engine: AsyncToldOnce, what: str) -> None:
    policy = IdentityPolicy(default_user="ana", trusted=True, jwt_secret=None)
    backend = ScriptedBackend([(200, JSON, [whole("Noted.")])])
    messages = [{"role": "user", "content": "hi"}]
    more = messages * (MAX_MESSAGES + 1) if what == "messages" else [{}] * engine.settings.max_json_values
    call = Call(json.dumps({"model": "m", "messages": messages, what: more}).encode())
    proxy = ChatProxy(OPENAI_CHAT, engine, backend, policy)
    await asyncio.wait_for(proxy(call.scope(), call.receive(), call.send()), PATIENCE_S)
    await proxy.close()
    assert (call.status, backend.asked[0].body) == (200, call.body)
    assert call.answer_headers["x-toldonce-memory"] == "skipped"
    assert await engine.conversations.list(user="ana") == []
