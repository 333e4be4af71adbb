"""What a request to forget names by a word of its own is found in memories that have other words."""

import pytest

from tables import check_each
from toldonce.resolution.tokens import tokenize
from toldonce.resolution.topics import is_about, topic_keys, topic_parts, topic_words


@check_each(
    ("topic", "memory"),
    [
        ("my diagnosis", "The user has been diagnosed with bipolar II."),
        ("my diagnosis", "The user has ADHD."),
        ("my meds", "The user started lamotrigine on 3 May 2026."),
        ("my medication", "The user takes 50 mg of sertraline."),
        ("my pills", "The user takes ramipril in the morning."),
        ("my mental health", "The user has depression."),
        ("my illness", "The user has epilepsy."),
        ("my kids", "The user has two sons."),
    ],
)
def test_a_topic_means_a_memory_of_other_words(topic: str, memory: str) -> None:
    assert is_about(topic_words(topic), tokenize(memory).content)


@pytest.mark.parametrize(
    ("topic", "memory"),
    [
        ("my pills", "The user loves to bake."),
        ("my meds", "The user has a python called Nagini."),
        ("my mental health", "The user broke their arm."),
        ("my diagnosis", "The user's car failed its test."),
    ],
)
def test_a_topic_means_no_other_memory(topic: str, memory: str) -> None:
    assert not is_about(topic_words(topic), tokenize(memory).content)


@check_each(
    ("topic", "key"),
    [
        ("where I live", "location"),
        ("where I currently live", "location"),
        ("my old address", "location"),
        ("the exact details of my job", "employer"),
        ("the user's age", "birthday"),
        ("the user's kind of job", "job"),
        ("what I usually eat again", "diet"),
        ("my phone number", "phone"),
        ("mein Mann", "partner"),
    ],
)
def test_a_topic_names_the_slots_of_its_facts_whatever_stands_beside_the_word(topic: str, key: str) -> None:
    assert key in topic_keys(tokenize(topic))


@check_each(
    "topic",
    [
        "my work trip to Oslo",
        "my job at Acme",
        "that I am a nurse",
        "all my details",
        "old new",
        "currently",
        "it all",
        "",
    ],
)
def test_a_topic_that_says_more_or_less_than_a_slot_names_none(topic: str) -> None:
    """'Forget my job at Acme' is no request to forget any job, nor is 'my details' one to forget all facts."""
    assert topic_keys(tokenize(topic)) == frozenset()


@pytest.mark.parametrize(
    ("topic", "memory"),
    [
        ("the user's dentist", "The user's car is red."),
        ("my usual dentist", "The user usually walks."),
        ("the thing with the lawyer", "The user likes the thing with the octopus."),
        ("meine Schwangerschaft", "Meine Tochter geht zur Schule."),
        ("currently", "The user currently reads."),
    ],
)
def test_words_that_name_nothing_make_no_memory_meant(topic: str, memory: str) -> None:
    assert not is_about(topic_words(topic), tokenize(memory).content)


@pytest.mark.parametrize(
    ("topic", "memory"),
    [
        ("the user's dentist", "Our dentist is Dr Bo."),
        ("my usual dentist", "The user's dentist is Dr Bo."),
        ("the thing with the lawyer", "The lawyer wrote."),
        ("the results", "The results came."),
        ("meine Schwangerschaft", "Sie ist schwanger."),
        ("my kids", "The kids are at school."),
    ],
)
def test_what_a_topic_names_is_meant_without_the_words_around_it(topic: str, memory: str) -> None:
    assert is_about(topic_words(topic), tokenize(memory).content)


def test_of_a_list_each_thing_is_a_topic_beside_the_whole() -> None:
    assert topic_parts("my rent, my salary or my debts,") == [
        "my rent, my salary or my debts,",
        "my rent",
        "my salary",
        "my debts",
    ]
    assert topic_parts("my flat") == ["my flat"]
