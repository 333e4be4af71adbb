"""A request with more messages or values than memory reads still reaches upstream."""

import asyncio
import json

import pytest

from patience import PATIENCE_S
from recollect.chat.chat_request import MAX_MESSAGES
from recollect.chat.identity import IdentityPolicy
from recollect.engine import AsyncRecollect
from recollect.server.chat_completions import ChatProxy
from server.asgi import JSON, Call, ScriptedBackend, whole


@pytest.mark.parametrize("what", ["messages", "metadata"])
async def test_too_much_to_read_passes_without_memory(engine: AsyncRecollect, what: str) -> None:
    policy = IdentityPolicy(default_user="ana", trusted=True, jwt_secret=None)
    backend = ScriptedBackend([(200, JSON, [whole("Noted.")])])
    messages = [{"role": "user", "content": "hi"}]
    more = messages * (MAX_MESSAGES + 1) if what == "messages" else [{}] * engine.settings.max_json_values
    call = Call(json.dumps({"model": "m", "messages": messages, what: more}).encode())
    proxy = ChatProxy(engine, backend, policy)
    await asyncio.wait_for(proxy(call.scope(), call.receive(), call.send()), PATIENCE_S)
    await proxy.close()
    assert (call.status, backend.asked[0].body) == (200, call.body)
    assert call.answer_headers["x-recollect-memory"] == "skipped"
    assert await engine.conversations.list(user="ana") == []
