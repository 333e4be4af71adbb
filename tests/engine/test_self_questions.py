"""A question about oneself as a whole shows what is known, weighty and new first, as far as the tokens go."""

import tomllib
from pathlib import Path

import pytest

from factories import ANA
from tables import check_each
from toldonce import AsyncToldOnce
from toldonce.recall.floor import is_self_question
from toldonce.testing import FakeClock

QUESTIONS = tomllib.loads((Path(__file__).parent.parent / "recall" / "self_questions.toml").read_text("utf-8"))
THINGS = (
    "tea chess jazz opera karate sailing origami baking tennis rugby judo yoga poetry ballet archery surfing".split()
)
# The least share of the tokens that is used: another memory takes some 35 tokens.
MIN_USED = 0.8


@check_each(("text", "is_whole"), [(text, name == "whole") for name, texts in QUESTIONS.items() for text in texts])
def test_a_question_about_oneself_as_a_whole_is_known(text: str, is_whole: bool) -> None:
    assert is_self_question(text) is is_whole


@pytest.mark.parametrize("tokens", [400, 800])
async def test_a_question_about_oneself_fills_its_tokens(tokens: int) -> None:
    clock = FakeClock()
    async with await AsyncToldOnce.open("sqlite:///:memory:", clock=clock, recall_tokens=tokens) as engine:
        await engine.add("Told long ago.", user=ANA, importance=0.4)
        for thing in THINGS:
            clock.advance(days=20)
            await engine.add(f"On Fridays a friend of Ana's teaches a class of {thing} in town.", user=ANA)
        shown = {}
        for question in QUESTIONS["whole"]:
            asked = await engine.context(question, user=ANA)
            assert MIN_USED * tokens <= asked.tokens <= tokens or len(asked.items) > len(THINGS), question
            shown[question] = [item.memory.text for item in asked.items]
    [texts] = {tuple(texts) for texts in shown.values()}  # whatever its words
    assert len(set(texts)) == len(texts)
    assert THINGS[-1] in texts[0]
    assert texts == tuple(sorted(texts, key=lambda text: -next((n for n, t in enumerate(THINGS) if t in text), -1)))
