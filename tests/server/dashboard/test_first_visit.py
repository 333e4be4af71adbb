"""A first visit: what an empty server says of itself, trying it, and demonstration data."""

import httpx
import pytest
from markupsafe import escape

from dashboard_client import HTML, DashboardClient, dashboard_client
from toldonce.engine import AsyncToldOnce
from toldonce.server.dashboard.demonstration import APP, PEOPLE, PERSON, SHARED, TRIAL
from toldonce.server.dashboard.pages import first_visit
from toldonce.testing import FakeClock
from toldonce.types import Access, MemoryKind, MemoryState, NewApiKey, Subject

ROOT = "/dashboard"
FILL, REMOVE = f"{ROOT}/demonstration", f"{ROOT}/demonstration/remove"
TRY = f"{ROOT}/try"


async def sent(browser: DashboardClient, action: str) -> httpx.Response:
    """Send a form that no page shows."""
    token = (await browser.open(TRY)).partition('name="csrf" value="')[2].partition('"')[0]
    return await browser.http.post(action, data={"csrf": token}, headers=HTML)


async def test_an_empty_server_says_what_it_is(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine) as browser:
        html = await browser.open(ROOT)
        assert "This server has no memories yet" in html
        assert f'href="{TRY}"' in html

        await engine.add("Ana plays the cello.", user="ana")
        html = await browser.open(ROOT)

    assert "This server has no memories yet" not in html
    assert "1 memory" in html


async def test_a_typed_sentence_is_remembered_and_a_question_recalls_it(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine) as browser:
        answer = await browser.submit(TRY, f"{TRY}/say", {"text": "I live in Lisbon and I'm allergic to walnuts."})
        assert escape('The user said: "I\'m allergic to walnuts."') in answer.text

        html = await browser.open(TRY, q="What nuts can I eat?")

    assert "What a model would get with it" in html
    assert "allergic to walnuts" in html.partition("What a model would get with it")[2]


async def test_a_quotation_that_is_kept_is_shown_as_remembered(engine: AsyncToldOnce) -> None:
    said = "My knee hurts since the fall."
    async with dashboard_client(engine) as browser:
        answer = await browser.submit(TRY, f"{TRY}/say", {"text": said})

    [kept] = await engine.list(user=Subject.parse(TRIAL))
    assert (kept.kind, kept.text) == (MemoryKind.TURN, said)
    assert f"/memories/{kept.id}" in answer.text.partition("What is remembered of it")[2]


async def test_a_sentence_that_leaves_nothing_is_told_so(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine) as browser:
        answer = await browser.submit(TRY, f"{TRY}/say", {"text": "Good morning!"})
        empty = await browser.submit(TRY, f"{TRY}/say", {"text": "  "})

    assert "no statement that seems worth keeping" in answer.text
    assert empty.status_code == 400


async def test_a_server_with_a_trial_alone_says_so(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine) as browser:
        await browser.submit(TRY, f"{TRY}/say", {"text": "I live in Lisbon."})
        html = await browser.open(ROOT)

    assert "Nothing is remembered yet but what you tried" in html
    assert "no memories yet" not in html


async def test_what_was_tried_is_erased(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine) as browser:
        await browser.submit(TRY, f"{TRY}/say", {"text": "I live in Lisbon."})
        answer = await browser.submit(TRY, f"{TRY}/end")

    assert "nothing is left of what you typed" in answer.text
    assert TRIAL not in [subject.text for subject in await engine.admin.subjects()]


async def test_demonstration_data_shows_what_there_is_and_is_labelled(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine) as browser:
        answer = await browser.submit(ROOT, FILL)
        overview = await browser.open(ROOT)

    assert "the person does not exist" in answer.text
    assert "demonstration data</span>" in answer.text.partition("<main")[0]
    assert "demonstration data</span>" in overview
    memories = await engine.list(user=Subject.parse(PERSON), closed=True)
    by_value = {memory.value: memory.state for memory in memories if memory.key == "location"}
    assert by_value["Lisbon"] is MemoryState.CLOSED
    assert by_value["Bergen"] is MemoryState.ACTIVE
    assert [memory.state for memory in memories].count(MemoryState.HELD) == 1
    assert len({memory.valid_from.date() for memory in memories}) > 3
    assert await engine.list(user=Subject.parse(SHARED))
    assert await engine.list(user=Subject.parse(APP))
    assert await engine.shared.subscriptions(user=Subject.parse(PERSON)) == [Subject.parse(SHARED)]


