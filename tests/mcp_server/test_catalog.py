"""What clients load with every request stays small, and is the same each time."""

import json
import re

import yaml

from toldonce.cli.main import app
from toldonce.cli.mcp import SKILL_FILE
from toldonce.mcp_server.catalog import INSTRUCTIONS, SERVER_NAME, TOOLS, tools_for
from toldonce.providers.token_counter import token_counter
from toldonce.types import Access

MAX_TOKENS = 800
# Agents refuse a skill whose description is longer.
MAX_DESCRIPTION = 1024


def test_all_that_clients_load_is_small() -> None:
    counter = token_counter()
    shown = [{"name": tool.name, "description": tool.description, "inputSchema": tool.schema} for tool in TOOLS]
    tokens = counter.count(INSTRUCTIONS) + counter.count(json.dumps(shown, ensure_ascii=False))
    assert tokens <= MAX_TOKENS


def test_the_skill_names_the_tools_and_commands_that_exist() -> None:
    skill = SKILL_FILE.read_text("utf-8")
    head = yaml.safe_load(skill.split("---")[1])
    assert head["name"] == SERVER_NAME
    assert len(head["description"]) <= MAX_DESCRIPTION
    assert set(re.findall(r"`(\w+)\(", skill)) == {tool.name for tool in TOOLS}
    commands = {command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands}
    assert set(re.findall(r"(?m)^\$ toldonce (\w+)", skill)) <= commands


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
