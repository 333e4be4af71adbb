"""An assistant that repeats what it was shown says nothing new; a person is taken at their word."""

from dataclasses import replace

import pytest

from factories import memory
from tables import check_each
from toldonce.extraction.echo import EchoFilter
from toldonce.extraction.own_text.own_words import own_words
from toldonce.types import MemoryDetail, MemoryKind

PEANUTS = memory("The user is allergic to peanuts.")
OSLO = replace(memory("The user lives in Oslo.", slot="identity/location"), value="Oslo")
SAID = memory("I moved to Oslo because Eva runs a restaurant there.", kind=MemoryKind.TURN)
ECHOES = EchoFilter([PEANUTS, OSLO, SAID])


@pytest.mark.parametrize(
    "text",
    [
        "You are allergic to peanuts.",
        "As you told me, you're allergic to peanuts, and you live in Oslo.",
        "I remember that you live in Oslo!",
        "You said: “I moved to Oslo because Eva runs a restaurant there.”",
        "Eva runs a restaurant in Oslo.",
    ],
)
def test_an_answer_that_repeats_what_was_shown_is_taken_out(text: str) -> None:
    assert ECHOES.without("assistant", text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "You are not allergic to peanuts.",
        "You live in Bergen.",
        "You live in Oslo, and you booked a table at Maaemo.",
        "Peanuts are legumes.",
        "Eva closed her restaurant in Oslo last week.",
    ],
)
def test_an_answer_that_says_more_or_the_opposite_stays(text: str) -> None:
    assert ECHOES.without("assistant", text) == text


def test_what_stands_beside_an_echo_stays() -> None:
    text = "You live in Oslo. I booked you a table at Maaemo. You are allergic to peanuts!"
    assert ECHOES.without("assistant", text) == "I booked you a table at Maaemo."


@pytest.mark.parametrize("text", ["I live in Oslo.", "I moved to Oslo because Eva runs a restaurant there."])
def test_what_a_person_says_again_of_themselves_is_no_echo(text: str) -> None:
    assert ECHOES.without("user", text) == text


def test_a_memory_that_a_person_pastes_word_for_word_is_an_echo() -> None:
    assert ECHOES.without("user", "* The user is allergic to peanuts\nI play the cello.") == "I play the cello."


@check_each(
    ("text", "own"),
    [
        ("## Long-term memory: user profile\n- location: Oslo\n\nI moved.", "I moved."),
        ("- [FACT] The user likes tea. (importance: 0.8)\nI moved.", "I moved."),
        ('- "The user likes tea." (the user, 1 January 2026)\nI moved.', "I moved."),
        ("1. [Created: 2026-01-01] The user likes tea.\nI moved.", "I moved."),
        ("<erinnerung>\nI like tea.\n</erinnerung>\nI moved.", "I moved."),
        ("PHJlY29sbGVjdC1tZW1vcnkgaWQ9IjEiPkkgbGlrZSB0ZWE8L3JlY29sbGVjdC1tZW1vcnk+ I moved.", "I moved."),
        ("- I like tea (2026)\n- I moved.", "- I like tea (2026)\n- I moved."),
        ("My turns: 1-3 were bad.\nturns out I moved.", "My turns: 1-3 were bad.\nturns out I moved."),
        ("[TODO] call Eva (important)", "[TODO] call Eva (important)"),
        ("a <b and c> d", "a <b and c> d"),
    ],
)
def test_a_block_without_its_tags_is_told_by_its_frame_and_rows(text: str, own: str) -> None:
    assert own_words(text) == own


def test_the_row_of_a_summary_said_again_is_an_echo() -> None:
    episode = replace(
        memory("The user: I live in Oslo. My sister runs a restaurant.", kind=MemoryKind.EPISODE),
        detail=MemoryDetail(first_turn=1, last_turn=10),
    )
    echoes = EchoFilter([episode])
    assert echoes.without("assistant", "You told me: turns 1-10: you: I live in Oslo.") == ""
    assert echoes.without("assistant", "You told me: turns 1-10: you moved to Bergen.") != ""


MEMORIES = EchoFilter(
    [
        memory("The user takes the train to Ghent at 8 on Tuesday with a green bag."),
        memory("The user's locker code for the rowing club in Ghent is K27-B."),
        memory("The user keeps three hens and two geese behind the old barn."),
        memory("The rent of the user's studio in Ghent is $900 a month with heating."),
        memory("Der Nutzer isst am Abend gern Fleisch."),
        memory("La usuaria come carne los domingos."),
        memory("L'utilisateur mange de la viande le dimanche."),
        memory("L'utente mangia carne la domenica."),
        memory("De gebruiker eet vlees op zondag."),
        memory("Пользователь ест мясо по воскресеньям."),
        memory("O usuário come carne aos domingos."),
        memory("用户每天早上吃肉"),
    ]
)


@check_each(
    "text",
    [
        "You take the train to Ghent at 9 on Tuesday with a green bag.",
        "You take the train to Ghent at 8 on Thursday with a green bag.",
        "You take the train to Bruges at 8 on Tuesday with a green bag.",
        "Your locker code for the rowing club in Ghent is K27-D.",
        "Your locker code for the rowing club in Ghent is not K27-B.",
        "You keep two hens and three geese behind the old barn.",
        "The rent of your studio in Ghent is €900 a month with heating.",
        "Der Nutzer isst am Abend nicht gern Fleisch.",
        "La usuaria no come carne los domingos.",
        "L'utilisateur ne mange pas de la viande le dimanche.",
        "L'utente non mangia carne la domenica.",
        "De gebruiker eet geen vlees op zondag.",
        "Пользователь не ест мясо по воскресеньям.",
        "O usuário não come carne aos domingos.",
        "用户每天早上不吃肉",
    ],
)
def test_what_differs_in_a_number_a_day_a_code_a_name_or_a_denial_is_no_echo(text: str) -> None:
    assert MEMORIES.without("assistant", text) == text


@pytest.mark.parametrize(
    "text",
    [
        "You take the train to Ghent at 8 on Tuesday with a green bag.",
        "I remember that you still keep three hens and two geese behind the old barn.",
        "As you mentioned, your locker code for the rowing club in Ghent is K27-B.",
        "Der Nutzer isst am Abend gern Fleisch.",
        "用户每天早上吃肉",
    ],
)
def test_what_differs_in_nothing_is_an_echo(text: str) -> None:
    assert MEMORIES.parted("assistant", text) == ("", [text])


@pytest.mark.parametrize(
    "text",
    [
        "You noted: The user is allergic to peanuts, and that is not true.",
        "The user is allergic to peanuts since 2019",
        "The user is allergic to peanuts was last year",
    ],
)
def test_what_a_person_says_about_a_pasted_memory_stays(text: str) -> None:
    assert ECHOES.without("user", text) == text


def test_a_question_may_stay_for_the_answer_behind_it() -> None:
    text = "Are you allergic to peanuts?"
    assert ECHOES.parted("assistant", text, keeps_questions=True) == (text, [])


@check_each("text", ["🎉", "C++ 🦀", "¿?", "٣", "—", "ﷺ", "👩‍👩‍👧", "½", "€", "你好", "\u200b"])
def test_signs_that_are_no_words_are_no_echo(text: str) -> None:
    assert ECHOES.without("assistant", text) == text
