"""Pages that list subjects, and lead to one."""

import pytest

from dashboard_client import HTML, dashboard_client
from toldonce.engine import AsyncToldOnce
from toldonce.server.dashboard.pages import overview
from toldonce.testing import FakeClock
from toldonce.types import Access, NewApiKey, Subject

SUBJECTS = "/dashboard/subjects"


async def test_subjects_are_listed_by_kind_with_their_memories(engine: AsyncToldOnce) -> None:
    await engine.bulk.add(["Ana plays the cello.", "Ana likes tea."], user="ana")
    await engine.add("The cabin is in Tirol.", user=Subject("shared", "family"))
    async with dashboard_client(engine) as browser:
        html = await browser.open(SUBJECTS)
        data = await browser.read(SUBJECTS)
        shared = await browser.read(SUBJECTS, kind="shared")
        none = await browser.open(SUBJECTS, kind="session")

    assert "<h2>Users</h2>" in html
    assert "2 memories" in html
    assert [group["name"] for group in data["groups"]] == ["Users", "Shared"]
    assert shared["subjects"] == ["shared:family"]
    assert "Nothing of this kind" in none


async def test_a_list_says_when_each_had_its_last_chat(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await engine.record([{"role": "user", "content": "Good morning!"}], user="ana", conversation="c-1")
    clock.advance(days=1)
    await engine.add("Ben plays the cello.", user="ben")
    async with dashboard_client(engine) as browser:
        html = await browser.open(SUBJECTS)

    assert html.count("last chat") == 1
    assert "2026-01-01 00:00</time>" in html


async def test_a_kind_is_listed_page_by_page(engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "_PAGE_SIZE", 2)
    monkeypatch.setattr(overview, "_READ_SIZE", 2)
    users = [Subject("user", f"u{number}") for number in range(3)] + [Subject("user", "ana", "acme")]
    others = [
        Subject("app", "ana/calendar"),
        Subject("global", ""),
        Subject("session", "ana/1"),
        Subject("app", "x", "acme"),
    ]
    for subject in (*users, *others):
        await engine.add("It is so.", user=subject)
    listed: dict[str, list[str]] = {}
    async with dashboard_client(engine) as browser:
        for kind in ("user", "app", "global", "session", "character"):
            cursor, listed[kind] = "", []
            for _ in range(9):
                data = await browser.read(SUBJECTS, kind=kind, cursor=cursor)
                listed[kind] += data["subjects"]
                cursor = data["next_cursor"]
                if cursor is None:
                    break

    assert sorted(listed["user"]) == ["@acme/user:ana", "user:u0", "user:u1", "user:u2"]
    assert sorted(listed["app"]) == ["@acme/app:x", "app:ana/calendar"]
    assert listed["global"] == ["global"]
    assert listed["session"] == ["session:ana/1"]
    assert listed["character"] == []


async def test_a_typed_name_leads_to_its_memory(engine: AsyncToldOnce) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    async with dashboard_client(engine) as browser:
        assert "Ana plays the cello." in await browser.open(SUBJECTS, go="ana")
        assert "Ana plays the cello." in await browser.open(SUBJECTS, go="user:ana")
        refused = await browser.http.get(SUBJECTS, params={"kind": "person"}, headers=HTML)

    assert refused.status_code == 400


async def test_a_key_of_no_single_user_is_told_how_to_go_on(engine: AsyncToldOnce) -> None:
    _, secret = await engine.keys.create(NewApiKey(name="k", access=Access.WRITE))
    async with dashboard_client(engine, authorization=f"Bearer {secret}") as browser:
        html = await browser.open("/dashboard")
        listing = await browser.http.get(SUBJECTS, headers=HTML)

    assert "bound to no single user" in html
    assert listing.status_code == 403


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a\u202eb", "x" * 500, "🐝 ﷽", "a/b?c#d&e=f", "'\"`"])
async def test_hostile_names_are_shown_and_opened(engine: AsyncToldOnce, name: str) -> None:
    await engine.add("It is so.", user=Subject("user", name))
    async with dashboard_client(engine) as browser:
        html = await browser.open(SUBJECTS)
        assert "<script>alert" not in html
        assert "\u202e" not in html
        page = await browser.open(SUBJECTS, go=f"user:{name}")

    assert "It is so." in page
    assert "<script>alert" not in page
    assert "\u202e" not in page
