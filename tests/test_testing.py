from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from toldonce.clock import Clock
from toldonce.errors import ModelError
from toldonce.providers.protocols import Embedder, LanguageModel, ModelAnswer
from toldonce.testing import NEW_YEAR, FakeClock, ScriptedModel, WordEmbedder


async def ask(model: LanguageModel, user: str = "hello") -> ModelAnswer:
    return await model.answer(system="be brief", user=user, schema={"type": "object"}, schema_name="thing")


def test_the_clock_stands_still_until_it_is_advanced() -> None:
    clock: Clock = FakeClock()
    assert clock.now() == clock.now() == NEW_YEAR
    assert clock.monotonic() == 0


def test_advancing_moves_both_the_instant_and_the_monotonic_seconds() -> None:
    clock = FakeClock()
    clock.advance(minutes=1, milliseconds=500)
    assert clock.now() == NEW_YEAR + timedelta(seconds=60.5)
    assert clock.monotonic() == 60.5


def test_setting_the_clock_back_leaves_the_monotonic_seconds() -> None:
    clock = FakeClock()
    clock.advance(hours=1)
    clock.set(datetime(2025, 6, 1, 2, tzinfo=timezone(timedelta(hours=2))))
    assert clock.now() == datetime(2025, 6, 1, tzinfo=UTC)
    assert clock.monotonic() == 3600


def test_the_clock_refuses_to_advance_backwards_and_to_take_naive_instants() -> None:
    clock = FakeClock()
    with pytest.raises(ValueError, match="set back"):
        clock.advance(seconds=-1)
    with pytest.raises(ValueError, match="no time zone"):
        clock.set(datetime(2026, 1, 1))  # noqa: DTZ001  the naive instant is what the test is about


async def test_texts_that_share_words_are_nearer_than_texts_that_do_not() -> None:
    embedder: Embedder = WordEmbedder()
    query, near, far = await embedder.embed(["peanut allergy", "Ana's allergies: peanuts", "the train to Oslo is late"])
    assert query @ near > 0.5 > query @ far


async def test_word_vectors_have_unit_length_and_empty_texts_are_zeros() -> None:
    embedder = WordEmbedder(16)
    rows = await embedder.embed(["one two three", "", "...", "it is"])
    assert rows.shape == (4, 16)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 0, 1])
    assert embedder.space == "words-16"


async def test_word_vectors_of_no_texts_keep_their_shape() -> None:
    assert (await WordEmbedder().embed([])).shape == (0, 64)


def test_relevance_of_words_is_the_cosine_held_between_0_and_1() -> None:
    cosine = np.array([-0.5, 0.25, 1.5], dtype=np.float32)
    assert WordEmbedder().relevance(cosine).tolist() == [0, 0.25, 1]


async def test_the_scripted_model_answers_in_order_and_records_what_it_was_asked() -> None:
    model = ScriptedModel([{"a": 1}, [2]])
    assert (await ask(model, "first")).data == {"a": 1}
    assert (await ask(model, "second")).data == [2]
    assert [(call.system, call.user, call.schema_name) for call in model.calls] == [
        ("be brief", "first", "thing"),
        ("be brief", "second", "thing"),
    ]


async def test_the_scripted_model_raises_an_exception_in_its_turn() -> None:
    model = ScriptedModel([ModelError("overloaded"), {"fine": True}])
    with pytest.raises(ModelError, match="overloaded"):
        await ask(model)
    assert (await ask(model)).data == {"fine": True}


async def test_the_scripted_model_can_answer_by_a_function() -> None:
    model = ScriptedModel(lambda system, user: {"echo": f"{system}: {user}"})
    assert (await ask(model, "hi")).data == {"echo": "be brief: hi"}


async def test_the_scripted_model_says_so_when_its_answers_run_out() -> None:
    model = ScriptedModel([{}])
    await ask(model)
    with pytest.raises(AssertionError, match="it had 1, and call 2 asks for 'thing' with 'one more'"):
        await ask(model, "one more")


async def test_changing_an_answer_does_not_change_the_script() -> None:
    script = {"items": [1]}
    model = ScriptedModel([script, script])
    (await ask(model)).data["items"].append(2)
    assert (await ask(model)).data == {"items": [1]}
