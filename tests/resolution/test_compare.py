"""What must never be merged, and what is the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.compare import alike, differs, never_merge, recounts, same, says_more
from toldonce.resolution.slots import canonical_key, slot_mark, value_mark


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ("The user likes coffee.", "The user does not like coffee.", "negated"),
        ("The user eats meat.", "The user doesn't eat meat.", "negated"),
        ("The user works at Acme.", "The user no longer works at Acme.", "negated"),
        ("The user never smokes.", "The user smokes.", "negated"),
        ("The user has two dogs.", "The user has three dogs.", "numbers"),
        ("The user has 2 dogs.", "The user has 3 dogs.", "numbers"),
        ("The user ran 5 km.", "The user ran 10 km.", "numbers"),
        ("The user earns 1,000 a month.", "The user earns 10,000 a month.", "numbers"),
        ("The user was born in 1990.", "The user was born in 1991.", "numbers"),
        ("Room 1 on floor 1 has bed 2.", "Room 2 on floor 1 has bed 2.", "numbers"),
        ("Ana takes 5 mg at 10 and 10 mg at 5.", "Ana takes 5 mg at 10 and 5 mg at 5.", "numbers"),
        ("Ana takes 5 mg at 10 and 10 mg at 5.", "Ana now takes 10 mg at 10 and 5 mg at 5.", "numbers"),
        ("The user has two dogs and two cats.", "The user has two dogs and cats.", "numbers"),
        ("The user has 2 cats and 3 dogs.", "The user now has 3 cats and 2 dogs.", "numbers"),
        ("The user has 2 cats and 3 dogs.", "The user now has two dogs and three cats.", "numbers"),
        ("Room 1 has bed 2.", "Room 2 has bed 1 now.", "numbers"),
        (
            "The user trains Monday and Friday, and rests Monday.",
            "The user trains Monday and Friday, and rests Friday.",
            "dates",
        ),
        ("The user runs on Monday and swims on Friday.", "The user now runs on Friday and swims on Monday.", "dates"),
        ("The user moved in May.", "The user moved in June.", "dates"),
        ("The user trains on Monday.", "The user trains on Friday.", "dates"),
        ("The user went hiking.", "The user went hiking in May.", "dates"),
        ("The user lives in Oslo.", "The user lives in Rome.", "names"),
        ("Caroline went to a concert.", "Melanie went to a concert.", "names"),
        ("The user's sister is Ana.", "The user's sister is Eva.", "names"),
        ("The user met Ana Silva.", "The user met Ana Costa.", "names"),
        ("The user writes C.", "The user writes C++.", "names"),
        ("The user likes hot food.", "The user likes cold food.", "opposite"),
        ("The user loves cilantro.", "The user hates cilantro.", "opposite"),
        ("The user's brother is ill.", "The user's sister is ill.", "opposite"),
        ("The user always drives to work.", "The user sometimes cycles to work.", "replaces another"),
        ("The user has a dog.", "The user has a hamster.", "replaces another"),
        ("the user lives in oslo", "the user lives in rome", "replaces another"),
        ("The user likes green tea.", "The user likes black coffee.", ""),
        ("Ana values her friendship with Ben.", "Ben values his friendship with Ana.", "another of the same people"),
        ("Ana's wish for Ben came true.", "Ben had a wish come true for Ana.", "another of the same people"),
        ("The user is grateful for Mia's help.", "Mia is grateful for the help of the user.", "same people"),
    ],
)
def test_s5_such_a_pair_is_never_merged_from_either_side(a: str, b: str, reason: str) -> None:
    for text, other in ((a, b), (b, a)):
        found = never_merge(text, other)
        assert found is not None
        assert reason in found


@pytest.mark.parametrize("there", ["to", "into", "back to"])
@pytest.mark.parametrize("gone", ["out of", "from", "away from"])
def test_s5_going_somewhere_is_never_merged_with_leaving_it(there: str, gone: str) -> None:
    arrived, left = f"The user moved {there} Berlin.", f"The user moved {gone} Berlin."
    assert differs(arrived, left) is not None
    assert differs(left, arrived) is not None


@pytest.mark.parametrize(
    ("one", "other"), [("to", "into"), ("to", "back to"), ("out of", "from"), ("from", "away from")]
)
def test_words_for_one_direction_make_no_difference(one: str, other: str) -> None:
    assert differs(f"The user moved {one} Berlin.", f"The user moved {other} Berlin.") is None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The user loves hiking.", "The user really loves hiking!"),
        ("The user has two dogs.", "The user has 2 dogs."),
        ("The user has my 2 dogs.", "The user has my two dogs."),
        ("The user has two dogs, both brown.", "The user has two dogs, brown."),
        ("The user has 2 cats and 3 dogs.", "The user has 3 dogs and 2 cats."),
        ("The user has 2 cats and 3 dogs.", "The user now has three dogs and two cats."),
        ("Room 1 has bed 2.", "Bed 2 is in room 1."),
        ("In 2012 the user had 2 cats and 3 dogs.", "The user also had 3 dogs and 2 cats in 2012."),
        ("In 2019 the user paid 1,000 for it.", "The user also paid 1,000 for it in 2019."),
        ("On Monday and Friday the user runs.", "The user runs on Friday and Monday."),
        ("The user runs on Monday and swims on Friday.", "The user swims on Friday and runs on Monday."),
        ("The user lives in Oslo.", "The user lives in Oslo now."),
        ("The user enjoys hiking on weekends.", "The user enjoys hiking on the weekends."),
        ("The user likes jaz music.", "The user likes jazz music."),
        ("The user doesn't eat meat.", "The user does not eat meat."),
        ("Painting relaxes the user.", "painting relaxes the user"),
        ("Ana and Ben met in Oslo.", "Ben and Ana met in Oslo."),
        ("In Oslo, Ana met Ben.", "Ana met Ben in Oslo."),
        ("Ana's sister Mia likes Ben.", "Mia, Ana's sister, likes Ben."),
        ("Winter Bees Need Sugar, Says Ana", "Ana: Winter Bees Need Sugar"),
    ],
)
def test_such_a_pair_may_be_merged(a: str, b: str) -> None:
    assert never_merge(a, b) is None
    assert never_merge(b, a) is None


@given(st.text(max_size=80))
def test_a_text_may_always_be_merged_with_itself(text: str) -> None:
    assert never_merge(text, text) is None
    assert same(text, text)


def test_case_spacing_and_punctuation_make_no_difference() -> None:
    assert same("The user lives  in Oslo.", "the user lives in oslo")
    assert not same("The user writes C.", "The user writes C++.")


def test_a_refinement_says_more() -> None:
    assert says_more("The user has a brown dog.", "The user has a dog.")
    assert not says_more("The user has a dog.", "The user has a brown dog.")
    assert not says_more("The user really likes tea.", "The user likes tea.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user painted the shed green with the cooper.", "The user painted the shop white with the tailor."),
        (
            "The user walked the old canal path with a heavy pack.",
            "The user walked the old castle path with a happy pup.",
        ),
        (
            "The user keeps a spare key under the mat by the door.",
            "The user keeps a spare key under the pot by the gate.",
        ),
        ("The user read the letter in the morning train.", "The user lead the latter in the morning trail."),
        ("The user flies to Rome with a cousin on Mondays.", "The user flies from Rome with a cousin on Mondays."),
        ("The neighbour says that he sings in the choir.", "The neighbour says that she sings in the choir."),
        ("The user finished all chapters of the thesis.", "The user finished some chapters of the thesis."),
        ("Die Nutzerin isst am Abend gern Fleisch.", "Die Nutzerin isst am Abend nicht gern Fleisch."),
        ("La usuaria come carne los domingos con su tía.", "La usuaria no come carne los domingos con su tía."),
        ("Пользователь ест мясо по вечерам дома.", "Пользователь не ест мясо по вечерам дома."),
    ],
)
def test_s5_what_is_spelt_alike_and_says_another_thing_stays_two(one: str, other: str) -> None:
    policy = ResolvePolicy()
    for old, new in ((one, other), (other, one)):
        assert alike(new, old, policy, 1.0) is not None, "alike enough for the guard to be what keeps them apart"
        assert never_merge(new, old) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user loves travelling by train.", "The user loves traveling by train!"),
        ("The user's favourite colour is green.", "The user's favorite color is green."),
        ("The user has a dog.", "The user has  a dog"),
        ("The user really loves hiking.", "The user loves hiking."),
    ],
)
def test_s5_what_differs_in_spelling_alone_is_one(one: str, other: str) -> None:
    assert never_merge(one, other) is None


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("new", "old", "is_another_count"),
    [
        ("Isla is expecting twins, two girls, in July.", "Isla is expecting a girl in July.", True),
        ("Ruth has 4 hens at home.", "Ruth has a hen.", True),
        ("The flight is on 3 May at 8.", "The flight is in May.", False),
        ("Ana has a dog called Rex, who is 3 years old.", "Ana has a dog.", False),
        ("Ana has 2 brown dogs.", "Ana has 2 dogs.", False),
    ],
)
def test_another_count_is_no_refinement(new: str, old: str, is_another_count: bool) -> None:
    assert recounts(new, old) is is_another_count
