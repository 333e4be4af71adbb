"""Patterns tell only those pairs apart that must never be merged, and most of those that differ in a word or number."""

import random
from collections.abc import Sequence
from itertools import combinations

import pytest

from toldonce.resolution.compare import never_merge
from toldonce.resolution.prefilter import MAX_WORDS, PatternTable, pattern_of

SENTENCES = (
    "The user bought tea number 12 at the market of Oslo.",
    "Ana's sister works as a nurse in Rome.",
    "The user does not like coffee any more.",
    "The user is travelling with two dogs and three cats.",
    "The user can not eat horse meat.",
    "The user cannot eat horsemeat today.",
    "Ana often weighs someone on a notebook computer.",
    "The user knows C++ and plays foot ball on Mondays.",
    "On 3 May 2020 the user paid $6B for a firehouse.",
    "The user has twenty one books, and 20 20 vision.",
    "The user has 2020 vision and fourteen cook books.",
    "Colour television was in the living room.",
)
HEADS = ("", "", "", "", "Wow! ", "The Daily: ")
TAILS = ("", "", "", "", " #sports", ", a friend says")
OTHERS = ("tea", "Rome", "Oslo", "not", "13", "two", "horse", "meat", "really", "C", "travelling", "traveling", "book")


def table_of(texts: Sequence[str]) -> PatternTable:
    table = PatternTable(len(texts))
    for place, text in enumerate(texts):
        table.put(place, pattern_of(text))
    return table


def told_apart(one: str, other: str) -> bool:
    return bool(table_of([one, other]).apart([0], [1])[0])


def variant(sentence: str, luck: random.Random) -> str:
    """Change a sentence as people do: a word more, less, other, joined with the next, or cut in two."""
    words = sentence.rstrip(".").split()
    for _ in range(luck.randint(1, 3)):
        place = luck.randrange(len(words))
        match luck.randrange(6):
            case 0:
                words[place] = luck.choice(OTHERS)
            case 1:
                words.insert(place, luck.choice(OTHERS))
            case 2 if len(words) > 3:
                del words[place]
            case 3 if place + 1 < len(words):
                words[place : place + 2] = [words[place] + words[place + 1]]
            case 4 if len(words[place]) > 3:
                cut = luck.randrange(1, len(words[place]))
                words[place : place + 1] = [words[place][:cut], words[place][cut:]]
            case _:
                words[place] = words[place].swapcase()
    return f"{luck.choice(HEADS)}{' '.join(words)}{luck.choice(TAILS)}."


@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_is_told_apart_must_never_be_merged(sentence: str) -> None:
    luck = random.Random(sentence)
    texts = [sentence, *(variant(sentence, luck) for _ in range(80))]
    pairs = list(combinations(range(len(texts)), 2))
    apart = table_of(texts).apart([a for a, _ in pairs], [b for _, b in pairs])
    told = [(texts[a], texts[b]) for (a, b), is_apart in zip(pairs, apart.tolist(), strict=True) if is_apart]
    assert told or "$" in sentence, "an amount is written in another way before it is compared"
    assert [pair for pair in told if never_merge(*pair) is None] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user bought tea number 12.", "The user bought tea number 13."),
        ("The user bought tea in Oslo.", "The user bought figs in Rome."),
        ("The user likes tea.", "The user does not like tea."),
        ("The user likes C.", "The user likes C++."),
        ("The user has two dogs.", "The user has three dogs."),
    ],
)
def test_pairs_that_differ_in_what_counts_are_told_apart(one: str, other: str) -> None:
    assert told_apart(one, other)
    assert told_apart(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user loves hiking.", "The user really loves hiking!"),
        ("The user cannot eat horse meat today.", "The user cannot eat horsemeat."),
        ("The user was travelling.", "The user was traveling."),
        ("The user has 2 dogs.", "The user has two dogs."),
        ("The Daily: Ana likes tea.", "Ana likes tea."),
        ("Wow! Ana likes tea.", "Ana likes figs #figs."),
        (" ".join(["tea"] * (MAX_WORDS + 1)), "figs"),
    ],
)
def test_pairs_that_may_say_the_same_or_are_cut_first_are_left(one: str, other: str) -> None:
    assert not told_apart(one, other)
    assert not told_apart(other, one)
