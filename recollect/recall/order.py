"""The order a policy wants where it is not all evidence together, and what it keeps out of a prompt. Pure."""

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

# What the recent conversation's words count beside those of the current message, which say what is asked now.
BACKGROUND_WEIGHT = 0.3
# What stands for what a query names in general counts as a word would that as few memories have.
KINDRED_WEIGHT = 1.0
# A subject has few notes up to so many times the limit; of them the limit's best are shown.
MIN_TIMES = 2
# A product is never sure of anything, and never hopeless: log-odds run away at 0 and 1.
_SUREST = 1e-6
# A relevance from which a note is shown however much nearer another one is: it answers as likely as not.
_LIKELY = 0.5
# Memories kept out that are named with the reason; the rest goes unnamed.
_MAX_NAMED = 10
# A message of fewer terms that neither asks nor speaks of its author ("ok great") wants nothing that is known.
MIN_TERMS = 3
_DAY_US = 86_400 * 1_000_000
_NOTE, _EPISODE = MemoryKind.NOTE.number, MemoryKind.EPISODE.number

Evidence = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class PolicyOrder(NamedTuple):
    """The memories of a subject in the order of a policy."""

    evidence: Evidence
    """n: the order, as log-odds of the score; -inf for what is kept out."""
    left_out: list[OmittedMemory]


def newest(hots: Sequence[SubjectSnapshot], most: int) -> frozenset[bytes]:
    """Return the ids of the notes that were stored last, of all subjects together."""
    found = [hot.ids[place] for hot in hots for place in np.flatnonzero(hot.kinds == _NOTE)[-most:].tolist()]
    return frozenset(sorted(found)[-most:]) if most else frozenset()


def order_by_policy(hot: SubjectSnapshot, matches: RankingSignals, query: Query, evidence: Evidence) -> PolicyOrder:
    """Put the memories of a subject into the order of the query's policy.

    Args:
        hot: The subject's memories.
        matches: What speaks for them.
        query: What is asked, with the policy.
        evidence: The sum of all evidence; -inf for what is hidden already.
    """
    hidden = evidence == -np.inf
    arranged = by_policy(hot, matches, query, evidence)
    left: list[OmittedMemory] = []
    if query.for_prompt:
        left = _keep_out(hot, matches, query, arranged)
    arranged[hidden] = -np.inf
    return PolicyOrder(arranged, left)


def few_notes(hots: Sequence[SubjectSnapshot], query: Query) -> dict[Subject, float]:
    """Return the subjects that have hardly more notes than may be shown, where the query says enough to want any.

    A reader picks what matters out of ten lines; a calibration made for thousands of memories does not.

    Returns:
        For each the least evidence with which a note is shown: what reaches the policy's floor when it is new and the
        subject holds nothing else. So neither age nor the number of quotations leaves out one of few.
    """
    if len(query.terms) < MIN_TERMS and not (query.question or query.personal):
        return {}
    floor = min(max(query.policy.floor, _SUREST), 1 - _SUREST)
    return {
        hot.subject: log(floor / (1 - floor)) - RECENT_WEIGHT - EVEN_PER_SIZE * log(1 + len(hot) / SIZE_FLOOR)
        for hot in hots
        if np.count_nonzero(hot.kinds == _NOTE) <= MIN_TIMES * query.limit
    }


def worth_showing(row: RankedRow, query: Query) -> bool:
    """Tell whether a row may go into a prompt, as far as its score tells."""
    if row.standing or query.policy.order != "evidence" or row.id in (query.newest or ()):
        return True
    if row.kind is MemoryKind.EPISODE:
        return True  # its distance has let it in
    return row.score >= query.policy.floor and speaks_for(row)


def is_of_few(row: RankedRow, few: Mapping[Subject, float]) -> bool:
    """Return whether a row is one of few notes, which may go into a prompt behind those that are like the query."""
    return row.kind is MemoryKind.NOTE and row.evidence >= few.get(row.subject, inf)


def by_policy(hot: SubjectSnapshot, matches: RankingSignals, query: Query, evidence: Evidence) -> Evidence:
    """Turn the sum of all evidence into the order that the query's policy wants."""
    order = query.policy.order
    if order == "updated" and query.for_prompt:
        return _by_age(hot, query)
    if order in ("evidence", "updated"):  # who searches wants what matches, whatever a prompt shows
        if query.background:
            evidence = evidence + BACKGROUND_WEIGHT * WORD_WEIGHT * word_signal(hot, tuple(query.background)).evidence
        if matches.kindred is not None:
            few = rarity(len(hot), int(np.count_nonzero(matches.kindred)))
            evidence = evidence + KINDRED_WEIGHT * few * matches.kindred
        if query.half_life_days <= 0:
            return evidence.copy()
        odds = np.exp(-np.clip(evidence, -60, 60))
        return _log_odds(_recency(hot, query) / (1 + odds))
    score = matches.meaning.similarity.astype(np.float64) * _recency(hot, query)
    return _log_odds(score * hot.importance if order == "product" else score)


