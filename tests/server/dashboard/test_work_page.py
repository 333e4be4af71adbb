"""The page of work: what waits and what was parked, retrying it, maintenance, erasures and the embedder."""

from dataclasses import replace

import pytest

from dashboard_client import dashboard_client, token_of
from factories import add, memory
from sample_chats import park, user
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock
from toldonce.types import Subject

WORK = "/dashboard/work"
PEOPLE = ("ana", "ben")


async def test_parked_work_is_shown_with_its_error_and_one_is_retried(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    await park(engine, parts, clock, PEOPLE)
    async with dashboard_client(engine) as browser:
        html = await browser.open(WORK, parked="true")
        answered = await browser.submit(f"{WORK}?subject=user:ben", f"{WORK}/retry")
        left = await browser.read(WORK, parked="true")

    assert html.count("in stage extract") == 2
    assert "It is due again" in answered.text
    assert [formation["subject"] for formation in left["formations"]] == ["user:ana"]


async def test_all_parked_work_is_retried_and_formed(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    await park(engine, parts, clock, PEOPLE)
    async with dashboard_client(engine) as browser:
        retried = await browser.submit(WORK, f"{WORK}/retry-all")
        formed = await browser.submit(WORK, f"{WORK}/run")
        data = await browser.read(WORK)

    assert "Two formations." in retried.text
    assert "All that was due is formed." in formed.text
    assert data["totals"]["formations_parked"] == data["totals"]["formations_due"] == 0
    assert {memory.text for memory in await engine.list(user="ana")} == {"I like geese."}


async def test_the_filter_limits_what_is_retried(engine: AsyncToldOnce, parts: Components, clock: FakeClock) -> None:
    await park(engine, parts, clock, PEOPLE)
    async with dashboard_client(engine) as browser:
        await browser.submit(f"{WORK}?subject=user:ana", f"{WORK}/retry-all")

    assert (await engine.admin.totals()).formations_parked == 1


async def test_formations_that_are_done_are_not_listed_as_work(engine: AsyncToldOnce) -> None:
    await engine.record([user("I like geese.")], user="ana")
    await engine.form()
    async with dashboard_client(engine) as browser:
        assert "Nothing waits." in await browser.open(WORK)


async def test_retrying_what_is_not_parked_is_refused(engine: AsyncToldOnce) -> None:
    key = {"subject": "user:ana", "home": "user:ana", "conversation": "c", "profile": "default", "stage": "extract"}
    async with dashboard_client(engine) as browser:
        refused = await browser.submit(WORK, f"{WORK}/run")
        assert refused.status_code == 200
        token = token_of(await browser.open(WORK))
        refused = await browser.http.post(f"{WORK}/retry", data={"csrf": token, **key})

    assert refused.status_code == 404
    assert "No parked formation" in refused.text


@pytest.mark.parametrize(("how", "left"), [("preview", 13), ("now", 10)])
async def test_maintenance_is_previewed_and_run(engine: AsyncToldOnce, parts: Components, how: str, left: int) -> None:
    app = Subject("app", "ana/calendar")
    many = [replace(memory(f"Shelf {number} holds <b>boxes</b>."), subject=app) for number in range(13)]
    await parts.store.memories.apply(app, [add(each, vector=None) for each in many], [])
    async with dashboard_client(engine) as browser:
        page = await browser.submit(WORK, f"{WORK}/maintain", {"how": how, "subject": app.text})

    assert page.status_code == 200
    assert page.text.count("the oldest of 13; there is room for 10") == 3
    assert ("Three memories would be closed." in page.text) is (how == "preview")
    assert ("Three memories were closed." in page.text) is (how == "now")
    assert len(await engine.list(user=app)) == left


async def test_erasures_are_finished_and_the_embedder_is_asked(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine) as browser:
        finished = await browser.submit(WORK, f"{WORK}/erasures")
        asked = await browser.submit(WORK, f"{WORK}/embedder", {"text": "Ana likes geese."})
        empty = await browser.submit(WORK, f"{WORK}/embedder", {"text": ""})

    assert "No erasure is pending." in finished.text
    assert "The embedder answered." in asked.text
    assert empty.status_code == 400


async def test_a_hostile_name_breaks_nothing(engine: AsyncToldOnce) -> None:
    await engine.record([user("I like geese.")], user='<script>alert("1")</script>\u202e')
    async with dashboard_client(engine) as browser:
        html = await browser.open(WORK)

    assert "<script>alert" not in html
    assert "&lt;script&gt;" in html
    assert "⟨U+202E⟩" in html
