"""Evidence added up, and the best of it in an order that never wavers."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots import Known, as_it_is, ask, snapshot_of, unit
from toldonce.recall.query import Query
from toldonce.recall.rank import score_memories
from toldonce.recall.signals import collect_signals
from toldonce.recall.top_k import top_k
from toldonce.testing import NEW_YEAR
from toldonce.types import QUESTION_FLAG, MemoryKind, SubjectSnapshot

EAST = (1.0, 0.0, 0.0, 0.0)


def evidence(query: Query, *known: Known) -> list[float]:
    snapshot = snapshot_of(*known)
    weighed: list[float] = score_memories(snapshot, collect_signals(snapshot, query, as_it_is), query).tolist()
    return weighed


def test_each_source_of_evidence_lifts_a_memory_by_itself() -> None:
    query = ask("Oslo", vector=unit(*EAST), dates=[(NEW_YEAR - timedelta(days=9), NEW_YEAR - timedelta(days=7))])
    plain = Known(id=1, text="something", at=NEW_YEAR - timedelta(days=30))

    by_words, by_meaning, by_time, nothing = evidence(
        query,
        replace(plain, text="oslo fjord"),
        replace(plain, id=2, vectors=(EAST,)),
        replace(plain, id=3, at=NEW_YEAR - timedelta(days=8)),
        replace(plain, id=4),
    )

    assert min(by_words, by_meaning, by_time) > nothing + 0.3


OLD = NEW_YEAR - timedelta(days=700)
PLAIN = Known(id=1, text="oslo")
LONE = Known(id=2, text="rome", at=OLD)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (replace(PLAIN, importance=0.9), replace(PLAIN, importance=0.1)),
        (replace(PLAIN, confidence=1.0), replace(PLAIN, confidence=0.4)),
        (replace(PLAIN, at=NEW_YEAR), replace(PLAIN, at=OLD)),
        (replace(PLAIN, uses=9), replace(PLAIN, uses=0)),
        (replace(PLAIN, kind=MemoryKind.NOTE), replace(PLAIN, kind=MemoryKind.TURN)),
    ],
)
def test_what_is_otherwise_equal_is_ordered_by_worth(better: Known, worse: Known) -> None:
    first, second = evidence(ask("Oslo"), better, replace(worse, id=2))

    assert 0 < first - second < 1


def test_questions_rank_below_statements_and_short_questions_lowest() -> None:
    told = replace(PLAIN, kind=MemoryKind.TURN)
    long = replace(told, text="oslo " + " ".join(f"word{number}x" for number in range(100)))

    def lost(known: Known) -> float:
        told_first = evidence(ask("Oslo"), known, replace(LONE, id=2))[0]
        return (
            told_first - evidence(ask("Oslo"), replace(known, role=known.role + QUESTION_FLAG), replace(LONE, id=2))[0]
        )

    assert 1 < lost(told) <= 1.3
    assert 0 < lost(long) < 0.3


def test_worth_does_not_outweigh_being_asked_for() -> None:
    others = [Known(id=number, text=f"word{number}x") for number in range(10, 60)]
    asked = Known(id=1, text="oslo", importance=0.0, confidence=0.5, at=NEW_YEAR - timedelta(days=900))
    worthy = Known(id=2, text="tea", importance=1.0)

    found = evidence(ask("Oslo"), asked, worthy, *others)

    assert found[0] > found[1]


def test_the_future_is_as_fresh_as_now_and_no_fresher() -> None:
    now, later = evidence(
        ask("Oslo"),
        Known(id=1, text="oslo", at=NEW_YEAR + timedelta(hours=12)),
        Known(id=2, text="oslo", at=NEW_YEAR + timedelta(days=400)),
    )

    assert now == later


@pytest.mark.parametrize(
    ("text", "own_first"),
    [("What did I say of Oslo?", True), ("Who went to Oslo?", False), ("What did you tell me of Oslo?", False)],
)
def test_personal_questions_rank_the_users_words_above_what_they_were_told(text: str, own_first: bool) -> None:
    told = replace(PLAIN, text="oslo fjord", kind=MemoryKind.TURN, role=2, at=NEW_YEAR - timedelta(days=2))
    said = replace(told, id=2, role=1, at=NEW_YEAR - timedelta(days=5))

    first, second = evidence(ask(text), told, said)

    assert (second > first + 1) == own_first
    assert (first > second) != own_first  # the newer one, where nothing else tells them apart


@given(
    st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 0.5000001, 2.0]), max_size=40),
    st.integers(min_value=0, max_value=50),
)
def test_the_best_are_those_of_a_full_sort_with_ties_by_place(values: list[float], most: int) -> None:
    full = sorted((place for place, value in enumerate(values) if value > -np.inf), key=lambda p: (-values[p], p))

    assert top_k(np.array(values, dtype=np.float64), most).tolist() == full[:most]


def test_what_no_query_changes_is_computed_once_for_each_snapshot() -> None:
    made: list[SubjectSnapshot] = []

    def count(snapshot: SubjectSnapshot) -> int:
        made.append(snapshot)
        return len(snapshot)

    snapshot = snapshot_of(Known(id=1, text="something"))
    newer = replace(snapshot, version=2)
    assert [snapshot.derive(count), snapshot.derive(count), newer.derive(count)] == [1, 1, 1]
    assert made == [snapshot, newer]
