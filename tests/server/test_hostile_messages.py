"""Messages made to be expensive: their turn and formation end soon, and the next message forms normally."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time

import pytest

from cpu_limit import cpu_limit
from hostile_text import long_run
from patience import PATIENCE_S
from server.asgi import JSON, Call, ScriptedBackend, chat, whole
from soak import SOAK, sampled
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce
from toldonce.server.chat_completions import ChatProxy

POLICY = IdentityPolicy(default_user="ana", trusted=True, jwt_secret=None)
# CPU seconds of a turn and its formation. What is linear takes one or two; the square of the length takes minutes.
MAX_CPU_S = 40.0 if SOAK else 10.0

MESSAGES = {
    "blanks": ("I live in", " ", "Oslo."),
    "material": ("I moved to Oslo in May. Please correct this text:", "x", ""),
    "question": ("Where do I live", " ", "now?"),
    "quotes": ("I live in ", '"a', "Oslo."),
    "list": ("My list:\n", "\n- ", "I live in Oslo."),
    "laughs": ("", "haha", " I live in Oslo"),
    "thanks": ("", "thank you ", "zebra"),
    "openers": ("", "so and but ", "imagine I live in Oslo"),
    "likes": ("", "i like it and ", "i moved"),
    "forget": ("please ", "forget what I told you about ", "Tom,"),
}


@contextmanager
def within_cpu() -> Iterator[None]:
    """Stop what takes too long, and say so even where the stop was taken for a failure of one step."""
    began = process_time()
    with cpu_limit(MAX_CPU_S):
        yield
    assert process_time() - began < MAX_CPU_S


async def turn(engine: AsyncToldOnce, text: str) -> int:
    call = Call(chat(text))
    proxy = ChatProxy(OPENAI_CHAT, engine, ScriptedBackend([(200, JSON, [whole("Noted.")])]), POLICY)
    await asyncio.wait_for(proxy(call.scope(), call.receive(), call.send()), PATIENCE_S)
    await proxy.close()
    return call.status


@pytest.mark.soak
@pytest.mark.parametrize("length", [100_000, 10_000] if SOAK else [10_000])
@pytest.mark.parametrize("name", sampled(MESSAGES, 3))
async def test_a_hostile_message_ends_and_the_next_one_forms(engine: AsyncToldOnce, name: str, length: int) -> None:
    head, unit, tail = MESSAGES[name]

    with within_cpu():
        assert await turn(engine, long_run(unit, length, head=head, tail=tail)) == 200
        await engine.form()
        assert await turn(engine, "I'm allergic to peanuts.") == 200
        await engine.form()

    assert any("allergic to peanuts" in memory.text for memory in await engine.list(user="ana"))


@pytest.mark.soak
@pytest.mark.parametrize("blanks", sampled([40_000, 1_600, 3_200], 3))
async def test_blanks_within_a_sentence_change_nothing(engine: AsyncToldOnce, blanks: int) -> None:
    with within_cpu():
        await turn(engine, "I live in" + " " * blanks + "Oslo.")
        await engine.form()

    assert any("I live in Oslo" in memory.text for memory in await engine.list(user="ana"))
