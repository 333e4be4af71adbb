"""Forms about memories in Chromium, with hostile texts in every field: added, found, changed, erased, shared."""

import re
from dataclasses import replace

import pytest
from playwright.async_api import expect

from browser import Visit
from dashboard_forms import sends
from factories import memory
from hostile_fields import HOSTILE, MIXED, NAME
from sample_chats import fact, tell
from stores import STORES
from toldonce.engine import AsyncToldOnce, Components
from toldonce.server.dashboard.filters import visible
from toldonce.server.dashboard.paths import page_path
from toldonce.testing import FakeClock
from toldonce.types import AddMemory, Memory, MemoryState, NewNote, Subject

# SQLite is behind the forms of test_dashboard_chat_forms.py.
pytestmark = pytest.mark.parametrize("kind", ["postgres" if "postgres" in STORES else "memory"])

WHO = Subject("user", NAME)
HOME = page_path("subjects", WHO.text)
FAMILY = Subject("shared", f"family {NAME}")
OSLO = 'The user said: "I live in Oslo."'
MANY = "POST /subjects/{subject}/memories/many"
ONE = "POST /subjects/{subject}/memories/{memory}"


async def texts(engine: AsyncToldOnce, who: Subject = WHO) -> list[str]:
    """Return the words of the active memories, newest first."""
    return [found.text for found in await engine.list(user=who, limit=500)]


async def shown(tab: Visit) -> list[str]:
    """Return the words of the memories on the page."""
    return await tab.page.locator("#results .memory-text").all_inner_texts()


async def choose(tab: Visit, *words: str) -> None:
    """Tick memories on the page."""
    for word in words:
        await tab.page.get_by_role("checkbox", name=re.compile(f"^Choose: .*{word}")).check()


@sends(
    *("GET /subjects", "POST /subjects/{subject}/memories", "POST /subjects/{subject}/import"),
    *(f"{MANY} forget", f"{MANY} share", f"{MANY} erase"),
)
async def test_memories_are_added_and_many_changed_at_once(engine: AsyncToldOnce, tab: Visit) -> None:
    await tab.open("/dashboard/subjects")
    await tab.page.get_by_label("Open the memory of").fill(WHO.text)
    await tab.press("Open")
    typed = [f"Rome {MIXED}", f"Oslo {HOSTILE[0]}", f"Bonn {HOSTILE[1]} {HOSTILE[3]}", HOSTILE[-1]]
    for text in typed:
        await tab.page.get_by_label("One sentence, kept word for word").fill(text)
        await tab.press("Add")
        await tab.page.get_by_text("Added. It is recalled from now on.").wait_for()
    assert await texts(engine) == typed[::-1]
    assert (await shown(tab))[1:3] == [visible(text) for text in (typed[2], typed[1])]

    await tab.press("Forget", tab.page.get_by_role("group", name="With the chosen memories"), refused=True)
    await tab.page.get_by_text("Tick 1 to 500 memories first.").wait_for()
    await tab.page.go_back()
    await choose(tab, "Oslo")
    await tab.page.get_by_label("with", exact=True).fill(FAMILY.text)
    await tab.press("Share")
    await tab.page.get_by_text("Shared: the other subject has them, too. (1)").wait_for()
    assert await texts(engine, FAMILY) == [typed[1]]
    await choose(tab, "Oslo", "Rome")
    await tab.press("Forget")
    await tab.page.get_by_text("Their history stays. (2)").wait_for()
    assert await texts(engine) == [typed[3], typed[2]]
    await tab.page.get_by_role("link", name="Choose all on this page").click()
    await tab.page.get_by_label("I know that erasing cannot be undone").check()
    await tab.press("Erase")
    await tab.page.get_by_text("Erased: nothing is left of them. (2)").wait_for()
    assert await texts(engine) == []
    closed = await engine.list(user=WHO, closed=True)
    assert [found.text for found in closed] == [typed[1], typed[0]]
    line = b'{"role": "user", "content": "I like figs."}'
    await tab.page.get_by_label("Only show what would be imported").check()
    await tab.page.get_by_label("An export of ChatGPT").set_input_files(
        {"name": "chat.jsonl", "mimeType": "application/x-ndjson", "buffer": line}
    )
    await tab.press("Import")
    await tab.page.get_by_role("heading", name="What would be imported").wait_for()


