"""The score: all evidence for each memory of a subject added up, and the reasons shown for it. Pure.

Evidence adds up as log-odds. The weights were fitted as one model over two collections, LoCoMo (people who chat in
short messages) and BEAM (questions to an assistant that answers at length), and two embedders, by the softmax share of
the evidence turns; then each constant was varied alone to see that nothing depends on it. docs/benchmarks.md has the
figures and what was left out; `python -m benchmarks.ranking_quality` measures.
"""

from bisect import bisect_left
from collections.abc import Mapping
from math import exp, log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toldonce.clock import to_micros
from toldonce.ids import is_unstored
from toldonce.recall.bm25 import rarity
from toldonce.recall.query import Query
from toldonce.recall.signals import RankingSignals
from toldonce.types import KEPT_IMPORTANCE, KIND_ORDER, QUESTION_FLAG, MemoryId, MemoryKind, Subject, SubjectSnapshot

# Penalty for an assistant's words if users ask about themselves: an assistant's answer fits many similar questions.
# 1.5 to 2.5 are within half a point on BEAM, 0 loses three; LoCoMo asks about people by name.
ASSISTANT_WEIGHT = 2.0
# Penalty for a message that ends in a question, if it says nothing else: questions state less than answers. A message
# of ASKING_TERMS terms gets half of it, as what users ask an assistant mostly begins with statements.
ASKING_WEIGHT = 1.3
ASKING_TERMS = 15
# A time asked about counts like a word that as few memories have: 2.1 points of R@10; twice as much changes nothing.
TIME_WEIGHT = 1.0
# Weights that do not depend on the question. All together they are less than the difference between a word that half of
# the memories have and one that they lack: they order what is otherwise equal.
IMPORTANCE_WEIGHT = 0.6
CONFIDENCE_WEIGHT = 0.4
# At 0.3, the newest messages of a long conversation took the place of its evidence (a point of R@10 on BEAM);
# `put_newest_first` sees to it that the newer of two values comes first.
RECENT_WEIGHT = 0.1
RECENT_HALF_LIFE_DAYS = 90.0
USE_WEIGHT = 0.1
# Notes and facts say in one line what a quotation says in five.
KIND_WEIGHT = {MemoryKind.NOTE: 0.2, MemoryKind.FACT: 0.2, MemoryKind.EPISODE: 0.0, MemoryKind.TURN: 0.0}
# The same where a user asks for all that is known: a memory of half a year weighs as one of today that is 0.25 less
# important; and what a quotation lacks that is not kept.
OVERVIEW_IMPORTANCE_WEIGHT, UNKEPT_WEIGHT = 3.0, 4.0
# The score is 0.5 where the evidence is SCORE_MIDPOINT + MIDPOINT_PER_LOG_SIZE * log(memories + SIZE_FLOOR). The
# midpoint rises with the number of memories, because more of them are similar by chance: the fifth best of those
# unrelated to a query gains 0.95 (measured) whenever their number grows by a factor of e. Only 0.7 is taken off, since
# a missing memory costs more than a superfluous line. SIZE_FLOOR keeps the midpoint of a small subject from falling
# too low. With the default floor of 0.15 about eight in ten evidence turns pass.
SCORE_MIDPOINT = -0.8
MIDPOINT_PER_LOG_SIZE = 0.7
SIZE_FLOOR = 20
# A quotation replaces the note formed from it if it scores this much higher: then the note lost what is asked for.
QUOTATION_LEAD = 0.25

# Which facts are about health is known after they are fetched (50 µs each): so many of at least this importance are.
# Formation gives a higher one to health, so that its facts are read first (`MIN_CRITICAL_IMPORTANCE`).
MAX_IMPORTANT_FACTS = 300
_HEALTH_IMPORTANCE = 0.75

_DAY_US = 86_400 * 1_000_000
# Up to this many source keys it is faster to convert all than the few that are needed.
_CONVERT_ALL_THRESHOLD = 500
_KIND = np.array([KIND_WEIGHT[kind] for kind in KIND_ORDER])
_USER, _ASSISTANT = 1, 2
_FACT, _NOTE, _TURN = MemoryKind.FACT.number, MemoryKind.NOTE.number, MemoryKind.TURN.number
# With fewer memories, a question that has any telling word of theirs is related, and one about its author needs all
# that the author said: shares of words and ranks say little.
MAX_FEW_MEMORIES = 30


