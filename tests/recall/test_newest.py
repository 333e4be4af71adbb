"""The newest value of something comes before the older ones, and nothing else moves."""

from datetime import timedelta

import pytest

from snapshots import Known, ask, name, recall, texts
from toldonce.recall.newest import stated_values
from toldonce.testing import NEW_YEAR
from toldonce.types import MemoryKind

OTHERS = [Known(id=number, text=f"word{number}x word{number}y") for number in range(100, 140)]


def said(number: int, text: str, *, days: int, speaker: str = "user") -> Known:
    return Known(id=number, text=text, kind=MemoryKind.TURN, at=NEW_YEAR - timedelta(days=100 - days), speaker=speaker)


def found(question: str, *known: Known) -> list[str]:
    return [text for text in texts(recall(ask(question), *known, *OTHERS)) if not text.startswith("word")]


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        (
            "What is my annual budget for buying sneakers?",
            "I've spent $575 on sneakers, close to my $600 annual budget for buying them.",
            "I'm considering new sneakers with my increased budget of $650.",
        ),
        (
            "When is the sound mixing session with Jeremy?",
            "The sound mixing session with Jeremy is on July 12, a session for mixing all sound.",
            "The mixing session got extended, so Jeremy comes on July 16.",
        ),
        (
            "What accuracy does our screening tool achieve?",
            "The accuracy of our screening tool is 87%, which a tool for screening must achieve.",
            "The screening tool now has 90% accuracy.",
        ),
        (
            "What time is the Zoom meeting with Danielle?",
            "The Zoom meeting with Danielle is at 3 PM, a meeting of all on Zoom.",
            "The Zoom meeting was moved to 4:30 PM.",
        ),
        (
            "How many commits are merged into the main branch?",
            "150 commits are merged into the main branch, my main work; commits are merged daily.",
            "The number of commits merged has now reached 165.",
        ),
    ],
)
def test_the_newest_value_comes_first(question: str, old: str, new: str) -> None:
    newer = said(2, new, days=30)

    assert found(question, said(1, old, days=0), newer) == [new, old]
    # The same words in the other order of time are left in the order of their scores.
    assert found(question, said(1, old, days=60), newer) == [old, new]


OLD, NEW = "My monthly budget for books is $35, a budget for books alone.", "My book budget is $50 now, a month."


@pytest.mark.parametrize(
    "question",
    [
        "What was my monthly budget for books?",
        "How did my monthly budget for books change?",
        "Can you plan my monthly budget for books?",
        "my monthly budget for books",
    ],
)
def test_a_question_about_the_past_or_for_advice_moves_nothing(question: str) -> None:
    assert found(question, said(1, OLD, days=0), said(2, NEW, days=30)) == [OLD, NEW]


@pytest.mark.parametrize(
    "other",
    [
        "My book budget is $35 still.",  # the same value
        "My budget for shoes is $50 now.",  # another thing
        "My book budget took 50 minutes to plan.",  # another kind of value
    ],
)
def test_what_states_no_other_value_of_the_same_thing_stays_where_it_is(other: str) -> None:
    question = "What is my monthly budget for books?"

    assert found(question, said(1, OLD, days=0), said(2, other, days=30))[0] == OLD


def test_an_assistants_value_does_not_come_before_the_users() -> None:
    question = "What is my monthly budget for books?"

    assert found(question, said(1, OLD, days=0), said(2, NEW, days=30, speaker="assistant"))[0] == OLD


def test_of_two_that_are_equally_near_the_newer_one_comes_first() -> None:
    older, newer = "I live in Leipzig, by the way.", "I moved and live in Freiburg now."

    assert found("Where do I live?", said(1, older, days=0), said(2, newer, days=1)) == [newer, older]
    assert found("Where do I live?", said(1, older, days=1), said(2, newer, days=0)) == [older, newer]
    assert found("Where do I live?", said(1, older, days=0, speaker="assistant"), said(2, newer, days=1))[0] == newer


def test_several_changes_are_listed_newest_first() -> None:
    latest = "My book budget is $65, month for month."
    question = "What is my monthly budget for books?"

    assert found(question, said(1, OLD, days=0), said(2, NEW, days=30), said(3, latest, days=50)) == [latest, NEW, OLD]


def test_a_day_that_a_note_names_does_not_make_it_older() -> None:
    due = NEW_YEAR - timedelta(days=300)
    old = Known(id=1, text=OLD, at=due, said_at=NEW_YEAR - timedelta(days=60), speaker="user")
    new = Known(id=2, text=NEW, at=due, said_at=NEW_YEAR - timedelta(days=30), speaker="user")

    assert found("What is my monthly budget for books?", old, new) == [NEW, OLD]


