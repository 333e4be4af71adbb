"""A game that one message begins goes on in the next ones: by rules, by a model, and in quotations."""

import json
import re

import pytest

from sample_chats import ALL_KINDS, answer, assistant, note, slots, user, with_model
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import ScriptedModel
from toldonce.types import MemoryKind

GAME = (
    "Let's do a role play! I'm Captain Voss and you're my first mate.",
    "I was born in Tortuga and I own seven taverns.",
    "I'm allergic to lime juice and I hate parrots.",
)
_SHOWN = re.compile(r"(?m)^\[(\d+)\] .*?: (\"(?:[^\"\\]|\\.)*\")$")


async def play(engine: AsyncToldOnce, *said: str) -> None:
    """Say one message after the other in one conversation, and form memories of each."""
    history: list[dict[str, str]] = []
    conversation = (await engine.record([user("Good evening, it was a long day.")], user="ana")).conversation
    for text in said:
        history = [user(text), assistant("*nods*")]
        await engine.record(history, user="ana", conversation=conversation)
        await engine.form()


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_nothing_of_a_game_is_remembered_and_what_follows_it_is(parts: Components, by: str) -> None:
    def gullible(system: str, asked: str) -> object:
        said = [(int(number), json.loads(text)) for number, text in _SHOWN.findall(asked.rpartition("essages:")[2])]
        return answer(*(note(text, text, message=number) for number, text in said if text))

    engine = with_model(parts, ScriptedModel(gullible)) if by == "model" else AsyncToldOnce(parts)
    await play(engine, *GAME, "Okay, end of the role play. I live in Bergen and I'm vegan.", "I moved here in May.")

    told = [memory.text for memory in await engine.list(user="ana", kinds=ALL_KINDS)]
    assert not [text for text in told if "Tortuga" in text or "lime" in text or "Voss" in text]
    assert [text for text in told if "Bergen" in text]
    if by == "rules":
        assert await slots(engine) == {"location": "Bergen", "diet": "vegan"}
    assert [memory for memory in await engine.list(user="ana", kinds=(MemoryKind.TURN,)) if "Bergen" in memory.text]
