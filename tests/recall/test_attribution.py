from factories import memory
from toldonce.recall.attribution import used_memories

PEANUTS, OSLO = memory("Ana is allergic to peanuts."), memory("Ana lives in Oslo.")
ASKED = ["You are a waiter.", "What should I avoid at a restaurant?"]


def test_u12_a_memory_is_used_if_the_answer_has_a_word_only_it_has() -> None:
    assert used_memories("Avoid satay: it has peanuts.", [PEANUTS, OSLO], ASKED) == [PEANUTS.id]


def test_u12_a_word_that_the_client_said_itself_proves_nothing() -> None:
    assert used_memories("Avoid peanuts.", [PEANUTS], [*ASKED, "Do peanuts matter?"]) == []


def test_u12_stop_words_and_an_empty_answer_prove_nothing() -> None:
    assert used_memories("It is in the", [PEANUTS, OSLO], ASKED) == []
    assert used_memories("", [PEANUTS], ASKED) == []


def test_u12_the_words_that_every_memory_begins_with_prove_nothing() -> None:
    oslo, accordion = memory("The user lives in Oslo."), memory("The user plays the accordion.")
    assert used_memories("This may bear on it: “The user lives in Oslo.”", [oslo, accordion], ASKED) == [oslo.id]


def test_u12_a_name_that_several_memories_share_speaks_for_each() -> None:
    assert used_memories("Sure, Ana!", [OSLO, PEANUTS], ASKED) == [OSLO.id, PEANUTS.id]
