"""Corrections without a statement of their own are read as the statement that was meant."""

import pytest

from recollect.form.rules.correction import correction_of


@pytest.mark.parametrize(
    ("sentence", "said", "meant"),
    [
        ("No wait, I meant Lyon", "I live in Paris.", "I live in Lyon."),
        ("no wait i meant turin", "i live in genoa", "i live in turin"),
        ("sorry, Karin, not Karen", "My boss Karen is in Ghent.", "My boss Karin is in Ghent."),
        (
            "Actually make that Thursday",
            "My dentist appointment is on Tuesday.",
            "My dentist appointment is on Thursday.",
        ),
        ("oops, 14:30", "The meeting is at 13:30 on 3 May.", "The meeting is at 14:30 on 3 May."),
        ("correction: 12 June", "The wedding is on 2 June.", "The wedding is on 12 June."),
        ("haha no it's Northgale with an a", "i started at Northgate", "i started at Northgale"),
        ("No, not Ben, it's Bea", "My sister Ben is here.", "My sister Bea is here."),
        ("sorry I meant hazelnuts not walnuts", "I'm allergic to walnuts.", "I'm allergic to hazelnuts."),
        ("sorry, I meant 16, not 15", "I have 15 chickens.", "I have 16 chickens."),
    ],
)
def test_a_correction_is_read_as_what_was_meant(sentence: str, said: str, meant: str) -> None:
    found = correction_of(sentence, [said])
    assert found
    assert found.meant == meant


def test_a_correction_that_names_both_needs_no_earlier_message() -> None:
    found = correction_of("my cat is called Whisky, not Whiskers", [])
    assert found
    assert (found.old, found.new, found.meant) == ("Whiskers", "Whisky", "")


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Actually Paris is nice", "I live in Rome."),
        ("No, thanks", "I live in Rome."),
        ("oh, Berlin", "I live in Rome."),
        ("wait, London too", "I live in Rome."),
        ("I meant the second one", "I live in Rome."),
        ("Actually, can you make it shorter", "I live in Rome."),
        ("no wait, make it funnier", "I live in Rome."),
        ("I like tea, not coffee", "I live in Rome."),
        ("Sorry, make that Nice.", "Ana lives in Rome and Ben in Bonn."),
    ],
)
def test_what_may_mean_something_else_corrects_nothing(sentence: str, said: str) -> None:
    assert correction_of(sentence, [said]) is None


def test_a_name_behind_a_question_answers_it() -> None:
    assert correction_of("No, Berlin", ["I live in Rome."], answers="Were you born in Rome?") is None
