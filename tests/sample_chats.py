"""What tests of the engine say and ask: messages, requests, what is remembered, and what a model answers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toldonce.chat.formats.base import ChatRequest
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.engine import AsyncToldOnce, Components
from toldonce.providers.model_factory import OpenedModel
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Identity, Memory, MemoryKind, MemoryState, Subject

PEANUTS_AND_OSLO = "I'm allergic to peanuts and I moved from Rome to Oslo in May."
RESTAURANT = "What should I avoid at a restaurant?"
ALL_KINDS = tuple(MemoryKind)


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def request(*messages: Mapping[str, Any], **more: object) -> ChatRequest:
    """Write and read a chat request."""
    return OPENAI_CHAT.read(json.dumps({"model": "m", "messages": list(messages), **more}).encode())


def asks(who: str, **more: Any) -> Identity:
    """Say who asks."""
    return Identity(subject=Subject("user", who), **more)


async def tell(engine: AsyncToldOnce, *messages: Mapping[str, Any] | str, who: str = "ana") -> None:
    """Record messages (a text is the user's) and form memories of them."""
    said = [user(memory) if isinstance(memory, str) else memory for memory in messages]
    await engine.record(said, user=who)
    await engine.form()


async def park(engine: AsyncToldOnce, parts: Components, clock: FakeClock, names: Sequence[str]) -> None:
    """Let forming the memories of users fail until it is parked."""
    failing = with_model(parts, ScriptedModel([]))
    for name in names:
        await engine.record([user("I like geese.")], user=name)
    for _ in range(12):
        await failing.form()
        clock.advance(hours=3)
    assert (await engine.admin.totals()).formations_parked == len(names)


async def written(engine: AsyncToldOnce) -> None:
    """Wait until what is noted behind the answers can be read: whoever asks for a budget is told behind it."""
    await engine.turns.close()
    await engine.admin.energy(user="nobody")


async def slots(engine: AsyncToldOnce, who: str = "ana") -> dict[str, str]:
    """Return the active facts: key to value."""
    return {fact.key: fact.value for fact in await engine.list(user=who, kinds=(MemoryKind.FACT,))}


async def fact(engine: AsyncToldOnce, value: str, who: str = "ana") -> Memory:
    """Return the one fact with that value, closed or not."""
    facts = await engine.list(user=who, kinds=(MemoryKind.FACT,), closed=True)
    [found] = [memory for memory in facts if memory.value == value]
    return found


async def texts(engine: AsyncToldOnce, who: str = "ana", kinds: Sequence[MemoryKind] = ALL_KINDS) -> set[str]:
    """Return the words of all active memories."""
    listed = await engine.list(user=who, kinds=kinds)
    return {memory.text for memory in listed if memory.state is MemoryState.ACTIVE}


def with_model(parts: Components, model: OpenedModel) -> AsyncToldOnce:
    """Open another engine over the same store that forms by a model; the store is the first one's to close."""
    return AsyncToldOnce(replace(parts, model=model))


def answer(*items: Mapping[str, object]) -> dict[str, object]:
    """Write a model's answer."""
    return {"memories": list(items)}


def note(text: str, quote: str, **more: object) -> dict[str, object]:
    """Write one note of a model's answer."""
    shape: dict[str, object] = {
        "kind": "note",
        "text": text,
        "category": "",
        "key": "",
        "value": "",
        "type": "fact",
        "importance": 0.8,
        "confidence": 0.9,
        "message": 1,
        "quote": quote,
        "updates": None,
        "ended": False,
        "valid_from": None,
    }
    return shape | more


def slot(name: str, value: str, quote: str, **more: object) -> dict[str, object]:
    """Write one fact of a model's answer; `name` is its category and key: `identity/location`."""
    category, _, key = name.partition("/")
    stated: dict[str, object] = {"kind": "fact", "category": category, "key": key, "value": value}
    return note(f"The user's {key} is {value}.", quote, **stated, **more)