class PriorEvidence:
    """What `score_memories` adds for the memories of a snapshot, whatever is asked."""

    __slots__ = ("asking", "asking_penalty", "assistant_penalty", "kind", "latest", "midpoint", "uses", "weights")

    def __init__(self, snapshot: SubjectSnapshot) -> None:
        self.weights = IMPORTANCE_WEIGHT * (snapshot.importance - 0.5) + CONFIDENCE_WEIGHT * (snapshot.confidence - 1)
        self.kind = _KIND[snapshot.kinds]
        self.latest = np.maximum(snapshot.valid_from, snapshot.last_used_at)
        """n: when it became true or was last used, in microseconds."""
        self.asking = np.flatnonzero(snapshot.roles >= QUESTION_FLAG)
        """Positions of the questions."""
        self.asking_penalty = ASKING_WEIGHT * ASKING_TERMS / (ASKING_TERMS + snapshot.length[self.asking])
        self.assistant_penalty = _none_if_zero(ASSISTANT_WEIGHT * (snapshot.roles % QUESTION_FLAG == _ASSISTANT))
        """n: the penalty of an assistant's words; None if there are none."""
        self.uses = _none_if_zero(USE_WEIGHT * np.log1p(np.maximum(snapshot.uses, 0)))
        """n: the weight of uses; None without any."""
        self.midpoint = SCORE_MIDPOINT + MIDPOINT_PER_LOG_SIZE * log(len(snapshot) + SIZE_FLOOR)


def _none_if_zero(evidence: npt.NDArray[np.float64]) -> npt.NDArray[np.float64] | None:
    return evidence if np.count_nonzero(evidence) else None


class RankedRow(NamedTuple):
    """A memory that may be shown, before its text is fetched. A tuple, as each recall makes hundreds."""

    subject: Subject
    id: bytes
    kind: MemoryKind
    evidence: float
    """Sort key: log-odds relative to the point where the score is 0.5."""
    similarity: float
    word_share: float
    """Share of the query's rarity-weighted words."""
    hits: int
    """Bit `j`: the memory has the query's term `j`."""
    in_time: bool
    around: float
    """Log-odds added by neighbouring and linked messages."""
    importance: float
    is_statement: bool
    """It says what holds: a note, a fact or, where no model writes notes, what the user said; see `find_statements`."""
    standing: bool
    sources: tuple[int, ...]
    """`source_key` of each source."""
    has_related_term: bool = False
    """It names an instance of what the query asks for in general."""

    @property
    def score(self) -> float:
        """The evidence as a number from 0 to 1."""
        evidence = self.evidence
        return 1 / (1 + exp(-evidence if -60 < evidence < 60 else -min(60.0, max(-60.0, evidence))))

    @property
    def is_kept(self) -> bool:
        """Whether it is listed among what is known: it is no quotation, or one that is kept."""
        return self.kind is not MemoryKind.TURN or self.importance >= KEPT_IMPORTANCE


def find_statements(snapshot: SubjectSnapshot) -> npt.NDArray[np.bool_]:
    """Return a mask of what says what holds: notes, facts, and the quotations that are kept."""
    kept = (snapshot.kinds == _TURN) & (snapshot.importance >= np.float32(KEPT_IMPORTANCE))
    mask: npt.NDArray[np.bool_] = kept | (snapshot.kinds == _FACT) | (snapshot.kinds == _NOTE)
    return mask


def find_own_words(snapshot: SubjectSnapshot, query: Query) -> npt.NDArray[np.bool_]:
    """Return a mask of what says what holds, where a user with few memories asks about themselves.

    That is all they stated, whether it was found worth keeping or not, unless a model wrote notes of it.
    """
    mask = find_statements(snapshot)
    if query.personal and query.question and len(snapshot) < MAX_FEW_MEMORIES and _NOTE not in snapshot.kinds:
        mask |= (snapshot.kinds == _TURN) & (snapshot.roles == _USER)
    return mask


