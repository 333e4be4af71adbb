"""Pages of conversations: the list, and the tree of one with what its messages left, without scripts."""

import re
from dataclasses import replace

import pytest
from markupsafe import escape

from chats import Chat, tiered_parts
from dashboard_client import HTML, dashboard_client
from factories import turn
from sample_chats import assistant, user
from toldonce.engine import AsyncToldOnce, Components
from toldonce.server.dashboard.pages.conversations import MESSAGES_OF_PAGE
from toldonce.testing import FakeClock
from toldonce.types import Access, NewApiKey

LIST = "/dashboard/subjects/user%3Aana/conversations"
HOSTILE = "<script>alert(1)</script> \u202eevil\u202c <img src=x onerror=alert(1)> {{ 7 * 7 }} 😀"


async def opened(engine: AsyncToldOnce, name: str = "trip") -> str:
    """Return the path of a conversation's page."""
    return f"{LIST}/{(await engine.conversations.get(name, user='ana')).id}"


def folded(html: str) -> list[int]:
    """Return the messages that are folded away in branches."""
    branches = re.findall(r'<details class="branch".*?</details>\n', html, re.DOTALL)
    return [int(seq) for branch in branches for seq in re.findall(r'id="m(\d+)"', branch)]


async def test_conversations_are_listed_newest_first(engine: AsyncToldOnce, clock: FakeClock) -> None:
    async with dashboard_client(engine) as browser:
        assert "No conversation is recorded." in await browser.open(LIST)
        await engine.record([user("I live in Oslo."), assistant("Nice.")], user="ana", conversation="first")
        clock.advance(minutes=1)
        await engine.record([user(HOSTILE)], user="ana", conversation=HOSTILE)
        await engine.conversations.end("first", reason="the shop closed", user="ana")
        html, data = await browser.open(LIST), await browser.read(LIST)

    assert [known["external_id"] for known in data["conversations"]] == [HOSTILE, "first"]
    assert html.index("&lt;script&gt;") < html.index(">first</bdi>")
    assert "2 messages" in html
    assert "the shop closed" in html
    assert '>“I live in Oslo.” <bdi class="muted">first</bdi></a>' in html
    assert "<script>alert" not in html


