"""Which sentences become one memory: always on made-up sentences, on the published pairs where they are present."""

import random

import pytest

from benchmarks.pairs import MAX_BESIDE, MAX_CONTRADICTIONS, MIN_VARIANTS, judge, measure, share
from benchmarks.sentence_pairs import Pair, sick, sts, variants
from published import published
from soak import sampled

CONTRADICTIONS = [
    ("A gardener is watering the roses", "A gardener is not watering the roses"),
    ("The tram is full and the driver is smiling", "The tram is not full and the driver is not smiling"),
    ("Nobody is waiting at the ferry", "Somebody is waiting at the ferry"),
    ("The nurse is turning the radio on", "The nurse is turning the radio off"),
    ("The goat is chasing the postman", "The postman is chasing the goat"),
    ("A girl is climbing into the boat", "A girl is climbing out of the boat"),
    ("The user's brother repairs old clocks", "The user's sister repairs old clocks"),
    ("Two swimmers are crossing the cold lake", "Three swimmers are crossing the cold lake"),
    ("The user moved from Lima to Quito", "The user moved from Quito to Lima"),
    ("The user was a teacher in a small village", "The user is a teacher in a small village"),
    ("The user wants to own a sailing boat", "The user owns a sailing boat"),
    ("The flat costs $900 a month", "The flat costs €900 a month"),
    ("The user has a black dog and a white horse", "The user has a white dog and a black horse"),
]
PARAPHRASES = [
    ("A kid is drawing a horse on the wall", "A child is drawing a horse on the wall."),
    ("2 climbers rescued in the Alps", "Two climbers rescued in the Alps"),
    (
        "The user keeps bees behind the house in a small garden",
        "The user keeps bees in a small garden behind the house",
    ),
    ("The user plays the cello in an orchestra", "The user really plays the cello in an orchestra"),
]
SENTENCES = [
    "A potter and a baker are sharing a workshop near the harbour",
    "The user grows tomatoes on the roof",
    "There is no bridge over the river",
    "Two women and a boy are playing cards in the train",
]


@pytest.mark.parametrize(("one", "other"), CONTRADICTIONS)
def test_s5_what_contradicts_never_merges_from_either_side(one: str, other: str) -> None:
    assert share(judge([Pair(one=one, other=other, score=1), Pair(one=other, other=one, score=1)])) == 0


@pytest.mark.parametrize(("one", "other"), PARAPHRASES)
def test_s5_what_says_the_same_in_its_words_merges(one: str, other: str) -> None:
    [found] = judge([Pair(one=one, other=other, score=5)])
    assert found.merged, found.reason


def test_s5_other_ways_of_writing_a_sentence_are_the_same_sentence() -> None:
    seed = random.Random(1)
    written = [
        Pair(one=text, other=other, score=5) for text in SENTENCES for _, other in variants(text, seed) if other != text
    ]
    assert len(written) > 9 * len(SENTENCES)
    assert [verdict.pair.other for verdict in judge(written) if not verdict.merged] == []


def test_s5_the_published_pairs_meet_the_bars() -> None:
    """All pairs that contradict each other are judged in every run, and some of the others; `make soak` judges all."""
    folder = published("pairs")
    pairs = sick(folder / "sick_SICK_trial.txt.gz")
    contradictions = [pair for pair in pairs if pair.judgment == "CONTRADICTION"]
    others = sampled((pair for pair in pairs if pair.judgment != "CONTRADICTION"), 24)
    figures = measure([*contradictions, *others], sampled(sts(folder / "stsb_sts-dev.csv.gz"), 60))
    assert figures["contradictions"]["pairs"] > 50
    assert figures["contradictions"]["merged"] <= MAX_CONTRADICTIONS
    assert figures["variants"]["merged"] >= MIN_VARIANTS
    assert figures["variants"]["worst"] >= MIN_VARIANTS
    assert max(figures["beside"].values()) <= MAX_BESIDE
