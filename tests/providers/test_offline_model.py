from datetime import UTC, datetime, timedelta

import pytest

from toldonce.providers.offline_model import (
    MODEL,
    MODEL_LIST,
    offline_answer,
    states_something,
)
from toldonce.types import ConversationId, Evidence, Memory, MemoryId, MemoryKind, RecalledMemory, Subject

DAY = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


def recalled(
    text: str, *, score: float = 0.5, standing: bool = False, words: float = 0, said: bool = True
) -> RecalledMemory:
    evidence = Evidence(
        conversation=ConversationId("c"), seq=1, hash=1, role="user", speaker="user", quote="", said_at=DAY
    )
    memory = Memory(
        id=MemoryId(text),
        subject=Subject("user", "ana"),
        kind=MemoryKind.NOTE,
        text=text,
        valid_from=DAY + timedelta(days=30),
        known_from=DAY,
        evidence=(evidence,) if said else (),
    )
    return RecalledMemory(memory=memory, score=score, similarity=0, word_share=words, reasons=(), standing=standing)


def quotes(answer: str) -> list[str]:
    return [line[3:].rsplit("”", 1)[0] for line in answer.splitlines() if line.startswith("- “")]


def test_it_introduces_itself_and_quotes_memories_with_their_dates() -> None:
    answer = offline_answer(question="What should I avoid?", recalled=[recalled("I'm allergic\nto peanuts.")])
    assert "no language model" in answer
    assert "- “I'm allergic to peanuts.” (2026-03-01)" in answer
    assert "remembered." not in answer.split("\n\n", 1)[1]


def test_a_memory_without_evidence_shows_the_day_from_which_it_holds() -> None:
    assert "“Lives in Oslo” (2026-03-31)" in offline_answer(
        question="Where?", recalled=[recalled("Lives in Oslo", said=False)]
    )


def test_it_says_that_it_recalls_nothing() -> None:
    answer = offline_answer(question="Who am I?", recalled=[])
    assert "recall nothing about this yet" in answer
    assert quotes(answer) == []
    assert "What you told me" not in answer


def test_it_promises_to_remember_a_statement_only_where_the_turn_is_kept() -> None:
    said = "I'm allergic to peanuts and I moved from Rome to Oslo in May"
    assert "will be remembered" in offline_answer(question=said, recalled=[])
    assert "will be remembered" not in offline_answer(question=said, recalled=[], remembers=False)


def test_it_quotes_at_most_five_and_each_wording_once() -> None:
    many = [recalled(f"Thing {place}.", score=1 - place / 10) for place in range(8)]
    answer = offline_answer(question="What?", recalled=[many[0], recalled("thing 0", score=0.1), *many[1:]])
    assert quotes(answer) == ["Thing 0.", "Thing 1.", "Thing 2.", "Thing 3.", "Thing 4."]


def test_standing_facts_do_not_crowd_out_what_answers() -> None:
    facts = [recalled(f"Fact {place}", standing=True, score=0.9) for place in range(6)]
    near = [recalled("A near note", score=0.6), recalled("Fact of these words", standing=True, words=0.5, score=0.8)]
    assert quotes(offline_answer(question="What?", recalled=[*facts, *near])) == [
        "Fact of these words",
        "A near note",
        "Fact 0",
        "Fact 1",
        "Fact 2",
    ]


def test_a_long_memory_is_cut_at_a_word_and_marked() -> None:
    (quote,) = quotes(offline_answer(question="What?", recalled=[recalled("peanuts " * 100)]))
    assert quote.endswith("peanuts …")
    assert len(quote) <= 302


@pytest.mark.parametrize(
    "message",
    [
        "I live in Oslo",
        "What a day! My dog is called Rex.",
        "I moved to Oslo. Where should I eat?",
        "May 5 is my birthday",
    ],
)
def test_a_message_with_a_statement_states_something(message: str) -> None:
    assert states_something(message)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "hello there",
        "Where do I live",
        "and what should I avoid at a restaurant?",
        "ok, tell me about my dog",
        "?!",
    ],
)
def test_questions_orders_and_greetings_state_nothing(message: str) -> None:
    assert not states_something(message)


def test_the_list_of_models_names_the_built_in_one() -> None:
    assert [model["id"] for model in MODEL_LIST["data"]] == [MODEL]
