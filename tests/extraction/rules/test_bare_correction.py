"""Corrections without a statement of their own are read as the statement that was meant."""

import pytest

from recollect.extraction.rules.bare_correction import read_correction


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
        ("*Tilly", "my dog's called Tily", "my dog's called Tilly"),
        ("Tilly*", "my dog's called Tily", "my dog's called Tilly"),
        ("*hazelnuts", "I'm allergic to hazlenuts", "I'm allergic to hazelnuts"),
        ("40 mg, sorry", "I take 20 mg of citalopram", "I take 40 mg of citalopram"),
        ("Wednesday I mean", "my exam is on Tuesday", "my exam is on Wednesday"),
        ("4:30 actually", "my appointment is at 4pm", "my appointment is at 4:30"),
        ("sorry, three", "I have two cats", "I have three cats"),
        ("oops, £950", "We pay £900 rent", "We pay £950 rent"),
        (
            "no hang on i'm told it's Elsa and Olaf lol, Anna was overruled",
            "kids named them Elsa and Anna.",
            "kids named them Elsa and Olaf.",
        ),
        ("wait it's tom, ana and rui", "dinner with tom, ana and paul", "dinner with tom, ana and rui"),
        ("sorry, Lyon and Nice", "We go to Lyon and Dijon in May.", "We go to Lyon and Nice in May."),
        ("no, monday and thursday", "i work monday and tuesday", "i work monday and thursday"),
        (
            "oh and turns out it's mondays & thursdays, sorry",
            "i have choir mondays & tuesdays",
            "i have choir mondays & thursdays",
        ),
    ],
)
def test_a_correction_is_read_as_what_was_meant(sentence: str, said: str, meant: str) -> None:
    found = read_correction(sentence, [said])
    assert found
    assert found.meant == meant


def test_a_correction_that_names_both_needs_no_earlier_message() -> None:
    found = read_correction("my cat is called Whisky, not Whiskers", [])
    assert found
    assert (found.old, found.new, found.meant) == ("Whiskers", "Whisky", "")


@pytest.mark.parametrize(
    ("sentence", "old", "meant"),
    [
        ("My wife's name is Anna - sorry, Hanna", "Anna", "My wife's name is Hanna"),
        ("my interview is on Monday, no wait, Tuesday", "Monday", "my interview is on Tuesday"),
        ("I live in Lyon... I mean Lille", "Lyon", "I live in Lille"),
        ("my name isn't Jon, it's Joan", "Jon", "My name is Joan."),
        ("my dog isn't a collie, she's a whippet", "a collie", "My dog is a whippet."),
    ],
)
def test_a_sentence_corrects_itself(sentence: str, old: str, meant: str) -> None:
    found = read_correction(sentence, [])
    assert found
    assert (found.old, found.meant) == (old, meant)


def test_a_name_by_which_the_assistant_called_the_user_is_theirs() -> None:
    found = read_correction("It's Sam by the way, not Alex.", [], previous_reply="Sure, Alex. Here is the list.")
    assert found
    assert found.meant == "My name is Sam."


@pytest.mark.parametrize(
    "sentence",
    [
        "Hi, sorry, I'm late",
        "I love Rome, sorry, what time is it?",
        "my code isn't slow, it's fine",
        "my car isn't working, it's broken",
        "It's raining, not snowing",
    ],
)
def test_a_sentence_that_corrects_nothing(sentence: str) -> None:
    assert read_correction(sentence, []) is None


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
    assert read_correction(sentence, [said]) is None


def test_a_name_behind_a_question_answers_it() -> None:
    assert read_correction("No, Berlin", ["I live in Rome."], previous_reply="Were you born in Rome?") is None
