"""Values of a large JSON file one after another: what is cut off, damaged or too large."""

from io import BytesIO
from typing import Any

import pytest

from toldonce.datasets.recordings import BadRecordError
from toldonce.importers.json_values import read_values


class Drip(BytesIO):
    """A file that gives a few bytes at a time, so that every value is cut somewhere."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(3)


def read(data: bytes, max_characters: int = 1_000) -> tuple[list[Any], str]:
    """What is read before the file ends, and why it ends."""
    values = []
    try:
        for value in read_values(Drip(data), max_characters=max_characters):
            values.append(value)
    except BadRecordError as error:
        return values, str(error)
    return values, ""


@pytest.mark.parametrize(
    ("data", "values"),
    [
        (b'[{"a": "\\u00e9\xc3\xa9"}, 12345, true, "x,]"]', [{"a": "éé"}, 12345, True, "x,]"]),
        (b"\xef\xbb\xbf [ ] ", []),
        (b'{"a": [1, 2]}\n{"a": 3}\n', [{"a": [1, 2]}, {"a": 3}]),
        (b"", []),
    ],
)
def test_values_are_the_same_wherever_a_read_ends(data: bytes, values: list[Any]) -> None:
    assert read(data) == (values, "")


@pytest.mark.parametrize(
    ("data", "count", "why"),
    [
        (b'[{"a": 1}, {"b": "cut', 1, "the file ends within record 2"),
        (b'[{"a": 1}', 1, "the file ends after record 1"),
        (b'[{"a": 1} {"b": 1}]', 1, "no comma after record 1, but '{'"),
        (b'[{"a": 1}, {"b": oops, "c": "and much that comes after"}]', 1, "record 2 is not JSON: Expecting value"),
        (b'[{"a": "' + b"x" * 3_000 + b'"}]', 0, "record 1 has more than 1,000 characters"),
        (b'[1, "\xff\xfe\xff\xfe"]', 1, "no UTF-8 after record 1"),
        (b"[" * 100_000, 0, "record 1 is nested too deep"),
    ],
)
def test_what_came_before_the_damage_is_read(data: bytes, count: int, why: str) -> None:
    values, reason = read(data, 200_000 if data.startswith(b"[[") else 1_000)
    assert (len(values), reason[: len(why)]) == (count, why)


def test_a_number_of_a_million_digits_is_read_at_once() -> None:
    [value] = read_values(BytesIO(b'[{"n": ' + b"9" * 1_000_000 + b"}]"))
    assert value == {"n": float("inf")}
