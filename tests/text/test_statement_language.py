"""What tells in which language a statement is."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from toldonce.text.markers import all_markers
from toldonce.text.statement_language import language_of

FOLDER = Path(__file__).parents[1] / "resolution"
PAIRS: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads((FOLDER / "native_pairs.toml").read_text("utf-8"))
UNKNOWN: Mapping[str, Sequence[str]] = tomllib.loads((FOLDER / "unknown_pairs.toml").read_text("utf-8"))


def test_the_markers_of_the_most_spoken_languages_are_known() -> None:
    spoken = "de es fr it pt nl ru uk pl cs ro sv da no fi hu el tr ar fa he hi bn ur id vi th ko ja zh sw tl ca ta te"
    assert set(spoken.split()) <= all_markers().keys() & PAIRS.keys()


@pytest.mark.parametrize("language", PAIRS)
def test_a_statement_is_never_taken_for_english(language: str) -> None:
    for pair in PAIRS[language].values():
        assert "en" not in map(language_of, pair)


def test_a_statement_in_a_language_without_markers_is_not_english() -> None:
    assert "en" not in [language_of(text) for pair in UNKNOWN.values() for text in pair]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The user likes tea.", "en"),
        ("Ana plays chess.", "en"),
        ("John practices taekwondo.", "en"),
        ("Take care!", "en"),
        ("Winter Bees Need Sugar, Says Ana", "en"),
        ("The user's friend 安娜 lives in Oslo.", "en"),
        ('The user said: "I never eat meat."', "en"),
        ('The user loves the film "La La Land".', "en"),
        ('The user said: "Ich esse nie Fleisch."', "de"),
        ("The user said: 'Ich esse nie Fleisch.'", "de"),
        ("The user said: 'I don't eat meat.'", "en"),
        ("用户说：“我不吃肉。”", "zh"),
        ('The user said: "ხორცს არ ჭამს."', ""),
        ('The user said: "Mwen renmen pizza."', ""),
        ("Kira", ""),
        ("12:30", ""),
        ("", ""),
        ("🎉", ""),
    ],
)
def test_the_language_of_a_statement(text: str, language: str) -> None:
    assert language_of(text) == language
