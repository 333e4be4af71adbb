"""LlamaIndex's memory and chat engine with our block. Run where LlamaIndex is installed, in a folder of its own."""

import asyncio
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage
from llama_index.core.llms.mock import MockLLMWithChatMemoryOfLastCall
from llama_index.core.memory import Memory

from framework_examples import check_examples
from remote_engine import connected
from toldonce import AsyncToldOnce, ToldOnce
from toldonce.integrations.llama_index import ToldOnceMemoryBlock
from toldonce.testing import WordEmbedder


async def told(memory: AsyncToldOnce, session: str) -> list[str]:
    chat = await memory.conversations.get(session, user="ana")
    return [message.text for message in await memory.conversations.messages(chat.id, user="ana")]


def prompt_of(model: MockLLMWithChatMemoryOfLastCall) -> list[str]:
    return [message.content or "" for message in model.last_chat_messages or []]


async def a_chat_recalls_and_is_recorded_once(memory: AsyncToldOnce) -> None:
    await memory.add("Ana hates flying to Oslo.", user="ana")
    await memory.add("Ben hates trains to Oslo.", user="ben")
    block = ToldOnceMemoryBlock(memory=memory, user="ana", priority=1)
    # So short that the second turn drives the first one out.
    short = Memory.from_defaults(session_id="trip", token_limit=60, token_flush_size=10, memory_blocks=[block])
    model = MockLLMWithChatMemoryOfLastCall()
    engine = SimpleChatEngine.from_defaults(llm=model, memory=short)
    first, second = "How do I get to Oslo? " + "I have all the time in the world. " * 4, "Is there a bed to Oslo?" * 3
    await engine.achat(first)
    await engine.achat(second)

    assert first not in prompt_of(model)
    assert "Ben" not in str(prompt_of(model))
    assert [text for text in await told(memory, "trip") if text in (first, second)] == [first, second]

    block = ToldOnceMemoryBlock(memory=memory, user="ana")
    shown = await block.aget([ChatMessage(role="user", content="How do I get to Oslo?")], session_id="other")
    assert "hates flying" in shown
    await memory.add("Ana takes trains to Oslo.", user="ana")
    again = await block.aget(
        [
            ChatMessage(role="user", content="How do I get to Oslo?"),
            ChatMessage(role="user", content="How do I get to Oslo?"),  # as agents ask
            ChatMessage(role="tool", content="I am a tool and I live in Oslo."),
        ],
        session_id="other",
    )
    assert again == shown
    assert await told(memory, "other") == ["How do I get to Oslo?"]
    await block.aput([ChatMessage(role="user", content="How do I get to Oslo?")], session_id="other")
    await block.aput([ChatMessage(role="user", content="By train?")], session_id="other")
    assert await told(memory, "other") == ["How do I get to Oslo?", "By train?"]
    assert await block.aget([]) == ""


async def truncation_leaves_out_the_last_rows(memory: AsyncToldOnce) -> None:
    for city in ("Oslo", "Rome", "Bern"):
        await memory.add(f"Ana met a friend in {city}.", user="eva")
    block = ToldOnceMemoryBlock(memory=memory, user="eva")
    whole = await block.aget([ChatMessage(role="user", content="Which friend did Ana meet?")])
    part = await block.atruncate(whole, 5)
    assert part is not None
    assert part.count("\n- ") == whole.count("\n- ") - 1 == 2
    assert part.splitlines()[0] == whole.splitlines()[0]
    assert part.splitlines()[-1] == whole.splitlines()[-1]
    assert await block.atruncate(whole, 10_000) is None


async def near_and_far(folder: Path) -> None:
    async with await AsyncToldOnce.open(folder / "near.db", embedder=WordEmbedder(64)) as memory:
        await a_chat_recalls_and_is_recorded_once(memory)
        await truncation_leaves_out_the_last_rows(memory)
    far = await AsyncToldOnce.open(folder / "far.db", embedder=WordEmbedder(64))
    async with far, connected(far) as remote:
        await a_chat_recalls_and_is_recorded_once(remote)


def without_asyncio(folder: Path) -> None:
    with ToldOnce(folder / "sync.db", embedder=WordEmbedder(64)) as memory:
        memory.add("Ana hates flying to Oslo.", user="ana")
        block = ToldOnceMemoryBlock(memory=memory, user="ana")
        lost = ToldOnceMemoryBlock(memory=memory, user="bad\x00name", name="lost")  # is logged, and breaks nothing
        chat = Memory.from_defaults(session_id="trip", memory_blocks=[block, lost])
        model = MockLLMWithChatMemoryOfLastCall()
        SimpleChatEngine.from_defaults(llm=model, memory=chat).chat("How do I get to Oslo?")
        assert "hates flying" in prompt_of(model)[0]


if __name__ == "__main__":
    with TemporaryDirectory() as name:
        os.environ["XDG_DATA_HOME"] = name
        asyncio.run(near_and_far(Path(name)))
        without_asyncio(Path(name))
        check_examples("LlamaIndex", Path(name))
