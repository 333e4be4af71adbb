"""Slots of statements in ten languages other than English, and sentences that state none."""

import tomllib
from pathlib import Path

import pytest
from toldonce.extraction.rules.foreign_facts import LANGUAGES
from toldonce.extraction.rules.foreign_languages import foreign_language
from toldonce.extraction.rules.foreign_statements import stated_facts

EXAMPLES = tomllib.loads((Path(__file__).parent / "foreign_examples.toml").read_text("utf-8"))
MIN_FACTS, MIN_NOTHING = 8, 6


def examples(kind: str) -> list[tuple[str, str, list[str]]]:
    return [(code, says, expected) for code in EXAMPLES for says, *expected in EXAMPLES[code][kind]]


def found(says: str, code: str) -> list[str]:
    return sorted(f"{fact.key} = {fact.value}" for fact in stated_facts(says, says, code))


def test_each_language_has_examples() -> None:
    assert set(EXAMPLES) == set(LANGUAGES)
    for told in EXAMPLES.values():
        assert len(told["facts"]) >= MIN_FACTS
        assert len(told["nothing"]) >= MIN_NOTHING


@pytest.mark.parametrize(("code", "says", "expected"), examples("facts"))
def test_a_statement_gives_its_slots(code: str, says: str, expected: list[str]) -> None:
    assert foreign_language(says, says) == code
    assert found(says, code) == sorted(expected)


@pytest.mark.parametrize(("code", "says"), [(code, says) for code in EXAMPLES for says in EXAMPLES[code]["nothing"]])
def test_questions_denials_suppositions_fiction_and_others_give_no_slot(code: str, says: str) -> None:
    assert not stated_facts(says, says, code)