@sends("GET /subjects/{subject}")
async def test_filters_the_past_and_pages_show_what_they_say(
    engine: AsyncToldOnce, tab: Visit, clock: FakeClock
) -> None:
    await engine.bulk.add([NewNote(f"Old {HOSTILE[1]}", 0.9, type="wish")], user=WHO)
    clock.advance(days=40)
    await engine.record([{"role": "user", "content": "I live in Oslo."}], user=WHO, conversation=NAME)
    await engine.form()
    await engine.bulk.add([f"Shelf {number} holds box {number * 7}." for number in range(60)], user=WHO)
    await tab.open(HOME)
    assert len(await shown(tab)) == 51  # with the fact above
    await tab.page.get_by_role("link", name="Next page").click()
    await tab.page.get_by_role("link", name=f"Old {HOSTILE[1]}").wait_for()
    await tab.check("the second page")
    assert len(await shown(tab)) == 11

    async def chosen(label: str, value: str) -> list[str]:
        await tab.open(HOME)
        await tab.page.get_by_label(label).select_option(value)
        await tab.press("Apply")
        return await shown(tab)

    assert await chosen("Kind", "fact") == [OSLO]
    assert await chosen("Age", "older-month") == [f"Old {HOSTILE[1]}"]
    assert (await chosen("Order", "oldest first"))[0] == f"Old {HOSTILE[1]}"
    assert await chosen("State", "closed") == []
    for label, value, expected in (
        ("Type of notes", "wish", [f"Old {HOSTILE[1]}"]),
        ("Type of notes", HOSTILE[0], []),
        ("Tag", MIXED, []),
        ("From the conversation", NAME, [OSLO]),
    ):
        await tab.open(HOME)
        part = await tab.unfold("More filters")
        await part.get_by_label(label).fill(value)
        await tab.press("Apply")
        assert await shown(tab) == expected, label
    await tab.page.get_by_label("From the conversation").fill(MIXED)
    await tab.press("Apply", refused=True)
    await tab.page.get_by_role("alert").get_by_text("no conversation").wait_for()
    await tab.open(HOME)
    part = await tab.unfold("Look into the past")
    await part.get_by_label("As it was known on").fill(f"{clock.now().date().replace(day=1)}")
    await tab.page.get_by_role("button", name="Search", exact=True).click()
    await expect(tab.page.locator("#results .memory-text")).to_have_text([f"Old {HOSTILE[1]}"])
    await tab.page.get_by_role("heading", name="Memories as of 2026-02-01").wait_for()
    await tab.page.get_by_label("Search, as a chat would recall").fill(MIXED)
    await tab.page.get_by_role("button", name="Search", exact=True).click()
    await tab.page.get_by_text("1 of 1 considered").wait_for()
    await tab.check("search")


