"""Order a subject's memories by the profile's policy, and leave out of a prompt what the policy does not show. Pure.

Every recall passes here: the policy chooses the order (all evidence, similarity or date), lets unused memories fade,
and counts the words of the recent conversation; for a prompt it also limits distance and number.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from math import exp, inf, log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toldonce.clock import to_micros
from toldonce.decay import decay_all
from toldonce.ids import id_text
from toldonce.profiles.policies import RecallPolicy
from toldonce.recall.bm25 import WORD_WEIGHT, rarity, word_signal
from toldonce.recall.query import Query
from toldonce.recall.rank import (
    MIDPOINT_PER_LOG_SIZE,
    RECENT_WEIGHT,
    SIZE_FLOOR,
    RankedRow,
    find_statements,
    has_positive_evidence,
)
from toldonce.recall.signals import RankingSignals
from toldonce.types import IdColumn, MemoryId, MemoryKind, OmittedMemory, Subject, SubjectSnapshot

# Weight of the recent conversation's words relative to those of the current message, which say what is asked now.
BACKGROUND_WEIGHT = 0.3
# Tokens of memory in a prompt for which the floor of the policy is meant.
USUAL_TOKENS = 800
# A memory with a related term counts as if it shared a word that as few memories have.
RELATED_WEIGHT = 1.0
# A subject has few notes if it has at most so many, and at most this many times as many as the query may show.
MAX_FEW_NOTES, MAX_FEW_NOTES_FACTOR = 20, 2
# Scores are kept this far from 0 and 1, where log-odds are infinite.
_SCORE_MARGIN = 1e-6
# Notes at least this relevant are shown even if another one is much nearer.
_MAX_LAG_THRESHOLD = 0.5
# Maximum number of memories reported as omitted because they are too far.
_MAX_OMITTED = 10
# A message with fewer terms that neither asks nor is about its author ("ok great") needs no notes.
MIN_TERMS = 3
# What such a message must reach with a note that has none of its words: greetings, thanks and assent in eight languages
# reach 0.15 with statements that have nothing to do with them, "choir practice" 0.88 with "I sing alto in a choir."
TERSE_THRESHOLD = 0.2
_DAY_US = 86_400 * 1_000_000
_NOTE, _EPISODE = MemoryKind.NOTE.number, MemoryKind.EPISODE.number

LogOdds = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class PolicyOrder(NamedTuple):
    """The memories of a subject in the order of a policy."""

    evidence: LogOdds
    """n: log-odds of the score, by which memories are sorted; -inf for those left out."""
    omitted: list[OmittedMemory]


def find_newest_notes(snapshots: Sequence[SubjectSnapshot], max_notes: int) -> frozenset[bytes]:
    """Return the ids of the notes stored last, over all subjects."""
    ids = [
        snapshot.ids[position]
        for snapshot in snapshots
        for position in np.flatnonzero(snapshot.kinds == _NOTE)[-max_notes:].tolist()
    ]
    return frozenset(sorted(ids)[-max_notes:]) if max_notes else frozenset()


def order_by_policy(snapshot: SubjectSnapshot, signals: RankingSignals, query: Query, evidence: LogOdds) -> PolicyOrder:
    """Put the memories of a subject into the order of the query's policy.

    Args:
        snapshot: The subject's memories.
        signals: Their evidence by kind.
        query: The query, with its policy.
        evidence: The sum of all evidence; -inf for hidden memories.
    """
    hidden = evidence == -np.inf
    ordered = apply_order(snapshot, signals, query, evidence)
    omitted: list[OmittedMemory] = []
    if query.for_prompt:
        omitted = _filter_for_prompt(snapshot, signals, query, ordered)
    ordered[hidden] = -np.inf
    return PolicyOrder(ordered, omitted)


def find_note_floors(snapshots: Sequence[SubjectSnapshot], query: Query) -> dict[Subject, float]:
    """Return a lower floor for the notes of subjects that have only a few, if the query says enough to need any.

    Quotations that are kept count as notes. With so few, showing one too many costs little, and the model that reads
    the prompt can tell what matters.

    Returns:
        For each such subject, the minimum evidence of a note that is shown. It is the policy's floor less the bonus of
        a new memory and less what `score_memories` takes off for the number of memories, so that neither its age nor
        the number of quotations leaves a note out.
    """
    if _is_terse(query):
        return {}
    return {
        snapshot.subject: logit(query.policy.floor)
        - RECENT_WEIGHT
        - MIDPOINT_PER_LOG_SIZE * log(1 + len(snapshot) / SIZE_FLOOR)
        for snapshot in snapshots
        if np.count_nonzero(find_statements(snapshot)) <= min(MAX_FEW_NOTES, MAX_FEW_NOTES_FACTOR * query.limit)
    }


def _is_terse(query: Query) -> bool:
    return len(query.terms) < MIN_TERMS and not (query.question or query.personal)


def is_worth_showing(row: RankedRow, query: Query) -> bool:
    """Return whether a row scores high enough for a prompt."""
    if row.standing or query.policy.order != "evidence" or row.id in (query.newest or ()):
        return True
    if row.kind is MemoryKind.EPISODE:
        return True  # the policy has already limited its distance
    return row.score >= min_score(query) and has_positive_evidence(row)


def min_score(query: Query) -> float:
    """Return the minimum score for a prompt: lower where it has more room than usual."""
    return query.policy.floor * min(1.0, USUAL_TOKENS / max(query.budget_tokens or USUAL_TOKENS, 1))


def logit(chance: float) -> float:
    """Return the log-odds of a chance from 0 to 1; of neither is it infinite.

    >>> logit(0.5), round(logit(0.9), 2), round(logit(0.0), 1)
    (0.0, 2.2, -13.8)
    """
    sure = min(max(chance, _SCORE_MARGIN), 1 - _SCORE_MARGIN)
    return log(sure / (1 - sure))


def is_above_note_floor(row: RankedRow, note_floors: Mapping[Subject, float]) -> bool:
    """Return whether a row is a statement of a subject with few notes, and reaches that subject's lower floor."""
    return row.is_statement and row.evidence >= note_floors.get(row.subject, inf)