async def test_demonstration_data_is_removed_with_one_click(engine: AsyncToldOnce) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    async with dashboard_client(engine) as browser:
        await browser.submit(ROOT, FILL)
        answer = await browser.submit(ROOT, REMOVE)

    assert "The demonstration data is erased" in answer.text
    assert [subject.text for subject in await engine.admin.subjects()] == ["user:ana"]


async def test_after_removal_another_person_is_told_of(engine: AsyncToldOnce, clock: FakeClock) -> None:
    homes = []
    async with dashboard_client(engine) as browser:
        for _ in range(PEOPLE):
            answer = await browser.submit(ROOT, FILL)
            assert answer.status_code == 200
            memories = await engine.list(user=Subject.parse(PERSON), closed=True)
            homes += [memory.value for memory in memories if memory.key == "location"]
            assert [memory.state for memory in memories].count(MemoryState.HELD) == 1
            clock.advance(minutes=1)
            await browser.submit(ROOT, REMOVE)
        refused = await browser.submit(ROOT, FILL)

    assert len(homes) == len(set(homes)) == 2 * PEOPLE
    assert refused.status_code == 409
    assert "erased words are not stored again" in refused.text
    assert await engine.admin.subjects() == []


async def test_the_same_can_be_tried_again_after_it_was_erased(engine: AsyncToldOnce, clock: FakeClock) -> None:
    async with dashboard_client(engine) as browser:
        for _ in range(2):
            answer = await browser.submit(TRY, f"{TRY}/say", {"text": "I live in Lisbon."})
            assert escape('The user said: "I live in Lisbon."') in answer.text
            clock.advance(minutes=1)
            await browser.submit(TRY, f"{TRY}/end")


async def test_a_real_user_of_that_name_is_not_removed(engine: AsyncToldOnce) -> None:
    await engine.add("They plan a demonstration.", user="demonstration")
    async with dashboard_client(engine) as browser:
        html = await browser.open(ROOT)
        assert REMOVE not in html
        assert FILL not in html.replace(REMOVE, "")
        filled = await sent(browser, FILL)
        removed = await sent(browser, REMOVE)

    assert filled.status_code == 409
    assert removed.status_code == 404
    assert len(await engine.list(user="demonstration")) == 1


async def test_a_server_with_data_is_offered_no_demonstration(engine: AsyncToldOnce) -> None:
    for number in range(6):
        await engine.add("They play the cello.", user=f"user-{number}")
    async with dashboard_client(engine) as browser:
        html = await browser.open(ROOT)
        answer = await sent(browser, FILL)

    assert FILL not in html
    assert answer.status_code == 409


@pytest.mark.parametrize("access", [Access.READ, Access.WRITE])
@pytest.mark.parametrize("path", [f"{TRY}/say", f"{TRY}/end", FILL, REMOVE])
async def test_only_administrators_fill_a_server(engine: AsyncToldOnce, access: Access, path: str) -> None:
    _, secret = await engine.keys.create(NewApiKey(name="k", access=access, user="ana"))
    async with dashboard_client(engine, authorization=f"Bearer {secret}") as browser:
        answer = await browser.http.post(path, headers=HTML, data={"text": "I live in Lisbon."})
        page = await browser.http.get(TRY, headers=HTML)

    assert answer.status_code == page.status_code == 403
    assert await engine.admin.subjects() == []


async def test_an_administrator_of_a_tenant_fills_that_tenant(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_visit, "_WAIT_S", 0)  # no worker runs here
    _, secret = await engine.keys.create(NewApiKey(name="k", access=Access.ADMIN, tenant="acme"))
    async with dashboard_client(engine, authorization=f"Bearer {secret}") as browser:
        await browser.submit(ROOT, FILL)
        names = [subject.text for subject in await engine.admin.subjects()]
        html = await browser.open(ROOT)
        await browser.submit(ROOT, REMOVE)

    assert f"@acme/{PERSON}" in names
    assert all(name.startswith("@acme/") for name in names)
    assert "demonstration data</span>" in html
    assert await engine.admin.subjects() == []