async def test_the_list_goes_on_on_the_next_page(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for number in range(51):
        clock.advance(minutes=1)
        await engine.record([user(f"Hello {number}")], user="ana", conversation=f"c{number}")
    async with dashboard_client(engine) as browser:
        first = await browser.read(LIST)
        second = await browser.read(LIST, cursor=first["next_cursor"])
        assert "Next page" in await browser.open(LIST)

    names = [known["external_id"] for page in (first, second) for known in page["conversations"]]
    assert names == [f"c{number}" for number in range(50, -1, -1)]
    assert second["next_cursor"] is None


async def test_each_message_shows_what_it_left(engine: AsyncToldOnce) -> None:
    await engine.record([user("I am allergic to peanuts."), assistant("Noted.")], user="ana", conversation="trip")
    await engine.form()
    async with dashboard_client(engine) as browser:
        page = await opened(engine)
        html, data = await browser.open(page), await browser.read(page)

    assert {memory["text"] for memory in data["left"]["1"]} == {'The user said: "I am allergic to peanuts."'}
    assert "2" not in data["left"]
    left = html[html.index('id="m1"') : html.index('id="m2"')]
    memory = data["left"]["1"][0]["id"]
    words = escape('The user said: "I am allergic to peanuts."')
    assert f'/memories/{memory}">{words}</a>' in left


async def test_edits_and_regenerations_are_folded_branches(engine: AsyncToldOnce, parts: Components) -> None:
    record = parts.store.conversations.record
    await record(turn("hi", "hello", "my car is red", "fine", external_id="trip"))
    await record(turn("hi", "hello", "my car is blue", "good", external_id="trip"))
    await record(turn("hi", "hello", "my car is blue", "great", external_id="trip"))
    async with dashboard_client(engine) as browser:
        page = await opened(engine)
        html, data = await browser.open(page), await browser.read(page)
        named = await browser.open(page, at="3")

    assert [row["message"] and row["message"]["seq"] for row in data["rows"]] == [None, 1, 2, 5, 7]
    assert folded(html) == [3, 4, 6]
    assert "Another version of what was said after message 2" in html
    assert "Another answer after message 5" in html
    assert '<details class="branch" open>' not in html
    assert '<details class="branch" open>' in named


async def test_erased_and_incomplete_messages_are_marked(engine: AsyncToldOnce, parts: Components) -> None:
    broken = turn("my secret is out", "I beg your", external_id="trip")
    assert broken.reply is not None
    await parts.store.conversations.record(replace(broken, reply=replace(broken.reply, complete=False)))
    async with dashboard_client(engine) as browser:
        page = await opened(engine)
        answer = await browser.submit(page, f"{page}/messages/erase", {"seq": ["1"]})
        assert answer.status_code == 400  # not sure
        answer = await browser.submit(page, f"{page}/messages/erase", {"sure": "yes"})
        assert "Tick the messages" in answer.text
        answer = await browser.submit(page, f"{page}/messages/erase", {"seq": ["1"], "sure": "yes"})
        assert "Receipt" in answer.text
        html = await browser.open(page)

    first, second = html[html.index('id="m1"') : html.index('id="m2"')], html[html.index('id="m2"') :]
    assert "secret" not in html
    assert "Its words were erased" in first
    assert 'name="seq" value="1"' not in first
    assert ">incomplete<" in second
    assert "I beg your" in second
    assert ">incomplete<" not in first


async def test_hostile_and_huge_messages_stay_text(engine: AsyncToldOnce) -> None:
    huge = "x" * 100_000
    said = [{**user(HOSTILE), "name": "<i>ana</i>"}, assistant(HOSTILE), user(huge)]
    await engine.record(said, user="ana", conversation="trip")
    async with dashboard_client(engine) as browser:
        html = await browser.open(await opened(engine))

    assert "<script>alert" not in html
    assert "<img src" not in html.replace('<img src="/dashboard/static', "")
    assert "\u202e" not in html
    assert "⟨U+202E⟩" in html
    assert "{{ 7 * 7 }}" in html
    assert "&lt;i&gt;ana&lt;/i&gt;" in html
    assert "All 100\u202f000 characters" in html
    assert huge in html


async def test_a_long_conversation_is_read_in_pages(engine: AsyncToldOnce) -> None:
    count = 2 * MESSAGES_OF_PAGE + 3
    said = [user(f"word {n}") if n % 2 else assistant(f"word {n}") for n in range(1, count + 1)]
    await engine.record(said, user="ana", conversation="trip")
    async with dashboard_client(engine) as browser:
        page = await opened(engine)
        newest, first = await browser.open(page), await browser.open(page, page="1")
        middle = await browser.read(page, at=str(MESSAGES_OF_PAGE + 1))
        for wrong, status in (({"page": "4"}, 404), ({"at": "999"}, 404), ({"at": "x"}, 400), ({"page": "0"}, 404)):
            assert (await browser.http.get(page, params=wrong, headers=HTML)).status_code == status

    assert re.findall(r'id="m(\d+)"', newest) == ["201", "202", "203"]
    assert len(re.findall(r'id="m(\d+)"', first)) == MESSAGES_OF_PAGE
    assert "page 1 of 3" in first
    assert folded(first) == []
    assert [row["message"]["seq"] for row in middle["rows"][1:]] == [*range(101, 201)]


async def test_a_conversation_is_saved_and_ended(engine: AsyncToldOnce) -> None:
    await engine.record([user("I am allergic to peanuts.")], user="ana", conversation="trip")
    async with dashboard_client(engine) as browser:
        page = await opened(engine)
        assert "being formed" in (await browser.submit(page, f"{page}/save")).text
        assert "Ended." in (await browser.submit(page, f"{page}/end")).text
        assert f'action="{page}/end"' not in await browser.open(page)

    known = await engine.conversations.get("trip", user="ana")
    assert known.end_reason == "ended in the dashboard"


@pytest.mark.parametrize("everywhere", [False, True])
async def test_erasing_a_conversation_shows_the_receipt(engine: AsyncToldOnce, everywhere: bool) -> None:
    await engine.record([user("I am allergic to peanuts.")], user="ana", conversation="trip")
    await engine.form()
    async with dashboard_client(engine) as browser:
        page = await opened(engine)
        refused = await browser.submit(page, f"{page}/erase")
        assert (refused.status_code, "cannot be undone" in refused.text) == (400, True)
        fields = {"sure": "yes", **({"everywhere": "yes"} if everywhere else {})}
        assert "Receipt" in (await browser.submit(page, f"{page}/erase", fields)).text
        html = await browser.open(page)

    assert "peanuts" not in html
    assert "Its words were erased" in html
    assert await engine.list(user="ana", closed=True) == []


async def test_a_key_of_another_user_opens_no_conversation(engine: AsyncToldOnce) -> None:
    await engine.record([user("I am allergic to peanuts.")], user="ana", conversation="trip")
    _, ben = await engine.keys.create(NewApiKey(name="ben", access=Access.WRITE, user="ben"))
    page = await opened(engine)
    async with dashboard_client(engine, authorization=f"Bearer {ben}") as browser:
        for path in (LIST, page, f"{page}/trace"):
            answer = await browser.http.get(path, headers=HTML)
            assert answer.status_code == 403
            assert "peanuts" not in answer.text


async def test_a_reader_sees_no_button_that_changes_anything(engine: AsyncToldOnce) -> None:
    await engine.record([user("I am allergic to peanuts.")], user="ana", conversation="trip")
    _, key = await engine.keys.create(NewApiKey(name="reader", access=Access.READ, user="ana"))
    page = await opened(engine)
    async with dashboard_client(engine, authorization=f"Bearer {key}") as browser:
        html = await browser.open(page)
        answer = await browser.http.post(f"{page}/erase", data={"sure": "yes"}, headers=HTML)

    assert "peanuts" in html
    assert "<form" not in html
    assert answer.status_code == 403
    assert len(await engine.conversations.list(user="ana")) == 1


async def test_episodes_are_shown_with_the_messages_they_sum_up(parts: Components) -> None:
    async with AsyncToldOnce(tiered_parts(parts)) as tiered:
        await Chat(tiered).say_all(["I keep bees on the roof.", *(f"I visited town number {n}." for n in range(22))])
        await tiered.form()
        async with dashboard_client(tiered) as browser:
            page = await opened(tiered, "chat")
            html, data = await browser.open(page), await browser.read(page)

    [episode] = data["episodes"]
    assert "bees on the roof" in data["summary"]
    assert "Summary, of 1 episode<" in html
    assert f"messages {episode['first_seq']} to {episode['last_seq']}</a>" in html
    assert episode["id"] not in str(data["left"])
