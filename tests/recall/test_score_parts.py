"""The parts of a score add up to it, in a search by hand; prompts are not explained this way."""

from datetime import timedelta
from math import exp

import pytest

from factories import ANA, BEN
from sample_chats import PEANUTS_AND_OSLO, user
from toldonce.engine import AsyncToldOnce
from toldonce.recall.score_parts import PARTS
from toldonce.testing import FakeClock
from toldonce.types import NewNote


def score_of(parts: dict[str, float]) -> float:
    return 1 / (1 + exp(-sum(parts.values())))


async def test_the_parts_of_each_score_add_up_to_it(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await engine.bulk.add(
        [NewNote("Ana plays the cello.", 0.9), NewNote("The cello needs new strings.", 0.2)], user="ana"
    )
    await engine.record([user(PEANUTS_AND_OSLO), {"role": "assistant", "content": "Is the cello in Oslo?"}], user="ana")
    await engine.form()
    await engine.context("cello", user="ana")
    clock.advance(days=200)
    for query in ("What does Ana play on the cello?", "Where do I live since May?", "strings"):
        found = await engine.search(query, user="ana", explain=True)
        assert found.items
        for item in found.items:
            assert set(item.parts) <= {*PARTS, "other"}
            assert item.score == pytest.approx(score_of(dict(item.parts)), abs=1e-6)
    assert found.subjects[0] == ANA


async def test_what_matters_is_the_larger_part(engine: AsyncToldOnce) -> None:
    await engine.bulk.add([NewNote("Ben owns a red kite.", 0.9), NewNote("Ben owns a boat.", 0.1)], user="ben")
    found = {item.memory.text: item.parts for item in (await engine.search("kite", user="ben", explain=True)).items}
    kite, boat = found["Ben owns a red kite."], found.get("Ben owns a boat.", {})
    assert kite["words"] > 0
    assert kite["similarity"] > 0
    assert kite["importance"] == pytest.approx(0.24, abs=1e-6)
    assert boat.get("words", 0) == 0
    assert (await engine.search("kite", user="ben", explain=True)).subjects[0] == BEN


async def test_a_search_of_the_past_has_parts_too(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    clock.advance(days=1)
    [item] = (await engine.search("cello", user="ana", at=clock.now() - timedelta(hours=1), explain=True)).items
    assert item.score == pytest.approx(score_of(dict(item.parts)), abs=1e-6)


async def test_what_a_prompt_gets_has_no_parts(engine: AsyncToldOnce) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    [item] = (await engine.context("cello", user="ana")).items
    assert item.parts == {}
