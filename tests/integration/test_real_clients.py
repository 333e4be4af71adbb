"""Client libraries in common use, with only their base URL changed: openai and langchain-openai.

Both are imported when a test runs: each worker would need seconds for that only to collect.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import pytest
from pydantic import SecretStr

from integration.database_reader import Database
from integration.raw_client import chat, eventually, user
from integration.server_process import ServerProcess

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_openai import ChatOpenAI
    from openai import OpenAI
    from openai.types.chat import ChatCompletionMessage, ChatCompletionMessageParam, ChatCompletionToolParam

ASKS = "What am I allergic to?"
TOOL: ChatCompletionToolParam = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}


@pytest.fixture
def known(server: ServerProcess, database: Database, name: str) -> str:
    """A user whose allergy is known, so that something is put into each request."""
    chat(server.port, "echo", [user("I am allergic to almonds. I live in Turku.")], {"x-toldonce-user": name})
    assert eventually(lambda: database.settled(name))
    return name


@pytest.fixture
def openai(server: ServerProcess, known: str) -> Iterator[OpenAI]:
    from openai import OpenAI

    with OpenAI(
        base_url=server.base_url, api_key="sk-client", max_retries=0, default_headers={"x-toldonce-user": known}
    ) as client:
        yield client


@pytest.mark.parametrize("model", ["echo", "strict"])
def test_openai_chats(openai: OpenAI, database: Database, known: str, model: str) -> None:
    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": ASKS},
    ]
    first = openai.chat.completions.create(model=model, messages=messages)
    said = first.choices[0].message.content
    assert said == f"You said: {ASKS}"
    assert "almonds" in str((first.model_extra or {})["memories"])
    messages += [{"role": "assistant", "content": said}, {"role": "user", "content": "And where do I live?"}]
    assert openai.chat.completions.create(model=model, messages=messages).usage is not None
    assert [len(log) for log in database.conversations(known)] == [2, 4]


@pytest.mark.parametrize("model", ["echo", "strict"])
def test_openai_streams(openai: OpenAI, database: Database, known: str, model: str) -> None:
    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": ASKS}]
    said, memories = "", []
    for chunk in openai.chat.completions.create(model=model, messages=messages, stream=True):
        said += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        memories += (chunk.model_extra or {}).get("memories", [])
    assert said == f"You said: {ASKS}"
    assert "almonds" in str(memories)
    assert [len(log) for log in database.conversations(known)] == [2, 2]


@pytest.mark.parametrize("stream", [False, True])
def test_openai_calls_a_tool(openai: OpenAI, database: Database, known: str, stream: bool) -> None:
    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": "How is the weather in Oslo?"}]
    asked: ChatCompletionMessage
    if stream:
        with openai.chat.completions.stream(model="tools", messages=messages, tools=[TOOL]) as events:
            asked = events.get_final_completion().choices[0].message
    else:
        asked = openai.chat.completions.create(model="tools", messages=messages, tools=[TOOL]).choices[0].message
    assert asked.tool_calls is not None
    (call,) = asked.tool_calls
    assert call.type == "function"
    assert json.loads(call.function.arguments) == {"city": "Oslo"}
    messages.append(
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.function.name, "arguments": call.function.arguments},
                }
            ],
        }
    )
    messages.append({"role": "tool", "tool_call_id": call.id, "content": "Rain"})
    answered = openai.chat.completions.create(model="tools", messages=messages, tools=[TOOL]).choices[0].message
    assert answered.content == "The tool says: Rain"
    roles = [[role for _, _, role, _ in log] for log in database.conversations(known)]
    assert roles[1] == ["user", "assistant", "tool", "assistant"]


def test_openai_sees_errors_for_what_they_are(openai: OpenAI) -> None:
    from openai import APIError, BadRequestError, InternalServerError

    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": "x"}]
    with pytest.raises(InternalServerError, match="upstream says 503"):
        openai.chat.completions.create(model="shape:503", messages=messages)
    with pytest.raises(BadRequestError, match="upstream says 400"):
        openai.chat.completions.create(model="strict", messages=[*messages, *messages])
    with pytest.raises(APIError, match="overloaded"):
        list(openai.chat.completions.create(model="shape:error-in-band", messages=messages, stream=True))
    assert [model.id for model in openai.models.list()] == ["echo"]


@pytest.fixture
def langchain(server: ServerProcess, known: str) -> Callable[[str], ChatOpenAI]:
    import langchain_openai

    return lambda model: langchain_openai.ChatOpenAI(
        model=model,
        base_url=server.base_url,
        api_key=SecretStr("sk-client"),
        max_retries=0,
        default_headers={"x-toldonce-user": known},
    )


@pytest.mark.parametrize("model", ["echo", "strict"])
def test_langchain_chats_and_streams(
    langchain: Callable[[str], ChatOpenAI], database: Database, known: str, model: str
) -> None:
    from langchain_core.messages import AIMessage, HumanMessage

    llm = langchain(model)
    messages: list[BaseMessage] = [HumanMessage(ASKS)]
    said = llm.invoke(messages)
    assert said.content == f"You said: {ASKS}"
    messages += [AIMessage(str(said.content)), HumanMessage("And where do I live?")]
    streamed = "".join(str(chunk.content) for chunk in llm.stream(messages))
    assert streamed == "You said: And where do I live?"
    assert [len(log) for log in database.conversations(known)] == [2, 4]


def weather(city: str) -> str:
    """Tell the weather in a city."""
    return f"Rain in {city}"


@pytest.mark.parametrize("stream", [False, True])
def test_langchain_calls_a_tool(
    langchain: Callable[[str], ChatOpenAI], database: Database, known: str, stream: bool
) -> None:
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.tools import tool

    offered = tool(weather)
    llm = langchain("tools").bind_tools([offered])
    messages: list[BaseMessage] = [HumanMessage("How is the weather in Oslo?")]
    asked = reduce(add, llm.stream(messages)) if stream else llm.invoke(messages)
    assert isinstance(asked, AIMessage)
    (call,) = asked.tool_calls
    messages += [asked, ToolMessage(offered.invoke(call["args"]), tool_call_id=call["id"] or "")]
    assert llm.invoke(messages).content == "The tool says: Rain in Oslo"
    assert database.conversations(known)[1][-1][3] == "The tool says: Rain in Oslo"
