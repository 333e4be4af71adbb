"""Pronouns alone are the user's unless their sentence speaks of another person."""

import pytest

from sample_chats import tell
from toldonce.engine import AsyncToldOnce
from toldonce.types import MemoryKind

OTHERS = (
    "bit of news, Eoin's told us they're nonbinary and they go by Ro now, they/them. trying my best",
    "the new colleague is Kit, they/them, and very kind",
    "my brother is called Max, he/him",
    "her name is Ana, she/her and she paints",
)
OWN = ("i'm Sam, they/them", "I use they/them", "My name is Kim, she/her")


@pytest.mark.parametrize("said", OTHERS)
async def test_pronouns_of_others_are_not_the_users(engine: AsyncToldOnce, said: str) -> None:
    await tell(engine, said)
    assert not [fact for fact in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if fact.key == "pronouns"]


@pytest.mark.parametrize("said", OWN)
async def test_pronouns_behind_oneself_are_the_users(engine: AsyncToldOnce, said: str) -> None:
    await tell(engine, said)
    assert [fact for fact in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if fact.key == "pronouns"]
