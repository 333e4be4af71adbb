"""Measures what memory injects where nothing is relevant: small talk, and questions of another conversation.

Reads the engine and a file of the package; calls no language model.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from toldonce.datasets.dataset import DataSet, DatasetQuestion
from toldonce.engine import AsyncToldOnce
from toldonce.evaluation.results import InjectionCost, RunResult
from toldonce.evaluation.retrieval_run import refuse_without_similarity
from toldonce.types import Subject


@cache
def load_small_talk() -> tuple[str, ...]:
    """Read the short messages that need no memory, in several languages.

    >>> "thanks!" in load_small_talk()
    True
    """
    return tuple(files(__package__).joinpath("small_talk.txt").read_text("utf-8").splitlines())


def pair_questions(data: DataSet) -> tuple[tuple[DatasetQuestion, ...], ...]:
    """Return for each conversation the questions of the next one, and for the last one those of the first.

    Returns:
        One tuple per conversation; empty tuples if the data has a single conversation.
    """
    conversations = data.conversations
    if len(conversations) < 2:
        return ((),) * len(conversations)
    following = (*conversations[1:], conversations[0])
    return tuple(conversation.questions for conversation in following)


async def measure_injection(
    engine: AsyncToldOnce, user: Subject, unrelated: Sequence[DatasetQuestion], result: RunResult
) -> None:
    """Ask one conversation's memory for the context of small talk and of another conversation's questions.

    Raises:
        ModelError: The embedder did not answer.
    """
    groups: tuple[tuple[InjectionCost, Sequence[str]], ...] = (
        (result.unrelated, [question.text for question in unrelated]),
        (result.small_talk, load_small_talk()),
    )
    for cost, texts in groups:
        for text in texts:
            context = await engine.context(text, user=user, use=False)
            refuse_without_similarity(context.warning)
            cost.add(context)
