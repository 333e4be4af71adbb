"""Facts as sentences: wording by key, a fact's own sentence, headings and order."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.prompt.sentences import fact_sentence, grouped, place_of, sentence_of, wording
from recollect.resolution.slots import MULTI_VALUED, SINGLE_VALUED
from recollect.types import Memory, MemoryKind
from snapshots import Known, memory_of


def fact(number: int, key: str, value: str, category: str = "") -> Memory:
    known = Known(id=number, text=f"{key} {value}", kind=MemoryKind.FACT, category=category, key=key)
    return replace(memory_of(known), value=value)


def block(*facts: Memory) -> list[str]:
    return grouped((place_of(memory), fact_sentence(memory)) for memory in facts)


@pytest.mark.parametrize("key", sorted(MULTI_VALUED | SINGLE_VALUED))
def test_every_slot_of_the_shipped_list_has_a_wording(key: str) -> None:
    assert any(key in group.sentences for group in wording().groups)


def test_every_wording_shows_its_value() -> None:
    for group in wording().groups:
        for key, sentences in group.sentences.items():
            several = {} if isinstance(sentences, str) else dict(sentences)
            sentence = sentences if isinstance(sentences, str) else several.pop("*")
            assert sentence.count("{value}") + sentence.count("{a value}") == 1, key
            assert sentence.endswith("."), key


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("location", "Oslo", "The user lives in Oslo."),
        ("child:tom", "Tom", "The user has a child named Tom."),
        ("job", "engineer", "The user works as an engineer."),
        ("job", "a nurse", "The user works as a nurse."),
        ("job", "Krankenschwester", "The user works as Krankenschwester."),
        ("emoji", "no", "The user wants no emojis."),
        ("diet", "no sugar", "The user's diet: no sugar."),
        ("answer_length", "short and to the point", "The user wants answers to be short and to the point."),
        ("dislike:long explanations", "long explanations", "The user wants answers without long explanations."),
        ("dislike:long answers", "long answers", "The user does not want long answers."),
        ("dislike:olives", "olives", "The user does not like olives."),
        ("favorite_color", "green", "The user's favorite color is green."),
        ("cup:left", "red", "The user's cup (left): red."),
        ("coffee", "latte with oat milk and two shots", "The user's coffee: latte with oat milk and two shots."),
        ("shoelaces", "blue", "The user's shoelaces: blue."),
        ("location", "東京", "The user lives in 東京."),
        ("rule:cite", "Always cite sources.", "The user asks for this: Always cite sources."),
    ],
)  # fmt: skip
def test_a_key_and_a_value_make_a_sentence(key: str, value: str, sentence: str) -> None:
    assert sentence_of(key, value, f"The user's {key.partition(':')[0]}: {value}.") == sentence


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("The user does not eat gluten.", True),
        ("Ana cannot have gluten.", True),
        ("The user's avoid: gluten.", False),
        ("the user avoids gluten.", False),
        ("The user avoids gluten", False),
        ("The user avoids wheat.", False),
        ("Avoids gluten.", False),
        ("The user avoids gluten on 3 days a week.", False),
        ("The user avoids gluten while training for a race.", False),
        (f"The user avoids gluten, {'and ' * 80}more.", False),
    ],
)
def test_a_facts_own_text_is_used_if_it_is_a_sentence_about_the_value(text: str, own: bool) -> None:
    assert sentence_of("avoid:gluten", "gluten", text) == (text if own else "The user avoids gluten.")


def test_sentences_are_under_headings_each_sentence_once() -> None:
    facts = [
        fact(1, "coffee_order", "latte", "other"),
        fact(2, "like:jazz", "jazz", "preference"),
        fact(3, "dislike:jargon", "jargon", "preference"),
        fact(4, "answer_language", "English", "instruction"),
        fact(5, "allergy:soy", "soy", "constraint"),
        fact(6, "name", "Ana", "identity"),
        fact(7, "location", "Oslo", "identity"),
        fact(8, "name", "Ana", "preference"),
    ]
    assert block(*facts) == [
        "About the user:",
        "The user's name is Ana.",
        "The user lives in Oslo.",
        "To be respected:",
        "The user is allergic to soy.",
        "Wishes for answers:",
        "The user wants answers in English.",
        "The user wants answers without jargon.",
        "Likes, dislikes and habits:",
        "The user likes jazz.",
        "Other:",
        "The user's coffee order is latte.",
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
    assert block(fact(1, "coffee_order", "latte", category)) == [heading, "The user's coffee order is latte."]


@given(st.text(min_size=1, max_size=60), st.text(max_size=200), st.text(max_size=200))
def test_a_sentence_is_one_safe_line(key: str, value: str, text: str) -> None:
    known = Known(id=1, text=text, kind=MemoryKind.FACT, key=key)
    sentence = fact_sentence(replace(memory_of(known), value=value))
    assert len(sentence.splitlines()) <= 1
    assert not set('<>"') & set(sentence)
