"""What an assistant says in another language is an echo only in the words of a memory."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from factories import memory
from tables import check_each
from toldonce.extraction.echo import EchoFilter
from toldonce.types import MemoryKind

FOLDER = Path(__file__).parents[1] / "resolution"
PAIRS: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads((FOLDER / "native_pairs.toml").read_text("utf-8"))
UNKNOWN: Mapping[str, Sequence[str]] = tomllib.loads((FOLDER / "unknown_pairs.toml").read_text("utf-8"))
DIFFERENT = [
    *(
        pytest.param(*pair, id=f"{code}-{kind}")
        for code, of in PAIRS.items()
        for kind, pair in of.items()
        if kind != "again"
    ),
    *(pytest.param(*pair, id=code) for code, pair in UNKNOWN.items()),
]


@check_each(("one", "other"), DIFFERENT)
def test_what_is_denied_or_changed_is_no_echo(one: str, other: str) -> None:
    for known, said in ((one, other), (other, one)):
        echoes = EchoFilter([memory(known), memory(known, kind=MemoryKind.TURN), memory("The user likes tea.")])
        assert echoes.without("assistant", said) == said
        assert echoes.without("user", said) == said


@check_each("text", [*(pair["denied"][0] for pair in PAIRS.values()), *(said for said, _ in UNKNOWN.values())])
def test_the_same_words_are_an_echo(text: str) -> None:
    assert EchoFilter([memory(f"Oslo! {text}")]).parted("assistant", text) == ("", [text])


def test_a_pasted_memory_with_a_denial_before_it_stays() -> None:
    text = "Mo kò jẹ ẹran pupọ"
    echoes = EchoFilter([memory("jẹ ẹran pupọ")])
    assert echoes.without("user", text) == text
