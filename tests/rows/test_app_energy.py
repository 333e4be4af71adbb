"""A2: where energy is short a compaction waits, and nothing goes."""

from rows.scenes import CALENDAR
from sample_chats import assistant, user, with_model
from toldonce.engine import AsyncToldOnce, Components
from toldonce.ids import new_id
from toldonce.profiles.registry import ProfileRegistry
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, CostPurpose, Reservation, Subject

APP = Subject("app", "ana/calendar")
GUESTS = "Mia Ole Kim Eva Tor Ida Per Liv Jan Una Bo Rut Ari".split()


def keeper() -> ScriptedModel:
    """Make a model that sums a talk up in its first line, and names the oldest memory for deletion."""

    def answered(system: str, shown: str) -> object:
        if "full" in system:
            oldest = int(shown.partition("[")[2].partition("]")[0])
            return {"action": "delete", "targetMemoryId": oldest, "newContent": "", "reason": "long over"}
        guest = next((name for name in GUESTS if f"invite {name} " in shown), None)
        if guest is None:
            return {"text": "", "messages": [], "importance": 0}
        return {"text": f"The user asked to invite {guest} to a supper.", "messages": [1, 2], "importance": 5}

    return ScriptedModel(answered)


async def invited(engine: AsyncToldOnce, guest: str) -> None:
    """Have one short talk, of one turn."""
    said = [user(f"Please invite {guest} to the supper at our place, I need it by noon."), assistant("Invited.")]
    await engine.conversations.end(f"supper of {guest}", user="ana", reason="closed", messages=said, scope=CALENDAR)
    await engine.form()


async def chatted(engine: AsyncToldOnce, *, turns: int) -> None:
    """Have so many turns in a conversation that goes on."""
    for turn in range(turns):
        said = [user(f"What is on at table {turn} today?"), assistant("Nothing.")]
        await engine.record(said, user="ana", conversation="today", scope=CALENDAR)


def asked_of(model: ScriptedModel) -> list[str]:
    return [call.schema_name for call in model.calls]


async def test_a2_short_talks_wait_for_the_energy_of_a_compaction_and_nothing_goes(
    parts: Components, clock: FakeClock
) -> None:
    model = keeper()
    engine = with_model(parts, model)
    for guest in GUESTS[:10]:
        await invited(engine, guest)
    known = await engine.apps.memories("calendar", user="ana")
    assert len(known) == 10
    await invited(engine, GUESTS[10])
    for _ in range(5):
        clock.advance(hours=2)
        await engine.form()
    assert await engine.apps.memories("calendar", user="ana") == known, "one turn does not bear a compaction"
    assert asked_of(model) == ["memories"] * 10, "the creation is not tried, nor paid, before its compaction can be"
    assert (await engine.admin.energy(user=APP, profile="app")).total.units == 120
    assert [line for line in await engine.history.decisions(user=APP) if line.action is Action.EVICT] == []
    for guest in GUESTS[11:]:
        await invited(engine, guest)
    await chatted(engine, turns=12)
    clock.advance(hours=2)
    await engine.form()
    texts = " ".join([memory.text for memory in await engine.apps.memories("calendar", user="ana")])
    assert texts.count("supper") == 10
    assert all(f"invite {guest} " in texts for guest in GUESTS[10:]), "they waited, and none was lost"
    gone = [line for line in await engine.history.decisions(user=APP) if line.action is Action.EVICT]
    assert len(gone) == 3
    assert all(line.reason == "the model chose it: long over" for line in gone)
    status = await engine.admin.energy(user=APP, profile="app")
    assert status.share < 0.05
    assert await engine.admin.formations(parked=True) == []


async def test_a2_below_the_critical_level_the_eleventh_waits_and_the_oldest_stays(
    parts: Components, clock: FakeClock
) -> None:
    model = keeper()
    engine = with_model(parts, model)
    budget = ProfileRegistry().get("app").budget
    for guest in GUESTS[:10]:
        await invited(engine, guest)
        clock.advance(days=1)
    drawn = Reservation(id=new_id(clock), purpose=CostPurpose.EPISODE, units=850, tokens=0, at=clock.now())
    await parts.store.budgets.reserve(APP, drawn, budget.model_copy(update={"max_share": 1.0}))
    await chatted(engine, turns=80)
    known = await engine.apps.memories("calendar", user="ana")
    await invited(engine, GUESTS[10])
    await engine.form()
    assert await engine.apps.memories("calendar", user="ana") == known
    clock.advance(days=1)
    await engine.form()
    assert f"invite {GUESTS[10]} " in (await engine.apps.memories("calendar", user="ana"))[0].text
    assert asked_of(model).count("compaction") == 1


async def test_a2_where_a_compaction_is_not_needed_after_all_its_energy_is_given_back(parts: Components) -> None:
    model = keeper()
    engine = with_model(parts, model)
    for guest in GUESTS[:10]:
        await invited(engine, guest)
    for _ in range(3):
        said = [user("Thanks!"), assistant("You are welcome.")]
        await engine.record(said, user="ana", conversation="x", scope=CALENDAR)
    await engine.conversations.end("x", user="ana", reason="closed", scope=CALENDAR)
    await engine.form()
    status = await engine.admin.energy(user=APP, profile="app")
    assert asked_of(model) == ["memories"] * 10
    assert (status.total.units, status.unsettled) == (120, 0)
