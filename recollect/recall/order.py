"""The order of a policy that ranks by something other than all evidence, and what it keeps out of a prompt. Pure."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from math import exp, inf, log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from recollect.clock import to_micros
from recollect.decay import decay_all
from recollect.ids import id_text
from recollect.profiles.policies import RecallPolicy
from recollect.recall.bm25 import WORD_WEIGHT, rarity, word_signal
from recollect.recall.query import Query
from recollect.recall.rank import EVEN_PER_SIZE, RECENT_WEIGHT, SIZE_FLOOR, RankedRow, speaks_for
from recollect.recall.signals import RankingSignals
from recollect.types import MemoryId, MemoryKind, OmittedMemory, Subject, SubjectSnapshot

# Weight of the recent conversation's words relative to those of the current message, which say what is asked now.
BACKGROUND_WEIGHT = 0.3
# A memory with a kindred term counts as if it shared a word that as few memories have.
KINDRED_WEIGHT = 1.0
# A subject has few notes if it has at most this many times the limit.
MIN_TIMES = 2
# A product is held this far from 0 and 1, where log-odds are infinite.
_SUREST = 1e-6
# Notes at least this relevant are shown even if another one is much nearer.
_LIKELY = 0.5
# Maximum number of memories reported as kept out.
_MAX_NAMED = 10
# A message with fewer terms that neither asks nor is about its author ("ok great") needs no notes.
MIN_TERMS = 3
_DAY_US = 86_400 * 1_000_000
_NOTE, _EPISODE = MemoryKind.NOTE.number, MemoryKind.EPISODE.number

Evidence = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class PolicyOrder(NamedTuple):
    """The memories of a subject in the order of a policy."""

    evidence: Evidence
    """n: the order, as log-odds of the score; -inf for memories kept out."""
    left_out: list[OmittedMemory]


def newest(snapshots: Sequence[SubjectSnapshot], most: int) -> frozenset[bytes]:
    """Return the ids of the notes stored last, over all subjects."""
    found = [
        snapshot.ids[place]
        for snapshot in snapshots
        for place in np.flatnonzero(snapshot.kinds == _NOTE)[-most:].tolist()
    ]
    return frozenset(sorted(found)[-most:]) if most else frozenset()


def order_by_policy(
    snapshot: SubjectSnapshot, signals: RankingSignals, query: Query, evidence: Evidence
) -> PolicyOrder:
    """Put the memories of a subject into the order of the query's policy.

    Args:
        snapshot: The subject's memories.
        signals: Their evidence by kind.
        query: The query, with its policy.
        evidence: The sum of all evidence; -inf for hidden memories.
    """
    hidden = evidence == -np.inf
    arranged = by_policy(snapshot, signals, query, evidence)
    left: list[OmittedMemory] = []
    if query.for_prompt:
        left = _keep_out(snapshot, signals, query, arranged)
    arranged[hidden] = -np.inf
    return PolicyOrder(arranged, left)


def few_notes(snapshots: Sequence[SubjectSnapshot], query: Query) -> dict[Subject, float]:
    """Return the subjects with hardly more notes than may be shown, if the query says enough to need any.

    A model picks what matters out of ten lines; a calibration made for thousands of memories cannot.

    Returns:
        For each subject the minimum evidence of a note that is shown: that of a new note which reaches the policy's
        floor in a subject with nothing else. So neither age nor the number of quotations leaves out one of few notes.
    """
    if len(query.terms) < MIN_TERMS and not (query.question or query.personal):
        return {}
    floor = min(max(query.policy.floor, _SUREST), 1 - _SUREST)
    return {
        snapshot.subject: log(floor / (1 - floor)) - RECENT_WEIGHT - EVEN_PER_SIZE * log(1 + len(snapshot) / SIZE_FLOOR)
        for snapshot in snapshots
        if np.count_nonzero(snapshot.kinds == _NOTE) <= MIN_TIMES * query.limit
    }


def worth_showing(row: RankedRow, query: Query) -> bool:
    """Return whether a row scores high enough for a prompt."""
    if row.standing or query.policy.order != "evidence" or row.id in (query.newest or ()):
        return True
    if row.kind is MemoryKind.EPISODE:
        return True  # the policy has already limited its distance
    return row.score >= query.policy.floor and speaks_for(row)


def is_of_few(row: RankedRow, few: Mapping[Subject, float]) -> bool:
    """Return whether a row is one of few notes, which may fill a prompt after the rows worth showing."""
    return row.kind is MemoryKind.NOTE and row.evidence >= few.get(row.subject, inf)


def by_policy(snapshot: SubjectSnapshot, signals: RankingSignals, query: Query, evidence: Evidence) -> Evidence:
    """Turn the sum of all evidence into the order of the query's policy."""
    order = query.policy.order
    if order == "updated" and query.for_prompt:
        return _by_age(snapshot, query)
    if order in ("evidence", "updated"):  # a search wants what matches, whatever a prompt shows
        if query.background:
            evidence = (
                evidence + BACKGROUND_WEIGHT * WORD_WEIGHT * word_signal(snapshot, tuple(query.background)).evidence
            )
        if signals.kindred is not None:
            few = rarity(len(snapshot), int(np.count_nonzero(signals.kindred)))
            evidence = evidence + KINDRED_WEIGHT * few * signals.kindred
        if query.half_life_days <= 0:
            return evidence.copy()
        odds = np.exp(-np.clip(evidence, -60, 60))
        return _log_odds(_recency(snapshot, query) / (1 + odds))
    score = signals.meaning.similarity.astype(np.float64) * _recency(snapshot, query)
    return _log_odds(score * snapshot.importance if order == "product" else score)


