"""One score out of all evidence, and the best rows of one subject. Pure.

Evidence adds up as log-odds. What each source is worth was fitted as one model over two collections, LoCoMo (people who
chat in short messages) and BEAM (questions to an assistant that answers at length), and two embedders, by the share
of softmax that evidence turns get; then each constant was moved by itself to see that nothing hangs on it. The sources,
the figures and what was left out stand in docs/benchmarks.md; `python -m benchmarks.ranking` measures.
"""

from collections.abc import Iterable
from math import exp, log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from recollect.clock import to_micros
from recollect.recall.adjacency import OWN_TERMS
from recollect.recall.bm25 import rarity
from recollect.recall.query import Query
from recollect.recall.signals import RankingSignals
from recollect.types import KIND_ORDER, QUESTION_FLAG, MemoryKind, Subject, SubjectSnapshot

# Where the asker asks about themself, what an assistant told them counts so much less than their own words: it answers
# many who ask the like. 1 to 3 are the same on BEAM, 0 loses three points; LoCoMo asks about people by name.
TOLD_WEIGHT = 1.5
# A message that ends in a question tells less than one that ends in an answer: so much less if it says nothing else.
ASKING_WEIGHT = 1.0
# A time asked about counts as a word would that as few memories have: 2.1 points of R@10; twice that changes nothing.
TIME_WEIGHT = 1.0
# What a memory is worth whatever is asked. All of it together is less than one word that half the memories share and
# one they do not: it orders what is otherwise equal.
IMPORTANCE_WEIGHT = 0.6
CONFIDENCE_WEIGHT = 0.4
RECENT_WEIGHT = 0.3
RECENT_HALF_LIFE_DAYS = 90.0
USE_WEIGHT = 0.1
# Distilled sentences say in one line what a quotation says in five.
KIND_WEIGHT = {MemoryKind.NOTE: 0.2, MemoryKind.FACT: 0.2, MemoryKind.EPISODE: 0.0, MemoryKind.TURN: 0.0}
# The evidence at which the score is 0.5: more memories bring more chance likeness (measured: the fifth best of memories
# that have nothing to do with a query gains 0.95 for each e-fold of their number). Half of that is taken off, since
# leaving out costs a reader more than a spare line. The subject counts as 20 larger, so that a small one is judged by
# the calibration. With the default floor of 0.15 about eight in ten evidence turns pass.
EVEN = -0.6
EVEN_PER_SIZE = 0.7
SIZE_FLOOR = 20
# A quotation replaces what was distilled from it where it fits this much better: then the note lost what is asked for.
QUOTATION_LEAD = 0.25

_DAY_US = 86_400 * 1_000_000
# Up to so many of anything it is quicker to take all than to pick out the few that are needed.
_SORT_ALL_THRESHOLD = 500
_KIND = np.array([KIND_WEIGHT[kind] for kind in KIND_ORDER])
_ASSISTANT = 2
_FACT, _TURN = MemoryKind.FACT.number, MemoryKind.TURN.number


class RankedRow(NamedTuple):
    """One memory that may be shown: what is known before its text is fetched. A tuple, as hundreds are made a call."""

    subject: Subject
    id: bytes
    kind: MemoryKind
    evidence: float
    """The order: log-odds against the point where the score is 0.5."""
    similarity: float
    word_share: float
    """Share of the query's rarity-weighted words."""
    hits: int
    """Bit `j`: the memory has the query's term `j`."""
    in_time: bool
    around: float
    """Log-odds that what was said around it, or is linked with it, adds."""
    importance: float
    standing: bool
    sources: tuple[int, ...]
    """`source_key` of each source."""
    kindred: bool = False
    """It has words that stand for what the query names in general."""

    @property
    def score(self) -> float:
        """The evidence as a number from 0 to 1."""
        return 1 / (1 + exp(-min(60.0, max(-60.0, self.evidence))))


def score_memories(hot: SubjectSnapshot, matches: RankingSignals, query: Query) -> npt.NDArray[np.float64]:
    """Add up all evidence for each memory: log-odds against the point where the score is 0.5."""
    n = len(hot)
    total = matches.own.copy()
    if matches.around is not None:
        total += matches.around
    if query.personal:
        total -= TOLD_WEIGHT * (hot.roles % QUESTION_FLAG == _ASSISTANT)
    asking = np.flatnonzero(hot.roles >= QUESTION_FLAG)
    if len(asking):
        total[asking] -= ASKING_WEIGHT * OWN_TERMS / (OWN_TERMS + hot.length[asking])
    if matches.in_time is not None:
        total += TIME_WEIGHT * rarity(n, int(np.count_nonzero(matches.in_time))) * matches.in_time
    total += IMPORTANCE_WEIGHT * (hot.importance - 0.5) + CONFIDENCE_WEIGHT * (hot.confidence - 1)
    age = np.maximum(to_micros(query.now) - np.maximum(hot.valid_from, hot.last_used_at), 0)
    total += RECENT_WEIGHT * np.exp2(age * (-1 / (_DAY_US * RECENT_HALF_LIFE_DAYS)))
    total += _KIND[hot.kinds]
    if np.count_nonzero(hot.uses):
        total += USE_WEIGHT * np.log1p(np.maximum(hot.uses, 0))
    total -= EVEN + EVEN_PER_SIZE * log(n + SIZE_FLOOR)
    weighed: npt.NDArray[np.float64] = total
    return weighed


