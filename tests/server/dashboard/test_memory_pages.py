"""Pages of memories: list, search, add, correct, forget and erase, without scripts."""

from dashboard_client import dashboard_client
from recollect.engine import AsyncRecollect
from recollect.types import MemoryState

ANA = "/dashboard/subjects/user%3Aana"


async def test_a_persons_memories_are_listed_and_added(engine: AsyncRecollect) -> None:
    async with dashboard_client(engine) as browser:
        assert "Nothing is remembered" in await browser.open(ANA)

        answer = await browser.submit(ANA, f"{ANA}/memories", {"text": "Ana plays the cello."})

        assert "Added." in answer.text
        assert "Ana plays the cello." in answer.text
        assert [memory.text for memory in await engine.list(user="ana")] == ["Ana plays the cello."]


async def test_a_search_shows_the_parts_of_each_score(engine: AsyncRecollect) -> None:
    await engine.bulk.add(["Ana plays the cello.", "Ana's bicycle is red."], user="ana")
    async with dashboard_client(engine) as browser:
        html = await browser.open(ANA, q="what does she play?")
        data = await browser.read(ANA, q="what does she play?")

    assert "Ana plays the cello." in html
    assert 'aria-label="score' in html
    assert data["found"]["items"][0]["memory"]["text"] == "Ana plays the cello."


async def test_a_wrong_memory_is_corrected(engine: AsyncRecollect) -> None:
    wrong = await engine.add("Ana drinks green tea.", user="ana")
    page = f"{ANA}/memories/{wrong.id}"
    async with dashboard_client(engine) as browser:
        answer = await browser.submit(page, f"{page}/correct", {"text": "Ana drinks black tea.", "how": "wrong"})

    assert "Corrected." in answer.text
    assert (await engine.get(wrong.id, user="ana")).state is MemoryState.CLOSED
    assert [memory.text for memory in await engine.list(user="ana")] == ["Ana drinks black tea."]


async def test_erasing_asks_to_be_sure_and_shows_the_receipt(engine: AsyncRecollect) -> None:
    note = await engine.add("Ana drinks green tea.", user="ana")
    page = f"{ANA}/memories/{note.id}"
    async with dashboard_client(engine) as browser:
        refused = await browser.submit(page, f"{page}/erase")
        assert refused.status_code == 400
        assert "cannot be undone" in refused.text

        answer = await browser.submit(page, f"{page}/erase", {"sure": "yes"})

    assert "Receipt" in answer.text
    assert await engine.list(user="ana", closed=True) == []
