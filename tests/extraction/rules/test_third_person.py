"""What a user says to an assistant, as the notes tell it: true, in whole sentences, without what is only asked for."""

import pytest

from extractor_inputs import logged, source
from recollect.extraction.gate import is_worth_extracting
from recollect.extraction.rules import extract_by_rules
from recollect.types import MemoryKind


def notes(*said: str) -> list[str]:
    """Form notes of a user's messages, all in one conversation."""
    found = extract_by_rules(source(*(logged(seq, text) for seq, text in enumerate(said, start=1))))
    return [candidate.text for candidate in found if candidate.kind is MemoryKind.NOTE]


def facts(said: str) -> dict[str, str]:
    """Return the facts of a message, key to value."""
    return {
        candidate.key: candidate.value
        for candidate in extract_by_rules(source(logged(1, said)))
        if candidate.kind is MemoryKind.FACT
    }


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("ugh, Nils and I split up", "The user and Nils split up."),
        ("my flatmate and I adopted a cat", "The user and their flatmate adopted a cat."),
        ("me and my cousin run a bakery", "The user and their cousin run a bakery."),
        (
            "my husband and I have been married for 12 years",
            "The user and their husband have been married for 12 years.",
        ),
        ("both my parents and I are diabetic", "Both the user and their parents are diabetic."),
        ("my best friend Lea and I moved to Turin", "The user and their best friend Lea moved to Turin."),
    ],
)
def test_a_subject_of_two_keeps_both(said: str, told: str) -> None:
    assert told in notes(said)


@pytest.mark.parametrize(
    "said",
    ["my back hurts and I can't swim", "I met Dan and I teach maths", "Thanks and I moved to Oslo", "Ana and I agree"],
)
def test_another_clause_makes_no_subject_of_two(said: str) -> None:
    assert not [note for note in notes(said) if " and Dan teach" in note or "Thanks and" in note or "Ana and" in note]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I have two cats and feed a stray one", "The user has two cats and feeds a stray one."),
        ("I was born in Kenya and have lived in Wales", "The user was born in Kenya and has lived in Wales."),
        ("I don't smoke or drink", "The user doesn't smoke or drink."),
        ("I want to move and have kids", "The user wants to move and have kids."),
        ("I, a trained baker, can't eat bread anymore", "The user, a trained baker, can't eat bread anymore."),
        ("I usually get up at 5 and go to bed at 9", "The user usually gets up at 5 and goes to bed at 9."),
    ],
)
def test_verbs_agree_with_the_user_alone(said: str, told: str) -> None:
    assert told in notes(said)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "my boyfriend is lactose intolerant so dairy-free would be good",
            "The user's boyfriend is lactose intolerant.",
        ),
        ("my wife is vegan so please suggest something else", "The user's wife is vegan."),
        ("my mum is 80 so use large print", "The user's mum is 80."),
        ("I live in Nantes actually", "The user lives in Nantes."),
        ("I sleep on the floor, don't ask", "The user sleeps on the floor."),
        ("I'm Jewish, so no pork", "The user is Jewish, so no pork."),
        ("I work nights so I sleep till 2pm", "The user works nights."),
    ],
)
def test_what_is_asked_for_behind_a_statement_is_left_off(said: str, told: str) -> None:
    assert told in notes(said)


@pytest.mark.parametrize(
    "said",
    ["I'm allergic to my boss", "I'm allergic to Mondays", "lol I'm allergic to bad coffee", "I'm married to my job"],
)
def test_a_figure_of_speech_is_no_memory(said: str) -> None:
    assert not notes(said)
    assert not facts(said)


@pytest.mark.parametrize(
    ("said", "key", "value"),
    [
        ("I'm allergic to dust mites", "allergy:dust mites", "dust mites"),
        ("I was born in Kenya in 1990 and moved to Wales in 2010", "birth_year", "1990"),
        ("I'm from Ghent originally but live in Oslo", "origin", "Ghent"),
        ("I hate my job", "dislike:job", "job"),
    ],
)
def test_a_plain_fact_is_kept(said: str, key: str, value: str) -> None:
    assert facts(said)[key] == value


