"""What two statements of other languages than English must have in common to be one, and what tells the language."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from toldonce.text.markers import all_markers, differing_marker, read_signs
from toldonce.text.statement_language import language_of
from toldonce.text.wordings import are_english, foreign_difference, marked_difference

FOLDER = Path(__file__).parents[1] / "resolution"
PAIRS: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads((FOLDER / "native_pairs.toml").read_text("utf-8"))
UNKNOWN: Mapping[str, Sequence[str]] = tomllib.loads((FOLDER / "unknown_pairs.toml").read_text("utf-8"))
NEGATED, COUNTED, DATED, OPPOSITE = (
    "one of them is negated",
    "the numbers differ",
    "the dates differ",
    "they say opposite things",
)
REASONS = {
    "denied": {NEGATED},
    "numbers": {COUNTED},
    # 'Never' denies as well; Chinese and Vietnamese number the days.
    "days": {DATED, COUNTED},
    "opposites": {OPPOSITE, NEGATED},
}


def test_the_markers_of_the_most_spoken_languages_are_known() -> None:
    spoken = "de es fr it pt nl ru uk pl cs ro sv da no fi hu el tr ar fa he hi bn ur id vi th ko ja zh sw tl ca ta te"
    assert set(spoken.split()) <= all_markers().keys() & PAIRS.keys()


@pytest.mark.parametrize("language", PAIRS)
def test_a_difference_in_a_marker_is_named_in_either_order(language: str) -> None:
    markers = all_markers()[language]
    for kind, reasons in REASONS.items():
        one, other = PAIRS[language][kind]
        signs, others = read_signs(one, markers), read_signs(other, markers)
        assert differing_marker(signs, others, markers) in reasons, kind
        assert differing_marker(others, signs, markers) in reasons, kind
        assert foreign_difference(one, other) is not None, kind
        assert foreign_difference(other, one) is not None, kind


@pytest.mark.parametrize("language", PAIRS)
def test_the_same_words_are_one_statement(language: str) -> None:
    one, other = PAIRS[language]["again"]
    assert foreign_difference(one, other) is None
    assert foreign_difference(other, one) is None
    for pair in PAIRS[language].values():
        assert all(foreign_difference(text, f"– {text.rstrip('.。।')} !!") is None for text in pair)


@pytest.mark.parametrize("language", PAIRS)
def test_a_statement_is_never_taken_for_english(language: str) -> None:
    for pair in PAIRS[language].values():
        assert "en" not in map(language_of, pair)


@pytest.mark.parametrize("language", UNKNOWN)
def test_statements_in_an_unknown_language_are_one_only_in_the_same_words(language: str) -> None:
    one, other = UNKNOWN[language]
    assert foreign_difference(one, other) is not None
    assert foreign_difference(other, one) is not None
    assert foreign_difference(one, one.rstrip(".")) is None
    assert "en" not in (language_of(one), language_of(other))


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user likes tea.", "Der Nutzer mag keinen Tee."),
        ('The user said: "Mo jẹ ẹran."', 'The user said: "Mo kò jẹ ẹran."'),
        ('Ana: "Ich esse gern Fleisch."', 'Ana: "Ich esse ungern Fleisch."'),
        ("Ana trinkt Kaffee.", "Ana trinkt manchmal Kaffee."),
        ("Ana wohnt bei Ben.", "Ben wohnt bei Ana."),
        ("Das Zimmer kostet 3,50 am Tag.", "Das Zimmer kostet 3, 50 am Tag."),
        ("Ana wohnt auch in Bonn.", "Ana wohnt sehr in Bonn."),
        ("Ana isst Fleisch, Ben nicht.", "Ben isst Fleisch, Ana nicht."),
    ],
)
def test_what_differs_otherwise_is_two_statements(one: str, other: str) -> None:
    assert foreign_difference(one, other) is not None
    assert foreign_difference(other, one) is not None


def test_a_word_that_says_nothing_may_be_missing() -> None:
    assert foreign_difference("Ich trinke auch wirklich Kaffee.", "Ich trinke Kaffee.") is None


def test_english_is_left_to_its_own_rules() -> None:
    one, other = "The user likes tea.", "The user does not like tea."
    assert are_english(one, other)
    assert foreign_difference(one, other) is None
    assert marked_difference(one, other) is None


def test_no_light_word_denies_or_counts_in_its_language() -> None:
    for code, markers in all_markers().items():
        assert not markers.light & (markers.denials.exact.keys() | markers.numbers.exact.keys()), code
