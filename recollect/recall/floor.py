"""The floor for prompts: the chance that a message has to do with anything known. Pure.

Ranking orders memories relative to each other, so that something is always nearest. A prompt needs to know whether the
nearest is near at all. Four absolute signals tell: the calibrated similarity of the nearest memories, the largest share
of the message's informative words that one memory has, the share of them that any memory has, each word weighted by its
rarity, and whether the message is about names of which none is known. A search by hand has no floor.
"""

from collections.abc import Sequence
from functools import cached_property
from math import exp, log
from typing import NamedTuple

import numpy as np

from recollect.recall.query import Query
from recollect.recall.rank import RankedRow
from recollect.recall.signals import RankingSignals
from recollect.recall.top_k import top_k
from recollect.text import find_names, fold, is_courtesy, is_english
from recollect.types import MemoryKind, SubjectSnapshot

# A logistic model of related and unrelated questions, fitted on half of the conversations of LoCoMo and BEAM with both
# kinds equally frequent; docs/eval.md has the figures.
NEARNESS_WEIGHT = 1.23
BEST_SHARE_WEIGHT = 4.1
KNOWN_SHARE_WEIGHT = 2.94
# The data alone would give -5: its questions are about two people, while a message about an unknown person or work may
# well be about other things that are known.
UNKNOWN_NAMES_WEIGHT = -3.0
# Long memories have more of any message's words by chance: for each factor of e in their mean length.
LENGTH_WEIGHT = -0.84
INTERCEPT = -1.55
# The nearest memories whose similarity counts: one alone may be near by chance.
MAX_NEAREST = 3
# From this similarity of the nearest memory on, a message is related whatever its words: some 2 % of the unrelated
# questions reach it, and half of the related ones.
SAME_MEANING_THRESHOLD = 0.88
# Log-odds of relevance of the nearest memories if nothing is embedded: words alone decide.
USUAL_NEARNESS = 0.5
# A message with fewer informative words continues the conversation before it ("and the other one?").
MIN_OWN_WORDS = 3
# With fewer memories the shares say little, and showing a note too many costs little: they are left out only if a
# question neither mentions its author nor shares a word with any; notes only if none of them is even slightly similar.
MIN_JUDGED = 30
# Calibrated similarity below which a memory is not even slightly similar. Of questions about the world and five notes
# each, nine in ten unrelated ones are below, and one in five related ones.
FAR_THRESHOLD = 0.08
# Maximum number of memories kept because they name an instance of what a message asks for in general ("which animals").
MAX_INSTANCES = 3
# Memories with the most evidence by words whose shares are computed.
_MAX_COMPARED = 50
_MIN_RELEVANCE, _MAX_RELEVANCE = 0.001, 0.999
# Words of questions about the memory itself, and of times: they do not say what a message is about.
_REMEMBERING = frozenset(
    """know known remember recall remind reminded memory memories tell told say said talk talked speak spoke mention
    mentioned discuss discussed discussion conversation conversations chat chats chatted message messages bring brought
    ask asked weißt kennst erinnerst sabes recuerdas acuerdas sais souviens ricordi sai lembra lembras sabe
    weet""".split()
)
_GENERAL = _REMEMBERING | frozenset(
    """anything everything something thing things stuff all ever last recent recently earlier before previous previously
    past today yesterday day days week weeks month months year years time times ago list order walk throughout across
    different aspects items summarize summarise summary overview""".split()
)


SMALL_TALK = "the message is small talk"
UNRELATED = "the message has to do with nothing known"


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
    """Largest share of the message's informative words that one memory has, weighted by rarity."""
    known_share: float
    """Share of them that any memory has, weighted by rarity."""
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
        if self._is_related:
            return FloorResult(list(rows))
        has_few_memories = len(self._snapshot) < MIN_JUDGED
        if has_few_memories and (self._signals.words.hits.any() or not asks_about_the_world(query)):
            return FloorResult(list(rows))
        keeps_notes = not self._is_far if has_few_memories else self._few_notes and query.personal
        always = query.newest or frozenset()
        instances = {row.id for row in [row for row in rows if row.has_related_term][:MAX_INSTANCES]}
        kept = [
            row
            for row in rows
            if row.kind is MemoryKind.EPISODE  # the policy has already limited its distance
            or row.id in always
            or row.id in instances
            or (keeps_notes and row.kind is MemoryKind.NOTE)
        ]
        return FloorResult(kept, UNRELATED)

    @cached_property
    def _is_far(self) -> bool:
        """Whether no memory is even slightly similar to the message."""
        return self._query.vector is not None and float(self._signals.meaning.similarity.max()) < FAR_THRESHOLD

    @cached_property
    def _is_small_talk(self) -> bool:
        return is_small_talk(self._query)

    @cached_property
    def _is_related(self) -> bool:
        return is_related(self._query, self._snapshot, self._signals)


def asks_about_the_world(query: Query) -> bool:
    """Return whether a message is a question in English that does not mention its author."""
    return query.question and not query.personal and query.text.isascii() and is_english(query.text)


def is_small_talk(query: Query) -> bool:
    """Return whether a message needs no memory: courtesies, or only function words that ask nothing of the user."""
    if query.personal and query.question:  # "Who am I?", "When do I get up in the morning?"
        return False
    return is_courtesy(query.text, frozenset(query.spoken.values()))


def is_related(query: Query, snapshot: SubjectSnapshot, signals: RankingSignals) -> bool:
    """Return whether a message has to do with anything in a subject's memory."""
    if query.vector is not None and float(signals.meaning.similarity.max()) >= SAME_MEANING_THRESHOLD:
        return True
    informative = find_informative_words(query)
    if not any(informative):  # "What do you know about me?", "What did I do last week?"
        return query.personal or bool(query.dates or query.background) or _asks_about_memory(query)
    if sum(informative) < MIN_OWN_WORDS and (query.background or _has_memories_of_its_time(signals)):
        return True
    return measure_familiarity(query, snapshot, signals, informative).chance >= query.policy.related


def _has_memories_of_its_time(signals: RankingSignals) -> bool:
    return signals.in_time is not None and bool(signals.in_time.any())


def _asks_about_memory(query: Query) -> bool:
    return any(fold(word) in _REMEMBERING for word in query.spoken.values())


def find_informative_words(query: Query) -> list[bool]:
    """Return for each term of a query whether it says what the query is about; dates and general words do not."""
    dated = bool(query.dates)
    return [fold(query.spoken[term]) not in _GENERAL and not (dated and term.isdecimal()) for term in query.terms]


def measure_familiarity(
    query: Query, snapshot: SubjectSnapshot, signals: RankingSignals, informative: Sequence[bool]
) -> Familiarity:
    """Measure how much a query has to do with the memories of a subject."""
    weights = np.where(informative, signals.words.rarity, 0.0)
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
    spoken = [fold(query.spoken[term]) for term in query.terms]
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
