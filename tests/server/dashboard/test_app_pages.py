"""Pages of apps: lists by kind, one app's memories of all users, erasing one and all of them."""

import pytest

from dashboard_client import dashboard_client
from toldonce.engine import AsyncToldOnce
from toldonce.server.dashboard.pages import apps
from toldonce.types import Subject

APPS = "/dashboard/apps"
CALENDAR = f"{APPS}/calendar"
HOSTILE = '<img src=x onerror="alert(1)"> \u202e 🦔'


async def fill(engine: AsyncToldOnce) -> None:
    for user in ("ana", "ben"):
        await engine.add(f"{user}: meetings at nine.", user=Subject("app", f"{user}/calendar"))
    await engine.add("Buy milk.", user=Subject("app", "ana/to do/2"))
    await engine.add("Ana drinks tea.", user="ana")
    await engine.add("Kira is a cat.", user=Subject("character", "Kira"))
    await engine.add("They talk of bees.", user=Subject("session", "ana/s1"))


async def test_apps_are_listed_by_name_and_other_kinds_by_choice(engine: AsyncToldOnce) -> None:
    await fill(engine)
    async with dashboard_client(engine) as browser:
        apps = await browser.read(APPS)
        html = await browser.open(APPS)
        sessions = await browser.read(APPS, kind="session")
        characters = await browser.open(APPS, kind="character")
        shared = await browser.open(APPS, kind="shared")

    assert [(app["id"], app["users"]) for app in apps["apps"]] == [("calendar", 2), ("to do/2", 1)]
    assert f'href="{APPS}/to%20do%2F2"' in html
    assert sessions["subjects"] == ["session:ana/s1"]
    assert "character Kira" in characters
    assert "Nothing is shared yet." in shared


async def test_the_apps_of_one_tenant_are_listed_apart(engine: AsyncToldOnce) -> None:
    await fill(engine)
    await engine.add("Acme: meetings at ten.", user=Subject("app", "cy/calendar", "acme"))
    async with dashboard_client(engine) as browser:
        listed = await browser.read(APPS, tenant="acme")
        opened = await browser.open(CALENDAR, tenant="acme")
        gone = await browser.http.get(APPS, params={"go": "calendar", "tenant": "acme"})

    assert listed["subjects"] == ["@acme/app:cy/calendar"]
    assert "Acme: meetings at ten." in opened
    assert "ana: meetings" not in opened
    assert gone.headers["location"] == f"{CALENDAR}?tenant=acme"


async def test_an_apps_memories_of_all_users_are_shown(engine: AsyncToldOnce) -> None:
    await fill(engine)
    await engine.add(HOSTILE, user=Subject("app", "ana/calendar"))
    async with dashboard_client(engine) as browser:
        html = await browser.open(CALENDAR)
        data = await browser.read(CALENDAR)

    assert "ana: meetings at nine." in html
    assert "ben: meetings at nine." in html
    assert "Buy milk." not in html
    assert "<img src=x" not in html
    assert "⟨U+202E⟩" in html
    assert HOSTILE in {memory["text"] for memory in data["memories"]}


async def test_one_memory_of_an_app_is_erased(engine: AsyncToldOnce) -> None:
    await fill(engine)
    async with dashboard_client(engine) as browser:
        unsure = await browser.submit(CALENDAR, f"{CALENDAR}/erase")
        # The form of the last memory on the page.
        answered = await browser.submit(CALENDAR, f"{CALENDAR}/erase", {"sure": "yes"})

    assert unsure.status_code == 400
    assert "Erased: nothing is left of it." in answered.text
    assert "ana: meetings at nine." in answered.text
    assert "ben: meetings at nine." not in answered.text
    assert await engine.list(user=Subject("app", "ben/calendar"), closed=True) == []


async def test_all_memories_of_an_app_are_erased_once_one_is_sure(engine: AsyncToldOnce) -> None:
    await fill(engine)
    async with dashboard_client(engine) as browser:
        unsure = await browser.submit(CALENDAR, f"{CALENDAR}/purge")
        assert len(await engine.list(user=Subject("app", "ana/calendar"))) == 1
        answered = await browser.submit(CALENDAR, f"{CALENDAR}/purge", {"sure": "yes"})

    assert unsure.status_code == 400
    assert "This app remembers nothing." in answered.text
    assert [entry.action for entry in await engine.keys.audit()] == ["apps.purge"]
    assert len(await engine.list(user=Subject("app", "ana/to do/2"))) == 1


async def test_a_long_list_of_sessions_ends_with_them(engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apps, "_PAGE_SIZE", 5)
    for number in range(6):
        await engine.add("They talk.", user=Subject("session", f"ana/s{number:03}"))
    await engine.add("Ana drinks tea.", user="ana")
    async with dashboard_client(engine) as browser:
        first = await browser.read(APPS, kind="session")
        second = await browser.read(APPS, kind="session", cursor=first["next_cursor"])

    assert len(first["subjects"]) == 5
    assert second["subjects"] == ["session:ana/s005"]
    assert second["next_cursor"] is None
