"""The server of both protocol eras, asked by the SDK's own client in the same process."""

import asyncio
import json
from typing import Literal

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitRequestParams, ElicitResult, ErrorData, TextContent, TextResourceContents

from factories import ANA
from toldonce.engine import AsyncToldOnce
from toldonce.errors import UnreadableStoreError
from toldonce.mcp_server.catalog import INSTRUCTIONS, PROFILE_URI
from toldonce.mcp_server.protocol import build_server
from toldonce.mcp_server.toolbox import OpeningToolbox, Toolbox
from toldonce.providers.token_counter import token_counter
from toldonce.text.visible_json import without_lone_surrogates
from toldonce.types import Access, MemoryState

ERAS = ("auto", "legacy")


def words_of(part: object) -> str:
    assert isinstance(part, TextContent | TextResourceContents)
    return part.text


def client(engine: AsyncToldOnce, era: str, access: Access = Access.WRITE) -> Client:
    toolbox = Toolbox(engine=engine, reads=(ANA,), writes=ANA, access=access)
    return Client(build_server(lambda context: toolbox), mode=era)


@pytest.mark.parametrize("era", ERAS)
async def test_an_agent_remembers_recalls_corrects_and_forgets(engine: AsyncToldOnce, era: str) -> None:
    async with client(engine, era) as agent:
        assert agent.instructions == INSTRUCTIONS
        kept = (await agent.call_tool("remember", {"text": "Ana lives in Oslo."})).structured_content
    async with client(engine, era) as agent:
        found = await agent.call_tool("recall_memory", {"query": "Oslo"})
        assert found.structured_content["memories"][0]["id"] == kept["id"]
        fixed = await agent.call_tool("correct_memory", {"id": kept["id"], "text": "Ana lives in Bergen."})
        await agent.call_tool("forget_memory", {"id": fixed.structured_content["now"]["id"]})
        left = await agent.call_tool("list_memories", {})
        assert (left.is_error, words_of(left.content[0])) == (False, "Nothing is remembered yet.")


@pytest.mark.parametrize("era", ERAS)
async def test_tools_say_what_they_do(engine: AsyncToldOnce, era: str) -> None:
    async with client(engine, era) as agent:
        tools = {tool.name: tool.annotations for tool in (await agent.list_tools()).tools}
    assert [name for name, hints in tools.items() if hints and hints.read_only_hint] == [
        "recall_memory",
        "list_memories",
    ]
    assert [name for name, hints in tools.items() if hints and hints.destructive_hint] == [
        "correct_memory",
        "forget_memory",
    ]
    async with client(engine, era, Access.READ) as reader:
        assert [tool.name for tool in (await reader.list_tools()).tools] == ["recall_memory", "list_memories"]


@pytest.mark.parametrize("era", ERAS)
async def test_the_handshake_and_the_list_do_not_wait_for_the_memory(engine: AsyncToldOnce, era: str) -> None:
    opening: asyncio.Future[Toolbox] = asyncio.get_running_loop().create_future()
    early = OpeningToolbox(access=Access.READ, opening=opening)
    async with Client(build_server(lambda context: early), mode=era) as agent:
        assert [tool.name for tool in (await agent.list_tools()).tools] == ["recall_memory", "list_memories"]
        calls = [asyncio.create_task(agent.call_tool("list_memories", {})) for _ in range(2)]
        await asyncio.sleep(0)
        opening.set_result(Toolbox(engine=engine, reads=(ANA,), writes=ANA, access=Access.READ))
        assert [(await call).structured_content for call in calls] == [{"memories": []}] * 2


@pytest.mark.parametrize("era", ERAS)
async def test_a_memory_that_cannot_be_opened_is_the_answer_to_calls(era: str) -> None:
    opening: asyncio.Future[Toolbox] = asyncio.get_running_loop().create_future()
    opening.set_exception(UnreadableStoreError("memory.sqlite3 is not a database"))
    early = OpeningToolbox(access=Access.READ, opening=opening)
    async with Client(build_server(lambda context: early), mode=era) as agent:
        with pytest.raises(MCPError, match="is not a database"):
            await agent.call_tool("list_memories", {})


@pytest.mark.parametrize("era", ERAS)
async def test_bad_calls_are_errors_of_the_tool(engine: AsyncToldOnce, era: str) -> None:
    async with client(engine, era) as agent:
        for name, arguments in (("nope", {}), ("recall_memory", {"query": 5}), ("forget_memory", {"id": "00000000"})):
            answer = await agent.call_tool(name, arguments)
            assert answer.is_error
            assert words_of(answer.content[0]).startswith("Error: ")


