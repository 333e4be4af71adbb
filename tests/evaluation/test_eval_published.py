"""Published data sets, where they are present: all are read whole, and the engine's ranking beats its baselines."""

from dataclasses import replace
from datetime import UTC

import pytest

from published import published
from soak import only_whole, whole_only
from toldonce.datasets.dataset import DataSet
from toldonce.datasets.load import read_data
from toldonce.evaluation.report import grouped_means
from toldonce.evaluation.run import EvaluationPlan, EvaluationRun
from toldonce.settings import Settings

FILES = {
    "locomo": "locomo_dev.json.gz",
    "beam": "beam_100K_dev.jsonl.gz",
    "longmemeval": "longmemeval/three_haystacks.json",
}
SAMPLE_TURNS = {"locomo": 45, "beam": 60}


class Quiet:
    """A progress reporter without output."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Show nothing."""

    def reach(self, done: int) -> None:
        """Show nothing."""


@pytest.mark.parametrize("kind", FILES)
def test_a_published_data_set_is_read_whole(kind: str) -> None:
    data = read_data(kind, published(FILES[kind]), UTC)
    asked = [question for conversation in data.conversations for question in conversation.questions]

    assert data.turns > 1_000
    assert sum(bool(question.evidence or question.sessions) for question in asked) >= 0.85 * len(asked)
    assert sum(question.lost for question in asked) <= 0.01 * len(asked)
    for conversation in data.conversations:
        began = {turn.session: turn.said_at for turn in reversed(conversation.turns)}
        assert list(began.values()) == sorted(began.values(), reverse=True)
        assert "->->" not in "".join(turn.text for turn in conversation.turns)


async def measured(data: DataSet) -> dict[str, float]:
    """Return R@10 of each row that ranks messages."""
    plan = EvaluationPlan(data=data, settings=Settings(), formed="turns", baselines=True)
    result = await EvaluationRun(plan, Quiet()).all()
    assert result.writing.unlogged == 0
    figures = {row: grouped_means(records, 0)["all"] for row, records in result.rows.items()}
    return {row: found["R@10"].value for row, found in figures.items() if "R@10" in found}


@pytest.mark.parametrize("kind", ["locomo", pytest.param("beam", marks=[*whole_only, pytest.mark.campaign])])
async def test_a_published_conversation_is_recalled_better_than_by_words_alone(kind: str) -> None:
    data = read_data(kind, published(FILES[kind]), UTC)
    first = data.conversations[0]
    turns = first.turns[: SAMPLE_TURNS[kind]]
    kept = {turn.id for turn in turns}
    questions = tuple(question for question in first.questions if question.evidence and question.evidence <= kept)
    assert len(questions) >= 5

    row = await measured(replace(data, conversations=(replace(first, turns=turns, questions=questions),)))

    assert row["toldonce"] >= row["BM25"] > 0.3
    assert row["vectors"] > 0.3


@pytest.mark.soak
@only_whole
async def test_all_published_conversations_of_two_people_meet_the_documented_figures() -> None:
    row = await measured(read_data("locomo", published(FILES["locomo"]), UTC))
    assert row["toldonce"] >= 0.77
    assert row["toldonce"] > row["BM25"] > row["vectors"] > 0.45
