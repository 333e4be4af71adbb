"""What a model said of the memories that it was shown spares a second question. Pure.

It was asked of each statement which known memory it repeats and which it updates. What it answered about a memory near
the statement is not asked again, unless its word is in doubt (`correction.py`).
"""

from collections.abc import Sequence
from dataclasses import replace

from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.compare import overlap
from toldonce.resolution.correction import MIN_SHARED_WORDS, shared_words
from toldonce.resolution.llm_judge import JudgeQuestion
from toldonce.types import Memory

# A statement is asked about although the model takes it for new if it and a memory share at least this much of all
# their words: with a model that never names a repetition, every paraphrase would be added.
_MIN_ALIKE = 0.5


def left_open(questions: Sequence[JudgeQuestion], policy: ResolvePolicy) -> list[JudgeQuestion]:
    """Return the questions that the extractor has not answered.

    A correction or a repetition that is in doubt stays open: the model's word on it is what is in doubt. So does a
    statement that it takes for new although a memory near it has nearly the same words, or the nearest one the same
    meaning. If it did not see the nearest one, most of the words are enough.
    """
    left: list[JudgeQuestion] = []
    for question in questions:
        comparison = question.decided.candidate.comparison
        repeats = any(memory.id == comparison.repeats for memory in question.beside)
        if question.decided.doubted is not None or repeats or not comparison.seen:
            left.append(question)
        elif doubtful := _doubtful(question, policy):
            left.append(replace(question, beside=doubtful))
    return left


def _doubtful(question: JudgeQuestion, policy: ResolvePolicy) -> tuple[Memory, ...]:
    """Choose the memories that a statement which the extractor takes for new may repeat all the same."""
    nearest, candidate = question.beside[0], question.decided.candidate
    seen, means_same = candidate.comparison.seen, question.similarity >= policy.meaning
    is_like_nearest = means_same or shared_words(candidate.text, nearest.text) > MIN_SHARED_WORDS
    alike = {memory.id for memory in question.beside if overlap(candidate.text, memory.text).share >= _MIN_ALIKE}
    if means_same:
        alike.add(nearest.id)
    if nearest.id not in seen and is_like_nearest:
        alike |= {memory.id for memory in question.beside if memory.id not in seen}
    return tuple(memory for memory in question.beside if memory.id in alike)
