"""What a prompt shows of a long message: see `toldonce.recall.passages`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toldonce.recall.passages import MAX_PASSAGE, find_passage
from toldonce.text import terms
from toldonce.types import MAX_MEMORY_CHARACTERS

FILLERS = {
    "en": "Today I cleaned the kitchen and watched the rain. ",
    "de": "Heute habe ich die Küche geputzt und dem Regen zugesehen. ",
    "ru": "Сегодня я убирал кухню и смотрел на дождь. ",
    "ja": "今日は台所を掃除して雨を眺めました。",
}


@pytest.mark.parametrize(
    ("language", "question", "statement"),
    [
        ("en", "Which bike do I ride?", "My bike is a red Brompton."),
        ("de", "Welches Fahrrad fahre ich?", "Mein Fahrrad ist ein rotes Brompton."),
        ("ru", "Какой у меня велосипед?", "Мой велосипед красный Brompton."),
        ("ja", "私の自転車は?", "私の自転車は赤いブロンプトンです。"),
    ],
)
@pytest.mark.parametrize("before", [0, 20, 40])
def test_what_bears_on_the_question_is_shown_wherever_it_stands(
    language: str, question: str, statement: str, before: int
) -> None:
    filler = FILLERS[language]
    text = filler * before + statement + " " + filler * (40 - before)
    shown = find_passage(text, dict.fromkeys(terms(question), 1.0)) or text[:MAX_MEMORY_CHARACTERS]
    assert statement in shown


@given(
    st.lists(st.text(alphabet="ab c.\n!?é漢"), min_size=1, max_size=60).map(" bike ".join),
    st.integers(min_value=0, max_value=1_500),
)
def test_a_passage_is_one_stretch_of_the_message_within_its_length(words: str, before: int) -> None:
    text = "x" * before + " " + words + " y" * 400
    passage = find_passage(text, {"bike": 1.0})
    inner = passage.removeprefix("… ").removesuffix(" …")
    assert inner in text
    assert len(inner) <= MAX_PASSAGE
    assert not passage or passage.startswith("… ")


@pytest.mark.parametrize("text", ["My bike is red.", "I slept. " * 200], ids=["short", "silent"])
def test_a_message_is_shown_from_its_beginning_where_that_serves_as_well(text: str) -> None:
    assert find_passage(text, {"bike": 1.0}) == ""


def test_one_very_long_sentence_is_shown_around_what_is_asked() -> None:
    text = "so " * 400 + "my bike is red and " + "so " * 400
    assert "my bike is red" in find_passage(text, {"bike": 1.0, "red": 1.0})


def test_no_more_of_a_message_is_read_than_allowed() -> None:
    text = FILLERS["en"] * 40 + "My bike is red."
    assert "My bike is red." in find_passage(text, {"bike": 1.0})
    assert find_passage(text, {"bike": 1.0}, max_read=1_000) == ""
