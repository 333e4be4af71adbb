"""The orders of the policies, and what they keep out of a prompt."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from factories import ANA, BEN
from snapshots import NOON, Known, ask, for_prompt, name, recall, recall_from, snapshot_of, texts, unit, why_left
from toldonce.decay import decay
from toldonce.profiles.policies import RecallPolicy
from toldonce.recall.order import find_newest_notes
from toldonce.types import MemoryKind, Recall

NORTH = unit(1, 0, 0, 0)


def near(similarity: float) -> tuple[tuple[float, ...], ...]:
    """Return vectors of so much similarity to north."""
    return ((similarity, (1 - similarity**2) ** 0.5, 0, 0),)


def known(id: int, similarity: float, *, importance: float = 0.5, at: datetime = NOON, uses: int = 0) -> Known:
    return Known(id=id, text=f"memory number {id}", vectors=near(similarity), importance=importance, at=at, uses=uses)


def asked(
    policy: RecallPolicy, *memories: Known, limit: int = 10, half_life_days: float = 0, prompt: bool = True
) -> Recall:
    query = replace(ask("xyzzy", vector=NORTH, limit=limit, policy=policy), half_life_days=half_life_days)
    return recall(for_prompt(query) if prompt else query, *memories)


def scores(found: Recall) -> list[float]:
    return [round(item.score, 3) for item in found.items]


def numbers(found: Recall) -> list[int]:
    return [int(item.memory.text.rpartition(" ")[2]) for item in found.items]


def test_c4_the_score_is_importance_times_recency_times_similarity() -> None:
    found = asked(
        RecallPolicy(order="product"),
        known(1, 0.9, importance=0.4),
        known(2, 0.8, importance=0.9, at=NOON - timedelta(days=30)),
        known(3, 0.5, importance=0.9),
        half_life_days=30,
    )

    assert numbers(found) == [3, 1, 2]
    assert scores(found) == [0.45, 0.36, 0.36]


def test_c4_the_limit_cuts_what_ranks_below() -> None:
    memories = [known(place, 0.5 + place / 100) for place in range(1, 9)]
    found = asked(RecallPolicy(order="product"), *memories, limit=5)
    assert numbers(found) == [8, 7, 6, 5, 4]


def test_u13_the_final_score_is_the_vectors_times_the_decay() -> None:
    ages = {1: 0, 2: 90, 3: 45, 4: 180}
    memories = [known(id, 0.9, at=NOON - timedelta(days=days), importance=id / 10) for id, days in ages.items()]
    found = asked(RecallPolicy(order="similarity"), *memories, half_life_days=90)

    assert numbers(found) == [1, 3, 2, 4]
    assert scores(found) == [round(0.9 * decay(ages[id], 90), 3) for id in (1, 3, 2, 4)]
    assert scores(found)[2] == 0.45


def test_u13_use_holds_a_memory_up() -> None:
    old = NOON - timedelta(days=90)
    found = asked(
        RecallPolicy(order="similarity"), known(1, 0.9, at=old), known(2, 0.9, at=old, uses=5), half_life_days=90
    )

    assert numbers(found) == [2, 1]


def test_u13_a_half_life_halves_the_score_of_all_evidence_too() -> None:
    fresh = asked(RecallPolicy(floor=0), known(1, 0.9, at=NOON - timedelta(days=900)))
    faded = asked(RecallPolicy(floor=0), known(1, 0.9, at=NOON - timedelta(days=900)), half_life_days=900)

    assert faded.items[0].score == pytest.approx(fresh.items[0].score / 2)


def test_a5_the_latest_stored_come_first_whatever_is_asked() -> None:
    memories = [replace(known(id << 80, 0.0), sources=(id,)) for id in (3, 1, 2, 4)]
    found = asked(RecallPolicy(order="updated"), *memories, limit=3)

    assert [item.memory.id for item in found.items] == [name(id << 80) for id in (4, 3, 2)]
    assert found.items[0].reasons == ("one of the last updated",)


def test_u2_notes_below_the_threshold_stay_out_of_a_prompt_and_say_why() -> None:
    policy = RecallPolicy(similarity=0.8)
    memories = (known(1, 0.81), known(2, 0.79), Known(id=3, text="xyzzy is a word of the question"))
    found = asked(policy, *memories)

    assert numbers(found) == [1]
    assert why_left(found, 2) == ["too far in meaning (0.79)"]
    assert why_left(found, 3) == ["too far in meaning (0.00)"]
    assert len(asked(policy, *memories, prompt=False).items) == 3


def test_c3_the_newest_take_part_whatever_is_asked() -> None:
    policy = RecallPolicy(order="product", similarity=0.7, recent=2, candidates=1)
    found = asked(policy, known(1, 0.9), known(2, 0.8), known(3, 0.1), known(4, 0.3))

    assert numbers(found) == [1, 4, 3]
    assert "one of the newest" in found.items[1].reasons


def test_c3_the_newest_under_a_tag_are_those_that_are_named() -> None:
    policy = RecallPolicy(order="product", similarity=0.7, recent=2)
    query = replace(
        for_prompt(ask("xyzzy", vector=NORTH, policy=policy)), newest=frozenset({snapshot_of(known(2, 0)).ids[0]})
    )
    found = recall(query, known(1, 0.9), known(2, 0.1), known(3, 0.1))

    assert numbers(found) == [1, 2]


def test_c3_the_newest_of_several_subjects_do_not_hide_one_another() -> None:
    policy = RecallPolicy(order="product", similarity=0.7, recent=4)
    ours, theirs = (known(2, 0.1), known(6, 0.1)), (known(1, 0.1), known(5, 0.1))
    found = recall_from(for_prompt(ask("xyzzy", vector=NORTH, policy=policy)), {ANA: ours, BEN: theirs})

    assert sorted(numbers(found)) == [1, 2, 5, 6]


def test_c3_so_many_candidates_are_ranked() -> None:
    policy = RecallPolicy(order="product", candidates=2)
    found = asked(policy, known(1, 0.9, importance=0.1), known(2, 0.8, importance=0.2), known(3, 0.7, importance=1))

    assert numbers(found) == [2, 1]


def test_quotations_and_facts_are_not_among_the_newest() -> None:
    snapshot = snapshot_of(
        known(1, 0), Known(id=2, text="said", kind=MemoryKind.TURN), Known(id=3, text="is", kind=MemoryKind.FACT)
    )
    assert find_newest_notes([snapshot], 3) == frozenset({snapshot.ids[0]})
    assert find_newest_notes([snapshot], 0) == frozenset()


def episode(id: int, similarity: float) -> Known:
    return replace(known(id, similarity), kind=MemoryKind.EPISODE)


def test_t7_episodes_by_distance_below_the_bound_and_so_many_at_most() -> None:
    policy = RecallPolicy(episodes=3, episode_distance=0.4)
    found = asked(policy, *(episode(id, 0.59 + id / 50) for id in range(6)))

    assert sorted(numbers(found)) == [3, 4, 5]
    assert asked(policy, episode(1, 0.599)).items == ()
    assert numbers(asked(policy, episode(1, 0.62))) == [1]


def test_t7_standing_facts_come_first_whatever_is_near() -> None:
    fact = Known(
        id=9, text="memory number 9", kind=MemoryKind.FACT, key="location", category="identity", importance=0.5
    )
    lesser = replace(fact, id=8, text="memory number 8", key="pet", importance=0.49)
    found = asked(RecallPolicy(turns=False), fact, lesser, episode(1, 0.95))

    assert numbers(found) == [9, 1]
    assert found.items[0].standing


def test_a_search_shows_what_a_prompt_leaves_out() -> None:
    found = asked(RecallPolicy(order="product", candidates=1), known(1, 0.9), known(2, 0.5), prompt=False)
    assert sorted(numbers(found)) == [1, 2]
    assert texts(found)


def test_c2_words_of_the_conversation_weigh_less_than_those_of_the_message() -> None:
    about = (Known(id=1, text="The bees of Anna"), Known(id=2, text="The boats of Anna"), Known(id=3, text="Rain"))
    query = ask("bees", policy=RecallPolicy(query="conversation"))

    assert texts(recall(query, *about))[0] == "The bees of Anna"
    both = recall(replace(query, background=("boat",)), *about)
    assert texts(both) == ["The bees of Anna", "The boats of Anna", "Rain"]
