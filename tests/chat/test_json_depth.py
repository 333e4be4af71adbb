"""How deep JSON is nested and how much it holds, without parsing it: as a walk over the parsed value says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toldonce.chat import json_depth
from toldonce.chat.json_depth import has_more_values, nests_deeper

TEXTS = st.text(alphabet='[]{}",\\ aé', max_size=8)
VALUES = st.recursive(
    TEXTS | st.integers(), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=3)
)


def depth_of(value: object) -> int:
    if isinstance(value, dict | list):
        return 1 + max(map(depth_of, value.values() if isinstance(value, dict) else value), default=0)
    return 0


def count_of(value: object) -> int:
    if isinstance(value, dict | list):
        inner = list(value.values() if isinstance(value, dict) else value)
        return 1 + (sum(map(count_of, inner)) if inner else 1)  # what is empty counts as if it held one
    return 1


@pytest.mark.parametrize("window", [3, 17, 65536])
@given(value=VALUES)
def test_a_number_of_values_is_exceeded_exactly_below_it(window: int, value: object) -> None:
    data, number = json.dumps(value).encode(), count_of(value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_depth, "_WINDOW", window)
        assert not has_more_values(data, number)
        assert number == 1 or has_more_values(data, number - 1)


@pytest.mark.parametrize("window", [3, 17, 65536])
@given(value=VALUES)
def test_a_limit_is_exceeded_exactly_below_the_depth(window: int, value: object) -> None:
    data, depth = json.dumps(value).encode(), depth_of(value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_depth, "_WINDOW", window)
        assert not nests_deeper(data, depth)
        assert depth == 0 or nests_deeper(data, depth - 1)


@pytest.mark.parametrize(
    "data", [b"", b"\\", b"\\" * 200_000, b'"' * 200_001, b"]" * 200_000, b"\xff" * 10, b'["' + b'\\"' * 200_000]
)
def test_what_is_no_json_counts_as_flat(data: bytes) -> None:
    assert not nests_deeper(data, 16)


@pytest.mark.parametrize("data", [b"[" * 17, b'{"a":' * 17, b'["x", ' * 100_000, b"[" * 1_000_000])
def test_brackets_that_never_close_count(data: bytes) -> None:
    assert nests_deeper(data, 16)
