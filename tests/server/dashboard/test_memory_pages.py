"""Pages of memories: list, search, add, correct, forget and erase, without scripts."""

import re
from collections.abc import Mapping

import pytest

from dashboard_client import HTML, dashboard_client
from factories import ANA as ANA_SUBJECT
from factories import memory
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock
from toldonce.types import Access, AddMemory, MemoryOrder, MemoryState, NewApiKey, Subject

Fields = Mapping[str, str | list[str]]
ANA = "/dashboard/subjects/user%3Aana"
LIVES_IN_ROME = 'The user said: "I live in Rome."'


async def test_a_persons_memories_are_listed_and_added(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine) as browser:
        assert "Nothing is remembered" in await browser.open(ANA)

        answer = await browser.submit(ANA, f"{ANA}/memories", {"text": "Ana plays the cello."})

        assert "Added." in answer.text
        assert "Ana plays the cello." in answer.text
        assert [memory.text for memory in await engine.list(user="ana")] == ["Ana plays the cello."]


async def test_a_search_shows_the_parts_of_each_score(engine: AsyncToldOnce) -> None:
    await engine.bulk.add(["Ana plays the cello.", "Ana's bicycle is red."], user="ana")
    async with dashboard_client(engine) as browser:
        html = await browser.open(ANA, q="what does she play?")
        data = await browser.read(ANA, q="what does she play?")

    assert "Ana plays the cello." in html
    assert 'aria-label="score' in html
    assert "How the score adds up" in html
    first = data["found"]["items"][0]
    bars = data["bars"][first["memory"]["id"]]
    assert sum(bar["value"] for bar in bars) == pytest.approx(sum(first["parts"].values()))
    assert all(bar["start"] >= 0 and bar["start"] + bar["width"] <= 100 for bar in bars)
    assert any(bar["width"] == 50 for bars in data["bars"].values() for bar in bars)
    assert data["found"]["items"][0]["memory"]["text"] == "Ana plays the cello."


