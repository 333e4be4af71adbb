"""The Agents SDK's own runner with our session, against a scripted model.

The SDK is imported when a test runs: each worker would need seconds for that only to collect.
"""

import json
import logging
from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from framework_examples import check_examples
from remote_engine import connected
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce

if TYPE_CHECKING:
    from agents import Model

CELLO, ASKED, AGAIN = "Ana plays the cello.", "Which instrument do I play?", "What did I say about my cello?"
REPORT = "I am Ben, and I play the tuba."


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def scripted(*outputs: Sequence[Any]) -> "tuple[Model, list[list[Any]]]":
    """Return a model that answers with these items in turn, and the list of inputs that it saw."""
    from agents import Model, ModelResponse, Usage
    from openai.types.responses import Response, ResponseCompletedEvent

    script, seen = iter(outputs), list[list[Any]]()

    class Scripted(Model):
        async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
            seen.append(list(input))
            return ModelResponse(output=list(next(script)), usage=Usage(), response_id=None)

        async def stream_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
            whole = await self.get_response(system_instructions, input)
            rest: dict[str, Any] = {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
            response = Response(id="r", created_at=0, model="m", object="response", output=whole.output, **rest)
            yield ResponseCompletedEvent(response=response, sequence_number=0, type="response.completed")

    return Scripted(), seen


def said(text: str) -> Any:
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="msg", type="message", role="assistant", status="completed", content=[part])


def called(name: str) -> Any:
    from openai.types.responses import ResponseFunctionToolCall

    return ResponseFunctionToolCall(call_id="call_1", name=name, arguments="{}", type="function_call")


async def run(model: "Model", session: Any, words: str, *, streamed: bool = False) -> str:
    """Ask an agent with a tool, as a user of the SDK would."""
    from agents import Agent, RunConfig, Runner, function_tool

    @function_tool
    def read_report() -> str:
        return REPORT

    agent = Agent(name="Assistant", model=model, tools=[read_report])
    config = RunConfig(session_input_callback=session.with_memory, tracing_disabled=True)
    if not streamed:
        return str((await Runner.run(agent, words, session=session, run_config=config)).final_output)
    result = Runner.run_streamed(agent, words, session=session, run_config=config)
    async for _ in result.stream_events():
        pass
    return str(result.final_output)


async def test_runs_recall_before_and_record_once_after(engine: AsyncToldOnce, tmp_path: Path) -> None:
    from agents import SQLiteSession

    from toldonce.integrations.openai_agents import ToldOnceSession

    await engine.add(CELLO, user="ana")
    model, seen = scripted([said("I look."), called("read_report")], [said("The cello.")], [said("That you play it.")])
    async with connected(engine) as remote:
        session = ToldOnceSession(SQLiteSession("chat", tmp_path / "chats.db"), remote, user="ana")
        assert await run(model, session, ASKED) == "The cello."
    # Another process goes on with the chat, with the library itself.
    session = ToldOnceSession(SQLiteSession("chat", tmp_path / "chats.db"), engine, user="ana")
    await run(model, session, AGAIN, streamed=True)
    items = await session.get_items()
    chat = await engine.conversations.get("chat", user="ana")
    log = await engine.conversations.messages(chat.id, user="ana")

    assert CELLO in seen[0][1]["content"]
    assert [dict(item) for item in seen[0]] == [{"role": "user", "content": ASKED}, seen[0][1]]
    assert set(seen[0][1]) == {"role", "content"}
    assert all(later[: len(first)] == first for first, later in pairwise(seen))
    assert sum("cello." in str(item) for item in seen[2]) == 2  # the block, and the answer
    assert items[: len(seen[2])] == seen[2]
    assert [(message.role, message.text) for message in log] == [
        ("user", ASKED),
        ("assistant", "I look."),
        ("assistant", "The cello."),
        ("user", AGAIN),
        ("assistant", "That you play it."),
    ]


async def test_users_are_apart_and_a_failure_breaks_no_run(
    engine: AsyncToldOnce, caplog: pytest.LogCaptureFixture
) -> None:
    from agents import SQLiteSession

    from toldonce.integrations.openai_agents import ToldOnceSession

    await engine.add(CELLO, user="ana")
    model, seen = scripted([said("I do not know.")], [said("Still not.")])
    session = ToldOnceSession(SQLiteSession("chat"), engine, user="ben")
    await run(model, session, ASKED)
    assert await engine.conversations.list(user="ana") == []
    await engine.close()
    caplog.set_level(logging.ERROR)
    assert await run(model, session, ASKED) == "Still not."

    assert "cello" not in str(seen)
    assert {record.message for record in caplog.records} == {
        "recall failed, the chat goes on without memory",
        "a turn was not recorded",
    }


async def test_the_session_gives_back_what_it_was_given(engine: AsyncToldOnce) -> None:
    from agents import OpenAIConversationsSession, Session, SQLiteSession

    from toldonce.integrations.openai_agents import ToldOnceSession

    given: list[Any] = [
        {"role": "user", "content": [{"type": "input_image", "image_url": "data:,", "detail": "auto"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"password": "hunter2"}'},
        {"type": "function_call_output", "call_id": "c", "output": "42"},
        {"role": "developer", "content": "Be brief."},
    ]
    session: Session = ToldOnceSession(SQLiteSession("chat", session_settings={"limit": 4}), engine, user="ana")
    assert isinstance(session, Session)
    await session.add_items(given)
    assert await session.get_items(9) == given
    assert await session.get_items() == given[1:]
    assert await session.get_items(2) == given[3:]
    assert await session.pop_item() == given[4]
    await session.clear_session()
    assert (await session.get_items(), await session.pop_item()) == ([], None)
    with pytest.raises(TypeError, match="OpenAIConversationsSession, which cannot keep the ids"):
        ToldOnceSession(OpenAIConversationsSession(conversation_id="c", openai_client=object()), engine)  # type: ignore[arg-type]


@pytest.mark.usefixtures("own_loop")
def test_the_examples_do_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx2
    from agents.models import _openai_shared
    from openai import AsyncOpenAI

    def serve(request: httpx2.Request) -> httpx2.Response:
        *_, asked, added = json.loads(request.content)["input"]
        assert set(added) == {"role", "content"}
        text = "Peanuts." if asked["role"] == "user" and "peanuts" in added["content"] else "Nothing."
        rest: dict[str, Any] = {"parallel_tool_calls": False, "tool_choice": "auto", "tools": []}
        whole = {"id": "r", "created_at": 0, "model": "m", "object": "response", "output": [said(text).model_dump()]}
        return httpx2.Response(200, json=whole | rest)

    client = AsyncOpenAI(api_key="x", http_client=httpx2.AsyncClient(transport=httpx2.MockTransport(serve)))
    monkeypatch.setattr(_openai_shared, "_default_openai_client", client)
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
    check_examples("OpenAI Agents SDK", tmp_path)