def _recency(hot: SubjectSnapshot, query: Query) -> Evidence:
    days = (to_micros(query.now) - np.maximum(hot.valid_from, hot.last_used_at)) / _DAY_US
    return decay_all(days, query.half_life_days, hot.uses)


def _by_age(hot: SubjectSnapshot, query: Query) -> Evidence:
    """Score 1 for what was stored now, 0.5 after a day; ids tell when, and in which order within a millisecond."""
    stored = np.array([int.from_bytes(id_[:6], "big") for id_ in hot.ids], dtype=np.float64)
    days = np.maximum((to_micros(query.now) / 1000 - stored) / (_DAY_US / 1000), 1e-9)
    later = np.arange(len(hot)) * 1e-9
    return np.asarray(-np.log(days) + later, dtype=np.float64)


def _keep_out(hot: SubjectSnapshot, matches: RankingSignals, query: Query, arranged: Evidence) -> list[OmittedMemory]:
    """Take out what the policy does not want in a prompt, and say why of what would have come first."""
    policy = query.policy
    similarity = matches.meaning.similarity
    compared = query.vector is not None
    nearness = similarity if compared else arranged
    recent = _among(hot, query.newest or frozenset())
    left: list[OmittedMemory] = []
    if policy.similarity:
        notes = (hot.kinds == _NOTE) & (arranged > -np.inf)
        far = notes & (similarity < _threshold(policy, similarity[notes])) & ~recent
        left += _named(hot, far, arranged, [f"too far in meaning ({value:.2f})" for value in similarity.tolist()])
        arranged[far] = -np.inf
    if policy.order in ("similarity", "product"):
        arranged[(similarity <= 0) & ~recent] = -np.inf
    episodes = hot.kinds == _EPISODE
    if episodes.any():
        # Without the query's vector words must let them in.
        near = episodes & ((1 - similarity < policy.episode_distance) if compared else matches.words.hits > 0)
        arranged[episodes & ~_nearest(near, nearness, policy.episodes)] = -np.inf
    if policy.candidates:
        others = ~recent & ~episodes & (arranged > -np.inf)
        if matches.present is not None:
            others &= ~matches.present
        arranged[others & ~_nearest(others, nearness, policy.candidates)] = -np.inf
    return left


def _threshold(policy: RecallPolicy, similarity: npt.NDArray[np.floating]) -> float:
    """Return the lowest relevance that is shown: the policy's, or a higher one where a note is much nearer."""
    if not policy.lag or not len(similarity):
        return policy.similarity
    nearest = min(max(float(similarity.max()), _SUREST), 1 - _SUREST)
    lagging = 1 / (1 + exp(policy.lag - log(nearest / (1 - nearest))))
    return max(policy.similarity, min(lagging, _LIKELY))


def _nearest(among: Mask, similarity: npt.NDArray[np.floating], most: int) -> Mask:
    """Mark the nearest of some memories, ties by id."""
    places = np.flatnonzero(among)
    kept = np.zeros(len(among), dtype=np.bool_)
    kept[places[np.argsort(-similarity[places], kind="stable")][:most]] = True
    return kept


def _among(hot: SubjectSnapshot, ids: frozenset[bytes]) -> Mask:
    found = np.zeros(len(hot), dtype=np.bool_)
    for id_ in ids:
        place = bisect_left(hot.ids, id_)
        found[place : place + 1] |= hot.ids[place : place + 1] == [id_]  # ids of other subjects fall on places, too
    return found


def _named(hot: SubjectSnapshot, out: Mask, evidence: Evidence, reasons: Sequence[str]) -> list[OmittedMemory]:
    places = np.flatnonzero(out & (evidence > -np.inf))
    first = places[np.argsort(-evidence[places], kind="stable")][:_MAX_NAMED]
    return [OmittedMemory(id=MemoryId(id_text(hot.ids[place])), reason=reasons[place]) for place in first.tolist()]


def _log_odds(score: Evidence) -> Evidence:
    held = np.clip(score, _SUREST, 1 - _SUREST)
    odds: Evidence = np.log(held / (1 - held))
    return odds