def standing_facts(hot: SubjectSnapshot, query: Query, most: int) -> npt.NDArray[np.intp]:
    """Find the facts that stand whatever is asked, most important first, ties by id."""
    places = np.flatnonzero((hot.kinds == _FACT) & (hot.importance >= np.float32(query.policy.fact_importance)))
    return places[np.argsort(-hot.importance[places], kind="stable")][:most]


def hidden_kinds(hot: SubjectSnapshot, query: Query) -> npt.NDArray[np.bool_] | None:
    """Tell which memories the policy keeps out of recall; None where none is."""
    return None if query.policy.turns else hot.kinds == _TURN


def rows(
    hot: SubjectSnapshot,
    matches: RankingSignals,
    evidence: npt.NDArray[np.float64],
    places: npt.NDArray[np.intp],
    *,
    standing: bool,
) -> list[RankedRow]:
    """Read the rows at some places of a subject, in their order."""
    start, keys = hot.source_start, hot.source_key
    some = len(keys) <= _SORT_ALL_THRESHOLD
    all_keys = keys.tolist() if some else []
    in_time = matches.in_time[places].tolist() if matches.in_time is not None else [False] * len(places)
    around = matches.around[places].tolist() if matches.around is not None else [0.0] * len(places)
    kindred = matches.kindred[places].tolist() if matches.kindred is not None else [False] * len(places)
    columns: Iterable[tuple[int, int, float, float, float, int, bool, float, float, int, int, bool]] = zip(
        places.tolist(),
        hot.kinds[places].tolist(),
        evidence[places].tolist(),
        matches.meaning.similarity[places].tolist(),
        matches.words.shares(places).tolist(),
        matches.words.hits[places].tolist(),
        in_time,
        around,
        hot.importance[places].tolist(),
        start[places].tolist(),
        start[places + 1].tolist(),
        kindred,
        strict=True,
    )
    return [
        RankedRow(
            hot.subject,
            hot.ids[place],
            KIND_ORDER[kind],
            log_odds,
            similarity,
            words,
            hits,
            timed,
            beside,
            importance,
            standing,
            tuple(all_keys[first:last] if some else keys[first:last].tolist()),
            akin,
        )
        for place, kind, log_odds, similarity, words, hits, timed, beside, importance, first, last, akin in columns
    ]


# Similarities from which a reader would agree; below the lower one likeness is left unsaid.
_SAME = 0.6
_NEAR = 0.2
_IMPORTANT = 0.7
# Log-odds of what stands around a memory from which it is a reason: what a word that few others share gives.
_AROUND = 0.5


def reasons(row: RankedRow, query: Query) -> tuple[str, ...]:
    """Say what speaks for a row, the strongest kinds of evidence first."""
    found = ["a standing fact"] if row.standing else []
    if row.similarity >= _NEAR:
        found.append(f"{'means the same' if row.similarity >= _SAME else 'near in meaning'} ({row.similarity:.2f})")
    if row.hits:
        found.append(_shared(shared_words(row, query)))
    if row.kindred:
        found.append("speaks of what is asked about in other words")
    if row.in_time:
        found.append("from the time asked about")
    if row.around >= _AROUND:
        found.append("what was said around it fits")
    if row.importance >= _IMPORTANT:
        found.append(f"important ({row.importance:.1f})")
    if row.id in (query.newest or ()):
        found.append("one of the newest")
    latest = query.policy.order == "updated" and query.for_prompt
    return tuple(found) or ("one of the last updated" if latest else "the nearest there is",)


def speaks_for(row: RankedRow) -> bool:
    """Tell whether anything speaks for a row but that nothing else is nearer."""
    return (
        bool(row.hits)
        or row.kindred
        or row.in_time
        or row.similarity >= _NEAR
        or row.importance >= _IMPORTANT
        or row.around >= _AROUND
    )


def shared_words(row: RankedRow, query: Query) -> list[str]:
    """Return the query's words that the memory has, as they were asked."""
    return [query.spoken.get(term, term) for place, term in enumerate(query.terms) if row.hits >> place & 1]


def _shared(words: list[str]) -> str:
    quoted = ", ".join(f'"{word}"' for word in words)
    return f"shares the word {quoted}" if len(words) == 1 else f"shares the words {quoted}"