def apply_order(snapshot: SubjectSnapshot, signals: RankingSignals, query: Query, evidence: LogOdds) -> LogOdds:
    """Turn the sum of all evidence into the order of the query's policy."""
    order = query.policy.order
    if order == "updated" and query.for_prompt:
        return _order_by_age(snapshot, query)
    if order in ("evidence", "updated"):  # only a prompt shows the last updated; a search wants what matches
        if query.background:
            evidence = (
                evidence + BACKGROUND_WEIGHT * WORD_WEIGHT * word_signal(snapshot, tuple(query.background)).evidence
            )
        if signals.has_related_term is not None:
            weight = rarity(len(snapshot), int(np.count_nonzero(signals.has_related_term)))
            evidence = evidence + RELATED_WEIGHT * weight * signals.has_related_term
        if query.half_life_days <= 0:
            return evidence.copy()
        odds = np.exp(-np.clip(evidence, -60, 60))
        return _log_odds(_compute_recency(snapshot, query) / (1 + odds))
    score = signals.meaning.similarity.astype(np.float64) * _compute_recency(snapshot, query)
    return _log_odds(score * snapshot.importance if order == "product" else score)


def _compute_recency(snapshot: SubjectSnapshot, query: Query) -> LogOdds:
    days = (to_micros(query.now) - np.maximum(snapshot.valid_from, snapshot.last_used_at)) / _DAY_US
    return decay_all(days, query.half_life_days, snapshot.uses)


def _order_by_age(snapshot: SubjectSnapshot, query: Query) -> LogOdds:
    """Return log-odds that fall with age; an id contains when, and within a millisecond its position decides."""
    stored = IdColumn.of(snapshot.ids).millis().astype(np.float64)
    days = np.maximum((to_micros(query.now) / 1000 - stored) / (_DAY_US / 1000), 1e-9)
    tie_break = np.arange(len(snapshot)) * 1e-9
    return np.asarray(-np.log(days) + tie_break, dtype=np.float64)


