"""The dashboard in Chromium for a user with many memories, some of them hostile: lists, search, changes, plots."""

from dataclasses import replace

import pytest
from playwright.async_api import expect

from benchmarks.filler import Filler
from benchmarks.made_up import SEED, Writer
from browser import Visit
from dashboard_forms import sends
from hostile_fields import HOSTILE, NAME
from soak import SOAK
from stores import STORES
from toldonce.engine import AsyncToldOnce, Components
from toldonce.server.dashboard.paths import page_path
from toldonce.testing import FakeClock
from toldonce.types import Subject

WHO = Subject("user", NAME)
HOME = page_path("subjects", WHO.text)
MANY, PAGE = 10_000 if SOAK else 300, 50


@pytest.fixture
async def parts(parts: Components, clock: FakeClock) -> Components:
    """With the memories, and without a worker that would maintain them meanwhile."""
    texts = Writer(SEED).sentences(MANY)
    for place in range(0, MANY, 7):
        texts[place] += f" {place} {HOSTILE[place % len(HOSTILE)]}"
    await Filler(parts=parts).notes(WHO, texts)
    clock.advance(days=91)
    return replace(parts, settings=parts.settings.model_copy(update={"worker": "off"}))


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["postgres" if "postgres" in STORES else "memory"])
@sends("POST /subjects/{subject}/memories/many forget", "POST /subjects/{subject}/health/{list}/forget")
async def test_very_many_memories_are_looked_through_and_changed(engine: AsyncToldOnce, tab: Visit) -> None:
    await tab.open(HOME)
    many = f"{MANY:,}".replace(",", "\u202f")
    await tab.page.get_by_text(f"{many} active in all, {PAGE} on this page.").wait_for()
    first = await shown(tab)
    await tab.page.get_by_role("link", name="Next page").click()
    await tab.page.wait_for_url("**cursor=**")
    second = await shown(tab)
    assert (len(first), len(second), set(first) & set(second)) == (PAGE, PAGE, set())
    await tab.page.get_by_role("link", name="Choose all on this page").click()
    await tab.page.wait_for_url("**choose=all**")
    await tab.press("Forget")
    await tab.page.get_by_text("Their history stays. (50)").wait_for()
    assert set(await shown(tab)) & set(second) == set()
    assert await active(engine) == MANY - PAGE

    await tab.page.get_by_role("searchbox").press_sequentially(first[0][:40], delay=20)
    await tab.page.get_by_text(f"of {MANY - PAGE:,} considered".replace(",", "\u202f")).wait_for()
    await expect(tab.page.locator("#results .memory-text").first).to_have_text(first[0])
    await tab.check("search as you type")

    await tab.open(f"{HOME}/health")
    await tab.page.get_by_role("link", name="Look at them").first.click()
    await tab.page.get_by_role("heading", name="Never recalled").wait_for()
    await tab.page.get_by_label("all on this page").check()
    await tab.press("Forget the ticked ones")
    await tab.page.get_by_text("Forgotten: no later answer has them.").wait_for()
    assert await active(engine) == MANY - 2 * PAGE
    await tab.page.get_by_role("link", name="Next page").click()
    await tab.page.wait_for_url("**cursor=**")
    await tab.check("the second page of a list of health")
    await tab.open(f"{HOME}/health/near-duplicates")
    await tab.open(f"{HOME}/statistics?range=365")
    await tab.page.get_by_role("cell", name=f"{MANY - 2 * PAGE:,}".replace(",", "\u202f")).first.wait_for()
    await tab.page.locator(".plot canvas").first.wait_for()


async def shown(tab: Visit) -> list[str]:
    """Return the words of the memories on the page."""
    await tab.check(tab.page.url)
    return await tab.page.locator("#results .memory-text").all_inner_texts()


async def active(engine: AsyncToldOnce) -> int:
    """Return the number of the user's active memories."""
    return (await engine.admin.subject_totals(user=WHO)).memories
