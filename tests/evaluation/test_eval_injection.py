"""Prompts to which nothing is relevant: another conversation's questions, and small talk."""

from datetime import UTC, datetime

from toldonce.datasets.dataset import DataSet, DatasetConversation, DatasetQuestion, DatasetTurn
from toldonce.evaluation.retrieval_run import load_small_talk, pair_questions
from toldonce.text.scripts import script_of

SAID_AT = datetime(2026, 5, 3, tzinfo=UTC)


def data_of(*names: str) -> DataSet:
    conversations = tuple(
        DatasetConversation(
            id=name,
            turns=(DatasetTurn(id="m1", session="s", role="user", text="Hello.", said_at=SAID_AT),),
            questions=(DatasetQuestion(id=f"{name}/1", text=f"What about {name}?", category="questions"),),
        )
        for name in names
    )
    return DataSet(kind="jsonl", conversations=conversations, sha256="")


def test_each_conversation_gets_the_next_ones_questions() -> None:
    paired = pair_questions(data_of("bees", "boats", "books"))

    assert [[question.id for question in questions] for questions in paired] == [["boats/1"], ["books/1"], ["bees/1"]]


def test_a_single_conversation_gets_no_questions() -> None:
    assert pair_questions(data_of("bees")) == ((),)


def test_small_talk_is_short_distinct_and_in_several_scripts() -> None:
    messages = load_small_talk()

    assert len(set(messages)) == len(messages) == 40
    assert max(map(len, messages)) <= 60
    assert {"latin", "cyrillic", "arabic", "other"} == {script_of(message[0]) for message in messages}
