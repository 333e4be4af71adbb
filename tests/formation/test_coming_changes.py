"""A coming change is a plan until its day; on that day it takes the slot, and what held until then ends."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from recollect.engine import AsyncRecollect, Components
from recollect.testing import FakeClock, ScriptedModel
from recollect.types import MemoryKind
from sample_chats import answer, fact, slot, slots, tell, texts
from stores import STORES

DAY = datetime(2027, 3, 1, tzinfo=UTC)
# Where somebody lives, where they will live from March 2027 on, and the two places.
MOVES = (
    ("I live in Lima.", "From March 2027 I live in Oslo.", "Lima", "Oslo"),
    ("Ich wohne in Lima.", "Ab März 2027 wohne ich in Oslo.", "Lima", "Oslo"),
    ("Ik woon in Lima.", "Vanaf 1 maart 2027 woon ik in Oslo.", "Lima", "Oslo"),
    ("Vivo en Lima.", "A partir de marzo de 2027 vivo en Oslo.", "Lima", "Oslo"),
    ("我住在北京。", "2027年3月起我住在大阪。", "北京", "大阪"),
)
# The same in words that no slot is read from: they stand beside what holds.
UNREAD = (
    ("I live in Lima.", "I will live in Oslo from March 2027.", "Lima"),
    ("東京に住んでいます。", "2027年三月から大阪に住みます。", "東京"),
)


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def arrived(engine: AsyncRecollect, clock: FakeClock) -> None:
    clock.advance(seconds=(DAY - clock.now()).total_seconds() + 1)
    await engine.admin.maintain(user="ana")


async def shown(engine: AsyncRecollect) -> str:
    return (await engine.context("Where do I live?", user="ana")).text


@pytest.mark.parametrize(("now", "then", "here", "there"), MOVES)
async def test_what_holds_stands_until_the_day_of_a_coming_change(
    engine: AsyncRecollect, clock: FakeClock, now: str, then: str, here: str, there: str
) -> None:
    await tell(engine, now)
    clock.advance(days=1)
    await tell(engine, then)
    await engine.admin.maintain(user="ana")
    assert await slots(engine) == {"location": here}
    assert now in await shown(engine)
    assert any(then.split()[-1].strip(".") in text for text in await texts(engine))

    await arrived(engine, clock)
    assert await slots(engine) == {"location": there}
    assert (await fact(engine, here)).valid_to == DAY
    assert there in await shown(engine)
    await engine.admin.maintain(user="ana")
    assert await slots(engine) == {"location": there}


@pytest.mark.parametrize(("now", "then", "here"), UNREAD)
async def test_a_change_that_no_slot_is_read_from_ends_nothing(
    engine: AsyncRecollect, clock: FakeClock, now: str, then: str, here: str
) -> None:
    await tell(engine, now)
    clock.advance(days=1)
    await tell(engine, then)
    await arrived(engine, clock)
    assert await slots(engine) == {"location": here}


async def test_a_value_stated_after_the_day_is_not_replaced_by_the_plan(
    engine: AsyncRecollect, clock: FakeClock
) -> None:
    await tell(engine, "I live in Lima.", "From March 2027 I live in Oslo.")
    clock.advance(seconds=(DAY - clock.now()).total_seconds() + 1)
    await tell(engine, "I moved to Cusco.")
    await engine.admin.maintain(user="ana")
    assert await slots(engine) == {"location": "Cusco"}


@pytest.mark.parametrize(("now", "then", "here", "there"), MOVES)
async def test_a_models_coming_fact_replaces_nothing_before_its_day(
    parts: Components, clock: FakeClock, now: str, then: str, here: str, there: str
) -> None:
    coming = {"valid_from": "2027-03-01", "updates": 1}

    def reply(_system: str, seen: str) -> object:
        is_now = now in seen.rpartition("\nMessages:\n")[2]
        return answer(
            slot("identity/location", here if is_now else there, now if is_now else then, **({} if is_now else coming))
        )

    engine = AsyncRecollect(replace(parts, model=ScriptedModel(reply)))
    await tell(engine, now)
    clock.advance(days=1)
    await tell(engine, then)
    assert await slots(engine) == {"location": here}
    assert f"The user's location is {here}." in await texts(engine, kinds=(MemoryKind.FACT,))
    await arrived(engine, clock)
    assert await slots(engine) == {"location": there}
    assert (await fact(engine, here)).valid_to == DAY
