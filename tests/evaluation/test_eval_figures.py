"""What a ranking is worth, counted by hand."""

from math import log2

import pytest

from toldonce.evaluation.retrieval_metrics import means, ranking_figures, session_figures, within_budget


def shown(*results: str) -> list[frozenset[str]]:
    return [frozenset(result) for result in results]


def test_each_figure_of_a_ranking() -> None:
    figures = ranking_figures(shown("x", "a", "y", "z", "q", "b"), frozenset("abc"), 10)

    assert figures["R@1"] == 0
    assert figures["R@5"] == pytest.approx(1 / 3)
    assert figures["R@10"] == pytest.approx(2 / 3)
    assert (figures["hit@1"], figures["hit@5"], figures["all@10"]) == (0, 1, 0)
    assert figures["MRR"] == 0.5
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert figures["NDCG@10"] == pytest.approx((1 / log2(3) + 1 / log2(7)) / ideal)


def test_a_result_beyond_k_counts_for_nothing() -> None:
    figures = ranking_figures(shown("x", "x", "a"), frozenset("a"), 2)

    assert set(figures.values()) == {0.0}


def test_a_turn_that_is_shown_twice_counts_once_at_its_first_place() -> None:
    once = ranking_figures(shown("a", "x"), frozenset("ab"), 5)

    assert ranking_figures(shown("a", "a"), frozenset("ab"), 5) == once


def test_a_note_that_rests_on_all_the_evidence_is_no_better_than_ideal() -> None:
    figures = ranking_figures(shown("abc"), frozenset("abc"), 5)

    assert (figures["R@1"], figures["NDCG@5"]) == (1, 1)


def test_what_does_not_fit_into_the_budget_is_passed_over_and_the_next_is_tried() -> None:
    ranking = shown("a", "b", "c")

    assert within_budget(ranking, [50, 200, 50], frozenset("abc"), 100) == pytest.approx(2 / 3)
    assert within_budget(ranking, [101, 101, 101], frozenset("abc"), 100) == 0


def test_sessions_are_found_at_five_results() -> None:
    figures = session_figures(shown("1", "1", "1", "1", "1", "2"), frozenset("12"), 10)

    assert (figures["sessions@5"], figures["sessions@10"], figures["all-sessions@5"]) == (0.5, 1, 0)


def test_a_mean_is_of_the_questions_that_have_the_figure() -> None:
    found = means([{"R": 1.0, "s": 0.0}, {"R": 0.0}, {"R": 1.0}], seed=3)

    assert found["R"].count == 3
    assert found["R"].value == pytest.approx(2 / 3)
    assert (found["s"].value, found["s"].count, found["s"].low, found["s"].high) == (0, 1, 0, 0)
    assert found["R"].low < found["R"].value < found["R"].high


def test_the_same_seed_gives_the_same_interval() -> None:
    records = [{"R": value / 20} for value in range(21)]

    assert means(records, seed=7) == means(records, seed=7)
    assert means(records, seed=7) != means(records, seed=8)


def test_the_interval_narrows_with_the_number_of_questions() -> None:
    few = means([{"R": float(n % 2)} for n in range(20)], seed=1)["R"]
    many = means([{"R": float(n % 2)} for n in range(2000)], seed=1)["R"]

    # The standard error of a share of one half: .5 / sqrt(n), 1.96 of them to each side.
    assert few.high - few.low == pytest.approx(2 * 1.96 * 0.5 / 20**0.5, rel=0.15)
    assert many.high - many.low == pytest.approx(2 * 1.96 * 0.5 / 2000**0.5, rel=0.15)


def test_nothing_asked_is_nothing_averaged() -> None:
    assert means([], seed=0) == {}
