"""The floor for prompts: the chance that a message has to do with anything known. Pure.

Ranking orders memories relative to each other, so that something is always nearest. A prompt needs to know whether the
nearest is near at all. A name that a memory has is reason enough. Else four absolute signals tell: the calibrated
similarity of the nearest memories, the largest share of the message's informative words that one memory has, the share
of them that any memory has, and whether the message is about names of which none is known. They mean the same for five
memories and for five thousand. Of a message that may have to do with nothing, the memories that much speaks for are
shown. A search by hand has no floor.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from math import exp, inf, log
from typing import NamedTuple

import numpy as np

from toldonce.ids import is_unstored
from toldonce.recall.known_names import GENERAL, REMEMBERING, find_known_names, spoken_terms
from toldonce.recall.order import logit, min_score
from toldonce.recall.query import Query
from toldonce.recall.rank import MAX_FEW_MEMORIES, RankedRow
from toldonce.recall.signals import RankingSignals
from toldonce.recall.top_k import top_k
from toldonce.text import (
    find_capitals,
    find_names,
    fold,
    has_no_capitals,
    is_common,
    is_courtesy,
    is_english,
    is_function_word,
    is_unspaced,
)
from toldonce.text.phrases import kinds_of_phrases
from toldonce.text_caches import register_text_cache
from toldonce.types import MemoryKind, SubjectSnapshot

# A logistic model of related and unrelated questions, fitted on half of the conversations of LoCoMo and BEAM with both
# kinds equally frequent; docs/eval.md has the figures.
NEARNESS_WEIGHT = 0.91
BEST_SHARE_WEIGHT = 6.7
KNOWN_SHARE_WEIGHT = 3.8
# The data alone would give -9: its questions are about two people, while a message about an unknown person or work may
# well be about other things that are known.
UNKNOWN_NAMES_WEIGHT = -4.5
# Long memories have more of any message's words by chance: for each factor of e in their mean length.
LENGTH_WEIGHT = -0.87
INTERCEPT = -4.4
# How much more must speak for a memory where a message is rather unrelated than related: so many times the log-odds
# against it. With this, and names that bring their own memories alone, an unrelated message brings 258 tokens into a
# prompt on BEAM, and 328 without, at the same evidence.
DOUBT_WEIGHT = 1.5
# Weight of a common English word ("gift", "write") beside other informative words: it says less of what is meant. How
# few memories have a word is no measure of that: a word that none has would count most of all.
COMMON_WEIGHT = 0.5
# The nearest memories whose similarity counts: one alone may be near by chance.
MAX_NEAREST = 3
# From this similarity of the nearest memory on, a message that names nothing is related whatever its words: some 2 % of
# the unrelated questions reach it, and half of the related ones. Texts without blanks reach it by chance: they share
# characters.
SAME_MEANING_THRESHOLD = 0.88
# A message about its author in other words ("my daily caffeine habit") may share none with what they said ("three
# espressos"). So memories of this similarity, for which more speaks than against, are shown however doubtful it is, so
# many at most. That adds 10 tokens to what unrelated messages bring into a prompt on BEAM, and none on LoCoMo.
NEAR_THRESHOLD, MAX_NEAR = 0.55, 3
# Log-odds of relevance of the nearest memories if nothing is embedded: words alone decide.
USUAL_NEARNESS = 0.5
# A message with fewer informative words continues the conversation before it ("and the other one?").
MIN_OWN_WORDS = 3
# Maximum number of memories kept because they name an instance of what a message asks for in general ("which animals").
MAX_INSTANCES = 3
# Memories with the most evidence by words whose shares are computed.
_MAX_COMPARED = 50
# Characters of a question about oneself as a whole.
_MAX_SELF_QUESTION = 120
# A recall asks several times of its question.
_MAX_KEPT_QUESTIONS = 64
_MIN_RELEVANCE, _MAX_RELEVANCE = 0.001, 0.999
SMALL_TALK = "the message is small talk"
UNRELATED = "the message has to do with nothing known"
DOUBTFUL = "the message has little to do with what is known, and little speaks for this"


class FloorResult(NamedTuple):
    """What the floor leaves of a subject's rows."""

    rows: list[RankedRow]
    reason: str = ""
    """Why the others are left out; empty if none are."""


