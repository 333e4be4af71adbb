"""The published data sets, where they are at hand: they are read whole, and the engine finds its way in them."""

import os
from datetime import UTC
from pathlib import Path

import pytest

from recollect.datasets.load import read_data
from recollect.evaluation.report import grouped_means
from recollect.evaluation.run import EvaluationPlan, EvaluationRun, narrowed
from recollect.settings import Settings

# The folder with the evaluation's data lies beside the checkout; it is not part of the project.
DATA = Path(os.environ.get("RECOLLECT_TEST_DATA", Path(__file__).parents[3] / "shared" / "data"))
NAMES = {"locomo": "locomo_dev.json", "beam": "beam", "longmemeval": "longmemeval/three_haystacks.json"}


class Quiet:
    """A bar that nobody looks at."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Show nothing."""

    def reach(self, done: int) -> None:
        """Show nothing."""


def at_hand(kind: str) -> Path:
    path = DATA / NAMES[kind]
    if not path.exists():
        pytest.skip(f"{kind} is not at hand ({path.name} in the data folder beside the checkout)")
    return path


@pytest.mark.parametrize("kind", NAMES)
def test_a_published_data_set_is_read_whole(kind: str) -> None:
    data = read_data(kind, at_hand(kind), UTC)
    asked = [question for conversation in data.conversations for question in conversation.questions]

    assert data.turns > 1_000
    assert sum(bool(question.evidence or question.sessions) for question in asked) >= 0.85 * len(asked)
    assert sum(question.lost for question in asked) <= 0.01 * len(asked)
    for conversation in data.conversations:
        began = {turn.session: turn.said_at for turn in reversed(conversation.turns)}
        assert list(began.values()) == sorted(began.values(), reverse=True)
        assert "->->" not in "".join(turn.text for turn in conversation.turns)


async def test_one_conversation_of_locomo_is_recalled_better_than_by_words_alone() -> None:
    data = narrowed(read_data("locomo", at_hand("locomo"), UTC), conversations=1, questions=None, seed=1)
    plan = EvaluationPlan(data=data, settings=Settings(), formed="turns", baselines=True)
    result = await EvaluationRun(plan, Quiet()).all()
    found = {row: grouped_means(records, 0)["all"]["R@10"].value for row, records in result.rows.items()}

    assert result.writing.unlogged == 0
    assert found["recollect"] >= found["BM25"] > found["vectors"] > 0.2
