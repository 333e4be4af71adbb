"""An app's energy: its turns and its memory work meet in one budget, whoever serves it."""

from sample_chats import PEANUTS_AND_OSLO, assistant, user
from toldonce.engine import AsyncToldOnce
from toldonce.types import Cost, CostPurpose, RequestScope

CALENDAR = RequestScope(profile="app", app="calendar")
NOTES = RequestScope(profile="app", app="notes")


async def test_a8_an_apps_turns_bear_the_memory_of_its_conversation(engine: AsyncToldOnce) -> None:
    for number in range(3):
        said = [user(f"{PEANUTS_AND_OSLO} {number}"), assistant("Noted.")]
        await engine.record(said, user="ana", conversation="c1", scope=CALENDAR)
    await engine.conversations.end("c1", user="ana", scope=CALENDAR)
    await engine.form()
    app = await engine.conversations.subject(user="ana", scope=CALENDAR)
    status = await engine.admin.energy(user=app, profile="app")
    assert status.today == {CostPurpose.CREATE: Cost(calls=1, units=12), CostPurpose.TURN: Cost(calls=3, units=720)}
    assert status.share < 0.05
    assert (status.level, status.waiting) == (988, None)
    assert engine.metrics.app_energy == 12
    other = await engine.conversations.subject(user="ana", scope=NOTES)
    assert (await engine.admin.energy(user=other, profile="app")).total == Cost()
    assert (await engine.admin.energy(user="ana")).today == {}


async def test_a8_a_conversation_that_comes_with_its_end_bears_its_memory_too(engine: AsyncToldOnce) -> None:
    messages = [user(PEANUTS_AND_OSLO), assistant("Noted.")]
    await engine.conversations.end("c1", messages=messages, user="ana", scope=CALENDAR)
    await engine.form()
    app = await engine.conversations.subject(user="ana", scope=CALENDAR)
    status = await engine.admin.energy(user=app, profile="app")
    assert (status.today[CostPurpose.TURN].calls, status.today[CostPurpose.CREATE].units) == (1, 12)
    assert status.share < 0.05