def _recency(snapshot: SubjectSnapshot, query: Query) -> Evidence:
    days = (to_micros(query.now) - np.maximum(snapshot.valid_from, snapshot.last_used_at)) / _DAY_US
    return decay_all(days, query.half_life_days, snapshot.uses)


def _by_age(snapshot: SubjectSnapshot, query: Query) -> Evidence:
    """Score 1 for a memory stored now, 0.5 after a day; ids tell when, and the order within a millisecond."""
    stored = np.array([int.from_bytes(id_[:6], "big") for id_ in snapshot.ids], dtype=np.float64)
    days = np.maximum((to_micros(query.now) / 1000 - stored) / (_DAY_US / 1000), 1e-9)
    later = np.arange(len(snapshot)) * 1e-9
    return np.asarray(-np.log(days) + later, dtype=np.float64)


def _keep_out(
    snapshot: SubjectSnapshot, signals: RankingSignals, query: Query, arranged: Evidence
) -> list[OmittedMemory]:
    """Take out what the policy keeps out of a prompt; returns the best of it, with reasons."""
    policy = query.policy
    similarity = signals.meaning.similarity
    compared = query.vector is not None
    nearness = similarity if compared else arranged
    recent = _among(snapshot, query.newest or frozenset())
    left: list[OmittedMemory] = []
    if policy.similarity:
        notes = (snapshot.kinds == _NOTE) & (arranged > -np.inf)
        far = notes & (similarity < _threshold(policy, similarity[notes])) & ~recent
        left += _named(snapshot, far, arranged, [f"too far in meaning ({value:.2f})" for value in similarity.tolist()])
        arranged[far] = -np.inf
    if policy.order in ("similarity", "product"):
        arranged[(similarity <= 0) & ~recent] = -np.inf
    episodes = snapshot.kinds == _EPISODE
    if episodes.any():
        # Without the query's vector, episodes must share a word.
        near = episodes & ((1 - similarity < policy.episode_distance) if compared else signals.words.hits > 0)
        arranged[episodes & ~_nearest(near, nearness, policy.episodes)] = -np.inf
    if policy.candidates:
        others = ~recent & ~episodes & (arranged > -np.inf)
        if signals.present is not None:
            others &= ~signals.present
        arranged[others & ~_nearest(others, nearness, policy.candidates)] = -np.inf
    return left


def _threshold(policy: RecallPolicy, similarity: npt.NDArray[np.floating]) -> float:
    """Return the lowest relevance that is shown: the policy's, or a higher one if a note is much nearer."""
    if not policy.lag or not len(similarity):
        return policy.similarity
    nearest = min(max(float(similarity.max()), _SUREST), 1 - _SUREST)
    lagging = 1 / (1 + exp(policy.lag - log(nearest / (1 - nearest))))
    return max(policy.similarity, min(lagging, _LIKELY))


def _nearest(among: Mask, similarity: npt.NDArray[np.floating], most: int) -> Mask:
    """Return a mask of the nearest of some memories, ties by id."""
    places = np.flatnonzero(among)
    kept = np.zeros(len(among), dtype=np.bool_)
    kept[places[np.argsort(-similarity[places], kind="stable")][:most]] = True
    return kept


def _among(snapshot: SubjectSnapshot, ids: frozenset[bytes]) -> Mask:
    found = np.zeros(len(snapshot), dtype=np.bool_)
    for id_ in ids:
        place = bisect_left(snapshot.ids, id_)
        found[place : place + 1] |= snapshot.ids[place : place + 1] == [id_]  # ids of other subjects have positions too
    return found


def _named(snapshot: SubjectSnapshot, out: Mask, evidence: Evidence, reasons: Sequence[str]) -> list[OmittedMemory]:
    places = np.flatnonzero(out & (evidence > -np.inf))
    first = places[np.argsort(-evidence[places], kind="stable")][:_MAX_NAMED]
    return [OmittedMemory(id=MemoryId(id_text(snapshot.ids[place])), reason=reasons[place]) for place in first.tolist()]


def _log_odds(score: Evidence) -> Evidence:
    held = np.clip(score, _SUREST, 1 - _SUREST)
    odds: Evidence = np.log(held / (1 - held))
    return odds
