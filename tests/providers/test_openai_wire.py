import re

import numpy as np
import pytest

from tables import check_each
from toldonce.errors import ModelError, VectorSizeError
from toldonce.providers.openai_wire import is_cut, read_completion, read_embeddings, read_usage, unit_rows, wanted


def item(index: int, *numbers: float) -> dict[str, object]:
    return {"object": "embedding", "index": index, "embedding": list(numbers)}


def test_embeddings_are_put_in_the_order_of_their_index() -> None:
    assert read_embeddings({"data": [item(1, 0.1), item(0, 0.2)]}, count=2) == [[0.2], [0.1]]


def test_embeddings_without_an_index_keep_their_order() -> None:
    assert read_embeddings({"data": [{"embedding": [1]}, {"embedding": [2]}]}, count=2) == [[1], [2]]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ([], "no list of embeddings"),
        ({"error": "x"}, "no list of embeddings"),
        ({"data": [item(0, 1)]}, "1 embeddings for 2 texts"),
        ({"data": [item(0, 1), {"index": 1, "embedding": "AAAA"}]}, "item 1 is not an embedding"),
        ({"data": [item(0, 1), "x"]}, "item 1 is not an embedding"),
        ({"data": [item(0, 1), item(0, 1)]}, "indexes other than 0 to 1"),
        ({"data": [item(0, 1), item(2, 1)]}, "indexes other than 0 to 1"),
    ],
)
def test_an_answer_without_one_vector_for_each_text_is_refused(answer: object, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_embeddings(answer, count=2)


def test_rows_are_made_of_unit_length() -> None:
    rows = unit_rows([[3, 4], [0, -2.5]], dim=2)
    assert rows.dtype == np.float32
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, -1]]


def test_vectors_of_another_length_are_refused_with_both_lengths() -> None:
    with pytest.raises(VectorSizeError) as caught:
        unit_rows([[1, 0], [1, 0, 0]], dim=2)
    assert (caught.value.got, caught.value.stored) == (3, 2)


@check_each("bad", [None, "x", [1], {}, float("nan"), float("inf"), 1e300, 10**400, 0])
def test_what_cannot_be_a_direction_is_refused(bad: object) -> None:
    with pytest.raises(ValueError, match="an embedding"):
        unit_rows([[bad, bad]], dim=2)


def completion(**message: object) -> dict[str, object]:
    return {"choices": [{"message": message, "finish_reason": "stop"}]}


def test_the_text_of_a_completion_is_read_also_from_parts() -> None:
    assert read_completion(completion(content="{}")) == "{}"
    parts = [{"type": "text", "text": '{"a"'}, {"type": "reasoning"}, {"type": "text", "text": ":1}"}]
    assert read_completion(completion(content=parts)) == '{"a":1}'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (None, "not a chat completion"),
        ({"choices": []}, "not a chat completion"),
        ({"choices": [{"text": "old style"}]}, "not a chat completion"),
        (completion(content=None), "is empty (finish_reason 'stop')"),
        (completion(content="  "), "is empty"),
        (completion(content=None, refusal="I cannot"), "the model refused"),
        ({"choices": [{"message": {"content": "{"}, "finish_reason": "content_filter"}]}, "content filter"),
    ],
)
def test_a_completion_without_text_is_an_error_with_its_reason(body: object, reason: str) -> None:
    with pytest.raises(ModelError, match=re.escape(reason)):
        read_completion(body)


def test_an_answer_that_reached_its_limit_of_tokens_is_cut() -> None:
    cut = {"choices": [{"message": {"content": None}, "finish_reason": "length"}]}
    assert is_cut(cut)
    assert not is_cut(completion(content="{}"))
    assert not any(map(is_cut, (None, {}, {"choices": []}, {"choices": ["length"]})))
    with pytest.raises(ModelError, match="is empty") as raised:
        read_completion(cut)
    assert raised.value.broke_off, "a model that thinks may use up its tokens before it writes"


def test_usage_is_read_where_it_makes_sense() -> None:
    usage = read_usage({"usage": {"prompt_tokens": 12, "completion_tokens": 3}})
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens) == (12, 3)
    for broken in (None, {}, {"usage": None}, {"usage": {"prompt_tokens": "12", "completion_tokens": 3}}):
        assert read_usage(broken) is None
    assert read_usage({"usage": {"prompt_tokens": -1, "completion_tokens": 3}}) is None


def test_the_schema_s_outermost_level_tells_what_is_wanted() -> None:
    record = wanted({"type": "object", "required": ["memories"]})
    assert record is not None
    assert record({"memories": [], "more": 1})
    assert not record({"more": 1})
    assert not record([])
    series = wanted({"type": "array"})
    assert series is not None
    assert series([])
    assert not series({})
    assert wanted({"anyOf": []}) is None