class Familiarity(NamedTuple):
    """How much a message has to do with the memories of a subject."""

    nearness: float
    """Mean log-odds of the calibrated similarity of the nearest memories."""
    best_share: float
    """Largest share of the message's informative words that one memory has; common ones count less."""
    known_share: float
    """Share of them that any memory has."""
    has_unknown_names: bool
    """Whether the message is about names of which no memory has any."""
    length: float
    """Mean length of the memories, in terms."""

    @property
    def chance(self) -> float:
        """The chance that the message has to do with a memory, if one in two messages has.

        >>> Familiarity(1.0, 0.9, 1.0, False, 20).chance > 0.9, Familiarity(-1.0, 0.2, 0.4, True, 20).chance < 0.1
        (True, True)
        """
        evidence = (
            NEARNESS_WEIGHT * self.nearness
            + BEST_SHARE_WEIGHT * self.best_share
            + KNOWN_SHARE_WEIGHT * self.known_share
            + UNKNOWN_NAMES_WEIGHT * self.has_unknown_names
            + LENGTH_WEIGHT * log(max(self.length, 1.0))
            + INTERCEPT
        )
        return 1 / (1 + exp(-evidence))


class Floor:
    """Decides which rows of one subject a prompt needs. The message is judged once for all of them."""

    def __init__(self, query: Query, snapshot: SubjectSnapshot, signals: RankingSignals, *, few_notes: bool) -> None:
        """Create the floor of a subject for a query.

        Args:
            query: The query; only a policy that ranks by all evidence has this floor.
            snapshot: The subject's memories.
            signals: The evidence for all of them.
            few_notes: Whether the subject has only a few notes: messages about their author then keep them.
        """
        self._query = query
        self._snapshot = snapshot
        self._signals = signals
        self._few_notes = few_notes

    def apply(self, rows: Sequence[RankedRow]) -> FloorResult:
        """Leave out what a prompt does not need, if the message has to do with nothing that is known.

        Args:
            rows: Rows of the subject, best first.
        """
        query = self._query
        if not query.policy.related or query.policy.order != "evidence" or not rows:
            return FloorResult(list(rows))
        if self._is_small_talk:
            return FloorResult([], SMALL_TALK)
        doubt = self._doubt
        if doubt <= 0:
            return FloorResult(list(rows))
        always = query.newest or frozenset()
        instances = [row.id for row in rows if row.has_related_term][:MAX_INSTANCES]
        near = self._near(rows)
        kept = [
            row
            for row in rows
            if row.kind is MemoryKind.EPISODE  # the policy has already limited its distance
            or row.id in always
            or row.id in instances
            or row.id in near
            or row.hits & self._names
            or row.evidence >= self._min_evidence
            or (query.personal and (is_unstored(row.id) or (self._few_notes and row.is_statement)))
        ]
        return FloorResult(kept, UNRELATED if doubt == inf else DOUBTFUL)

    def _near(self, rows: Sequence[RankedRow]) -> list[bytes]:
        """Return the ids of what is near to a message about its author, whatever its words."""
        if not self._query.personal or is_unspaced(self._query.text):
            return []
        return [row.id for row in rows if row.similarity >= NEAR_THRESHOLD and row.evidence >= 0][:MAX_NEAR]

    @cached_property
    def _is_small_talk(self) -> bool:
        return is_small_talk(self._query)

    @cached_property
    def _names(self) -> int:
        return find_known_names(self._query, self._signals.words.hits)

    @cached_property
    def _doubt(self) -> float:
        """The log-odds that the message has to do with nothing; infinite where the policy shows nothing."""
        if self._names and self._few_notes:
            return -inf
        chance = relatedness(self._query, self._snapshot, self._signals)
        if chance < self._query.policy.related and not self._names:
            return inf
        return -inf if self._few_notes else logit(1 - chance)

    @cached_property
    def _min_evidence(self) -> float:
        """What must speak for a memory, in log-odds."""
        return logit(min_score(self._query)) + DOUBT_WEIGHT * self._doubt


@register_text_cache
@lru_cache(maxsize=_MAX_KEPT_QUESTIONS)
def is_self_question(text: str) -> bool:
    """Return whether a text asks for all that is known of its author.

    >>> [is_self_question(text) for text in ("Who am I to you?", "Was weißt du über mich?", "Where do I live?")]
    [True, True, False]
    """
    if len(text) > _MAX_SELF_QUESTION:
        return False
    return any({"knows", "oneself"} <= kinds for kinds in kinds_of_phrases(text, __package__, "self_questions.toml"))


def is_idle(query: Query) -> bool:
    """Return whether a message is small talk, and its policy shows nothing for that."""
    return query.policy.related > 0 and is_small_talk(query)


def is_small_talk(query: Query) -> bool:
    """Return whether a message needs no memory: courtesies, or only function words that ask nothing of the user."""
    if (query.personal and query.question) or is_self_question(query.text):  # "When do I get up in the morning?"
        return False
    return is_courtesy(query.text, frozenset(query.spoken.values()))


def asks_in_general(query: Query) -> bool:
    """Return whether a message is about its author or the memory as such: "What do you know about me?"."""
    if any(find_informative_words(query)) or query.dates:
        return False
    return (
        query.personal
        or is_self_question(query.text)
        or any(fold(word) in REMEMBERING for word in (*query.spoken.values(), *query.terms))
    )