def test_the_newest_value_scores_no_less_than_the_older_one() -> None:
    recalled = recall(ask("What is my monthly budget for books?"), said(1, OLD, days=0), said(2, NEW, days=30), *OTHERS)

    assert [item.memory.text for item in recalled.items[:2]] == [NEW, OLD]
    assert recalled.items[0].score == recalled.items[1].score


def test_years_and_months_are_no_values_of_their_own() -> None:
    assert [(value.kind, value.value) for value in stated_values("On April 5, 2024, 5.3.0 came out.")] == [
        ("day", "april 5"),
        ("version", "5.3.0"),
    ]
    assert stated_values("No number at all") == ()


CARDS = "How many project cards are in my gallery?"
EIGHT = "The user builds the project gallery with 8 cards, a gallery of project cards."


def pair(note: str, quotation: str, *, days: int) -> tuple[Known, Known]:
    """Return a note and the quotation it was formed from."""
    at, source = NEW_YEAR - timedelta(days=100 - days), (70,)
    return (
        Known(id=2, text=note, at=at, sources=source),
        Known(id=3, text=quotation, kind=MemoryKind.TURN, at=at, sources=source, speaker="user"),
    )


@pytest.mark.parametrize(
    ("question", "old", "note", "quotation"),
    [
        (
            CARDS,
            EIGHT,
            "The user updates the project gallery to include the new cards.",
            "I'm updating the project gallery to include the new cards, and now I have a total of 10 cards.",
        ),
        (
            "What time is the Zoom meeting with Danielle?",
            "The Zoom meeting with Danielle is at 3 PM, a meeting of all on Zoom.",
            "The user worries about missing the Zoom meeting with Danielle.",
            "I worry about missing the Zoom meeting with Danielle, can you remind me that it's on May 2 at 4:30 PM?",
        ),
        (
            "What is my monthly budget for books?",
            "The user's monthly budget for books is $35, a budget for books alone.",
            "The user wants to spend the whole budget for books.",
            "I want to spend the whole budget for books, since I raised it to $50.",
        ),
    ],
)
def test_a_quotation_replaces_a_note_without_the_newest_value(
    question: str, old: str, note: str, quotation: str
) -> None:
    older = Known(id=1, text=old, at=NEW_YEAR - timedelta(days=100))

    assert found(question, older, *pair(note, quotation, days=30)) == [quotation, old]


@pytest.mark.parametrize(
    ("note", "quotation", "days"),
    [
        ("The user updates the project gallery with all cards.", "I update the project gallery with all cards.", 30),
        (
            "The user updates the project gallery to have 10 cards.",
            "I update the project gallery to have 10 cards.",
            30,
        ),
        ("The user updates the project gallery with all cards.", "I update the project gallery with its 8 cards.", 30),
        ("The user started the project gallery with cards.", "I started the project gallery with its 6 cards.", -30),
        ("The user updates the project gallery with all cards.", "I update it on May 3 with all project cards.", 30),
    ],
)
def test_a_note_stays_if_its_quotation_has_no_newer_value(note: str, quotation: str, days: int) -> None:
    shown = found(CARDS, Known(id=1, text=EIGHT, at=NEW_YEAR - timedelta(days=100)), *pair(note, quotation, days=days))

    assert set(shown) == {EIGHT, note}


def test_a_question_about_the_past_shows_no_quotation_for_a_note() -> None:
    note, quotation = "The user updates the project gallery and cards.", "I update the project gallery to 10 cards."
    older = Known(id=1, text=EIGHT, at=NEW_YEAR - timedelta(days=100))

    shown = found("How many project cards did my gallery have before?", older, *pair(note, quotation, days=30))

    assert quotation not in shown


def test_the_notes_of_a_quotation_that_replaces_one_are_left_out() -> None:
    note, quotation = pair(
        "The user updates the project gallery to include the new cards.",
        "I'm updating the project gallery to include the new cards, and now I have a total of 10 cards.",
        days=30,
    )
    other = Known(id=4, text="The user has new cards in the project gallery.", at=note.at, sources=note.sources)
    older = Known(id=1, text=EIGHT, at=NEW_YEAR - timedelta(days=100))

    recalled = recall(ask(CARDS), older, note, quotation, other, *OTHERS)

    assert [text for text in texts(recalled) if not text.startswith("word")] == [quotation.text, EIGHT]
    left = {omitted.id: omitted.reason for omitted in recalled.left_out}
    assert left[name(2)] == left[name(4)] == f"its quotation {name(3)} is shown"
    assert name(3) not in left
