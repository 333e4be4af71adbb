"""JSON without `json`: the same values, and the same refusals."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toldonce.hook.quick_json import read_json, write_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_values_are_read_as_json_reads_them(value: object, indent: int | None, is_ascii: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)

    assert read_json(f" \n{text}\t\r\n") == json.loads(text)


@pytest.mark.parametrize(
    "text", ["", " ", "{", "[1,]", '{"a" 1}', "tru", '"a', "1 2", '"a\nb"', '{"a": 1} x', "\ufeff1"]
)
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # as of json
        json.loads(text)
    with pytest.raises(ValueError):  # noqa: PT011  # as of json
        read_json(text)


def test_what_is_nested_too_deep_is_an_error() -> None:
    with pytest.raises(RecursionError):
        read_json("[" * 200_000)


@given(st.dictionaries(st.text(), st.text(), max_size=5))
def test_strings_are_written_as_json_writes_them(fields: dict[str, str]) -> None:
    assert write_json(fields) == json.dumps(fields).encode()
    assert write_json({"a": fields}) == json.dumps({"a": fields}).encode()
