"""What clients load with every request stays small, and is the same each time."""

import json

from toldonce.mcp_server.catalog import INSTRUCTIONS, TOOLS, tools_for
from toldonce.providers.token_counter import token_counter
from toldonce.types import Access

MAX_TOKENS = 800


def test_all_that_clients_load_is_small() -> None:
    counter = token_counter()
    shown = [{"name": tool.name, "description": tool.description, "inputSchema": tool.schema} for tool in TOOLS]
    tokens = counter.count(INSTRUCTIONS) + counter.count(json.dumps(shown, ensure_ascii=False))
    assert tokens <= MAX_TOKENS


def test_a_reader_sees_the_reading_tools_alone() -> None:
    assert [tool.name for tool in tools_for(Access.READ)] == ["recall_memory", "list_memories"]
    assert [tool.name for tool in tools_for(Access.WRITE)] == [
        "recall_memory",
        "remember",
        "list_memories",
        "correct_memory",
        "forget_memory",
    ]


def test_the_instructions_name_tools_that_exist() -> None:
    named = {word.strip(".,") for word in INSTRUCTIONS.split() if "_" in word or word == "remember"}
    assert named <= {tool.name for tool in TOOLS}
    assert {"recall_memory", "remember"} <= named
