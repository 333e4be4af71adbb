"""A request to forget takes effect when its turn is recorded, while a slow model is still reading."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from chats import Chat, tiered_parts
from sample_chats import answer, asks, note, request, texts, user, with_model
from stores import DURABLE
from toldonce.chat.messages import log_messages
from toldonce.engine import AsyncToldOnce, Components
from toldonce.extraction.forget_requests import asks_to_forget
from toldonce.providers.protocols import ModelAnswer
from toldonce.reading.sentences import sentences
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import MemoryKind, MemoryState, Subject, Turn

DISTILLED = (MemoryKind.NOTE, MemoryKind.FACT)


@pytest.fixture(params=DURABLE)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class HeldModel(ScriptedModel):
    """A model that notes each new message, and does not answer while it is held."""

    def __init__(self) -> None:
        super().__init__(_kept)
        self.asked, self.free = asyncio.Event(), asyncio.Event()
        self.free.set()

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        self.asked.set()
        await self.free.wait()
        return await super().answer(system=system, user=user, schema=schema, schema_name=schema_name)


def _kept(_system: str, asked: str) -> object:
    """Note each sentence of the new messages word for word, but for requests."""
    shown = asked.rpartition("Messages:\n")[2].splitlines()
    said = [json.loads(line.partition('": ')[2]) for line in shown if '": ' in line]
    pieces = ((place, piece.text) for place, text in enumerate(said, start=1) for piece in sentences(text))
    return answer(*(note(text, text, message=place) for place, text in pieces if not asks_to_forget(text)))


@pytest.fixture
def model() -> HeldModel:
    return HeldModel()


@pytest.fixture
async def slow(parts: Components, model: HeldModel) -> AsyncToldOnce:
    return with_model(parts, model)


@asynccontextmanager
async def forming(engine: AsyncToldOnce, model: HeldModel) -> AsyncIterator[None]:
    """Hold the model back in the middle of a formation; let it go on, and form all, at the end."""
    model.asked.clear()
    model.free.clear()
    task = asyncio.create_task(engine.form())
    await model.asked.wait()
    try:
        yield
    finally:
        model.free.set()
        await task
        await engine.form()


async def prompt(engine: AsyncToldOnce, question: str) -> str:
    prepared = await engine.turns.prepare(request(user(question)), asks("ana"))
    return prepared.body.decode().replace(question, "")


async def say(engine: AsyncToldOnce, text: str, conversation: str = "c") -> None:
    await engine.record([user(text)], user="ana", conversation=conversation)


# What was told, the request, a word that only what is to be forgotten has, and one that stays.
REQUESTS = [
    ("My boyfriend Tom plays the drums.", "Please forget what I told you about Tom.", "drums", "cello"),
    ("I had surgery on my knee in March.", "don't mention the knee surgery ever again", "knee", "cello"),
    ("I'm seeing a therapist called Dr. Moss.", "Forget what I just said.", "Moss", "cello"),
    ("Ich wohne in Hamburg.", "Vergiss bitte, wo ich wohne.", "Hamburg", "cello"),
    ("I owe my brother 3,000 euros.", "ok thx. delete what i said about the money i owe pls", "3,000", "cello"),
]


@pytest.mark.parametrize(("told", "wish", "gone", "kept"), REQUESTS)
async def test_a_request_is_heeded_before_the_model_has_read_it(  # noqa: PLR0913  (the columns of the table)
    slow: AsyncToldOnce, model: HeldModel, clock: FakeClock, told: str, wish: str, gone: str, kept: str
) -> None:
    await say(slow, "I play the cello.")
    clock.advance(minutes=1)
    await say(slow, told)
    await slow.form()
    clock.advance(minutes=1)
    assert gone in " ".join(await texts(slow))
    calls = len(model.calls)

    model.free.clear()
    await say(slow, wish)

    assert len(model.calls) == calls, "the model was not asked"
    held = " ".join(await texts(slow))
    assert gone not in held
    assert kept in held
    assert gone not in await prompt(slow, f"What about {gone}, and the {kept}?")
    model.free.set()
    await slow.form()
    assert gone not in " ".join(await texts(slow))


async def test_a_message_that_takes_itself_back_is_never_quoted(slow: AsyncToldOnce, model: HeldModel) -> None:
    model.free.clear()
    await say(slow, "I play the cello.")
    await say(slow, "My PIN for the shed is 4321. Please don't remember that.")
    held = " ".join(await texts(slow))
    assert "4321" not in held
    assert "cello" in held
    model.free.set()


@pytest.mark.parametrize("profile", ["user", "session", "tiered"])
async def test_a_profile_without_quotations_heeds_it_as_well(
    parts: Components, model: HeldModel, clock: FakeClock, profile: str
) -> None:
    settings = parts.settings.model_copy(update={"profile": profile})
    rules = AsyncToldOnce(replace(parts, settings=settings))
    await rules.record([user("I live in Hamburg."), user("I'm allergic to peanuts.")], user="ana", conversation="c")
    await rules.form()
    [subject] = [owner for owner in {Subject("user", "ana"), Subject("session", "ana/c")} if await stored(rules, owner)]
    clock.advance(minutes=1)
    model.free.clear()
    engine = AsyncToldOnce(replace(parts, settings=settings, model=model))

    await say(engine, "Please forget where I live.")

    held = " ".join(await stored(engine, subject))
    assert "Hamburg" not in held
    assert "peanuts" in held
    model.free.set()


async def stored(engine: AsyncToldOnce, subject: Subject) -> list[str]:
    listed = await engine.list(user=subject, kinds=DISTILLED)
    return [memory.text for memory in listed if memory.state is MemoryState.ACTIVE]


async def test_what_the_model_is_reading_meanwhile_is_not_kept(
    slow: AsyncToldOnce, model: HeldModel, clock: FakeClock
) -> None:
    await say(slow, "My divorce from Paul came through. I keep two goats.")
    async with forming(slow, model):
        clock.advance(seconds=1)
        await say(slow, "Forget my divorce, it's private.")
        assert "Paul" not in " ".join(await texts(slow))
    held = " ".join(await texts(slow))
    assert "Paul" not in held
    assert "goats" in held


async def test_what_is_said_after_the_request_stays(slow: AsyncToldOnce, clock: FakeClock) -> None:
    for said in ("I have a cat called Momo.", "Forget my cat.", "I have a cat called Kasimir now."):
        await say(slow, said)
        clock.advance(minutes=1)
    await slow.form()
    held = " ".join(await texts(slow))
    assert "Momo" not in held
    assert "Kasimir" in held


async def test_a_crash_after_the_recording_costs_nothing(
    slow: AsyncToldOnce, parts: Components, model: HeldModel, clock: FakeClock
) -> None:
    await say(slow, "My boyfriend Tom plays the drums.")
    await slow.form()
    clock.advance(minutes=1)
    await recorded_alone(parts, slow, "Please forget what I told you about Tom.")
    assert "drums" in " ".join(await texts(slow)), "the process died before it could heed it"

    again = with_model(parts, model)
    async with forming(again, model):
        assert "drums" not in " ".join(await texts(again)), "it is heeded before the model is asked"


async def recorded_alone(parts: Components, engine: AsyncToldOnce, text: str) -> None:
    """Record a turn, and nothing that comes behind that."""
    now, home = parts.clock.now(), Subject("user", "ana")
    scope = await engine.turns.memory_scope(home, asks("ana").scope, "c")
    await parts.store.conversations.record(
        Turn(
            subject=home,
            external_id="c",
            append=True,
            messages=log_messages(request(user(text)), said_at=now),
            reply=None,
            said_at=now,
            formations=engine.turns.formations(scope),
            opening=scope.opening,
        )
    )


# ---- other conversations


async def test_a_late_formation_keeps_nothing_that_was_taken_back_elsewhere(
    slow: AsyncToldOnce, model: HeldModel, clock: FakeClock
) -> None:
    await say(slow, "My divorce from Paul came through. I keep two goats.", "monday")
    model.free.clear()
    clock.advance(hours=1)
    await say(slow, "Forget my divorce.", "tuesday")
    clock.advance(hours=1)
    model.free.set()
    await slow.form()
    held = " ".join(await texts(slow))
    assert "Paul" not in held
    assert "goats" in held


async def test_t3_a_request_reaches_later_summaries_of_another_conversation(
    parts: Components, clock: FakeClock
) -> None:
    async with AsyncToldOnce(tiered_parts(parts)) as engine:
        chat = Chat(engine)
        await chat.say_all(["My bankruptcy was in court.", "I keep bees on the roof."])
        await engine.form()
        clock.advance(hours=1)
        await say(engine, "Please forget about my bankruptcy.", "another")
        await engine.form()
        clock.advance(hours=1)
        await chat.say_all(f"I visited town number {number}." for number in range(22))
        await engine.form()
        listed = await engine.list(user="ana", kinds=(MemoryKind.EPISODE,))
        [episode] = [
            memory for memory in listed if memory.state is MemoryState.ACTIVE and memory.detail.first_turn == 1
        ]
        assert "bankruptcy" not in episode.text
        assert "bees on the roof" in episode.text


# ---- what changes nothing


@pytest.mark.parametrize(
    "said", ["Don't forget that I live in Oslo.", "I forgot my keys at home.", "Forget it, let's talk about tea."]
)
async def test_a_mere_mention_of_forgetting_ends_nothing(
    slow: AsyncToldOnce, model: HeldModel, clock: FakeClock, said: str
) -> None:
    await say(slow, "I have a cat called Momo. My keys are blue.")
    await slow.form()
    before = await texts(slow, kinds=DISTILLED)
    clock.advance(minutes=1)
    model.free.clear()
    await say(slow, said)
    assert await texts(slow, kinds=DISTILLED) == before
    model.free.set()


async def test_only_a_request_makes_the_first_stage_due_without_quotations(parts: Components) -> None:
    settings = parts.settings.model_copy(update={"profile": "user"})
    async with AsyncToldOnce(replace(parts, settings=settings)) as engine:
        await say(engine, "I live in Hamburg.")
        assert {status.key.stage for status in await engine.admin.formations()} == {"extract"}
        await say(engine, "Please forget where I live.")
        assert {status.key.stage for status in await engine.admin.formations()} == {"extract", "index"}


async def test_a_request_is_decided_once(slow: AsyncToldOnce, clock: FakeClock) -> None:
    await say(slow, "My boyfriend Tom plays the drums.")
    await slow.form()
    clock.advance(minutes=1)
    await say(slow, "Please forget what I told you about Tom.")
    await slow.form()
    lines = [line.reason for line in await slow.history.decisions(user="ana") if "wants forgotten" in line.text]
    assert lines == ["it is to be forgotten"]
