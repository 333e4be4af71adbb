"""What the extractor said of the memories that it was shown spares a second question to a model. Pure.

It was asked of each statement which known memory it repeats and which it updates. What it answered about a memory near
the statement is not asked again. That a memory says the same is taken only where the rules would merge the two if they
were alike enough: one wrong number would drop a true statement ('failed' for 'passed'). Elsewhere the judge is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.profiles.policies import ResolvePolicy
from recollect.resolution.compare import never_merge, overlap
from recollect.resolution.lexicon import DEGREE
from recollect.resolution.llm_judge import JudgeQuestion
from recollect.resolution.tokens import align, leaders
from recollect.resolution.values import JudgeVerdict
from recollect.types import Action, Memory

# The extractor's word that a memory says the same is taken if the shorter text has more than this share of its words
# in the other one; below, the judge is asked.
_MIN_SHARED = 0.5
# A statement is asked about although the extractor takes it for new if it and a memory share at least this much of all
# their words: with a model that never names a repetition, every paraphrase would be added.
_MIN_ALIKE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledQuestions:
    """Questions, parted by whether the extractor has answered them."""

    verdicts: Mapping[int, JudgeVerdict]
    """What it said, by the candidate's place; none where it takes a statement for new, as the rules do."""
    open: Sequence[JudgeQuestion]
    """What is left to ask."""


def settle(questions: Sequence[JudgeQuestion], policy: ResolvePolicy) -> SettledQuestions:
    """Part what the extractor has answered from what is left to ask.

    A correction that the rules doubt stays open: the extractor's word on it is what is in doubt. So does a statement
    that it takes for new although a memory near it has nearly the same words, or the nearest one the same meaning. If
    the extractor did not see the nearest one, most of the words are enough.
    """
    verdicts: dict[int, JudgeVerdict] = {}
    left: list[JudgeQuestion] = []
    for question in questions:
        comparison = question.decided.candidate.comparison
        repeated = next((memory for memory in question.beside if memory.id == comparison.repeats), None)
        if question.decided.doubted is not None or not comparison.seen:
            left.append(question)
        elif repeated is not None:
            if _may_repeat(question.decided.candidate.text, repeated):
                verdicts[question.place] = JudgeVerdict(action=Action.MERGE, target=repeated.id)
            else:
                left.append(question)
        elif doubtful := _doubtful(question, policy):
            left.append(replace(question, beside=doubtful))
    return SettledQuestions(verdicts=verdicts, open=left)


def _may_repeat(text: str, memory: Memory) -> bool:
    return _shared(text, memory) > _MIN_SHARED and never_merge(text, memory.text) is None


def _doubtful(question: JudgeQuestion, policy: ResolvePolicy) -> tuple[Memory, ...]:
    """Choose the memories that a statement which the extractor takes for new may repeat all the same."""
    nearest, candidate = question.beside[0], question.decided.candidate
    seen, means_same = candidate.comparison.seen, question.similarity >= policy.meaning
    is_like_nearest = means_same or _shared(candidate.text, nearest) > _MIN_SHARED
    alike = {memory.id for memory in question.beside if overlap(candidate.text, memory.text).share >= _MIN_ALIKE}
    if means_same:
        alike.add(nearest.id)
    if nearest.id not in seen and is_like_nearest:
        alike |= {memory.id for memory in question.beside if memory.id not in seen}
    return tuple(memory for memory in question.beside if memory.id in alike)


def _shared(text: str, memory: Memory) -> float:
    """Return the share of the shorter text's words of meaning that the other has; whom both speak of is none."""
    one, other = align(text, memory.text)
    dropped = DEGREE | {"user"} | (leaders(one, other) & leaders(other, one))
    mine, theirs = one.content - dropped, other.content - dropped
    shorter = min(len(mine), len(theirs))
    return len(mine & theirs) / shorter if shorter else 0.0
