"""Forms about the whole server in Chromium, with hostile texts in every field: apps, keys, work, a first visit."""

import re
from dataclasses import replace

import pytest
from playwright.async_api import expect

from browser import Visit
from dashboard_forms import POST_FORMS, driven_forms, sends
from factories import memory
from hostile_fields import HOSTILE, MIXED, NAME
from sample_chats import park, texts
from stores import STORES
from toldonce.engine import AsyncToldOnce, Components
from toldonce.server.dashboard.filters import visible
from toldonce.server.dashboard.paths import page_path
from toldonce.testing import FakeClock
from toldonce.types import Access, AddMemory, NewApiKey, Subject

on_a_server = pytest.mark.parametrize("kind", ["postgres" if "postgres" in STORES else "memory"])

APP = f"calendar {NAME}"
CALENDARS = [Subject("app", f"{who}/{APP}") for who in ("ana", "ben", "cy")]
PEOPLE = ("ana", NAME)


@pytest.fixture
async def parts(parts: Components) -> Components:
    """Without a worker, which would form and maintain in the background what a form is to."""
    return replace(parts, settings=parts.settings.model_copy(update={"worker": "off"}))


def test_every_form_that_can_be_sent_is_sent_from_a_browser() -> None:
    routes = {" ".join(form.split(" ")[:2]) for form in driven_forms()}
    assert POST_FORMS - routes == set()


@sends("GET /apps", "POST /apps/{app}/erase", "POST /apps/{app}/purge")
async def test_one_memory_of_an_app_and_all_are_erased(engine: AsyncToldOnce, tab: Visit) -> None:
    for subject in CALENDARS:
        await engine.add(f"{subject.name[:3]} meets {MIXED}", user=subject)
    await tab.open(page_path("apps"))
    await tab.page.get_by_label("Open the app").fill(APP)
    await tab.press("Open")
    await tab.page.get_by_role("heading", name=visible(APP)).wait_for()
    item = tab.page.locator("ul.memories > li", has_text="ben meets")
    await item.locator("summary", has_text="Erase").click()
    await item.get_by_label("I know that this cannot be undone").check()
    await tab.press("Erase", item)
    await tab.page.get_by_text("Erased: nothing is left of it.").wait_for()
    assert [await engine.list(user=subject, closed=True) != [] for subject in CALENDARS] == [True, False, True]

    part = await tab.unfold("Erase all memories of this app")
    await part.get_by_label("I know that this cannot be undone").check()
    await tab.press("Erase all", part)
    await tab.page.get_by_text("This app remembers nothing.").wait_for()
    assert [await engine.list(user=subject, closed=True) for subject in CALENDARS] == [[], [], []]
    await tab.open(page_path("apps"))
    await tab.page.get_by_label("Kind").select_option("session")
    await tab.page.get_by_label("Tenant").fill(HOSTILE[0])
    await tab.press("Apply", refused=True)
    await tab.page.get_by_role("alert").get_by_text("tenant").first.wait_for()


