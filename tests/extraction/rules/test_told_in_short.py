"""What people tell in few words: without a subject, of medicines, of who shares their home, in answer to a question."""

import pytest

from recollect.extraction.rules.clause_facts import facts_of
from recollect.extraction.rules.news import is_household_habit, is_news, leaves_out_subject
from recollect.extraction.rules.short_answers import answer_as_statement


def facts(clause: str) -> dict[str, tuple[str, bool]]:
    """Return what a clause states, by slot: the value, and whether it ends."""
    return {fact.key: (fact.value, fact.ends) for fact in facts_of(clause, [])}


@pytest.mark.parametrize(
    ("clause", "key", "value", "ends"),
    [
        ("my gp cut the ramipril down to 2.5 mg", "medication:ramipril", "2.5 mg of ramipril", False),
        ("Dr. Vos put my sertraline up to 100 mg", "medication:sertraline", "100 mg of sertraline", False),
        ("I came off the sertraline", "medication:sertraline", "", True),
        ("we share a house in Leeds with Priya and Tom", "household:tom", "Tom", False),
        ("Tom has moved out", "household:tom", "Tom", True),
        ("Yusuf moved in with us", "household:yusuf", "Yusuf", False),
        ("Olaf and I are getting divorced", "partner", "", True),
        ("we've split up", "partner", "", True),
        ("our kids (Finn 4 and Maja 7) love it", "child:maja", "Maja", False),
        ("since the operation I prefer the aisle seat", "seat", "aisle seat", False),
        ("I always take the window seat", "seat", "window seat", False),
        ("we indent with tabs", "indentation", "tabs", False),
        ("no alcohol for me until Easter", "avoid:alcohol", "alcohol", False),
        ("the alcohol ban is lifted", "avoid:alcohol", "alcohol", True),
        ("turns out the walnut thing was never an allergy", "allergy:walnut", "walnut", True),
    ],
)
def test_a_clause_states_this(clause: str, key: str, value: str, ends: bool) -> None:
    assert facts(clause)[key] == (value, ends)


def test_eating_something_again_ends_the_diets_without_it_alone() -> None:
    ended = {fact.value for fact in facts_of("I've decided to eat fish again", []) if fact.key == "diet" and fact.ends}
    assert ended == {"vegan", "vegetarian", "plant-based"}


@pytest.mark.parametrize(
    "clause",
    [
        "put my heart into 3 g of butter",
        "I take 200 g of sugar for the cake",
        "two spaces after a full stop are wrong",
        "no problem for me",
        "the tenant moved out of the spec",
    ],
)
def test_a_clause_states_nothing_of_the_kind(clause: str) -> None:
    assert not [
        key for key in facts(clause) if key.partition(":")[0] in ("medication", "indentation", "avoid", "household")
    ]


@pytest.mark.parametrize("clause", ["Ilse moved to Ghent", "they postponed it", "my gran died", "it's Crete instead"])
def test_what_became_of_others_is_news(clause: str) -> None:
    assert is_news(clause)


@pytest.mark.parametrize("clause", ["the function is called twice", "Python moved to version 4", "Sold out again"])
def test_what_happens_in_a_program_is_no_news(clause: str) -> None:
    assert not is_news(clause)


def test_a_clause_without_its_subject_tells_of_a_life() -> None:
    assert leaves_out_subject("sold my cello", dated=False)
    assert leaves_out_subject("flying to Lima with my aunt", dated=True)
    assert not leaves_out_subject("flying to Lima with my aunt", dated=False)
    assert is_household_habit("we rent a farm near Lugo")
    assert not is_household_habit("we have a problem")


@pytest.mark.parametrize(
    ("answer", "question", "says"),
    [
        ("yep, hazelnuts", "Sure! Any allergies?", "I'm allergic to hazelnuts"),
        ("Ghent", "Where do you live?", "I live in Ghent"),
        ("nurse", "What do you do for work?", "I'm a nurse"),
        ("green", "What's your favourite colour?", "My favourite colour is green"),
        ("no", "Any allergies?", ""),
        ("what do you mean", "Any allergies?", ""),
        ("hazelnuts", "I added hazelnuts.", ""),
    ],
)
def test_a_bare_answer_is_spelled_out(answer: str, question: str, says: str) -> None:
    assert answer_as_statement(answer, answer, question) == says


@pytest.mark.parametrize(
    ("clause", "key", "value", "ends"),
    [
        ("you can use emojis again", "emoji", "yes", False),
        ("you may give me longer replies now", "answer_length", "long", False),
        ("got laid off", "employer", "", True),
        ("I was made redundant last week", "employer", "", True),
    ],
)
def test_what_was_ordered_or_held_is_lifted(clause: str, key: str, value: str, ends: bool) -> None:
    assert facts(clause)[key] == (value, ends)


def test_a_question_about_emojis_lifts_nothing() -> None:
    assert "emoji" not in facts("you can use emojis in markdown headings")
    assert "employer" not in facts("I got fired up by the talk")
