"""Pydantic AI's own agents with our capability, against its scripted model.

The package is imported when a test runs: each worker would need seconds for that only to collect.
"""

import logging
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from framework_examples import check_examples
from remote_engine import connected
from stores import DIALECTS
from toldonce import ToldOnce
from toldonce.engine import AsyncToldOnce

CELLO, ASKED, AGAIN = "Ana plays the cello.", "Which instrument do I play?", "What did I say about my cello?"
CALL, REPORT = "call", "I am Ben, and I play the tuba."


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class ScriptedAgent:
    """An agent with a tool, the users of whose runs are their `deps`."""

    def __init__(self, memory: Any, *answers: str) -> None:
        from pydantic_ai import Agent
        from pydantic_ai.models.function import FunctionModel

        from toldonce.integrations.pydantic_ai import ToldOnceMemory

        self.seen: list[list[str]] = []
        self._script: Iterator[str] = iter(answers)
        self.agent: Any = Agent(
            FunctionModel(self.answer, stream_function=self.stream),
            deps_type=str,
            capabilities=[ToldOnceMemory(memory, user=lambda ctx: ctx.deps)],
        )
        self.agent.tool_plain(self.read_report)

    def read_report(self) -> str:
        """Read it."""
        return REPORT

    def answer(self, messages: Any, info: Any) -> Any:
        """Note the contents of the messages that the model sees, and answer the next."""
        from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

        self.seen.append([repr([getattr(part, "content", part) for part in message.parts]) for message in messages])
        text = next(self._script)
        return ModelResponse([ToolCallPart("read_report", {}) if text == CALL else TextPart(text)])

    async def stream(self, messages: Any, info: Any) -> AsyncIterator[str]:
        """Answer with words alone."""
        yield self.answer(messages, info).parts[0].content


async def test_runs_recall_before_and_record_once_after(engine: AsyncToldOnce) -> None:
    from pydantic_ai import ModelMessagesTypeAdapter

    await engine.add(CELLO, user="ana")
    async with connected(engine) as remote:
        first = ScriptedAgent(remote, CALL, "The cello.")
        run = await first.agent.run(ASKED, deps="ana")
    # Another process goes on with the stored chat, with the library itself.
    then = ScriptedAgent(engine, "That you play it.")
    history = ModelMessagesTypeAdapter.validate_json(run.all_messages_json())
    async with then.agent.run_stream(AGAIN, deps="ana", message_history=history) as streamed:
        await streamed.get_output()
    [chat] = await engine.conversations.list(user="ana")
    log = await engine.conversations.messages(chat.id, user="ana")

    assert run.output == "The cello."
    seen = [*first.seen, *then.seen]
    assert seen[0][0].index(ASKED) < seen[0][0].index(CELLO)
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(seen))
    assert CELLO not in seen[2][-1]  # the chat shows it
    assert chat.external_id == run.conversation_id
    assert [(message.role, message.text) for message in log] == [
        ("user", ASKED),
        ("assistant", "The cello."),
        ("user", AGAIN),
        ("assistant", "That you play it."),
    ]


@pytest.mark.usefixtures("own_loop")
def test_the_blocking_library_serves_blocking_runs_apart(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    with ToldOnce(tmp_path / "m.db") as memory:
        memory.add(CELLO, user="ana")
        model = ScriptedAgent(memory, "The cello.", "I do not know.", "Still not.", "Nor now.")
        ana, ben, unnamed = (model.agent.run_sync(ASKED, deps=user) for user in ("ana", "ben", ""))
        kept = {user: len(memory.conversations.list(user=user)) for user in ("ana", "ben", None)}
    closed = model.agent.run_sync(ASKED, deps="ana", message_history=ana.all_messages())

    assert [CELLO in str(prompts) for prompts in model.seen] == [True, False, False, True]
    assert kept == {"ana": 1, "ben": 1, None: 0}
    assert [run.output for run in (ana, ben, unnamed, closed)][-2:] == ["Still not.", "Nor now."]
    assert [record.message for record in caplog.records].count("a turn was not recorded") == 2


@pytest.mark.usefixtures("own_loop")
def test_the_examples_do_what_they_say(tmp_path: Path) -> None:
    check_examples("Pydantic AI", tmp_path)
