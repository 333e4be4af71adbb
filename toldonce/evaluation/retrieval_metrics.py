"""Retrieval metrics: recall, ranking quality, evidence in a token budget; means with intervals. Pure.

A ranking is a list of results, best first. Each result is a set of turns: one for a quotation, the sources of a note or
fact. A result counts for each of its turns, every turn once, at its first rank.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

import numpy as np
import numpy.typing as npt

# Additional ranks at which figures are computed, if below k.
PLACES = (1, 5)
# Bootstrap samples: the ends of the interval then vary by some hundredths of a point between seeds.
_SAMPLES = 2_000
_LOW, _HIGH = 2.5, 97.5

Shown = frozenset[str]
"""Turns (or sessions) contained in one result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """Mean over questions, with the interval of 95 % of its bootstrap samples."""

    value: float
    low: float
    high: float
    count: int
    """Number of questions."""


def found_at(ranking: Sequence[Shown], wanted: Shown, k: int) -> Shown:
    """Return the wanted turns among the first `k` results.

    >>> sorted(found_at([frozenset("a"), frozenset("bc")], frozenset("ac"), 2))
    ['a', 'c']
    """
    return frozenset(turn for shown in ranking[:k] for turn in shown) & wanted


def ranking_figures(ranking: Sequence[Shown], wanted: Shown, k: int) -> dict[str, float]:
    """Compute the figures of one question, 0 to 1 each.

    Args:
        ranking: Results, best first.
        wanted: The evidence; not empty.
        k: How many results count.

    >>> figures = ranking_figures([frozenset("x"), frozenset("a")], frozenset("ab"), 10)
    >>> figures["R@10"], figures["all@10"], figures["hit@10"], figures["MRR"]
    (0.5, 0.0, 1.0, 0.5)
    """
    figures: dict[str, float] = {}
    for place in places(k):
        found = found_at(ranking, wanted, place)
        figures[f"R@{place}"] = len(found) / len(wanted)
        figures[f"all@{place}"] = float(found == wanted)
        figures[f"hit@{place}"] = float(bool(found))
    firsts = first_places(ranking[:k], wanted)
    ideal = sum(1 / log2(1 + place) for place in range(1, min(len(wanted), k) + 1))
    # A note with several source turns has all of them at its rank, which can exceed the ideal of one each.
    figures[f"NDCG@{k}"] = min(1.0, sum(1 / log2(1 + place) for place in firsts) / ideal)
    figures["MRR"] = 1 / min(firsts) if firsts else 0.0
    return figures


def places(k: int) -> list[int]:
    """Return the ranks at which figures are computed for `k` results.

    >>> places(10), places(5), places(1)
    ([1, 5, 10], [1, 5], [1])
    """
    return sorted({*(place for place in PLACES if place < k), k})


def first_places(ranking: Sequence[Shown], wanted: Shown) -> list[int]:
    """Return the first rank (from 1) of each wanted turn; turns not found are missing.

    >>> first_places([frozenset("ax"), frozenset("ab")], frozenset("abc"))
    [1, 2]
    """
    first: dict[str, int] = {}
    for place, shown in enumerate(ranking, start=1):
        for turn in shown & wanted:
            first.setdefault(turn, place)
    return sorted(first.values())


def within_budget(ranking: Sequence[Shown], tokens: Sequence[int], wanted: Shown, budget: int) -> float:
    """Return the share of the evidence in the results that fit in a token budget.

    Results are taken in order, and those that do not fit are skipped, as in packing a prompt.

    >>> within_budget([frozenset("a"), frozenset("b"), frozenset("c")], [60, 50, 40], frozenset("bc"), 100)
    0.5
    """
    left, kept = budget, []
    for shown, cost in zip(ranking, tokens, strict=True):
        if cost <= left:
            kept.append(shown)
            left -= cost
    return len(found_at(kept, wanted, len(kept))) / len(wanted)


def session_figures(ranking: Sequence[Shown], wanted: Shown, k: int) -> dict[str, float]:
    """Compute the share of the evidence's sessions among those of the first results.

    >>> session_figures([frozenset({"s1"})], frozenset({"s1", "s2"}), 5)
    {'sessions@1': 0.5, 'sessions@5': 0.5, 'all-sessions@5': 0.0}
    """
    figures = {f"sessions@{place}": len(found_at(ranking, wanted, place)) / len(wanted) for place in places(k)}
    most = 5 if k >= 5 else k
    return figures | {f"all-sessions@{most}": float(found_at(ranking, wanted, most) == wanted)}


def means(records: Sequence[Mapping[str, float]], *, seed: int) -> dict[str, Mean]:
    """Average each figure over the questions that have it, with a bootstrap interval.

    For the interval as many questions are drawn from them again and again. The same questions in the same order and the
    same seed give the same interval.

    >>> found = means([{"R": 0.0}, {"R": 1.0}, {"R": 1.0}, {"MRR": 1.0}], seed=1)["R"]
    >>> round(found.value, 2), found.low < 0.6 < found.high, found.count
    (0.67, True, 3)
    """
    names = list(dict.fromkeys(name for record in records for name in record))
    if not names:
        return {}
    table = np.array([[record.get(name, np.nan) for name in names] for record in records], dtype=np.float64)
    there = ~np.isnan(table)
    values = np.where(there, table, 0.0)
    drawn = _drawn(len(records), seed)
    with np.errstate(invalid="ignore"):  # a sample that holds none of the few questions with a figure
        samples = (drawn @ values) / (drawn @ there)
    lows, highs = np.nanpercentile(samples, (_LOW, _HIGH), axis=0)
    return {
        name: Mean(
            value=float(values[:, place].sum() / there[:, place].sum()),
            low=float(lows[place]),
            high=float(highs[place]),
            count=int(there[:, place].sum()),
        )
        for place, name in enumerate(names)
    }


def _drawn(count: int, seed: int) -> npt.NDArray[np.float64]:
    """Return how often each question is drawn in each sample: shape (samples, count)."""
    picks = np.random.default_rng(seed).integers(0, count, (_SAMPLES, count))
    rows = np.arange(_SAMPLES)[:, None] * count
    return np.bincount((picks + rows).ravel(), minlength=_SAMPLES * count).reshape(_SAMPLES, count).astype(np.float64)


def percentiles(values: Iterable[float]) -> dict[str, float]:
    """Return median and 95th percentile; empty for no values.

    >>> percentiles([1.0, 2.0, 3.0])["p50"], percentiles([])
    (2.0, {})
    """
    listed = list(values)
    return {"p50": float(np.percentile(listed, 50)), "p95": float(np.percentile(listed, 95))} if listed else {}
