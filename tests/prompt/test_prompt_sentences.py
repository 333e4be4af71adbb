"""How memories read in a prompt: their own words under headings, in a fixed order."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots import Known, memory_of
from tables import check_each
from toldonce.prompt.rows import RowFormat, value_of
from toldonce.prompt.sentences import fact_sentence, grouped, headings, place_of
from toldonce.resolution.slots import MULTI_VALUED, SINGLE_VALUED
from toldonce.text.source_marks import said
from toldonce.types import Memory, MemoryKind

FORMAT = RowFormat(ZoneInfo("UTC"), datetime(2026, 5, 3, tzinfo=UTC), 500, 1)


def fact(number: int, key: str, text: str, category: str = "", value: str = "") -> Memory:
    known = Known(id=number, text=text, kind=MemoryKind.FACT, category=category, key=key)
    return replace(memory_of(known), value=value)


def block(*facts: Memory) -> list[str]:
    return grouped((place_of(memory), fact_sentence(memory)) for memory in facts)


@check_each("key", sorted(MULTI_VALUED | SINGLE_VALUED))
def test_every_slot_of_the_shipped_list_has_a_heading(key: str) -> None:
    assert any(key in group.keys for group in headings())


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("avoid:ibuprofen", "ibuprofen", "The user can't take ibuprofen since an ulcer in 2019."),
        ("location", "Oslo", "The user will live in Oslo from March 2027."),
        ("address_as", "du", "Der Nutzer möchte geduzt werden."),
        ("diet", "vegan", "用户从今年开始吃素。"),
        ("diet", "vegan", "Diet: vegan"),
    ],
)
def test_a_fact_is_shown_as_it_is_stored(key: str, value: str, text: str) -> None:
    memory = fact(1, key, text, value=value)
    assert fact_sentence(memory) == value_of("statement", memory, FORMAT) == text


@pytest.mark.parametrize(
    "words",
    [
        "I can't take ibuprofen since an ulcer in 2019",
        "möchte geduzt werden",
        "我从2019年起不能吃布洛芬",
        "je vivrai à Oslo à partir de mars 2027",
    ],
)
def test_a_fact_in_its_speakers_words_is_quoted_with_speaker_and_day(words: str) -> None:
    memory = fact(1, "avoid:ibuprofen", said("The user", words), value="ibuprofen")
    shown = value_of("statement", memory, FORMAT)
    assert shown.startswith(f'"{words}" (someone, ')
    assert shown == value_of("quote", memory, FORMAT)


def test_a_fact_without_a_text_shows_its_key_and_value() -> None:
    assert fact_sentence(fact(1, "cup:left", "", value="red")) == "cup (left): red"


def test_sentences_are_under_headings_each_sentence_once() -> None:
    facts = [
        fact(1, "coffee_order", "The user orders a latte.", "other"),
        fact(2, "like:jazz", "The user likes jazz.", "preference"),
        fact(4, "answer_language", "The user wants answers in English.", "instruction"),
        fact(5, "allergy:soy", "The user is allergic to soy.", "constraint"),
        fact(6, "name", "The user is Ana from Oslo.", "identity"),
        fact(7, "location", "The user is Ana from Oslo.", "identity"),
    ]
    assert block(*facts) == [
        "About the user:",
        "The user is Ana from Oslo.",
        "To be respected:",
        "The user is allergic to soy.",
        "Wishes for answers:",
        "The user wants answers in English.",
        "Likes, dislikes and habits:",
        "The user likes jazz.",
        "Other:",
        "The user orders a latte.",
    ]
    assert block(*reversed(facts)) == block(*facts)


@pytest.mark.parametrize(
    ("category", "heading"),
    [
        ("identity", "About the user:"),
        ("constraint", "To be respected:"),
        ("instruction", "Wishes for answers:"),
        ("preference", "Likes, dislikes and habits:"),
        ("", "Other:"),
    ],
)
def test_an_unknown_key_is_under_the_heading_of_its_category(category: str, heading: str) -> None:
    assert block(fact(1, "coffee_order", "A latte.", category)) == [heading, "A latte."]


@given(st.text(min_size=1, max_size=60), st.text(max_size=200), st.text(max_size=200))
def test_a_sentence_is_one_safe_line(key: str, value: str, text: str) -> None:
    known = Known(id=1, text=text, kind=MemoryKind.FACT, key=key)
    sentence = fact_sentence(replace(memory_of(known), value=value))
    assert len(sentence.splitlines()) <= 1
    assert "<toldonce-memory" not in sentence.lower()
