"""What a statement does to an older one: by its words, or by its slot."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidates import fact, note, stored
from tables import check_each
from toldonce.resolution.batch_state import of_memory
from toldonce.resolution.relation import Relation, differs, has_same_words, relation, same, says_more, words_key
from toldonce.resolution.slots import canonical_key, slot_mark, value_mark
from toldonce.text.source_marks import PASTED_MARK
from toldonce.types import Candidate

TWO = [
    ("a", "b"),
    ("The user likes coffee.", "The user does not like coffee."),
    ("The user eats meat.", "The user doesn't eat meat."),
    ("The user works at Acme.", "The user no longer works at Acme."),
    ("The user never smokes.", "The user smokes."),
    ("The user has two dogs.", "The user has three dogs."),
    ("The user has 2 dogs.", "The user has 3 dogs."),
    ("The user ran 5 km.", "The user ran 10 km."),
    ("The user earns 1,000 a month.", "The user earns 10,000 a month."),
    ("The user was born in 1990.", "The user was born in 1991."),
    ("Room 1 on floor 1 has bed 2.", "Room 2 on floor 1 has bed 2."),
    ("Ana takes 5 mg at 10 and 10 mg at 5.", "Ana takes 5 mg at 10 and 5 mg at 5."),
    ("Ana takes 5 mg at 10 and 10 mg at 5.", "Ana now takes 10 mg at 10 and 5 mg at 5."),
    ("The user has two dogs and two cats.", "The user has two dogs and cats."),
    ("The user has 2 cats and 3 dogs.", "The user now has 3 cats and 2 dogs."),
    ("The user has 2 cats and 3 dogs.", "The user now has two dogs and three cats."),
    ("Room 1 has bed 2.", "Room 2 has bed 1 now."),
    ("The user trains Monday and Friday, and rests Monday.", "The user trains Monday and Friday, and rests Friday."),
    ("The user runs on Monday and swims on Friday.", "The user now runs on Friday and swims on Monday."),
    ("The user moved in May.", "The user moved in June."),
    ("The user trains on Monday.", "The user trains on Friday."),
    ("The user went hiking.", "The user went hiking in May."),
    ("The user lives in Oslo.", "The user lives in Rome."),
    ("Caroline went to a concert.", "Melanie went to a concert."),
    ("The user's sister is Ana.", "The user's sister is Eva."),
    ("The user met Ana Silva.", "The user met Ana Costa."),
    ("The user writes C.", "The user writes C++."),
    ("The user likes hot food.", "The user likes cold food."),
    ("The user loves cilantro.", "The user hates cilantro."),
    ("The user's brother is ill.", "The user's sister is ill."),
    ("The user always drives to work.", "The user sometimes cycles to work."),
    ("The user has a dog.", "The user has a hamster."),
    ("the user lives in oslo", "the user lives in rome"),
    ("The user likes green tea.", "The user likes black coffee."),
    ("Ana values her friendship with Ben.", "Ben values his friendship with Ana."),
    ("Ana's wish for Ben came true.", "Ben had a wish come true for Ana."),
    ("The user is grateful for Mia's help.", "Mia is grateful for the help of the user."),
    ("one", "other"),
    ("The user painted the shed green with the cooper.", "The user painted the shop white with the tailor."),
    ("The user walked the old canal path with a heavy pack.", "The user walked the old castle path with a happy pup."),
    ("The user keeps a spare key under the mat by the door.", "The user keeps a spare key under the pot by the gate."),
    ("The user read the letter in the morning train.", "The user lead the latter in the morning trail."),
    ("The user flies to Rome with a cousin on Mondays.", "The user flies from Rome with a cousin on Mondays."),
    ("The neighbour says that he sings in the choir.", "The neighbour says that she sings in the choir."),
    ("The user finished all chapters of the thesis.", "The user finished some chapters of the thesis."),
    ("Die Nutzerin isst am Abend gern Fleisch.", "Die Nutzerin isst am Abend nicht gern Fleisch."),
    ("La usuaria come carne los domingos con su tía.", "La usuaria no come carne los domingos con su tía."),
    ("Пользователь ест мясо по вечерам дома.", "Пользователь не ест мясо по вечерам дома."),
    ("The user moved to Berlin.", "The user moved out of Berlin."),
    ("Ana teaches Ben Spanish.", "Ben teaches Ana Spanish."),
    ("The user's mother likes the user's aunt.", "The user's aunt likes the user's mother."),
    ("The user is paid.", "The user paid."),
    ("The user works at Acme.", "The user worked at Acme."),
    ("The user has a dog.", "The user wants a dog."),
    ("The user plays chess.", "The user almost always plays chess in the park."),
]
ONE = [
    ("The user loves hiking.", "The user really loves hiking!"),
    ("The user has two dogs.", "The user has 2 dogs."),
    ("The user has 2 cats and 3 dogs.", "The user has 3 dogs and 2 cats."),
    ("In 2019 the user paid 1,000 for it.", "The user also paid 1000 for it in 2019."),
    ("On Monday and Friday the user runs.", "On Friday and Monday the user runs."),
    ("The user lives in Oslo.", "The user lives in Oslo now."),
    ("The user enjoys hiking on weekends.", "The user enjoys hiking on the weekends."),
    ("The user doesn't eat meat.", "The user does not eat meat."),
    ("Painting relaxes the user.", "painting relaxes the user"),
    ("Ana and Ben met in Oslo.", "Ben and Ana met in Oslo."),
    ("In Oslo, Ana met Ben.", "Ana met Ben in Oslo."),
    ("The user loves travelling by train.", "The user loves traveling by train!"),
    ("The user's favourite colour is green.", "The user's favorite color is green."),
    ("A kid draws on the wall.", "A child draws on the wall."),
]


@check_each(("a", "b"), TWO)
def test_s5_what_differs_in_a_word_or_a_role_is_two(a: str, b: str) -> None:
    assert not has_same_words(a, b)
    assert not has_same_words(b, a)


@check_each(("a", "b"), ONE)
def test_s5_what_differs_in_small_words_order_or_spelling_is_one(a: str, b: str) -> None:
    assert has_same_words(a, b)
    assert has_same_words(b, a)
    assert words_key(a) == words_key(b), "the upkeep compares only notes with the same key"


@given(st.text(max_size=80))
def test_a_text_is_the_same_as_itself(text: str) -> None:
    assert same(text, text)
    assert has_same_words(text, text)
    assert differs(text, text) is None


def test_case_spacing_and_punctuation_make_no_difference() -> None:
    assert same("The user lives  in Oslo.", "the user lives in oslo")
    assert not same("The user writes C.", "The user writes C++.")


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("The user likes coffee.", "The user does not like coffee.", "negated"),
        ("The user has two dogs.", "The user has 3 dogs.", "numbers"),
        ("The user moved in May.", "The user moved in June.", "dates"),
        ("Meine Prüfung ist im August.", "Meine Prüfung ist im Juni.", "dates"),
        ("The user's sister is Ana.", "The user's sister is Eva.", "names"),
        ("The user writes C.", "The user writes C++.", "names"),
        (f"{PASTED_MARK}The user teaches in Ulm.", "The user teaches in Ulm.", "pasted"),
    ],
)
def test_s5_no_model_makes_one_of_what_differs_in_a_sign(a: str, b: str, reason: str) -> None:
    for text, other in ((a, b), (b, a)):
        assert reason in (differs(text, other) or "")


def test_a_fuller_statement_says_more() -> None:
    assert says_more("The user has a brown dog.", "The user has a dog.")
    assert not says_more("The user has a dog.", "The user has a brown dog.")
    assert not says_more("The user really likes tea.", "The user likes tea.")


@check_each(
    ("new", "old", "expected"),
    [
        (fact("city", "Oslo"), fact("location", "Oslo"), Relation.SAME),
        (fact("city", "Oslo"), fact("location", "Rome"), Relation.REPLACES),
        (fact("city", "", ends=True), fact("location", "Rome"), Relation.ENDS),
        (fact("city", "Oslo", ends=True), fact("location", "Rome"), Relation.BESIDE),
        (fact("city", "Oslo", speaker="Ana"), fact("location", "Rome"), Relation.BESIDE),
        (fact("tool:python", "Python"), fact("tool:python", "Python 3.11"), Relation.SAME),
        (fact("like:tea", "tea"), fact("dislike:tea", "tea"), Relation.REPLACES),
        (fact("diet", "vegan"), fact("like:steak", "steak"), Relation.BESIDE),
        (note("The user has a dog."), note("the user has a dog!"), Relation.SAME),
        (note("The user has no dog."), note("The user has a dog."), Relation.BESIDE),
        (note("The user lives in Oslo."), fact("location", "Rome"), Relation.BESIDE),
    ],
)
def test_what_a_statement_does_to_an_older_one(new: Candidate, old: Candidate, expected: Relation) -> None:
    assert relation(new, of_memory(replace(stored(old), speaker=old.speaker))) is expected


@check_each(
    ("key", "value", "canonical"),
    [
        ("City", "Oslo", "location"),
        ("home", "Oslo", "location"),
        ("place of residence", "Oslo", "location"),
        ("Company", "Acme", "employer"),
        ("occupation", "nurse", "job"),
        ("timezone", "UTC", "time_zone"),
        ("date-of-birth", "5 May", "birthday"),
        ("favourite colour", "blue", "favorite_color"),
        ("favorite_color", "blue", "favorite_color"),
        ("FavouriteColor", "blue", "favorite_color"),
        ("fave colour", "blue", "favorite_color"),
        ("colour preference", "blue", "favorite_color"),
        ("preferred-colour", "blue", "favorite_color"),
        ("user_city", "Oslo", "location"),
        ("user's current employer", "Acme", "employer"),
        ("skills", "welding", "skill:welding"),
        ("morning commute", "tram", "morning_commute"),
        ("tractor:red", "red", "tractor:red"),
        ("allergies", "Peanuts", "allergy:peanuts"),
        ("allergy:peanuts", "peanuts", "allergy:peanuts"),
        ("likes", "jazz", "like:jazz"),
        ("coffee_order", "latte", "coffee_order"),
        ("full_name", "Ana Maria", "full_name"),
        ("name", "Ana", "name"),
    ],
)
def test_synonyms_of_a_slot_become_its_one_name(key: str, value: str, canonical: str) -> None:
    assert canonical_key(key, value) == canonical


def test_values_are_compared_without_case_article_and_number() -> None:
    assert value_mark("The Peanuts") == value_mark("peanut")
    assert value_mark("C++") != value_mark("C")
    assert slot_mark("allergy", "tree nuts") == slot_mark("allergies:Tree Nut", "")