def score_memories(snapshot: SubjectSnapshot, signals: RankingSignals, query: Query) -> npt.NDArray[np.float64]:
    """Return the sum of all evidence for each memory: log-odds relative to the point where the score is 0.5."""
    prior = snapshot.derive(PriorEvidence)
    total = signals.own.copy() if signals.around is None else signals.own + signals.around
    if query.personal and prior.assistant_penalty is not None:
        total -= prior.assistant_penalty
    if len(prior.asking):
        total[prior.asking] -= prior.asking_penalty
    if signals.in_time is not None:
        total += TIME_WEIGHT * rarity(len(snapshot), int(np.count_nonzero(signals.in_time))) * signals.in_time
    total += prior.weights
    age = np.maximum(to_micros(query.now) - prior.latest, 0)
    total += RECENT_WEIGHT * np.exp2(age * (-1 / (_DAY_US * RECENT_HALF_LIFE_DAYS)))
    total += prior.kind
    if prior.uses is not None:
        total += prior.uses
    total -= prior.midpoint
    log_odds: npt.NDArray[np.float64] = total
    return log_odds


def score_overview(snapshot: SubjectSnapshot, query: Query) -> npt.NDArray[np.float64]:
    """Return what speaks for each memory where a user asks for all that is known: weight and age, whatever its words.

    What is kept comes before all other quotations, and an assistant's words come last.
    """
    prior = snapshot.derive(PriorEvidence)
    age = np.maximum(to_micros(query.now) - snapshot.valid_from, 0)
    total = OVERVIEW_IMPORTANCE_WEIGHT * snapshot.importance.astype(np.float64)
    total += np.exp2(age * (-1 / (_DAY_US * RECENT_HALF_LIFE_DAYS)))
    total[(snapshot.kinds == _TURN) & ~find_statements(snapshot)] -= UNKEPT_WEIGHT
    if prior.assistant_penalty is not None:
        total -= prior.assistant_penalty
    return total


def find_standing_facts(snapshot: SubjectSnapshot, query: Query, max_facts: int) -> npt.NDArray[np.intp]:
    """Return the positions of the facts that every prompt has, most important first, ties by id.

    Of more than `max_facts`, the most important stay, of equal ones the newest; and up to `MAX_IMPORTANT_FACTS` that
    are so important that they may be about health.
    """
    positions = np.flatnonzero(
        (snapshot.kinds == _FACT) & (snapshot.importance >= np.float32(query.policy.fact_importance))
    )
    if len(positions) > max_facts:
        newest_first = positions[::-1]
        importance = snapshot.importance[newest_first]
        important = np.count_nonzero(importance >= np.float32(_HEALTH_IMPORTANCE))
        most = max(max_facts, min(int(important), MAX_IMPORTANT_FACTS))
        positions = np.sort(newest_first[np.argsort(-importance, kind="stable")][:most])
    return positions[np.argsort(-snapshot.importance[positions], kind="stable")]


def mask_hidden(snapshot: SubjectSnapshot, query: Query) -> npt.NDArray[np.bool_] | None:
    """Return a mask of the memories that the policy hides or the destination may not have; None if there are none."""
    hidden = None if query.policy.turns else snapshot.kinds == _TURN
    if query.withheld:
        hidden = np.zeros(len(snapshot), dtype=np.bool_) if hidden is None else hidden
        for id_ in query.withheld:
            position = bisect_left(snapshot.ids, id_)
            if position < len(snapshot) and snapshot.ids[position] == id_:
                hidden[position] = True
    return hidden


