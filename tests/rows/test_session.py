"""S: what one chat session should remember."""

import httpx
import pytest

from recollect.engine import AsyncRecollect, Parts
from recollect.errors import ModelError, UnknownConversationError, UnknownMemoryError
from recollect.testing import FakeClock, ScriptedModel
from recollect.types import Action
from rows.scenes import SESSION
from talk import assistant, user, with_model, written

REMEMBERED = [
    {"type": "preference", "content": "Ana drinks green tea.", "importance": 0.9},
    {"type": "insight", "content": "Ana thinks best in the morning.", "importance": 0.6},
    {"type": "fact", "content": "The report is due on Friday.", "importance": 0.29},
]
SAID = [
    user("I drink green tea, and I think best in the morning."),
    assistant("The report is due on Friday, says the plan you sent."),
]


async def test_s1_s3_s4_a_session_remembers_what_a_model_found_worth_it(parts: Parts) -> None:
    engine = with_model(parts, ScriptedModel([REMEMBERED]))
    await engine.record(SAID, user="ana", conversation="s", scene=SESSION)
    await engine.form()
    mine = await engine.memory_of(user="ana", conversation="s", scene=SESSION)
    kept = {(one.type, one.text) for one in await engine.list(user=mine)}
    assert kept == {("preference", "Ana drinks green tea."), ("insight", "Ana thinks best in the morning.")}
    [ignored] = [line for line in await engine.decisions(user=mine) if line.action is Action.IGNORE]
    assert "0.29" in ignored.reason


async def test_s2_a_failure_behind_the_answer_is_counted_and_the_chat_goes_on(parts: Parts, clock: FakeClock) -> None:
    engine = with_model(parts, ScriptedModel([ModelError("no answer"), REMEMBERED[:1]]))
    await engine.record(SAID, user="ana", conversation="s", scene=SESSION)
    await engine.form()
    assert engine.metrics.extraction_errors == 1
    context = await engine.context("Which tea?", user="ana", conversation="s", scene=SESSION)
    assert context.text == ""
    await engine.record([user("Go on.")], user="ana", conversation="s", scene=SESSION)
    clock.advance(days=1)
    await engine.form()
    assert "green tea" in (await engine.context("Which tea?", user="ana", conversation="s", scene=SESSION)).text


async def test_s7_s8_what_is_relevant_comes_as_a_block_and_gets_its_time_of_use(
    engine: AsyncRecollect, clock: FakeClock
) -> None:
    await engine.open_conversation("s", user="ana", scene=SESSION)
    mine = await engine.memory_of(user="ana", conversation="s", scene=SESSION)
    for number in range(7):
        await engine.add(f"Ana drinks tea number {number}.", user=mine, importance=0.9, type="fact", profile="session")
    clock.advance(hours=1)
    found = await engine.context("Which tea does Ana drink?", user="ana", conversation="s", scene=SESSION)
    rows = [line for line in found.text.splitlines() if line.startswith("- ")]
    assert len(rows) == 5
    assert all(row.startswith("- [FACT] Ana drinks tea number") and row.endswith("(importance: 0.9)") for row in rows)
    await written(engine)
    used = {one.id for one in await engine.list(user=mine) if one.last_used_at == clock.now()}
    assert used == {item.memory.id for item in found.items}


async def test_s10_memories_are_added_by_hand_listed_read_and_deleted(engine: AsyncRecollect) -> None:
    await engine.open_conversation("s", user="ana", scene=SESSION)
    mine = await engine.memory_of(user="ana", conversation="s", scene=SESSION)
    tea = await engine.add("Ana drinks green tea.", user=mine, type="preference", importance=0.8, profile="session")
    owl = await engine.add("Ana works at night.", user=mine, type="insight", profile="session")
    assert [one.id for one in await engine.list(user=mine)] == [owl.id, tea.id]
    assert await engine.get(tea.id, user=mine) == tea
    assert (tea.type, tea.importance) == ("preference", 0.8)
    await engine.erase(tea.id, user=mine)
    with pytest.raises(UnknownMemoryError):
        await engine.get(tea.id, user=mine)
    assert [one.id for one in await engine.list(user=mine, closed=True)] == [owl.id]


async def test_s12_an_unknown_session_or_memory_is_a_typed_error_and_404(
    engine: AsyncRecollect, api: httpx.AsyncClient
) -> None:
    with pytest.raises(UnknownConversationError):
        await engine.conversation("nowhere", user="ana")
    assert (await api.get("/api/sessions/nowhere/memories")).status_code == 404
    await engine.open_conversation("s", user="ana", scene=SESSION)
    mine = await engine.memory_of(user="ana", conversation="s", scene=SESSION)
    foreign = await engine.add("Ana drinks tea.", user="ana")
    with pytest.raises(UnknownMemoryError):
        await engine.get(foreign.id, user=mine)
    assert (await api.get(f"/api/sessions/s/memories/{foreign.id}")).status_code == 404
