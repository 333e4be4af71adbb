"""Anthropic's own tool runner with our memory tool, against a scripted server.

The SDK is imported when a test runs: each worker would need seconds for that only to collect.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from toldonce.engine import AsyncToldOnce
from toldonce.sync import ToldOnce

PLAN = "/memories/plan.md"
SCRIPT: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": PLAN, "file_text": "milk\neggs\n"},
    {"command": "view", "path": PLAN, "view_range": [1, 1]},
    {"command": "str_replace", "path": PLAN, "old_str": "eggs", "new_str": "ham"},
    {"command": "insert", "path": PLAN, "insert_line": 0, "insert_text": "tea"},
    {"command": "rename", "old_path": PLAN, "new_path": "/memories/list.md"},
    {"command": "view", "path": "/memories/list.md"},
    {"command": "delete", "path": "/memories/list.md"},
    {"command": "view", "path": "/memories/../etc/passwd"},
]


def answers() -> Iterator[dict[str, Any]]:
    for number, command in enumerate(SCRIPT):
        yield {"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": command}
    yield {"type": "text", "text": "Done."}


class ScriptedModel:
    """Asks for one command after another, and keeps the requests."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self._script = answers()

    def serve(self, request: httpx2.Request) -> httpx2.Response:
        self.seen.append(json.loads(request.content))
        block = next(self._script)
        reason = "tool_use" if block["type"] == "tool_use" else "end_turn"
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [block]}
        return httpx2.Response(200, json=message | {"stop_reason": reason, "stop_sequence": None, "usage": usage})

    def check(self) -> None:
        """Check what the model was told of its commands."""
        assert self.seen[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
        results = [request["messages"][-1]["content"][0] for request in self.seen[1:]]
        said = [result["content"] for result in results]
        assert [bool(result.get("is_error")) for result in results] == [False] * 8 + [True]
        assert said[1] == f"File created successfully at: {PLAN}"
        assert said[2].endswith("     1\tmilk")
        assert said[4] == f"The file {PLAN} has been edited."
        assert said[6].endswith("     1\ttea\n     2\tmilk\n     3\tham\n     4\t")
        assert said[7] == "Successfully deleted /memories/list.md"
        assert "would escape" in said[8]


ASKED: dict[str, Any] = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Plan my breakfast."}],
}


@pytest.mark.near_only(reason="files are written through the engine's turns")
async def test_the_sdk_runs_all_six_commands(engine: AsyncToldOnce) -> None:
    import anthropic

    from toldonce.integrations.anthropic import ToldOnceMemoryTool

    model = ScriptedModel()
    http = httpx2.AsyncClient(transport=httpx2.MockTransport(model.serve))
    async with anthropic.AsyncAnthropic(api_key="x", http_client=http) as client:
        runner = client.beta.messages.tool_runner(**ASKED, tools=[ToldOnceMemoryTool(engine, user="ana")])
        last = await runner.until_done()

    assert last.content[0].type == "text"
    model.check()


def test_the_blocking_sdk_runs_all_six_commands(tmp_path: Path) -> None:
    import anthropic

    from toldonce.integrations.anthropic import BlockingToldOnceMemoryTool

    model = ScriptedModel()
    http = httpx2.Client(transport=httpx2.MockTransport(model.serve))
    with ToldOnce(tmp_path / "m.db") as memory, anthropic.Anthropic(api_key="x", http_client=http) as client:
        tool = BlockingToldOnceMemoryTool(memory, user="ana")
        last = client.beta.messages.tool_runner(**ASKED, tools=[tool]).until_done()
        left = tool.call({"command": "view", "path": "/memories"})

    assert last.content[0].type == "text"
    model.check()
    assert "list.md" not in str(left)