def build_rows(
    snapshot: SubjectSnapshot,
    signals: RankingSignals,
    evidence: npt.NDArray[np.float64],
    positions: npt.NDArray[np.intp],
    *,
    statements: npt.NDArray[np.bool_],
    standing: bool,
) -> list[RankedRow]:
    """Return the rows at some positions of a subject, in the same order.

    `statements` is a mask of the subject's memories; see `RankedRow.is_statement`.
    """
    n = len(positions)
    at = positions.tolist()
    keys = snapshot.source_key
    all_keys = keys.tolist() if len(keys) <= _CONVERT_ALL_THRESHOLD else None
    starts, ends = snapshot.source_start[positions].tolist(), snapshot.source_start[positions + 1].tolist()
    columns = zip(  # in the order of the fields of `RankedRow`
        [snapshot.subject] * n,
        [snapshot.ids[position] for position in at],
        [KIND_ORDER[kind] for kind in snapshot.kinds[positions].tolist()],
        evidence[positions].tolist(),
        signals.meaning.similarity[positions].tolist(),
        signals.words.shares(positions).tolist(),
        signals.words.hits[positions].tolist(),
        [False] * n if signals.in_time is None else signals.in_time[positions].tolist(),
        [0.0] * n if signals.around is None else signals.around[positions].tolist(),
        snapshot.importance[positions].tolist(),
        statements[positions].tolist(),
        [standing] * n,
        [
            tuple(keys[start:end].tolist() if all_keys is None else all_keys[start:end])
            for start, end in zip(starts, ends, strict=True)
        ],
        [False] * n if signals.has_related_term is None else signals.has_related_term[positions].tolist(),
        strict=True,
    )
    return [RankedRow._make(values) for values in columns]


# Similarities from which a reader would agree; below the lower one, similarity is not given as a reason.
_SAME_MEANING_THRESHOLD = 0.6
_NEAR_THRESHOLD = 0.2
_IMPORTANT_THRESHOLD = 0.7
# Log-odds from neighbours that count as a reason: as much as a word that few other memories share.
_AROUND_THRESHOLD = 0.5


class Explanation:
    """The reasons for the ranks of a query's rows.

    Args:
        query: What is asked.
        older: By row, the first one shown that it was said later than, about the same thing or near it.
    """

    def __init__(self, query: Query, older: Mapping[bytes, MemoryId]) -> None:
        self._query, self._older = query, older
        self._newest = query.newest or ()
        self._shared: dict[int, str] = {}

    def reasons(self, row: RankedRow) -> tuple[str, ...]:
        """Return the reasons for a row's rank, the kind of evidence that usually says most first."""
        reasons = ["a standing fact"] if row.standing else ["not formed yet"] if is_unstored(row.id) else []
        if row.similarity >= _NEAR_THRESHOLD:
            meaning = "means the same" if row.similarity >= _SAME_MEANING_THRESHOLD else "near in meaning"
            reasons.append(f"{meaning} ({row.similarity:.2f})")
        if row.hits:
            reasons.append(self._shared.get(row.hits) or self._describe_shared_words(row))
        if row.has_related_term:
            reasons.append("speaks of what is asked about in other words")
        if row.in_time:
            reasons.append("from the time asked about")
        if row.around >= _AROUND_THRESHOLD:
            reasons.append("what was said around it fits")
        if row.importance >= _IMPORTANT_THRESHOLD:
            reasons.append(f"important ({row.importance:.1f})")
        if row.id in self._newest:
            reasons.append("one of the newest")
        if row.id in self._older:
            # It is stored with the prompt: it names a memory, and has no word of it that would outlive it.
            reasons.append(f"said later than {self._older[row.id]}, which is near it")
        return tuple(reasons) or (self._without_reasons(),)

    def _without_reasons(self) -> str:
        query = self._query
        return (
            "one of the last updated"
            if query.policy.order == "updated" and query.for_prompt
            else "the nearest there is"
        )

    def _describe_shared_words(self, row: RankedRow) -> str:
        words = list_shared_words(row, self._query)
        quoted = ", ".join([f'"{word}"' for word in words])
        shared = f"shares the word {quoted}" if len(words) == 1 else f"shares the words {quoted}"
        self._shared[row.hits] = shared
        return shared


def has_positive_evidence(row: RankedRow) -> bool:
    """Return whether anything speaks for a row, other than that nothing else is nearer."""
    return (
        bool(row.hits)
        or row.has_related_term
        or row.in_time
        or row.similarity >= _NEAR_THRESHOLD
        or row.importance >= _IMPORTANT_THRESHOLD
        or row.around >= _AROUND_THRESHOLD
    )


def list_shared_words(row: RankedRow, query: Query) -> list[str]:
    """Return the query's words that the memory has, as written in the query."""
    return [query.spoken.get(term, term) for position, term in enumerate(query.terms) if row.hits >> position & 1]