def _filter_for_prompt(
    snapshot: SubjectSnapshot, signals: RankingSignals, query: Query, ordered: LogOdds
) -> list[OmittedMemory]:
    """Set to -inf, in place, what the policy does not show in a prompt; return the best of it, with reasons."""
    policy = query.policy
    similarity = signals.meaning.similarity
    has_vector = query.vector is not None
    nearness = similarity if has_vector else ordered
    recent = _mask_of(snapshot, query.newest or frozenset())
    omitted: list[OmittedMemory] = []
    if policy.similarity:
        notes = (snapshot.kinds == _NOTE) & (ordered > -np.inf)
        far = notes & (similarity < _similarity_threshold(policy, similarity[notes])) & ~recent
        if has_vector and not query.background and _is_terse(query):
            far |= notes & (similarity < TERSE_THRESHOLD) & (signals.words.hits == 0) & ~recent
        reasons = [f"too far in meaning ({value:.2f})" for value in similarity.tolist()]
        omitted += _list_omitted(snapshot, far, ordered, reasons)
        ordered[far] = -np.inf
    if policy.order in ("similarity", "product"):
        ordered[(similarity <= 0) & ~recent] = -np.inf
    episodes = snapshot.kinds == _EPISODE
    if episodes.any():
        # Without the query's vector, episodes must share a word.
        near = episodes & ((1 - similarity < policy.episode_distance) if has_vector else signals.words.hits > 0)
        ordered[episodes & ~_select_nearest(near, nearness, policy.episodes)] = -np.inf
    if policy.candidates:
        others = ~recent & ~episodes & (ordered > -np.inf)
        if signals.present is not None:
            others &= ~signals.present
        ordered[others & ~_select_nearest(others, nearness, policy.candidates)] = -np.inf
    return omitted


def _similarity_threshold(policy: RecallPolicy, similarity: npt.NDArray[np.floating]) -> float:
    """Return the lowest relevance that is shown: the policy's, or a higher one if a note is much nearer."""
    if not policy.lag or not len(similarity):
        return policy.similarity
    lagging = 1 / (1 + exp(policy.lag - logit(float(similarity.max()))))
    return max(policy.similarity, min(lagging, _MAX_LAG_THRESHOLD))


def _select_nearest(candidates: Mask, nearness: npt.NDArray[np.floating], max_memories: int) -> Mask:
    """Return a mask of the nearest of the candidates, ties by id."""
    positions = np.flatnonzero(candidates)
    selected = np.zeros(len(candidates), dtype=np.bool_)
    selected[positions[np.argsort(-nearness[positions], kind="stable")][:max_memories]] = True
    return selected


def _mask_of(snapshot: SubjectSnapshot, ids: frozenset[bytes]) -> Mask:
    """Return a mask of the memories with these ids, some of which may belong to other subjects."""
    mask = np.zeros(len(snapshot), dtype=np.bool_)
    for id_ in ids:
        position = bisect_left(snapshot.ids, id_)
        if snapshot.ids[position : position + 1] == [id_]:
            mask[position] = True
    return mask


def _list_omitted(
    snapshot: SubjectSnapshot, mask: Mask, evidence: LogOdds, reasons: Sequence[str]
) -> list[OmittedMemory]:
    """Return the best of the memories in a mask, each with its reason; `reasons` has one for every memory."""
    positions = np.flatnonzero(mask & (evidence > -np.inf))
    best = positions[np.argsort(-evidence[positions], kind="stable")][:_MAX_OMITTED]
    return [
        OmittedMemory(id=MemoryId(id_text(snapshot.ids[position])), reason=reasons[position])
        for position in best.tolist()
    ]


def _log_odds(score: LogOdds) -> LogOdds:
    clipped = np.clip(score, _SCORE_MARGIN, 1 - _SCORE_MARGIN)
    log_odds: LogOdds = np.log(clipped / (1 - clipped))
    return log_odds
