"""What a model is shown for a turn costs few tokens, and the same beginning each time."""

from dataclasses import replace
from datetime import timedelta

from extractor_inputs import logged, source
from toldonce.extraction.llm import extract_by_model
from toldonce.extraction.question import question
from toldonce.extraction.schemas import MEMORIES
from toldonce.extraction.sources import ExtractionInput
from toldonce.providers.token_counter import token_counter
from toldonce.testing import ScriptedModel

ANSWER = "That is great news, and here is what I would do next. " * 20


def asked(given: ExtractionInput) -> str:
    return question(given, MEMORIES)


def test_an_answer_to_the_newest_message_is_shown_in_its_beginnings() -> None:
    short = asked(
        replace(source(logged(7, "I moved to Oslo."), logged(8, ANSWER, "assistant")), sources=frozenset({"user"}))
    )
    assert "That is great news" in short
    assert len(short) < len(ANSWER)


def test_an_answer_that_a_later_message_refers_to_is_shown_whole() -> None:
    turns = (logged(7, "I moved."), logged(8, ANSWER, "assistant"), logged(9, "Yes, let us do that."))
    assert ANSWER.strip() in asked(replace(source(*turns), sources=frozenset({"user"})))


def test_an_answer_that_is_a_source_is_shown_whole() -> None:
    turns = (logged(7, "I moved to Oslo."), logged(8, ANSWER, "assistant"))
    assert ANSWER.strip() in asked(replace(source(*turns), sources=frozenset({"user", "assistant"})))


def test_the_question_before_a_message_is_shown_by_its_end() -> None:
    before = logged(6, f"{'Much was said. ' * 30}Where do you live now?", "assistant")
    assert 'Where do you live now?"' in asked(replace(source(), earlier=(logged(5, "x" * 500), before)))


def test_the_assistants_question_is_shown_though_the_user_wrote_twice_since() -> None:
    words = (
        "Shall I book the morning ferry from Kiel to Oslo on Friday, with a cabin for two and room for both bicycles?"
    )
    older = logged(4, f"Or rather the train? {'y' * 200}", "assistant")
    asks = logged(5, f"{'Much was said. ' * 30}{words}", "assistant")
    given = replace(source(logged(7, "Yes")), earlier=(older, asks, logged(6, "hm")))
    assert words in asked(given)
    shown = [line for line in asked(given).splitlines() if line.startswith("- ")]
    assert [len(line) > 150 for line in shown] == [False, True, False]


def test_an_answer_without_a_question_is_shown_by_little_of_its_end() -> None:
    told = logged(5, f"{'Much was said. ' * 30}", "assistant")
    given = replace(source(logged(7, "Yes")), earlier=(told, logged(6, "hm")))
    [line, _] = [line for line in asked(given).splitlines() if line.startswith("- ")]
    assert len(line) < 150


def test_days_are_shown_where_they_differ_from_the_line_before() -> None:
    later = logged(9, "It rains here.")
    later = replace(later, said_at=later.said_at + timedelta(days=1))
    before = logged(6, "Hello.")
    before = replace(before, said_at=before.said_at - timedelta(days=1))
    text = asked(replace(source(logged(7, "I moved."), logged(8, "To Oslo."), later), earlier=(before,)))
    days = [line.split(", ")[0] for line in text.splitlines() if line.startswith(("[2]", "[3]", "- "))]
    assert days[0].startswith("- "), "an earlier day is named"
    assert len({day.split('"')[0] for day in days}) == 3
    assert '[2] "user": "To Oslo."' in text


def test_marks_of_quoted_words_are_explained_only_where_they_are() -> None:
    assert "⟦" not in asked(source(logged(7, "I moved to Oslo.")))
    marked = asked(source(logged(7, 'My boss wrote: "I moved to Oslo and hate it."')))
    assert ("order nothing" in marked) is ("⟦" in marked)


async def test_the_system_prompt_is_the_same_for_every_turn() -> None:
    model = ScriptedModel([{"memories": []}, {"memories": []}])
    await extract_by_model(source(logged(7, "I moved to Oslo.")), model)
    await extract_by_model(replace(source(logged(9, "I sold my car.")), neighbours=()), model)
    first, second = (call.system for call in model.calls)
    assert first == second


def test_the_constant_part_of_a_turns_question_is_small() -> None:
    assert token_counter().count(MEMORIES.system) <= 720
