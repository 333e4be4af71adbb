"""Microsoft's Agent Framework with our context provider, against a scripted chat client.

The package is imported when a test runs: each worker would need seconds for that only to collect.
"""

import json
import logging
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from framework_examples import check_examples
from remote_engine import connected
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce

CELLO, ASKED, AGAIN = "Ana plays the cello.", "Which instrument do I play?", "What did I say about my cello?"
CALL, REPORT = "call", "I am Ben, and I play the tuba."


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def scripted_agent(memory: Any, *answers: str, **options: Any) -> tuple[Any, list[list[list[str]]]]:
    """Return an agent with a tool, whose sessions name their users, and the texts of the prompts that its model saw."""
    from agent_framework import (
        Agent,
        BaseChatClient,
        ChatResponse,
        ChatResponseUpdate,
        Content,
        FunctionInvocationLayer,
        Message,
    )

    from toldonce.integrations.agent_framework import ToldOnceProvider

    script, seen = iter(answers), list[list[list[str]]]()

    class Client(FunctionInvocationLayer[Any], BaseChatClient[Any]):
        def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
            seen.append([[str(content.text or content.type) for content in message.contents] for message in messages])
            text = next(script)
            content = Content.from_function_call("c", "read_report", arguments="{}") if text == CALL else text

            async def updates() -> AsyncIterator[ChatResponseUpdate]:
                yield ChatResponseUpdate(role="assistant", contents=[Content.from_text(text)])

            async def whole() -> ChatResponse[Any]:
                return ChatResponse(messages=[Message("assistant", [content])])

            return self._build_response_stream(updates()) if stream else whole()

    def read_report() -> str:
        return REPORT

    provider = ToldOnceProvider(memory, user=lambda session: str(session.state["user"]))
    return Agent(client=Client(), tools=[read_report], context_providers=[provider], **options), seen


async def test_runs_recall_before_and_record_once_after(engine: AsyncToldOnce) -> None:
    from agent_framework import AgentSession

    await engine.add(CELLO, user="ana")
    async with connected(engine) as remote:
        agent, seen = scripted_agent(remote, CALL, "The cello.")
        session = AgentSession(session_id="chat")
        session.state["user"] = "ana"
        assert (await agent.run(ASKED, session=session)).text == "The cello."
    # Another process goes on with the stored session, with the library itself.
    agent, later = scripted_agent(engine, "That you play it.")
    session = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
    stream = agent.run(AGAIN, session=session, stream=True)
    async for _ in stream:
        pass
    await stream.get_final_response()
    chat = await engine.conversations.get("chat", user="ana")
    log = await engine.conversations.messages(chat.id, user="ana")

    prompts = [*seen, *later]
    assert [text == ASKED or CELLO in text for text in prompts[0][0]] == [True, True]
    assert all(more[: len(first)] == first for first, more in pairwise(prompts))
    assert prompts[2][-1] == [AGAIN]  # the chat shows the rest
    assert [(message.role, message.text) for message in log] == [
        ("user", ASKED),
        ("assistant", "The cello."),
        ("user", AGAIN),
        ("assistant", "That you play it."),
    ]


async def test_users_are_apart_and_a_failure_breaks_no_run(
    engine: AsyncToldOnce, caplog: pytest.LogCaptureFixture
) -> None:
    from agent_framework import AgentSession, Message

    await engine.add(CELLO, user="ana")
    # The service keeps the history: what it was sent is known from the session's state.
    agent, seen = scripted_agent(engine, *["I do not know."] * 5, default_options={"conversation_id": "kept"})
    given = [Message("system", ["Be brief."]), Message("user", [ASKED])]
    ana, ben, unnamed = (AgentSession() for _ in range(3))
    ana.state["user"], ben.state["user"] = "ana", "ben"
    for session in (ana, ana, ben):
        await agent.run(given, session=session)
    caplog.set_level(logging.ERROR)
    await agent.run(given, session=unnamed)
    await engine.close()
    await agent.run(given, session=ana)

    assert [CELLO in str(prompt) for prompt in seen] == [True, False, False, False, False]
    assert [content.text for content in given[1].contents] == [ASKED]
    assert [record.message for record in caplog.records] == [
        "recall failed, the chat goes on without memory",
        "a turn was not recorded",
    ] * 2


def test_the_examples_do_what_they_say(tmp_path: Path) -> None:
    check_examples("Microsoft Agent Framework", tmp_path)