@sends(f"{ONE}/correct", f"{ONE}/forget", f"{ONE}/undo")
async def test_a_fact_is_corrected_forgotten_and_brought_back(
    engine: AsyncToldOnce, tab: Visit, clock: FakeClock
) -> None:
    await tell(engine, "I live in Rome.", who=NAME)
    clock.advance(days=3)
    rome = await fact(engine, "Rome", NAME)
    await tab.open(page_path("subjects", WHO.text, "memories", rome.id))
    part = await tab.unfold("Correct")
    await part.get_by_label("What holds instead").fill(f"They live in {MIXED}")
    await part.get_by_label("New value of").fill(MIXED)
    await part.get_by_label("is no longer true. It was true until:").check()
    await tab.press("Correct", part, refused=True)
    await tab.page.get_by_text("Say until which day it was true.").wait_for()
    await tab.page.go_back()
    part = await tab.unfold("Correct")
    await part.get_by_label("What holds instead").fill(f"They live in {MIXED}")
    await part.get_by_label("New value of").fill(MIXED)
    await part.get_by_label("is no longer true. It was true until:").check()
    await part.get_by_label("Day until which it was true").fill(f"{clock.now().date()}")
    await tab.press("Correct", part)
    await tab.page.get_by_role("heading", name=visible(f"They live in {MIXED}")[:60]).wait_for()
    held = await fact(engine, MIXED, NAME)
    assert (await engine.get(rome.id, user=WHO)).state is MemoryState.CLOSED

    part = await tab.unfold("Forget")
    await part.get_by_label("Reason").fill(MIXED[:500])
    await tab.press("Forget", part)
    await tab.page.get_by_text(f"Reason: forgotten by hand: {visible(MIXED[:200])}").first.wait_for()
    assert (await engine.get(held.id, user=WHO)).state is MemoryState.CLOSED
    await tab.press("Undo", tab.page.get_by_role("status"))
    await tab.page.get_by_text("Undone.", exact=True).wait_for()
    assert (await engine.get(held.id, user=WHO)).state is MemoryState.ACTIVE
    await tab.press('Undo: Added in the place of “The user said: "I live in Rome."”, 2026-01-04 00:00')
    assert (await engine.get(rome.id, user=WHO)).state is MemoryState.ACTIVE


@sends(f"{ONE}/share", f"{ONE}/unlink", f"{ONE}/erase")
async def test_a_memory_is_shared_removed_from_there_and_erased(engine: AsyncToldOnce, tab: Visit) -> None:
    note = await engine.add(f"The cabin's key is in {MIXED}", user=WHO)
    page = page_path("subjects", WHO.text, "memories", note.id)
    for name in ("all", NAME):
        await tab.open(page)
        part = await tab.unfold("Share")
        await part.get_by_label("With the subject").fill(f"shared:{name}")
        await tab.press("Share", part)
        await tab.page.get_by_text("Shared: the other subject has it, too.").wait_for()
    assert await texts(engine, Subject("shared", NAME)) == [note.text]
    await tab.open(page_path("subjects", f"shared:{NAME}", "memories", note.id))
    part = await tab.unfold("Remove from here")
    await part.get_by_label("Remove it and its history").check()
    await tab.press("Remove from here", part)
    await tab.page.get_by_text("Removed from here. The other subjects keep it.").wait_for()
    assert await texts(engine, Subject("shared", NAME)) == []

    await tab.open(page)
    part = await tab.unfold("Erase")
    for label in (
        "Keep the messages",
        "Erase what other subjects have of it, too",
        "I know that this cannot be undone",
    ):
        await part.get_by_label(label).check()
    await tab.press("Erase", part)
    await tab.page.get_by_role("heading", name="Erased").wait_for()
    await tab.page.get_by_text("Receipt").wait_for()
    assert await engine.list(user=WHO, closed=True) == await engine.list(user=Subject("shared", "all")) == []


async def hold(engine: AsyncToldOnce, parts: Components, text: str) -> Memory:
    """Let a note be held for review."""
    del engine
    held = replace(memory(text, subject=WHO), state=MemoryState.HELD)
    await parts.store.memories.apply(WHO, [AddMemory(memory=held)], [])
    return held


@sends(f"{ONE}/review approve", f"{ONE}/review reject")
async def test_a_held_memory_is_approved_or_rejected_on_its_page(
    engine: AsyncToldOnce, tab: Visit, parts: Components
) -> None:
    for button, state in (("Approve", MemoryState.ACTIVE), ("Reject", MemoryState.CLOSED)):
        held = await hold(engine, parts, f"{button} {MIXED}")
        await tab.open(page_path("subjects", WHO.text, "memories", held.id))
        await tab.press(button)
        await tab.page.get_by_text(re.compile(f"^{button}e?d[.:]")).wait_for()
        assert (await engine.get(held.id, user=WHO)).state is state
