"""Google's own runner with our memory service and a scripted model; run where google-adk is installed."""

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from google.adk.agents import Agent
from google.adk.events import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai import types

from framework_examples import check_examples
from patience import PATIENCE_S
from remote_engine import connected
from toldonce import AsyncToldOnce, ToldOnce
from toldonce.integrations import framework_chat
from toldonce.integrations.google_adk import ToldOnceMemoryService

CELLO, ASKED, THEN = "Ana plays the cello.", "Which instrument do I play?", "I bought a bow."
REPORT = "I am Ben, and I play the tuba."
USER: dict[str, Any] = {"app_name": "music", "user_id": "ana"}


def content(role: str, text: str) -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


class ScriptedModel(BaseLlm):  # type: ignore[misc]  # see google_adk.py
    """Calls a tool, then answers; keeps what it sees."""

    seen: list[str] = []  # noqa: RUF012  # a field of pydantic's

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
        self.seen.append(str([each.model_dump(exclude_none=True) for each in llm_request.contents]))
        call = types.Part(function_call=types.FunctionCall(name="read_report", args={}))
        if len(self.seen) == 1:
            yield LlmResponse(content=types.Content(role="model", parts=[call]))
            return
        if stream:
            yield LlmResponse(content=content("model", "The"), partial=True)
        yield LlmResponse(content=content("model", "The cello."))


def read_report() -> str:
    """Read a report."""
    return REPORT


async def keep(callback_context: Any) -> None:
    await callback_context.add_session_to_memory()


async def run(service: ToldOnceMemoryService, model: ScriptedModel, user: str, *words: str) -> str:
    agent = Agent(name="guide", model=model, tools=[preload_memory, read_report], after_agent_callback=keep)
    sessions = InMemorySessionService()
    runner = Runner(app_name="music", agent=agent, session_service=sessions, memory_service=service)
    session = await sessions.create_session(app_name="music", user_id=user, session_id="chat")
    last = ""
    for said in words:
        asked = content("user", said)
        async for event in runner.run_async(user_id=user, session_id=session.id, new_message=asked):
            last = event.content.parts[0].text if event.content and event.content.parts[0].text else last
    return last


async def main(folder: Path) -> None:
    async with await AsyncToldOnce.open(folder / "m.db") as memory:
        near, model = ToldOnceMemoryService(memory), ScriptedModel(model="scripted")
        async with connected(memory) as remote:
            await ToldOnceMemoryService(remote).add_memory(
                **USER, memories=[MemoryEntry(content=content("user", CELLO))]
            )
            assert await run(ToldOnceMemoryService(remote), model, "ana", ASKED, THEN) == "The cello."
        assert [CELLO in prompt for prompt in model.seen] == [True] * 3, model.seen
        chat = await memory.conversations.get("chat", user="ana")
        log = [(each.role, each.text) for each in await memory.conversations.messages(chat.id, user="ana")]
        assert log == [("user", ASKED), ("assistant", "The cello."), ("user", THEN), ("assistant", "The cello.")], log

        events = [Event(author="user", content=content("user", said)) for said in ("Good.", THEN)]
        for _ in range(2):
            await near.add_events_to_memory(**USER, events=events, session_id="chat")
        added = await memory.conversations.messages(chat.id, user="ana", after_seq=len(log))
        assert [each.text for each in added] == ["Good.", THEN], added

        await run(near, model, "ben", ASKED)
        await run(near, model, "", ASKED)
        assert CELLO not in "".join(model.seen[3:])
        assert await memory.conversations.list() == []
        [entry, *_] = (await near.search_memory(**USER, query=ASKED)).memories
        assert (entry.content.parts[0].text, entry.custom_metadata["kind"]) == (CELLO, "note")
        await near.delete_memory(**USER, memory_id=entry.id)
        found = await near.search_memory(**USER, query=ASKED)
        assert CELLO not in str(found)
    assert await run(near, model, "ana", ASKED) == "The cello."  # the memory is closed


async def blocking(folder: Path) -> None:
    with ToldOnce(folder / "b.db") as memory:
        service = ToldOnceMemoryService(memory, user=lambda app, user: f"{app}/{user}")
        await service.add_memory(**USER, memories=[MemoryEntry(content=content("user", CELLO))])
        assert (await service.search_memory(**USER, query=ASKED)).memories
        assert not (await service.search_memory(app_name="other", user_id="ana", query=ASKED)).memories


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    framework_chat.RECALL_TIMEOUT_S = PATIENCE_S
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        asyncio.run(main(place))
        asyncio.run(blocking(place))
        check_examples("Google ADK", place)
    print("done")  # noqa: T201  # the test looks for it
