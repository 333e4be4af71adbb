"""Telling a conversation: what is said in one go, what is counted, which message is which turn."""

from datetime import UTC, datetime, timedelta
from typing import Literal

from toldonce.datasets.dataset import DatasetTurn
from toldonce.engine import AsyncToldOnce
from toldonce.evaluation.ingest import Ingest, IngestCost, exchanges, junk_rule
from toldonce.evaluation.instrumentation import ConversationClock
from toldonce.types import Subject

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
ANA = Subject("user", "ana")


def turn(
    id_: str, role: Literal["user", "assistant"], text: str = "I live in Oslo.", session: str = "s"
) -> DatasetTurn:
    return DatasetTurn(id=id_, session=session, role=role, text=text, said_at=NOON + timedelta(minutes=int(id_)))


def test_what_the_user_says_and_the_answer_are_one_turn() -> None:
    said = [turn("1", "assistant"), turn("2", "user"), turn("3", "user"), turn("4", "assistant"), turn("5", "user")]

    assert [[conversation.id for conversation in part] for part in exchanges(said)] == [["1", "2", "3", "4"], ["5"]]


def test_a_session_ends_a_turn() -> None:
    said = [turn("1", "user"), turn("2", "assistant", session="t"), turn("3", "user", session="t")]

    assert [[conversation.id for conversation in part] for part in exchanges(said)] == [["1"], ["2", "3"]]
    assert list(exchanges([])) == []


async def test_each_message_of_the_log_is_known_as_its_turn(engine: AsyncToldOnce) -> None:
    writing = IngestCost()
    telling = Ingest(engine, ConversationClock(NOON), None, writing)
    await telling.exchange(ANA, [turn("1", "user"), turn("2", "assistant", "Lovely town!")])
    await telling.exchange(ANA, [turn("3", "user", "I have two dogs.", session="t")])
    await telling.finish(ANA)

    assert sorted(telling.names.values()) == ["1", "2", "3"]
    found = (await engine.search("dogs", user=ANA)).items[0]
    assert [telling.names[said.conversation, said.seq] for said in found.memory.evidence] == ["3"]
    assert (writing.messages, writing.turns, writing.calls, writing.undone) == (3, 2, 0, 0)


async def test_a_resent_exchange_is_counted_and_costs_no_other_its_name(engine: AsyncToldOnce) -> None:
    writing = IngestCost()
    telling = Ingest(engine, ConversationClock(NOON), None, writing)
    first = [turn("1", "user"), turn("2", "assistant", "Lovely town!")]
    await telling.exchange(ANA, first)
    await telling.exchange(ANA, [*first, turn("3", "user", "I have two dogs.")])

    assert writing.unlogged == 2
    assert sorted(telling.names.values()) == ["1", "2", "3"]


async def test_memories_of_the_same_words_are_duplicates(engine: AsyncToldOnce) -> None:
    writing = IngestCost()
    telling = Ingest(engine, ConversationClock(NOON), None, writing)
    await engine.add("Ana likes tea.", user=ANA)
    await engine.add("Ana has a blue bike.", user=ANA)
    await telling.finish(ANA)
    assert (writing.weighed, writing.duplicates, writing.near) == (2, 0, 0)


def test_junk_is_what_a_rule_names() -> None:
    texts = ["Thank you!", "Does Ana ride?", "Ana rides", "They went there.", "Ana has a bike.", "Itō lives in Kyoto."]

    assert [junk_rule(text) for text in texts] == ["fragment", "question", "fragment", "names no one", "", ""]
