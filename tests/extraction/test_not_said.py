"""What is not the user's own makes no fact about them; what they say beside it does."""

import pytest

from extraction.not_said import NOT_SAID, SAID
from extraction.rules.test_clause_facts import form
from tables import check_each
from toldonce.extraction.role_play import find_games
from toldonce.extraction.sources import readable_text
from toldonce.types import MemoryKind

_TEXTS = [text for texts in NOT_SAID.values() for text in texts]
# Texts of which a fact may be formed, of all that say nothing of the user: trained heads judge them.
MAX_MISTAKEN = 0.03


def test_what_is_not_said_of_oneself_makes_hardly_any_fact() -> None:
    mistaken = [text for text in _TEXTS if any(each.kind is MemoryKind.FACT for each in form(text))]
    assert len(mistaken) <= MAX_MISTAKEN * len(_TEXTS), mistaken


@check_each(("text", "expected"), SAID)
def test_what_is_said_beside_it_does(text: str, expected: dict[str, str]) -> None:
    assert {candidate.key: candidate.value for candidate in form(text) if candidate.kind is MemoryKind.FACT} == expected


@pytest.mark.parametrize("kind", ["role play", "stories", "mail", "biographies", "test data"])
def test_neither_a_model_nor_a_quotation_is_given_it(kind: str) -> None:
    left = [readable_text(text) for text in NOT_SAID[kind]]
    assert [
        text for text in left if "I live in" in text and "novel I live" not in text and "says I live" not in text
    ] == []


def test_a_game_goes_on_in_later_messages_until_it_is_ended() -> None:
    told = (
        ("Let's role-play! I'm the captain and you're my mate.", True),
        ("I was born in Tortuga.", True),
        ("What do I drink?", True),
        ("Actually, I have a wooden leg.", True),
        ("ok game over, I live in Bergen", False),
        ("I like it there.", False),
    )
    is_open = False
    for text, open_behind in told:
        _, is_open = find_games(text, is_open=is_open)
        assert is_open is open_behind


@check_each(
    "text",
    [
        "Pretend to be a career coach for a new client.",
        "I want you to pretend that you are a girl from Bergen and chat with me.",
        "Stay in character whatever I ask.",
        "Please assume the role of Sherlock Holmes.",
        "He has to pretend to be a child.",
        "Let's not pretend it was easy.",
        "*hugs you tightly* good morning",
        "time:day of the event\nscene:kind of payment",
        "Once Upon a Time in Hollywood: what is its rating?",
    ],
)
def test_a_part_for_the_assistant_alone_makes_no_fiction_of_later_messages(text: str) -> None:
    assert not find_games(text, is_open=False)[1]
    assert find_games("I live in Bergen.", is_open=False) == ([], False)


def test_what_is_said_beside_a_part_for_the_assistant_belongs_to_the_game() -> None:
    text = "Pretend you are my gran. Gran, I moved to Paris. Game over. I live in Bergen."

    assert [text[start:end] for start, end in find_games(text, is_open=False)[0]] == [
        "Pretend you are my gran. Gran, I moved to Paris. "
    ]


@check_each(
    ("text", "is_game"),
    [
        ("Could we tell a ghost story together? I live in a mill.", True),
        ("I am Ysolde, queen of the marshes. I own nine castles.", True),
        ("I'm Wizard Odo and I live in a hut.", True),
        ("Once upon a time I lived in a shoe.", True),
        ("Tell me a story about a fox. I live in Ulm.", False),
        ("Can you write a story for my son? I'm a nurse.", False),
        ("I'm the drama queen of my family.", False),
        ("I'm a prince of a guy.", False),
        ("I'm Nora, a nurse from Ulm.", False),
    ],
)
def test_a_tale_that_both_tell_is_a_game(text: str, is_game: bool) -> None:
    assert find_games(text, is_open=False)[1] is is_game