@sends("GET /keys", "POST /keys", "POST /keys/{key}/revoke", "POST /login", "POST /logout", "GET /audit")
async def test_keys_are_made_used_to_log_in_and_revoked(engine: AsyncToldOnce, tab: Visit) -> None:
    await tab.open(page_path("keys"))
    secret = await make_key(tab, f"operator {MIXED[:60]}", {})
    await tab.page.get_by_role("link", name="Log in").click()
    await tab.page.get_by_label("API key").fill(f"rk_{MIXED}")
    await tab.press("Log in", refused=True)
    await tab.page.get_by_text("The API key is unknown to this server.").wait_for()
    await tab.page.get_by_label("API key").fill(secret)
    await tab.press("Log in")
    await tab.open(page_path("keys"))
    fields = {"Only this app": HOSTILE[0], "Until this day, UTC": "2999-01-01", "Requests a minute": "60"}
    await make_key(tab, HOSTILE[1], {"Tenant (empty": "acme", "Requests at a time": "2", "Bytes of": "999", **fields})
    await tab.page.get_by_role("link", name="All keys").click()
    [made] = [key for key in await engine.keys.list() if key.name == HOSTILE[1]]
    assert (made.tenant, made.app, made.access, made.limits.requests_per_minute) == (
        "acme",
        HOSTILE[0],
        Access.READ,
        60,
    )

    row = tab.page.locator("tr", has=tab.page.get_by_text(made.id, exact=True))
    await row.locator("summary").click()
    await row.get_by_label("I know that this cannot be undone").check()
    await tab.press("Revoke", row)
    await tab.page.get_by_text("Revoked: this server refuses it at once").wait_for()
    assert (await engine.keys.get(made.id)).revoked_at is not None
    await tab.page.get_by_label("Of the tenant").fill("acme")
    await tab.press("Apply")
    assert await tab.page.locator("tbody tr").count() == 1

    await tab.open(page_path("audit"))
    for label in ("By", "Action", "Id of the key, memory or decision", "Subject"):
        await tab.page.get_by_label(label, exact=True).fill(MIXED[:400])
    await tab.press("Apply", refused=True)
    await tab.open(page_path("audit"))
    await tab.page.get_by_label("Action", exact=True).fill("keys.revoke")
    await tab.press("Apply")
    await expect(tab.page.locator("tbody tr")).to_have_count(1)
    await tab.press("Log out")
    await tab.page.get_by_role("heading", name="Log in").wait_for()


async def make_key(tab: Visit, name: str, fields: dict[str, str]) -> str:
    """Make a key by the form; return its secret. With fields it may only read, and else administer everything."""
    await tab.page.get_by_label("What it is for").fill(name)
    await tab.page.get_by_label("It may").select_option("read" if fields else "admin")
    for label, value in fields.items():
        await tab.page.get_by_label(label).fill(value)
    await tab.press("Make the key")
    await tab.page.get_by_role("heading", name=visible(name)).wait_for()
    return await tab.page.get_by_label("secret of the key").inner_text()


@on_a_server
@sends(
    *("GET /work", "POST /work/retry", "POST /work/retry-all", "POST /work/run", "POST /work/erasures"),
    *("POST /work/maintain preview", "POST /work/maintain now", "POST /work/embedder"),
)
async def test_work_is_retried_run_and_maintained(
    engine: AsyncToldOnce, tab: Visit, parts: Components, clock: FakeClock
) -> None:
    await park(engine, parts, clock, PEOPLE)
    await tab.open(page_path("work"))
    await tab.page.get_by_label("of", exact=True).fill(f"user:{NAME}")
    await tab.press("Apply")
    await tab.press("Retry")
    await tab.page.get_by_text("It is due again").wait_for()
    assert (await engine.admin.totals()).formations_parked == 1
    await tab.press("Retry all that is parked")
    await tab.page.get_by_text("One formation.").wait_for()
    await tab.press("Form all that is due now")
    await tab.page.get_by_text("All that was due is formed.").wait_for()
    assert (await engine.admin.totals()).formations_due == 0
    assert all([await texts(engine, name) for name in PEOPLE])

    shelf = Subject("app", f"ana/{NAME}")
    many = [replace(memory(f"Shelf {number} holds {HOSTILE[1]}."), subject=shelf) for number in range(13)]
    await parts.store.memories.apply(shelf, [AddMemory(memory=each) for each in many], [])
    await tab.page.get_by_label("Of", exact=True).fill(shelf.text)
    await tab.press("Show what it would close")
    await tab.page.get_by_text("Three memories would be closed.").wait_for()
    assert len(await engine.list(user=shelf)) == 13
    await tab.press("Maintain now")
    await tab.page.get_by_text("Three memories were closed.").wait_for()
    assert len(await engine.list(user=shelf)) == 10

    await tab.open(page_path("work"))
    await tab.page.get_by_label("Of", exact=True).fill(MIXED)
    await tab.press("Show what it would close", refused=True)
    await tab.page.get_by_role("alert").get_by_text("control character").wait_for()
    await tab.open(page_path("work"))
    await tab.page.get_by_label("Rewrite tables of PostgreSQL").check()
    await tab.press("Finish pending erasures")
    await tab.page.get_by_text("No erasure is pending.").wait_for()
    await tab.page.get_by_label("See that it answers").fill(MIXED)
    await tab.press("Embed this text")
    await tab.page.get_by_text("The embedder answered.").wait_for()


