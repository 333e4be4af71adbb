"""What the extractor said of the memories that it was shown spares a second question to a model. Pure.

It was asked of each statement which known memory it repeats and which it updates. What it answered about a memory near
the statement is not asked again. That a memory says the same is taken only where the rules would merge the two if they
were alike enough: one wrong number would drop a true statement ('failed' for 'passed'). Elsewhere the judge is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.profiles.policies import ResolvePolicy
from recollect.resolution.compare import never_merge
from recollect.resolution.lexicon import DEGREE
from recollect.resolution.llm_judge import JudgeQuestion
from recollect.resolution.tokens import align, leaders
from recollect.resolution.values import JudgeVerdict
from recollect.types import Action, Memory

# The extractor's word that a memory says the same is taken if the shorter text has more than this share of its words
# in the other one; below, the judge is asked.
_MIN_SHARED = 0.5


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
    whose nearest memory the extractor did not see, if the two have most of their words or their meaning in common:
    it is new beside the memories that were nearer to the message.
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
        elif _is_near_unseen(question, policy):
            unseen = tuple(memory for memory in question.beside if memory.id not in comparison.seen)
            left.append(replace(question, beside=unseen))
    return SettledQuestions(verdicts=verdicts, open=left)


def _may_repeat(text: str, memory: Memory) -> bool:
    return _shares_words(text, memory) and never_merge(text, memory.text) is None


def _is_near_unseen(question: JudgeQuestion, policy: ResolvePolicy) -> bool:
    nearest, candidate = question.beside[0], question.decided.candidate
    if nearest.id in candidate.comparison.seen:
        return False
    return question.similarity >= policy.meaning or _shares_words(candidate.text, nearest)


def _shares_words(text: str, memory: Memory) -> bool:
    one, other = align(text, memory.text)
    dropped = DEGREE | {"user"} | (leaders(one, other) & leaders(other, one))
    mine, theirs = one.content - dropped, other.content - dropped
    return len(mine & theirs) > _MIN_SHARED * min(len(mine), len(theirs))
