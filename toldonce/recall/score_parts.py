"""The parts of a score, for people who ask why a memory was found: log-odds that add up to those of the score. Pure."""

from collections.abc import Mapping
from math import inf

import numpy as np
import numpy.typing as npt

from toldonce.clock import to_micros
from toldonce.recall.bm25 import WORD_WEIGHT, rarity
from toldonce.recall.query import Query
from toldonce.recall.rank import (
    CONFIDENCE_WEIGHT,
    IMPORTANCE_WEIGHT,
    RECENT_HALF_LIFE_DAYS,
    RECENT_WEIGHT,
    TIME_WEIGHT,
    PriorEvidence,
    RankedRow,
)
from toldonce.recall.signals import RankingSignals
from toldonce.types import SubjectSnapshot

PARTS = (
    *("similarity", "words", "around", "speaker", "question", "time"),
    *("importance", "confidence", "recency", "kind", "uses", "size"),
)
"""Names of the parts; `other` is what the order of the profile adds: fading, words of the conversation, kindred words,
and the evidence of a quotation that a note took over."""
_DAY_US = 86_400 * 1_000_000
# Parts below this are rounding.
_MIN_PART = 1e-6

ScoreParts = Mapping[bytes, tuple[float, ...]]
"""By id of a memory, the parts in the order of `PARTS`."""


def score_parts(
    snapshot: SubjectSnapshot, signals: RankingSignals, query: Query, positions: npt.NDArray[np.intp]
) -> dict[bytes, tuple[float, ...]]:
    """Return what `score_memories` adds up for some memories of a subject."""
    prior, none = snapshot.derive(PriorEvidence), np.zeros(len(positions))
    question = np.zeros(len(snapshot))
    question[prior.asking] = -prior.asking_penalty
    time = none
    if signals.in_time is not None:
        weight = rarity(len(snapshot), int(np.count_nonzero(signals.in_time)))
        time = TIME_WEIGHT * weight * signals.in_time[positions]
    age = np.maximum(to_micros(query.now) - prior.latest[positions], 0)
    columns = (
        signals.meaning.evidence[positions],
        WORD_WEIGHT * signals.words.evidence[positions],
        none if signals.around is None else signals.around[positions],
        -prior.assistant_penalty[positions] if query.personal and prior.assistant_penalty is not None else none,
        question[positions],
        time,
        IMPORTANCE_WEIGHT * (snapshot.importance[positions] - 0.5),
        CONFIDENCE_WEIGHT * (snapshot.confidence[positions] - 1),
        RECENT_WEIGHT * np.exp2(age * (-1 / (_DAY_US * RECENT_HALF_LIFE_DAYS))),
        prior.kind[positions],
        none if prior.uses is None else prior.uses[positions],
        np.full(len(positions), -prior.midpoint),
    )
    rows = np.column_stack(columns).tolist()
    return {snapshot.ids[position]: tuple(row) for position, row in zip(positions.tolist(), rows, strict=True)}


def named_parts(row: RankedRow, known: ScoreParts) -> dict[str, float]:
    """Return the parts of a row's score by name, without those that are nothing; empty if they are not known."""
    values = known.get(row.id)
    if values is None or not -inf < row.evidence < inf:
        return {}
    parts = {name: value for name, value in zip(PARTS, values, strict=True) if abs(value) >= _MIN_PART}
    other = row.evidence - sum(values)
    return {**parts, "other": other} if abs(other) >= _MIN_PART else parts
