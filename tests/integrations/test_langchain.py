"""LangChain's agents with our middleware, and a model that keeps what it is sent. Imported when a test runs."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from framework_examples import check_examples
from toldonce.engine import AsyncToldOnce
from toldonce.sync import ToldOnce
from toldonce.testing import WordEmbedder

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage

THREAD: Any = {"configurable": {"thread_id": "trip"}}


def said(*messages: object) -> Any:
    return {"messages": list(messages)}


def scripted_model(seen: list[list[tuple[str, Any]]], answers: "Sequence[AIMessage | str]") -> "BaseChatModel":
    """Return a model that gives answers one after another and keeps the type and content of each message."""
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

    class Model(GenericFakeChatModel):
        def bind_tools(self, *_args: Any, **_options: Any) -> Any:
            return self

        def _generate(self, messages: Any, *args: Any, **options: Any) -> Any:
            seen.append([(message.type, message.content) for message in messages])
            return super()._generate(messages, *args, **options)

    return Model(messages=iter(answers))


@pytest.mark.parametrize("face", ["near", "far"])
async def test_prompts_are_appended_to_and_turns_are_recorded_once(engine: AsyncToldOnce) -> None:
    from langchain.agents import create_agent
    from langchain.tools import tool
    from langchain_core.messages import AIMessage, HumanMessage
    from langgraph.checkpoint.memory import InMemorySaver

    from toldonce.integrations.langchain import ToldOnceMiddleware

    @tool
    def weather(city: str) -> str:
        """Tell the weather."""
        return f"I am a tool and I love {city}."

    seen: list[list[tuple[str, Any]]] = []
    call = AIMessage("", tool_calls=[{"name": "weather", "args": {"city": "Oslo"}, "id": "1"}])
    agent = create_agent(
        scripted_model(seen, [call, "Take the night train.", "Yes, a sleeper."]),
        [weather],
        system_prompt="Be brief.",
        middleware=[ToldOnceMiddleware(engine, user=lambda runtime: str(runtime.context["name"]))],
        checkpointer=InMemorySaver(),
        context_schema=dict,
    )
    await engine.add("Ana hates flying to Oslo.", user="ana")
    await engine.add("Ben hates trains to Oslo.", user="ben")
    asked = HumanMessage([{"type": "text", "text": "How do I get to Oslo?"}])
    await agent.ainvoke(said(asked), THREAD, context={"name": "ana"})
    await engine.add("Ana travels to Oslo with a child.", user="ana")
    result = await agent.ainvoke(said(("user", "Is there a bed to Oslo?")), THREAD, context={"name": "ana"})

    for earlier, later in pairwise(seen):
        assert later[: len(earlier)] == earlier
    first, last = seen[0][-1][1], seen[2][-1][1]
    assert first[0] == {"type": "text", "text": "How do I get to Oslo?"}
    assert "Ana hates flying" in first[1]["text"]
    assert last.startswith("Is there a bed to Oslo?\n\n<toldonce-memory")
    assert "with a child" in last
    assert "flying" not in last
    assert "Ben" not in str(seen)
    assert result["messages"][0].content == asked.content
    chat = await engine.conversations.get("trip", user="ana")
    told = [(message.role, message.text) for message in await engine.conversations.messages(chat.id, user="ana")]
    assert told == [
        ("user", "How do I get to Oslo?"),
        ("assistant", "Take the night train."),
        ("user", "Is there a bed to Oslo?"),
        ("assistant", "Yes, a sleeper."),
    ]


def test_a_failing_memory_breaks_no_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from langchain.agents import create_agent
    from langchain_core.messages import HumanMessage

    from toldonce.integrations.langchain import ToldOnceMiddleware

    seen: list[list[tuple[str, Any]]] = []
    with ToldOnce(tmp_path / "m.db", embedder=WordEmbedder(64)) as memory:
        memory.add("Ana rows.", user="ana")
        lost = create_agent(scripted_model(seen, ["Hm."]), middleware=[ToldOnceMiddleware(memory, user=lambda _: "")])
        lost.invoke(said(("user", "Does Ana row?")))
        known = create_agent(scripted_model(seen, ["Yes."]), middleware=[ToldOnceMiddleware(memory, user="ana")])
        malformed = {"text": "Hm.", "ids": 5}  # as a client may send it
        summary = HumanMessage(
            "Ana loves chess.", additional_kwargs={"lc_source": "summarization", "toldonce": malformed}
        )
        known.invoke(said(summary, ("user", "Does Ana row?")))
        [chat] = memory.conversations.list(user="ana")
        told = [message.text for message in memory.conversations.messages(chat.id, user="ana")]

    assert seen[0] == [("human", "Does Ana row?")]
    assert {"recall failed, the chat goes on without memory", "a turn was not recorded"} <= set(caplog.messages)
    assert "Ana rows." in seen[1][1][1]
    assert told == ["Does Ana row?", "Yes."]


def test_the_examples_of_the_page_run(tmp_path: Path) -> None:
    check_examples("LangChain", tmp_path)
