"""No memory is shown both as a fact and in the same words as a note or quotation."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from factories import evidence
from snapshots import Known, count_words, memory_of, slot_sentence
from tables import check_each
from toldonce.profiles.policies import ContextPolicy
from toldonce.prompt.render import NO_ROOM, RenderOptions, fit
from toldonce.prompt.repeats import SAME_AS_A_FACT, without_repeats
from toldonce.types import ConversationId, Memory, MemoryKind, Recall, RecalledMemory

FRAME = RenderOptions(policy=ContextPolicy(), key=b"k", zone=ZoneInfo("UTC"), now=datetime(2026, 5, 3, tzinfo=UTC))


def fact(number: int, key: str, value: str, text: str = "", *, standing: bool = True) -> RecalledMemory:
    known = Known(
        id=number, text=text or slot_sentence(key, value), kind=MemoryKind.FACT, key=key, category="constraint"
    )
    return shown(replace(memory_of(known), value=value), standing)


def shown(memory: Memory, standing: bool = False) -> RecalledMemory:
    return RecalledMemory(memory=memory, score=0.5, similarity=0.5, word_share=0, reasons=(), standing=standing)


def quotation(text: str, role: str = "user") -> RecalledMemory:
    memory = memory_of(Known(id=100 + len(text), text=text, kind=MemoryKind.TURN, speaker=role))
    return shown(replace(memory, evidence=(evidence(ConversationId("c"), 1, role=role),)))


def note(text: str) -> RecalledMemory:
    return shown(memory_of(Known(id=100 + len(text), text=text)))


def recall(*items: RecalledMemory) -> Recall:
    return Recall(query="q", items=items)


FACTS = (
    fact(1, "allergy:peanuts", "peanuts"),
    fact(2, "allergy:shellfish", "shellfish"),
    fact(3, "avoid:gluten", "gluten", "The user does not eat gluten."),
    fact(4, "location", "Oslo"),
    fact(5, "dislike:olives", "olives"),
    fact(6, "like:jazz", "jazz"),
    fact(7, "household_health:tom allergy soy", "Tom is allergic to soy", "Tom is allergic to soy."),
)


@check_each(
    "repeated",
    [
        note("The user is allergic to peanuts and shellfish."),
        note("The user lives in Oslo."),
        note("The user dislikes olives."),
        note("Tom is allergic to soy."),
        quotation("I'm really allergic to peanuts!"),
        quotation("I don't eat gluten, please."),
        quotation("I like jazz"),
        quotation("Tom's allergic to soy btw"),
    ],
)
def test_what_repeats_a_fact_is_left_out(repeated: RecalledMemory) -> None:
    found, _ = without_repeats(recall(*FACTS, repeated))
    assert found.items == FACTS
    assert [(left.id, left.reason) for left in found.left_out] == [(repeated.memory.id, SAME_AS_A_FACT)]


@check_each(
    "other",
    [
        note("The user is allergic to peanuts since May 2019."),
        note("The user is not allergic to peanuts."),
        note("Tom is allergic to peanuts."),
        quotation("I eat gluten."),
        quotation("I lived in Oslo."),
        quotation("I'm allergic to soy."),
        quotation("Am I allergic to peanuts?"),
        quotation("I like jazz and olives."),
        note("The user hates olives."),
        quotation("I love jazz"),
        quotation("I live in Oslo.", role="assistant"),
        quotation("I am."),
        quotation("Ich wohne in Oslo."),
        quotation("no"),
    ],
)
def test_what_says_more_or_something_else_stays(other: RecalledMemory) -> None:
    found, _ = without_repeats(recall(*FACTS, other))
    assert found.items == (*FACTS, other)


def test_a_fact_that_ranks_lower_takes_the_place_of_its_repetition() -> None:
    first, last = note("The user owns a boat."), fact(8, "location", "Rome", standing=False)
    found, _ = without_repeats(recall(note("The user lives in Rome."), first, last))
    assert found.items == (last, first)


def test_without_facts_nothing_is_left_out() -> None:
    found = recall(note("The user lives in Oslo."), quotation("I live in Oslo."))
    assert without_repeats(found) == (found, frozenset())


@check_each("budget", range(0, 120, 5))
def test_what_repeats_a_fact_without_room_may_stay(budget: int) -> None:
    long_fact = fact(1, "rule:long", "Always answer " + "in great detail " * 12)
    repeated = note("The user lives in Oslo.")
    found, rendered = fit(
        recall(long_fact, fact(4, "location", "Oslo"), repeated), FRAME, tokens=budget, count=count_words
    )
    reasons = {left.id: left.reason for left in found.left_out}
    assert rendered.text.count("Oslo") <= 1
    assert set(reasons.values()) <= {NO_ROOM, SAME_AS_A_FACT}
    assert len(found.items) + len(reasons) == 3


def test_a_prompt_says_a_thing_once() -> None:
    items: Sequence[RecalledMemory] = (*FACTS, quotation("I'm allergic to peanuts."), quotation("My cat is called Io."))
    _, rendered = fit(recall(*items), FRAME, tokens=1000, count=count_words)
    assert rendered.text.count("peanuts") == 1
    assert "My cat is called Io." in rendered.recalled