@sends("GET /try", "POST /try/say", "POST /try/end", "POST /demonstration", "POST /demonstration/remove")
async def test_a_first_visitor_tries_it_and_looks_at_demonstration_data(engine: AsyncToldOnce, tab: Visit) -> None:
    await tab.open(page_path())
    await tab.page.get_by_role("link", name="Try it: type a sentence").click()
    for text in (f"I live in Lisbon. {MIXED}", HOSTILE[-1]):
        await tab.page.get_by_label("As you would in a chat").fill(text)
        await tab.press("Say it")
    await tab.page.get_by_text("Nothing: it has no statement that seems worth keeping.").wait_for()
    await tab.page.get_by_label("In a later chat").fill(f"Where do I live? {MIXED}")
    await tab.press("Ask")
    await tab.page.locator("pre", has_text="Lisbon").wait_for()
    assert any("Lisbon" in text for text in await texts(engine, "trial"))
    await tab.press("Erase all that was tried")
    await tab.page.get_by_text("Erased: nothing is left of what you typed.").wait_for()
    assert await texts(engine, "trial") == set()

    await tab.open(page_path())
    await tab.press("Store the demonstration data")
    await tab.page.get_by_text("This is demonstration data").wait_for()
    assert len(await texts(engine, "demonstration")) > 5
    await tab.open(page_path())
    await tab.press("Remove the demonstration data")
    await tab.page.get_by_text("The demonstration data is erased").wait_for()
    assert await texts(engine, "demonstration") == set()


@on_a_server
@sends("GET /subjects", "GET /settings", "GET /statistics", "GET /subjects/{subject}/statistics")
async def test_settings_statistics_and_names_are_looked_up(engine: AsyncToldOnce, tab: Visit) -> None:
    await engine.add(f"Ana likes {MIXED}", user=NAME)
    await tab.open(page_path())
    await tab.page.get_by_label("Open the memory of").fill(NAME)
    await tab.press("Open")
    await tab.page.get_by_role("link", name=re.compile("^Ana likes")).wait_for()
    for page in (page_path("statistics"), page_path("subjects", f"user:{NAME}", "statistics")):
        await tab.open(page)
        for label, value in (("Of the last", "90"), ("by", "hour")):
            await tab.page.get_by_role("combobox", name=label, exact=True).select_option(value)
        await tab.press("Apply")
        await tab.page.get_by_text("So long a time is shown by day.").wait_for()
    await tab.open(page_path("statistics"))
    await tab.page.get_by_label("Tenant").fill(HOSTILE[0])
    await tab.press("Apply", refused=True)
    await tab.open(page_path("settings"))
    async with tab.page.expect_navigation(wait_until="load"):
        await tab.page.get_by_label("Only those that differ from the default").check()
    await tab.check("settings")
    await tab.page.get_by_label("Only those that differ from the default").wait_for()


@sends("POST /login", "GET /subjects", "POST /logout")
async def test_a_key_of_no_single_user_opens_a_memory_by_name(engine: AsyncToldOnce, tab: Visit) -> None:
    _, secret = await engine.keys.create(NewApiKey(name=HOSTILE[0], access=Access.READ))
    await engine.add(f"Ana likes {MIXED}", user=NAME)
    await tab.open(page_path("login"))
    await tab.page.get_by_label("API key").fill(secret)
    await tab.press("Log in")
    await tab.page.get_by_label("Subject").fill(f"user:{NAME}")
    await tab.press("Open")
    await tab.page.get_by_role("link", name=re.compile("^Ana likes")).wait_for()
    assert await tab.page.get_by_role("heading", name="Add a memory").count() == 0
    await tab.press("Log out")
