"""What a request to forget names by a word of its own is found in memories that have other words."""

import pytest

from recollect.resolve.topics import is_about, topic_words
from recollect.resolve.wording import read


@pytest.mark.parametrize(
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
    assert is_about(topic_words(topic), read(memory).content)


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
    assert not is_about(topic_words(topic), read(memory).content)