async def test_facts_are_under_the_headings_of_a_prompt_and_the_rest_by_month(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    clock.advance(days=40)
    for slot, text in (("constraint/allergy:nuts", "Ana is allergic to nuts."), ("identity/location", "Oslo.")):
        await parts.store.memories.apply(ANA_SUBJECT, [AddMemory(memory=memory(text, clock=clock, slot=slot))], [])
    await engine.add("Ana likes figs.", user="ana")
    async with dashboard_client(engine) as browser:
        groups = (await browser.read(ANA))["groups"]
        html = await browser.open(ANA)

    assert [(group["name"], [each["text"] for each in group["memories"]]) for group in groups] == [
        ("About the user", ["Oslo."]),
        ("To be respected", ["Ana is allergic to nuts."]),
        ("February 2026", ["Ana likes figs."]),
        ("January 2026", ["Ana plays the cello."]),
    ]
    assert html.index("About the user</h2>") < html.index("To be respected</h2>") < html.index("January 2026</h2>")


async def test_a_line_is_edited_where_it_is_and_the_edit_undone(engine: AsyncToldOnce) -> None:
    wrong = await engine.add("Ana drinks green tea.", user="ana")
    async with dashboard_client(engine) as browser:
        action = f"{ANA}/memories/{wrong.id}/correct"
        answer = await browser.submit(f"{ANA}?kind=note", action, {"text": "Ana drinks black tea.", "how": "wrong"})

        [black] = await engine.list(user="ana")
        assert answer.url.path.endswith("user:ana")
        assert answer.url.params["kind"] == "note"
        assert f'id="m-{black.id}"' in answer.text
        undo = re.findall(r'href="([^"]+)">See it, or undo', answer.text)[0].replace("&amp;", "&")
        assert 'name="decision"' in await browser.open(undo)


async def test_a_wrong_memory_is_corrected(engine: AsyncToldOnce) -> None:
    wrong = await engine.add("Ana drinks green tea.", user="ana")
    page = f"{ANA}/memories/{wrong.id}"
    async with dashboard_client(engine) as browser:
        answer = await browser.submit(page, f"{page}/correct", {"text": "Ana drinks black tea.", "how": "wrong"})

    assert "Corrected." in answer.text
    assert (await engine.get(wrong.id, user="ana")).state is MemoryState.CLOSED
    assert [memory.text for memory in await engine.list(user="ana")] == ["Ana drinks black tea."]


async def test_erasing_asks_to_be_sure_and_shows_the_receipt(engine: AsyncToldOnce) -> None:
    note = await engine.add("Ana drinks green tea.", user="ana")
    page = f"{ANA}/memories/{note.id}"
    async with dashboard_client(engine) as browser:
        refused = await browser.submit(page, f"{page}/erase")
        assert refused.status_code == 400
        assert "cannot be undone" in refused.text

        answer = await browser.submit(page, f"{page}/erase", {"sure": "yes"})

    assert "Receipt" in answer.text
    assert await engine.list(user="ana", closed=True) == []


async def test_lists_are_filtered_and_the_filters_stay_when_paging(engine: AsyncToldOnce) -> None:
    await engine.bulk.add([f"Ana has book {number}." for number in range(60)], user="ana")
    closed = await engine.add("Ana drinks green tea.", user="ana")
    await engine.forget(closed.id, user="ana")
    async with dashboard_client(engine) as browser:
        html = await browser.open(ANA, order="oldest", kind="note")
        first = await browser.read(ANA, order="oldest", kind="note")
        following = await browser.read(ANA, order="oldest", kind="note", cursor=first["listed"]["next_cursor"])
        old = await browser.read(ANA, state="closed")
        none = await browser.open(ANA, kind="episode")

    assert "60 active in all, 50 on this page." in html
    assert "kind=note&amp;order=oldest&amp;cursor=" in html
    assert first["listed"]["memories"][0]["text"] == "Ana has book 0."
    assert [each["text"] for each in following["listed"]["memories"]][-1] == "Ana has book 59."
    assert [each["text"] for each in old["listed"]["memories"]] == ["Ana drinks green tea."]
    assert "Nothing fits the filters." in none


@pytest.mark.parametrize("order", list(MemoryOrder))
async def test_every_order_is_offered_and_works(engine: AsyncToldOnce, order: MemoryOrder) -> None:
    await engine.bulk.add(["Ana plays the cello.", "Ana's bicycle is red."], user="ana")
    async with dashboard_client(engine) as browser:
        html = await browser.open(ANA, order=order)

    assert f'<option value="{order}" selected>' in html
    assert "Ana plays the cello." in html


async def test_the_past_is_listed_and_searched(engine: AsyncToldOnce, clock: FakeClock) -> None:
    rome = await engine.add("Ana lives in Rome.", user="ana")
    clock.advance(days=60)
    await engine.correct(rome.id, "Ana lives in Oslo.", user="ana", true_until=clock.now())
    async with dashboard_client(engine) as browser:
        listed = await browser.open(ANA, at="2026-02-01")
        found = await browser.read(ANA, q="where does she live?", at="2026-02-01", known_at="2026-02-01")
        refused = await browser.http.get(ANA, params={"at": "yesterday"}, headers=HTML)

    assert "Ana lives in Rome." in listed
    assert "Ana lives in Oslo." not in listed
    assert "as of 2026-02-01" in listed
    assert [item["memory"]["text"] for item in found["found"]["items"]] == ["Ana lives in Rome."]
    assert refused.status_code == 400
    assert "Write a day as" in refused.text


async def test_all_of_a_page_are_chosen_and_forgotten(engine: AsyncToldOnce) -> None:
    notes = await engine.bulk.add(["Ana plays the cello.", "Ana's bicycle is red.", "Ana likes tea."], user="ana")
    async with dashboard_client(engine) as browser:
        html = await browser.open(ANA, kind="note", choose="all")
        assert html.count(' name="memory"') == html.count(" checked>") == 3

        many: Fields = {"memory": [str(notes[0].id), str(notes[1].id)], "action": "forget"}
        answer = await browser.submit(f"{ANA}?kind=note", f"{ANA}/memories/many", many)

    assert "Forgotten: no later answer has them." in answer.text
    assert "(2)" in answer.text
    assert answer.url.params["kind"] == "note"
    assert [memory.text for memory in await engine.list(user="ana")] == ["Ana likes tea."]


async def test_many_are_shared_or_erased(engine: AsyncToldOnce) -> None:
    notes = await engine.bulk.add(["The cabin is in Tirol.", "The key is under the stone."], user="ana")
    ids = [str(note.id) for note in notes]
    async with dashboard_client(engine) as browser:
        many = f"{ANA}/memories/many"
        unnamed = await browser.submit(ANA, many, {"memory": ids, "action": "share"})
        assert "Name the subject" in unnamed.text
        shared = await browser.submit(ANA, many, {"memory": ids, "action": "share", "to": "shared:family"})
        assert "Shared: the other subject has them" in shared.text
        unsure = await browser.submit(ANA, many, {"memory": ids, "action": "erase"})
        assert unsure.status_code == 400
        again: Fields = {"memory": [*ids, ids[0]], "action": "erase", "sure": "yes"}
        erased = await browser.submit(ANA, many, again)

    assert "(2)" in erased.text  # the third was erased by then
    assert await engine.list(user="ana") == []
    assert len(await engine.list(user=Subject("shared", "family"))) == 2


async def test_a_failure_among_many_says_how_many_were_done(engine: AsyncToldOnce) -> None:
    notes = await engine.bulk.add(["The cabin is in Tirol.", "The key is under the stone."], user="ana")
    await engine.forget(notes[1].id, user="ana")
    async with dashboard_client(engine) as browser:
        fields: Fields = {"memory": [str(note.id) for note in notes], "action": "share", "to": "shared:family"}
        answer = await browser.submit(ANA, f"{ANA}/memories/many", fields)

    assert answer.status_code == 400
    assert "1 of 2 were done" in answer.text


async def test_nothing_can_be_changed_with_a_key_that_only_reads(engine: AsyncToldOnce) -> None:
    note = await engine.add("Ana drinks green tea.", user="ana")
    _, secret = await engine.keys.create(NewApiKey(name="k", access=Access.READ, user="ana"))
    async with dashboard_client(engine, authorization=f"Bearer {secret}") as browser:
        for page in (ANA, f"{ANA}/memories/{note.id}"):
            html = await browser.open(page)
            assert "Ana drinks green tea." in html
            assert 'method="post"' not in html.replace('action="/dashboard/logout"', "").partition("<main")[2]
        answer = await browser.http.post(f"{ANA}/memories/{note.id}/forget", headers=HTML, data={"reason": "x"})

    assert answer.status_code == 403
    assert len(await engine.list(user="ana")) == 1


async def test_lists_are_filtered_by_class_age_and_source(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await engine.record([{"role": "user", "content": "I live in Rome."}], user="ana", conversation="c-1")
    await engine.form()
    clock.advance(days=40)
    await engine.add("Ana prefers tea.", user="ana", type="preference")

    async def listed(**query: str) -> list[str]:
        return [memory["text"] for memory in (await browser.read(ANA, **query))["listed"]["memories"]]

    async with dashboard_client(engine) as browser:
        assert await listed(type="preference") == ["Ana prefers tea."]
        assert await listed(category="identity") == [LIVES_IN_ROME]
        assert LIVES_IN_ROME in await listed(conversation="c-1")
        assert "Ana prefers tea." not in await listed(conversation="c-1")
        assert await listed(age="month") == ["Ana prefers tea."]
        assert "Ana prefers tea." not in await listed(age="older-month")
        assert LIVES_IN_ROME in await listed(age="older-month")
        refused = await browser.http.get(ANA, params={"age": "ancient"}, headers=HTML)
        missing = await browser.http.get(ANA, params={"conversation": "<b>c-9</b>"}, headers=HTML)

    assert refused.status_code == 400
    assert missing.status_code in (200, 404)
    assert "<b>c-9" not in missing.text
