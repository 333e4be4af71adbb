"""Is a message worth a look? Cheap, and wrong on the side of looking."""

import pytest

from recollect.extraction.gate import is_worth_extracting


@pytest.mark.parametrize(
    "text",
    [
        "I live in Oslo",
        "I'm vegetarian, what should I eat?",
        "My dog is called Rex.",
        "always answer in French",
        "Call me Bob",
        "Don't use emojis",
        "How do I plan the trip, now that my flight was moved to Monday?",
        "What is the best way to split the budget of $6,200, considering I added a sound plugin?",
        "Should I tell her, given that we broke up in May?",
        "Remember that the office closes at 5",
        "Fix this, and by the way I live in Oslo",
        "Hi! I moved to Oslo last week.",
        "Ich bin Vegetarier und wohne in Bonn",
        "Jeg bor i Bergen med to katter",
        "私は東京に住んでいます",
    ],
)
def test_something_lasting_may_be_in_it(text: str) -> None:
    assert is_worth_extracting(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "hi",
        "Hello there!",
        "Thanks a lot!",
        "ok cool",
        "What's the capital of France?",
        "Can you help me with my homework?",
        "How long has it been since the war?",
        "How long is it since I asked?",
        "Why is the sky blue, considering that space is black?",
        "can you help me",
        "Write a poem about autumn",
        "Summarize this text.",
        "The sky is blue.",
        "def f(x):\n    return x",
        "for (int i = 0; i < n; i++) {\n  sum += i;\n}",
        "```\nI live in Oslo\n```",
        "> I live in Oslo",
        "<recollect-memory a>I live in Oslo</recollect-memory a>What should I eat?",
        "12345 !!!",
        "Wo ist der Bahnhof?",
        "東京はどこですか？",
    ],
)
def test_nothing_lasting_is_in_it(text: str) -> None:
    assert not is_worth_extracting(text)