@pytest.mark.parametrize("era", ERAS)
async def test_the_resource_and_the_prompt_are_served(engine: AsyncToldOnce, era: str) -> None:
    await engine.add("Ana rows.", user=ANA)
    async with client(engine, era) as agent:
        assert [str(resource.uri) for resource in (await agent.list_resources()).resources] == [PROFILE_URI]
        assert words_of((await agent.read_resource(PROFILE_URI)).contents[0]) == "Nothing is known yet."
        assert [prompt.name for prompt in (await agent.list_prompts()).prompts] == ["recall"]
        said = words_of((await agent.get_prompt("recall", {"query": "rows"})).messages[0].content)
        assert "Ana rows." in said
        with pytest.raises(MCPError, match=PROFILE_URI):
            await agent.read_resource("memory://else")
        with pytest.raises(MCPError, match="argument query"):
            await agent.get_prompt("recall", {})


async def test_an_answer_has_its_words_twice_at_most_but_once_for_each_reader(engine: AsyncToldOnce) -> None:
    """Clients show a model the words or the data: neither is longer than twice the memories themselves."""
    texts = [f"Ana told that project number {n} uses the build tool that her team chose in May." for n in range(10)]
    await engine.bulk.add(texts, user=ANA)
    counter = token_counter()
    plain = counter.count("\n".join(texts))
    async with client(engine, "auto") as agent:
        answer = await agent.call_tool("recall_memory", {"query": "project build tool", "limit": 10})
    shown = len(answer.structured_content["memories"])
    words, data = counter.count(words_of(answer.content[0])), counter.count(json.dumps(answer.structured_content))
    assert shown
    assert words <= 2 * plain * shown / len(texts) + 20
    assert data <= 3 * plain * shown / len(texts) + 20


def test_half_a_character_does_not_cost_the_message() -> None:
    raw = b'{"method": "tools/call", "params": {"text": "caf\\ud800 \\ud83d\\ude00 \\\\ud800"}}'
    assert json.loads(without_lone_surrogates(raw))["params"]["text"] == "caf? 😀 \\ud800"
    for same in (b'{"a": 1}', b'"\\ud800', b"[" * 100_000 + b"\\ud800"):
        assert without_lone_surrogates(same) == same


class Person:
    """Answers what the client asks."""

    def __init__(self, action: Literal["accept", "decline", "cancel"]) -> None:
        self.questions: list[str] = []
        self._action = action

    async def answer(self, context: object, params: ElicitRequestParams) -> ElicitResult:
        self.questions.append(params.message)
        return ElicitResult(action=self._action, content={} if self._action == "accept" else None)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
async def test_forgetting_asks_a_client_that_can_ask(
    engine: AsyncToldOnce, era: str, action: Literal["accept", "decline", "cancel"]
) -> None:
    kept = await engine.add("Ana rows.", user=ANA)
    toolbox = Toolbox(engine=engine, reads=(ANA,), writes=ANA)
    person = Person(action)
    server = build_server(lambda context: toolbox)
    async with Client(server, mode=era, elicitation_callback=person.answer) as agent:
        answer = await agent.call_tool("forget_memory", {"id": kept.id})
        bad = await agent.call_tool("forget_memory", {"id": "00000000"})
        known = await engine.add("Ana sails.", user=ANA)
        await agent.call_tool("forget_memory", {"id": known.id, "reason": "she asked for it"})
        await agent.call_tool("remember", {"text": "Ana swims."})

    assert [question.split("\n")[0] for question in person.questions] == ["Forget this, and all that says the same?"]
    assert "Ana rows." in person.questions[0]
    assert (await engine.get(known.id, user=ANA)).state is MemoryState.CLOSED
    is_closed = (await engine.get(kept.id, user=ANA)).state is MemoryState.CLOSED
    assert is_closed == (action == "accept")
    assert (answer.is_error, bad.is_error) == (False, True)
    assert ("did not confirm" in words_of(answer.content[0])) == (action != "accept")


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_cannot_answer_after_all_is_not_waited_for(engine: AsyncToldOnce, era: str) -> None:
    """Over stdio a failed question is as if there was none; a client of the new era asks by itself."""
    kept = await engine.add("Ana rows.", user=ANA)
    toolbox = Toolbox(engine=engine, reads=(ANA,), writes=ANA)

    async def fail(context: object, params: ElicitRequestParams) -> ErrorData:
        return ErrorData(code=-32603, message="there is no screen")

    async with Client(build_server(lambda context: toolbox), mode=era, elicitation_callback=fail) as agent:
        if era == "legacy":
            assert not (await agent.call_tool("forget_memory", {"id": kept.id})).is_error
        else:
            with pytest.raises(MCPError, match="no screen"):
                await agent.call_tool("forget_memory", {"id": kept.id})
    assert ((await engine.get(kept.id, user=ANA)).state is MemoryState.CLOSED) == (era == "legacy")
