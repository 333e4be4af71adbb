"""Arguments of a wrong type are refused by name, by both libraries."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from toldonce import ToldOnce
from toldonce.errors import BadRequestError
from toldonce.testing import FakeClock

CASES: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("add", (5,), {}, "the text is int"),
    ("add", ("I like tea.",), {"importance": "0.5"}, "importance is str"),
    ("add", ("I like tea.",), {"type": None}, "the type is NoneType"),
    ("search", (None,), {}, "the query is NoneType"),
    ("bulk.add", ("abc",), {}, "the notes are str"),
    ("bulk.add", (iter(["I like tea."]),), {}, "the notes are list_iterator"),
    ("bulk.add", ([None],), {}, "note 1 of 1: the text is NoneType"),
]


@pytest.mark.parametrize(("name", "arguments", "options", "message"), CASES)
def test_a_wrong_type_is_refused(
    tmp_path: Path, name: str, arguments: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with ToldOnce(tmp_path / "memory.db", clock=FakeClock()) as memory:
        core = memory._engine.core
        blocking, own = (
            (memory.bulk.add, core.bulk.add) if name == "bulk.add" else (getattr(memory, name), getattr(core, name))
        )
        with pytest.raises(BadRequestError, match=message):
            blocking(*arguments, **options)
        with pytest.raises(BadRequestError, match=message):
            asyncio.run(own(*arguments, **options))
        assert memory.list() == []
