"""What users ask to remember by pointing back is kept, and the request itself is no memory."""

import tomllib
from pathlib import Path

import pytest

from factories import ANA
from stores import DIALECTS
from tables import check_each
from toldonce.engine import AsyncToldOnce
from toldonce.reading.keep_words import points_back
from toldonce.types import MemoryKind

REQUESTS = tomllib.loads((Path(__file__).parent / "keep_requests.toml").read_text("utf-8"))
# What is said, one message a line, "> " before an answer, and the quotations that are kept of it.
SAID: tuple[tuple[str, list[str]], ...] = (
    ("the gate code is under the blue pot\n> Noted.\nremember that", ["the gate code is under the blue pot"]),
    (
        "the gate code is under the blue pot, please remember that",
        ["the gate code is under the blue pot, please remember that"],
    ),
    ("How deep is a raised bed?\n> 40 cm is a good depth.\nmerk dir das", ["40 cm is a good depth."]),
    ("I live in Oslo.\n> Noted.\n覚えておいて", []),  # the fact says it
    ("Remember that.", []),
)


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@check_each(("text", "points"), [(text, name == "points") for name, texts in REQUESTS.items() for text in texts])
def test_a_request_of_nothing_else_points_back(text: str, points: bool) -> None:
    assert points_back(text) is points


@pytest.mark.parametrize("at_once", [True, False])
async def test_what_a_request_points_to_is_kept(engine: AsyncToldOnce, at_once: bool) -> None:
    for number, (said, kept) in enumerate(SAID):
        for line in said.split("\n"):
            role = "assistant" if line.startswith("> ") else "user"
            message = {"role": role, "content": line.removeprefix("> ")}
            await engine.record([message], user=ANA, conversation=f"chat {number}")
            if not at_once:
                await engine.form()
        await engine.form()
        listed = await engine.list(user=ANA)
        assert [memory.text for memory in listed if memory.kind is MemoryKind.TURN] == kept, said
        asked = await engine.context("What do you know about me?", user=ANA)
        assert not any(points_back(item.memory.text) for item in asked.items)
        for memory in listed:
            await engine.forget(memory.id, user=ANA, reason=f"row {number} is over")
