"""Slots that statements in eleven languages give, and sentences that give none."""

import tomllib
from pathlib import Path

import pytest

from extractor_inputs import logged, source
from tables import check_each
from toldonce.extraction.rules import read_by_rules
from toldonce.reading.sentences import TextSpan, fold
from toldonce.reading.slots import answered_slots, languages, stated_slots
from toldonce.time_zones import read_zone
from toldonce.types import MemoryKind

EXAMPLES = tomllib.loads((Path(__file__).parent / "stated_slots.toml").read_text("utf-8"))
MIN_FACTS, MIN_NOTHING = 8, 6


def stated(text: str) -> list[str]:
    return sorted(f"{slot.key} = {slot.value}" for slot in stated_slots(TextSpan(fold(text), 0)))


def formed(text: str) -> list[str]:
    candidates = read_by_rules(source(logged(1, text), neighbours=())).candidates
    return [f"{each.key} = {each.value}" for each in candidates if each.kind is MemoryKind.FACT]


def test_each_language_has_examples() -> None:
    assert set(EXAMPLES) | {"en"} == set(languages())
    for told in EXAMPLES.values():
        assert len(told["facts"]) >= MIN_FACTS
        assert len(told["nothing"]) >= MIN_NOTHING


@check_each(
    ("says", "expected"), [(says, expected) for code in EXAMPLES for says, *expected in EXAMPLES[code]["facts"]]
)
def test_a_statement_gives_its_slots(says: str, expected: list[str]) -> None:
    assert stated(says) == sorted(expected)


@check_each("says", [says for code in EXAMPLES for says in EXAMPLES[code]["nothing"]])
def test_questions_denials_suppositions_fiction_and_others_give_no_slot(says: str) -> None:
    assert not [slot for slot in formed(says) if not slot.startswith("rule:")]


@check_each(
    ("text", "value", "zone"),
    [
        ("My time zone is America/Chicago", "America/Chicago", "America/Chicago"),
        ("Meine Zeitzone ist Europe/Oslo.", "Europe/Oslo", "Europe/Oslo"),
        ("meine zeitzone ist MEZ", "MEZ", "Europe/Berlin"),
        ("Übrigens, meine Zeitzone ist die von New York, und ich koche gern.", "New York", "America/New_York"),
        ("mi zona horaria es UTC-5", "UTC-5", "UTC-05:00"),
        ("Mon fuseau horaire est UTC+1.", "UTC+1", "UTC+01:00"),
        ("Meu fuso horário é Sao Paulo.", "Sao Paulo", "America/Sao_Paulo"),
        ("Il mio fuso orario è CET.", "CET", "CET"),
        ("Mijn tijdzone is Amsterdam.", "Amsterdam", "Europe/Amsterdam"),
        ("Мой часовой пояс — UTC+3.", "UTC+3", "UTC+03:00"),
        ("我的时区是Asia/Shanghai。", "Asia/Shanghai", "Asia/Shanghai"),
        ("私のタイムゾーンはAsia/Tokyoです。", "Asia/Tokyo", "Asia/Tokyo"),
        ("منطقتي الزمنية هي Asia/Dubai.", "Asia/Dubai", "Asia/Dubai"),
    ],
)
def test_the_zone_that_a_statement_names_is_read(text: str, value: str, zone: str) -> None:
    [found] = [slot for slot in stated_slots(TextSpan(text, 0)) if slot.key == "time_zone"]
    assert (found.value, str(read_zone(found.value))) == (value, zone)


@pytest.mark.parametrize(
    "text",
    [
        "Mon fuseau est le même.",
        "Die Zeitzone von Tim ist Europe/Oslo.",
        "La zona horaria de mi jefe es UTC-5.",
        "东京的时区是UTC+9。",
    ],
)
def test_no_other_zone_is_the_users(text: str) -> None:
    assert "time_zone" not in {slot.key for slot in stated_slots(TextSpan(text, 0))}


@check_each(
    ("asked", "answer", "expected"),
    [
        ("Sure! Any allergies?", "yep, hazelnuts", ["allergy:hazelnuts"]),
        ("Any allergies?", "no, none", []),
        ("Any allergies?", "Non, rien.", []),
        ("Where do you live?", "Lyon", ["location"]),
        ("In welcher Stadt wohnst du?", "Lyon", ["location"]),
        ("Où habites-tu ?", "à Lyon", ["location"]),
        ("¿Cómo te llamas?", "Itziar", ["name"]),
        ("Shall I go on?", "yes", []),
        ("Where do you live?", "why do you ask?", []),
    ],
)
def test_a_short_answer_fills_the_slot_that_was_asked_for(asked: str, answer: str, expected: list[str]) -> None:
    assert [slot.key for slot in answered_slots(TextSpan(answer, 0), answer, asked)] == expected


def test_each_slot_of_a_sentence_quotes_its_own_clause() -> None:
    said = "I live in Oslo, I'm a nurse and I'm allergic to nuts and soy"
    clauses = {slot.key: slot.clause.text for slot in stated_slots(TextSpan(said, 0))}
    assert clauses == {
        "location": "I live in Oslo",
        "job": "I'm a nurse",
        "allergy:nuts": "I'm allergic to nuts and soy",
        "allergy:soy": "I'm allergic to nuts and soy",
    }
    cut = {slot.clause.text for slot in stated_slots(TextSpan("I live in Oslo and I have a cat named Miau", 0))}
    assert cut == {"I live in Oslo", "I have a cat named Miau"}  # though the frame of the cat begins with 'have'


@pytest.mark.parametrize(
    "sentence",
    [
        "my brother, vegan since 2019, is coming for dinner",
        "meine Schwester, allergisch gegen Nüsse, braucht einen Kuchen",
        "mon frère, végétarien depuis 2019, vient dîner",
        "мой брат, веган с 2019 года, придёт на ужин",
        "我的同事，对花生过敏，晚上来",
        "同僚の田中さんは、ピーナッツアレルギーです",
        "妹は、東京に住んでいます",
    ],
)
def test_what_is_said_of_another_person_between_marks_fills_no_slot(sentence: str) -> None:
    assert stated_slots(TextSpan(sentence, 0)) == []
