"""A coming change is a plan until its day; on that day it takes the slot, and what held until then ends."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from sample_chats import answer, fact, note, slot, slots, tell, texts
from stores import STORES
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, MemoryKind, MemoryState

DAY = datetime(2027, 3, 1, tzinfo=UTC)
# Where somebody lives, where they will live from March 2027 on, and the two places.
MOVES = (
    ("I live in Lima.", "From March 2027 I live in Oslo.", "Lima", "Oslo"),
    ("Ich wohne in Lima.", "Ab März 2027 wohne ich in Oslo.", "Lima", "Oslo"),
    ("Ik woon in Lima.", "Vanaf 1 maart 2027 woon ik in Oslo.", "Lima", "Oslo"),
    ("Vivo en Lima.", "A partir de marzo de 2027 vivo en Oslo.", "Lima", "Oslo"),
    ("J'habite à Lima.", "À partir du 1er mars 2027 j'habite à Oslo.", "Lima", "Oslo"),
    ("Abito a Lima.", "Dal 1º marzo 2027 abito a Oslo.", "Lima", "Oslo"),
    ("Moro em Lima.", "A partir do dia 1º de março de 2027 moro em Oslo.", "Lima", "Oslo"),
    ("我住在北京。", "2027年3月起我住在大阪。", "北京", "大阪"),
)
# The same in words that no slot is read from: they stand beside what holds.
UNREAD = (
    ("I live in Lima.", "I will live in Oslo from March 2027.", "Lima"),
    ("東京に住んでいます。", "2027年三月から大阪に住みます。", "東京"),
)


# A statement of where one works, and one that this ends on a coming day.
LEAVES = (
    ("I work at Norvik.", "I leave Norvik on 1 March 2027."),
    ("Ich arbeite bei Norvik.", "Am 1. März 2027 höre ich bei Norvik auf."),
    ("Je travaille chez Norvik.", "Je quitte Norvik le 1er mars 2027."),
    ("我在Norvik工作。", "我2027年3月1日离开Norvik。"),
)


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def arrived(engine: AsyncToldOnce, clock: FakeClock) -> None:
    clock.advance(seconds=(DAY - clock.now()).total_seconds() + 1)
    await engine.admin.maintain(user="ana")


async def shown(engine: AsyncToldOnce) -> str:
    return (await engine.context("Where do I live?", user="ana")).text


@pytest.mark.parametrize(("now", "then", "here", "there"), MOVES)
async def test_what_holds_stands_until_the_day_of_a_coming_change(
    engine: AsyncToldOnce, clock: FakeClock, now: str, then: str, here: str, there: str
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
    engine: AsyncToldOnce, clock: FakeClock, now: str, then: str, here: str
) -> None:
    await tell(engine, now)
    clock.advance(days=1)
    await tell(engine, then)
    await arrived(engine, clock)
    assert await slots(engine) == {"location": here}


async def test_a_value_stated_after_the_day_is_not_replaced_by_the_plan(
    engine: AsyncToldOnce, clock: FakeClock
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

    engine = AsyncToldOnce(replace(parts, model=ScriptedModel(reply)))
    await tell(engine, now)
    clock.advance(days=1)
    await tell(engine, then)
    assert await slots(engine) == {"location": here}
    assert f"The user's location is {here}." in await texts(engine, kinds=(MemoryKind.FACT,))
    await arrived(engine, clock)
    assert await slots(engine) == {"location": there}
    assert (await fact(engine, here)).valid_to == DAY


def coming(parts: Components, now: dict[str, object], then: dict[str, object]) -> AsyncToldOnce:
    """Open an engine whose model answers each of two messages with an item."""

    def reply(_system: str, seen: str) -> object:
        newest = seen.rpartition("\nMessages:\n")[2]
        if not newest.strip():  # the judge
            return {"decisions": [{"candidate": 1, "action": "add", "target": None, "text": None}]}
        return answer(now if str(now["quote"]) in newest else then)

    return AsyncToldOnce(replace(parts, model=ScriptedModel(reply)))


async def known(engine: AsyncToldOnce) -> set[str]:
    return await texts(engine, kinds=(MemoryKind.FACT, MemoryKind.NOTE))


@pytest.mark.parametrize(("now", "then"), LEAVES)
@pytest.mark.parametrize("shape", ["fact", "note of a fact", "note of a note"])
async def test_an_end_that_a_model_dates_ahead_ends_nothing_before_its_day(
    parts: Components, clock: FakeClock, now: str, then: str, shape: str
) -> None:
    dated = {"ended": True, "updates": 1, "valid_from": "2027-03-01"}
    first = note("The user works at Norvik.", now) if shape == "note of a note" else slot("identity/job", "Norvik", now)
    leaving = "The user leaves their job at Norvik on 1 March 2027."
    second = slot("identity/job", "Norvik", then) if shape == "fact" else note(leaving, then)
    engine = coming(parts, first, second | {"text": leaving} | dated)
    await tell(engine, now)
    clock.advance(days=1)
    await tell(engine, then)
    await engine.admin.maintain(user="ana")
    assert await known(engine) == {str(first["text"]), leaving}

    await arrived(engine, clock)
    assert await known(engine) == set()
    closed = await engine.list(user="ana", kinds=(MemoryKind.FACT, MemoryKind.NOTE), closed=True)
    assert [memory.valid_to for memory in closed] == [DAY, DAY]


@pytest.mark.parametrize(("now", "then"), LEAVES)
async def test_a_note_of_a_coming_change_replaces_what_it_updates_on_its_day(
    parts: Components, clock: FakeClock, now: str, then: str
) -> None:
    change = "The user's job will be at Halden Labs instead of Norvik from 1 March 2027."
    engine = coming(
        parts, slot("identity/job", "Norvik", now), note(change, then, updates=1, valid_from="2027-03-01", type="plan")
    )
    await tell(engine, now)
    clock.advance(days=1)
    await tell(engine, then)
    assert await known(engine) == {"The user's job is Norvik.", change}

    await arrived(engine, clock)
    assert await known(engine) == {change}
    found = [item.memory.text for item in (await engine.search("Halden Labs", user="ana")).items]
    assert change in found
    await engine.admin.maintain(user="ana")
    assert await known(engine) == {change}


async def test_another_value_stated_before_the_day_outlives_the_end_of_the_old_one(
    parts: Components, clock: FakeClock
) -> None:
    ended = {"ended": True, "valid_from": "2027-03-01"}
    engine = coming(
        parts, slot("identity/job", "Norvik", "at Norvik"), slot("identity/job", "Norvik", "I leave", **ended)
    )
    await tell(engine, "I work at Norvik.")
    clock.advance(days=1)
    await tell(engine, "I leave in March 2027.")
    clock.advance(days=1)
    await tell(coming(parts, slot("identity/job", "Halden", "at Halden"), {"quote": "-"}), "I work at Halden.")
    await arrived(engine, clock)
    assert await slots(engine) == {"job": "Halden"}


async def test_a_plan_that_a_model_moves_to_another_day_holds_from_that_day(
    parts: Components, clock: FakeClock
) -> None:
    march, april = ({"valid_from": f"2027-0{month}-01"} for month in (3, 4))
    first = slot("identity/location", "Oslo", "in March 2027", **march) | {"text": "The user moves in March 2027."}
    moved = slot("identity/location", "Oslo", "in April 2027", updates=1, **april)
    engine = coming(parts, first, moved | {"text": "The user moves in April 2027."})
    await tell(engine, "I move to Oslo in March 2027.")
    clock.advance(days=1)
    await tell(engine, "I move to Oslo in April 2027.")
    await arrived(engine, clock)
    assert await slots(engine) == {}
    clock.advance(days=31)
    await engine.admin.maintain(user="ana")
    assert await slots(engine) == {"location": "Oslo"}


@pytest.mark.parametrize(("now", "then", "here", "there"), MOVES)
async def test_search_get_and_history_tell_a_coming_change_before_and_after_its_day(
    engine: AsyncToldOnce, clock: FakeClock, now: str, then: str, here: str, there: str
) -> None:
    await tell(engine, now)
    clock.advance(days=1)
    await tell(engine, then)
    [plan] = [memory for memory in await engine.list(user="ana") if memory.type == "plan"]
    assert (plan.valid_from, plan.valid_to, plan.state) == (DAY, None, MemoryState.ACTIVE)
    holding = await fact(engine, here)
    assert (holding.state, holding.valid_to) == (MemoryState.ACTIVE, None)
    assert [line.action for line in (await engine.history.get(plan.id, user="ana")).decisions] == [Action.ADD]
    assert now in await said_of(engine, here)
    assert then in await said_of(engine, there)

    await arrived(engine, clock)
    new = await fact(engine, there)
    assert (await engine.get(plan.id, user="ana")).state is MemoryState.CLOSED
    assert (await engine.get(holding.id, user="ana")).valid_to == DAY
    assert (new.valid_from, new.text, new.evidence) == (DAY, plan.text, plan.evidence)
    why = [(line.action, line.reason) for line in (await engine.history.get(holding.id, user="ana")).decisions]
    assert (Action.CLOSE, "the day of a coming change has come") in why
    assert then in await said_of(engine, there)
    found = {item.memory.id for item in (await engine.search(there, user="ana")).items}
    assert not {plan.id, holding.id} & found
    assert now in await said_of(engine, here, at=DAY - timedelta(days=1))


async def said_of(engine: AsyncToldOnce, query: str, at: datetime | None = None) -> str:
    return "\n".join(item.memory.text for item in (await engine.search(query, user="ana", at=at)).items)