def relatedness(query: Query, snapshot: SubjectSnapshot, signals: RankingSignals) -> float:
    """Return the chance that a message has to do with anything in a subject's memory, names apart."""
    nearest = float(signals.meaning.similarity.max())
    tells_meaning = query.vector is not None and not is_unspaced(query.text)
    if tells_meaning and nearest >= SAME_MEANING_THRESHOLD and not any(find_capitals(query.text).values()):
        return 1.0
    informative = find_informative_words(query)
    if not any(informative):  # "What do you know about me?", "What did I do last week?"
        return float(asks_in_general(query) or bool(query.dates or query.background))
    if sum(informative) < MIN_OWN_WORDS and (query.background or _has_memories_of_its_time(signals)):
        return 1.0
    if query.question and len(snapshot) < MAX_FEW_MEMORIES and _shares_a_rare_word(query, signals, informative):
        return 1.0
    return measure_familiarity(query, snapshot, signals, informative).chance


def _shares_a_rare_word(query: Query, signals: RankingSignals, informative: Sequence[bool]) -> bool:
    """Return whether any memory has a word of a query that says what it is about, and is not common."""
    hits = int(np.bitwise_or.reduce(signals.words.hits)) if len(signals.words.hits) else 0
    spoken = zip(spoken_terms(query), informative, strict=True)
    return any(tells and hits >> bit & 1 and not is_common(word) for bit, ((_, word), tells) in enumerate(spoken))


def _has_memories_of_its_time(signals: RankingSignals) -> bool:
    return signals.in_time is not None and bool(signals.in_time.any())


def find_informative_words(query: Query) -> list[bool]:
    """Return for each term of a query whether it says what the query is about.

    Dates, general words, and function words of any language do not: a short message may not tell its language. Nor does
    any word of a question about oneself as a whole.
    """
    if is_self_question(query.text):
        return [False] * len(query.terms)
    dated = bool(query.dates)
    return [
        not (
            {word, term} & GENERAL
            or is_function_word(word)
            or (dated and term.isdecimal())
            or (term.lower() == term.upper() and term != word and not has_no_capitals(term))
        )
        for term, word in spoken_terms(query)
    ]


def weigh_terms(query: Query) -> dict[str, float]:
    """Return how much each term of a query tells of what it is about, from 0 to 1."""
    return dict(zip(query.terms, _weigh(query, find_informative_words(query)), strict=True))


def _weigh(query: Query, informative: Sequence[bool]) -> list[float]:
    return [
        (COMMON_WEIGHT if is_common(word) else 1.0) if tells else 0.0
        for (_, word), tells in zip(spoken_terms(query), informative, strict=True)
    ]


def measure_familiarity(
    query: Query, snapshot: SubjectSnapshot, signals: RankingSignals, informative: Sequence[bool]
) -> Familiarity:
    """Measure how much a query has to do with the memories of a subject."""
    weights = np.array(_weigh(query, informative))
    total = float(weights.sum())
    hits = signals.words.hits
    best = top_k(np.where(hits > 0, signals.words.evidence, -np.inf), _MAX_COMPARED)
    bits = 1 << np.arange(len(weights))
    shares = ((hits[best][:, None] & bits) != 0) @ weights / total
    all_hits = int(np.bitwise_or.reduce(hits)) if len(hits) else 0
    known = [bool(all_hits >> bit & 1) for bit in range(len(weights))]
    return Familiarity(
        nearness=_measure_nearness(signals),
        best_share=float(shares.max()) if len(best) else 0.0,
        known_share=float(weights @ known) / total,
        has_unknown_names=_names_only_unknown(query, known),
        length=float(snapshot.length.mean()),
    )


def _names_only_unknown(query: Query, known: Sequence[bool]) -> bool:
    """Return whether a message that does not mention its author is about names of which none is known."""
    if query.personal:
        return False
    named = {fold(name) for name in find_names(query.text)}
    if not named or not is_english(query.text):  # other languages have other capitals
        return False
    spoken = [word for _, word in spoken_terms(query)]
    if any(has and word in named for word, has in zip(spoken, known, strict=True)):
        return False
    return not {fold(name) for name in find_names(query.text, places=False)}.isdisjoint(spoken)


def _measure_nearness(signals: RankingSignals) -> float:
    similarity = signals.meaning.similarity
    embedded = similarity[similarity > 0]
    if not len(embedded):
        return USUAL_NEARNESS
    nearest = np.partition(embedded, -MAX_NEAREST)[-MAX_NEAREST:] if len(embedded) > MAX_NEAREST else embedded
    sure = np.clip(nearest, _MIN_RELEVANCE, _MAX_RELEVANCE)
    return float(np.log(sure / (1 - sure)).mean())