@pytest.mark.parametrize(
    "said",
    [
        "I was born in Kenya and have lived in Wales since 2010",
        "I was born in Peru but moved to Spain in 2004",
        "I was born in Lyon, raised in Turin and married in 2012",
    ],
)
def test_another_year_than_that_of_the_birth_is_no_birth_year(said: str) -> None:
    assert "birth_year" not in facts(said)


@pytest.mark.parametrize(
    "taken_back",
    [
        "jk",
        "haha just kidding",
        "sorry, wrong chat!",
        "ignore my last message, that was my son typing",
        "actually I don't, I just made that up",
        "none of that is true lol",
    ],
)
def test_what_was_just_said_is_taken_back(taken_back: str) -> None:
    found = extract_by_rules(
        source(logged(1, "I own a hotel in Nice."), logged(2, "Wow.", "assistant"), logged(3, taken_back))
    )
    assert [candidate.forgets_seqs for candidate in found if candidate.forgets] == [(1,)]


@pytest.mark.parametrize("said", ["I was joking with my kids", "ignore the error in line 4", "no, I don't like it"])
def test_nothing_is_taken_back(said: str) -> None:
    found = extract_by_rules(
        source(logged(1, "I own a hotel in Nice."), logged(2, "Wow.", "assistant"), logged(3, said))
    )
    assert not [candidate for candidate in found if candidate.forgets]


def test_a_denial_behind_a_question_answers_it() -> None:
    found = extract_by_rules(
        source(
            logged(1, "I own a hotel in Nice."), logged(2, "Do you live there?", "assistant"), logged(3, "no, I don't")
        )
    )
    assert not [candidate for candidate in found if candidate.forgets]


def test_a_sentence_for_another_chat_is_no_memory() -> None:
    assert not notes("My exam board is AQA... no, sorry, wrong chat")


@pytest.mark.parametrize(
    "said",
    [
        "I need a 200 word summary of the Thirty Years' War",
        "I'd like a short poem about my cat's ninth birthday please",
        "I need to write an email to my boss",
        "I want to know how tall the Matterhorn is",
        "I have two lists and want to merge them",
        "I am getting ValueError: could not convert string to float",
        "my paragraph is 300 words and my conclusion is missing",
        "I always mix those up",
        "I never know which one to pick",
        "she's here",
        "at my aunt's place in Leeds",
        "for my daughter's birthday party",
    ],
)
def test_the_work_at_hand_is_no_memory(said: str) -> None:
    assert not notes(said)


@pytest.mark.parametrize(
    "said",
    [
        "I need a new job",
        "I want to learn Japanese",
        "I want to write a novel one day, I have the plot",
        "I need to be at work by 6 every day",
        "I need to hand in a report by 9 April",
        "I have two kids and a dog",
        "my essay is due on 9 April",
        "my thesis is about medieval bridges",
        "in my family everybody plays the piano",
    ],
)
def test_what_lasts_is_a_memory(said: str) -> None:
    assert notes(said)


@pytest.mark.parametrize(
    ("said", "key", "value"),
    [
        ("my gp told me I'm diabetic", "condition:diabetic", "diabetic"),
        ("the doctor says I've outgrown the latex allergy, tests were negative", "allergy:latex", "latex"),
        ("my fav color is burnt orange these days", "favorite_color", "burnt orange"),
        ("my fave band is Pulp", "favorite_band", "Pulp"),
    ],
)
def test_a_fact_told_in_passing_words_is_read(said: str, key: str, value: str) -> None:
    assert facts(said)[key] == value


@pytest.mark.parametrize("said", ["the doctor upped the ramipril to 10 mg", "the gp put the sertraline up to 50 mg"])
def test_a_dose_is_looked_at_without_an_i(said: str) -> None:
    assert is_worth_extracting(said)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("we had to put Moose down on 3 May", 'The user said: "We had to put Moose down on 3 May 2026."'),
        ("I had to put our old dog to sleep", 'The user said: "I had to put our old dog to sleep."'),
    ],
)
def test_an_animals_death_is_kept(said: str, told: str) -> None:
    assert told in notes(said)
