"""Messages of thousands of statements are read in part, in a thread, while the event loop serves others."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from machine_speed import costs
from sample_chats import texts, user
from stores import DURABLE
from toldonce.engine import AsyncToldOnce
from toldonce.extraction.rules import read_by_rules
from toldonce.extraction.rules.extractor import MAX_CANDIDATES, MAX_SENTENCES, forget_requests
from toldonce.extraction.sources import ExtractionInput
from toldonce.testing import FakeClock
from toldonce.types import Action, ConversationId, LoggedMessage, Subject

# On an idle machine they hold the loop for up to 18 ms and take up to 1.2 s, the thread that reads included.
MAX_HELD_MS = 40.0
MAX_CPU_S = 3.0
# Each fits its kind: what is said, and what the first of them leaves.
MESSAGES = {
    "likes": (" ".join(f"I like X{number}." for number in range(3_000)), "like X0"),
    "lines": ("\n".join(f"i hate quince{number}" for number in range(3_000)), "hate quince0"),
    "friends": (" ".join(f"My friend Bob{number} lives in Town{number}." for number in range(1_000)), "Town0"),
    "allergies": (" ".join(f"I'm allergic to nut{number}." for number in range(1_500)), "allergic to nut0"),
    "crumbs": ("ok. " * 6_000 + "I play the cello. ", ""),
    "middling": (" ".join(f"My aunt{number} plays chess." for number in range(130)), "aunt0 plays chess"),
}


@pytest.fixture(params=DURABLE)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def said(text: str) -> ExtractionInput:
    message = LoggedMessage(
        conversation=ConversationId("c"),
        seq=1,
        parent_seq=0,
        role="user",
        text=text,
        name=None,
        said_at=datetime(2026, 3, 1, tzinfo=UTC),
        recorded_at=datetime(2026, 3, 1, tzinfo=UTC),
        complete=True,
        hash=1,
    )
    return ExtractionInput(messages=(message,), subject=Subject("user", "ana"), time_zone=ZoneInfo("UTC"))


async def left_out(engine: AsyncToldOnce, who: str = "ana") -> list[str]:
    lines = await engine.history.decisions(user=who, limit=500)
    return [line.reason for line in lines if line.action is Action.IGNORE and "left out" in line.reason]


@pytest.mark.timing
@pytest.mark.parametrize("name", MESSAGES)
async def test_thousands_of_statements_leave_the_loop_to_others(engine: AsyncToldOnce, name: str) -> None:
    text, first = MESSAGES[name]
    await engine.record([user("I live in Rome. I play the flute.")], user="ana")
    await engine.form()

    await engine.record([user(text)], user="ana")
    held_ms, cpu_s = await costs(engine.form())

    assert held_ms < MAX_HELD_MS
    assert cpu_s < MAX_CPU_S
    assert any(first in known for known in await texts(engine))


@pytest.mark.timing
async def test_a_backlog_of_long_messages_leaves_the_loop_to_others(engine: AsyncToldOnce) -> None:
    for number in range(20):
        told = " ".join(f"I like tea{number}x{each}." for each in range(180))
        await engine.record([user(told[:3_900])], user="ana", conversation=f"c{number // 10}")

    held_ms, cpu_s = await costs(engine.form())

    assert held_ms < MAX_HELD_MS
    assert cpu_s < 2 * MAX_CPU_S
    for tea in ("tea0x0", "tea19x0"):
        [first, *_] = (await engine.search(tea, user="ana")).items
        assert tea in first.memory.text


async def test_what_is_left_out_of_a_long_message_is_told(engine: AsyncToldOnce) -> None:
    text, _ = MESSAGES["likes"]
    await engine.record([user(text)], user="ana")
    await engine.form()

    [why] = await left_out(engine)
    assert f"the end of {len(text)} characters" in why
    assert " sentences and " in why


async def test_an_ordinary_message_leaves_nothing_out(engine: AsyncToldOnce) -> None:
    await engine.record([user("I live in Rome. I like figs. My sister Ida plays chess.")], user="ana")
    await engine.form()
    assert await left_out(engine) == []


@pytest.mark.parametrize("end", ["Forget my divorce.", "Please forget what I told you about my divorce."])
async def test_a_request_to_forget_after_many_statements_is_heeded(
    engine: AsyncToldOnce, clock: FakeClock, end: str
) -> None:
    await engine.record([user("My divorce was messy. I live in Rome.")], user="ana")
    await engine.form()
    assert any("divorce" in known for known in await texts(engine))

    clock.advance(minutes=1)
    many = " ".join(f"My aunt{number} plays chess." for number in range(3 * MAX_CANDIDATES))
    await engine.record([user(f"{many} {end}")], user="ana")
    await engine.form()

    assert not any("divorce" in known for known in await texts(engine))
    assert any("Rome" in known for known in await texts(engine))


# ---- the bounds of the rules


def test_statements_of_one_message_are_bounded_and_counted() -> None:
    read = read_by_rules(said(" ".join(f"I am allergic to nut{number}x." for number in range(MAX_CANDIDATES + 7))))
    assert len([candidate for candidate in read.candidates if not candidate.forgets]) == MAX_CANDIDATES
    assert list(read.left_out) == [1]
    assert read.left_out[1].endswith("statements")


def test_sentences_of_one_message_are_bounded_and_counted() -> None:
    crumbs = "Hm, ok then. " * MAX_SENTENCES
    assert read_by_rules(said(f"I am allergic to nuts. {crumbs}")).candidates
    late = read_by_rules(said(f"{crumbs}I am allergic to nuts."))
    assert (late.candidates, late.left_out) == ([], {1: f"1 of {MAX_SENTENCES + 1} sentences"})


def test_statements_do_not_crowd_out_requests_to_forget() -> None:
    likes = " ".join(f"My dog{number} likes figs." for number in range(MAX_CANDIDATES + 5))
    found = read_by_rules(said(f"{likes} Forget my divorce.")).candidates
    assert [candidate.forgets for candidate in found if candidate.forgets] == ["my divorce"]


def test_requests_to_forget_are_bounded_as_well() -> None:
    asked = " ".join(f"Please forget what I said about my cat{number}." for number in range(3 * MAX_CANDIDATES))
    assert len(read_by_rules(said(asked)).candidates) == len(forget_requests(said(asked))) == MAX_CANDIDATES


def test_a_message_within_the_bounds_is_read_whole() -> None:
    assert read_by_rules(said("I live in Oslo. I like figs. I have a cat called Momo.")).left_out == {}
