"""Pages of what memory did for requests: those of a conversation, one in full, and all as they come."""

import re
from dataclasses import replace
from typing import Any

import pytest

from dashboard_client import HTML, DashboardClient, dashboard_client
from factories import memory
from sample_chats import assistant, user
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.context_builder import ContextBuilder
from toldonce.errors import StoreUnavailableError
from toldonce.server.dashboard.pages import traces
from toldonce.testing import FakeClock
from toldonce.types import Access, AddMemory, MemoryState, NewApiKey, Subject

ANA = "/dashboard/subjects/user%3Aana"
LIVE = f"{ANA}/live"
HOSTILE = "<script>alert(1)</script> \u202eevil\u202c 😀 cello"


async def chat(browser: DashboardClient, *said: str, who: str = "ana", session: str = "c1", tenant: str = "") -> str:
    """Send a chat request, the user's words first; return the answer."""
    messages = [assistant(text) if place % 2 else user(text) for place, text in enumerate(said)]
    headers = {"x-toldonce-user": who, "x-toldonce-session": session}
    if tenant:
        headers["x-toldonce-tenant"] = tenant
    body = {"model": "toldonce/offline", "messages": messages}
    answer = await browser.http.post("/v1/chat/completions", json=body, headers=headers)
    assert answer.status_code == 200
    return str(answer.json()["choices"][0]["message"]["content"])


async def path_of(engine: AsyncToldOnce, session: str = "c1") -> str:
    return f"{ANA}/conversations/{(await engine.conversations.get(session, user='ana')).id}"


def runs(data: dict[str, Any], change: str) -> str:
    """Return the lines of a difference that are `same`, `added` or `removed`."""
    return "\n".join(line for run in data["diff"] if run["change"] == change for line in run["lines"])


async def test_lists_of_requests_say_what_was_asked(engine: AsyncToldOnce) -> None:
    await engine.bulk.add(["Ana plays the cello.", "Ana's bicycle is red."], user="ana")
    first, again = "What does Ana play?", f"What colour is the bicycle? {HOSTILE}"
    async with dashboard_client(engine) as browser:
        answered = await chat(browser, first)
        await chat(browser, first, answered, again)
        live, own = [await browser.read(path) for path in (LIVE, f"{await path_of(engine)}/trace")]
        html = await browser.open(LIVE)

    for listed in (live, own):
        assert [listed["questions"][trace["id"]] for trace in listed["traces"]] == [again, first]
    assert "What colour is the bicycle? &lt;script&gt;alert(1)&lt;/script&gt; ⟨U+202E⟩evil" in html


async def test_the_first_page_shows_what_was_asked_and_remembered_last(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    await engine.bulk.add(["Ana plays the cello.", "Ana's bicycle is red."], user="ana")
    await engine.add("Ben keeps geese.", user="ben")
    held = replace(memory("Ana moved to Oslo.", clock=clock), state=MemoryState.HELD)
    await parts.store.memories.apply(held.subject, [AddMemory(memory=held)], [])
    async with dashboard_client(engine) as browser:
        before = await browser.open("/dashboard")
        await chat(browser, "What does Ana play?")
        html, data = await browser.open("/dashboard"), await browser.read("/dashboard")

    assert "Last requests" not in before
    assert "One memory waits</a> for review" in html
    assert '<q dir="auto">What does Ana play?</q>' in html
    recent = data["recent"]
    assert {each["text"] for each in recent["memories"]} >= {"Ana plays the cello.", "Ana's bicycle is red."}
    assert "Ben keeps geese." not in {each["text"] for each in recent["memories"]}
    assert [day["prompts"] for day in recent["days"]] == [0, 0, 0, 0, 0, 0, 1]
    assert recent["days"][-1]["tokens"] > 0


async def test_an_edited_question_is_not_taken_for_another(engine: AsyncToldOnce) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    async with dashboard_client(engine) as browser:
        answered = await chat(browser, "What does Ana play?")
        await chat(browser, "What does Ana play?", answered, "Where is her cello?")
        await chat(browser, "What does Ana play?", answered, "Whose cello is it?")
        data = await browser.read(LIVE)

    told = [data["questions"][trace["id"]] for trace in data["traces"]]
    assert told == ["Whose cello is it?", "Where is her cello?", "What does Ana play?"]


async def test_a_request_shows_what_it_added_and_left_out(engine: AsyncToldOnce) -> None:
    await engine.bulk.add(["Ana plays the cello.", "Ana's bicycle is red."], user="ana")
    async with dashboard_client(engine) as browser:
        await chat(browser, "What does Ana play?")
        listed = await browser.read(f"{await path_of(engine)}/trace")
        [trace] = listed["traces"]
        page = f"{await path_of(engine)}/traces/{trace['id']}"
        html, data = await browser.open(page), await browser.read(page)
        rows = await browser.open(f"{await path_of(engine)}/trace")

    assert trace["injected"][0]["text"] == "Ana plays the cello."
    assert "Ana plays the cello." in rows
    assert f'href="{page}"' in rows
    assert data["question"][0]["text"] == "What does Ana play?"
    added = data["detail"]["added"]
    assert "Ana plays the cello." in added["standing"] + added["recalled"]
    assert 'aria-label="score' in html
    assert "Ana plays the cello." in html[html.index("As the model saw it") :]
    assert re.search(r"<dt>considered</dt><dd>[2-9]", html)
    assert "built-in" in html


async def test_reasons_name_other_memories_by_their_words(engine: AsyncToldOnce) -> None:
    said, family = "Ana plays the cello.", Subject("shared", "family")
    for owner in (Subject("user", "ana"), family):
        await engine.add(said, user=owner)
    await engine.shared.subscribe(family, user="ana")
    async with dashboard_client(engine) as browser:
        await chat(browser, "What does Ana play?")
        [trace] = (await browser.read(LIVE))["traces"]
        data = await browser.read(f"{await path_of(engine)}/traces/{trace['id']}")

    assert f"says the same as “{said}”" in [item["reason"] for item in data["left_out"]]
    assert [item["id"] for item in data["left_out"]] == [item["id"] for item in trace["omitted"]]


async def test_two_prompts_of_a_chat_are_compared_by_lines(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    async with dashboard_client(engine) as browser:
        answer = await chat(browser, "What does Ana play?")
        await engine.add("Ana's dog is called Rex.", user="ana")
        clock.advance(minutes=1)
        await chat(browser, "What does Ana play?", answer, "What is the dog called?")
        traces = (await browser.read(f"{await path_of(engine)}/trace"))["traces"]
        second, first = [await browser.read(f"{await path_of(engine)}/traces/{trace['id']}") for trace in traces]
        html = await browser.open(f"{await path_of(engine)}/traces/{traces[0]['id']}")

    assert "cello" in runs(first, "added")
    assert "cello" in runs(second, "same")
    assert "Rex" in runs(second, "added")
    assert "cello" not in runs(second, "added")
    assert runs(second, "removed") == ""
    assert re.search(r'<div class="added"[^>]*>.*Rex', html)
    assert "byte for byte" in html


async def test_a_chat_that_begins_again_is_compared_with_before(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    async with dashboard_client(engine) as browser:
        await chat(browser, "What does Ana play?")
        await engine.add("Ana's dog is called Rex.", user="ana")
        clock.advance(minutes=1)
        await chat(browser, "Hello!", "Hello, Ana.", "What does Ana play, and what is her dog called?")
        traces = (await browser.read(f"{await path_of(engine)}/trace"))["traces"]
        data = await browser.read(f"{await path_of(engine)}/traces/{traces[0]['id']}")

    assert len(traces) == 2
    assert data["detail"]["replayed"] == []
    assert "cello" in runs(data, "same")
    assert "Rex" in runs(data, "added")


async def test_a_failed_recall_is_shown(engine: AsyncToldOnce, parts: Components, monkeypatch: Any) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    async with dashboard_client(engine) as browser:
        answer = await chat(browser, "What does Ana play?")

        async def fail(*_: object) -> None:
            raise StoreUnavailableError("the database is away")

        monkeypatch.setattr(ContextBuilder, "write", fail)
        await chat(browser, "What does Ana play?", answer, "And now?")
        monkeypatch.undo()
        live = await browser.open(LIVE)
        [trace] = [trace for trace in (await browser.read(LIVE))["traces"] if trace["failure"]]
        html = await browser.open(f"{await path_of(engine)}/traces/{trace['id']}")

    assert "recall failed" in live
    assert "Nothing was recalled: recall failed." in html


async def test_forgotten_and_erased_memories_leave_no_word(engine: AsyncToldOnce) -> None:
    secret = await engine.add("Ana plays the cello.", user="ana")
    async with dashboard_client(engine) as browser:
        await chat(browser, "What does Ana play?")
        [trace] = (await browser.read(LIVE))["traces"]
        page = f"{await path_of(engine)}/traces/{trace['id']}"
        assert "cello" in await browser.open(page)
        await engine.erase(secret.id, user="ana")
        html, data = await browser.open(page), await browser.read(page)

    assert "plays the cello" not in html[html.index("Added to the prompt") :]  # its answer stays in the log
    assert data["detail"]["added"]["state"] == "erased"
    assert "Its words were erased or forgotten since." in html


async def test_hostile_memories_and_names_stay_text(engine: AsyncToldOnce) -> None:
    await engine.bulk.add([HOSTILE, f"{HOSTILE} twice", "cello " + "y" * 5000], user="ana")
    async with dashboard_client(engine) as browser:
        await chat(browser, f"What of the cello? {HOSTILE}", session="c1")
        [trace] = (await browser.read(LIVE))["traces"]
        page = await path_of(engine)
        pages = [await browser.open(path) for path in (f"{page}/trace", f"{page}/traces/{trace['id']}", LIVE)]

    for html in pages:
        assert "<script>alert" not in html
        assert "\u202e" not in html
    assert "&lt;script&gt;" in pages[1]


async def test_the_live_page_says_how_to_send_a_first_request(engine: AsyncToldOnce) -> None:
    async with dashboard_client(engine) as browser:
        for page in ("/dashboard/live", LIVE):
            html = await browser.open(page)
            assert "curl http://localhost/v1/chat/completions" in html
            assert "toldonce/offline" in html


async def test_the_live_page_asks_for_what_is_new(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    async with dashboard_client(engine) as browser:
        await chat(browser, "What does Ana play?")
        html = await browser.open(LIVE)
        [polled] = re.findall(r'<div id="more" hx-get="([^"]+)"', html)
        assert 'hx-trigger="every 2s"' in html
        assert html.count("<li id=") == 1
        clock.advance(minutes=1)
        await chat(browser, "Does Ana play at all?", session="c2")

        # What htmx takes from the answer: the new rows, and where to ask next.
        newer = await browser.open(polled)
        [following] = re.findall(r'<div id="more" hx-get="([^"]+)"', newer)
        clock.advance(minutes=1)
        settled = await browser.open(following)
        [last] = re.findall(r'<div id="more" hx-get="([^"]+)"', settled)

        assert newer.count("<li id=") == 2  # the first one comes again: it was recorded a moment before
        assert (await browser.open(last)).count("<li id=") == 0


async def test_nothing_is_lost_after_a_long_pause(
    engine: AsyncToldOnce, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More was asked than a page shows."""
    monkeypatch.setattr(traces, "_REQUESTS_OF_PAGE", 10)
    await engine.add("Ana plays the cello.", user="ana")
    async with dashboard_client(engine) as browser:
        newest = (await browser.read(LIVE))["newest"]
        for number in range(12):
            clock.advance(seconds=10)
            await chat(browser, f"What does Ana play? {number}", session=f"c{number}")
        missed = (await browser.read(LIVE, after=newest))["traces"]
        first = await browser.read(LIVE)
        older = await browser.read(LIVE, cursor=first["next_cursor"])
        html = await browser.open(LIVE, cursor=first["next_cursor"])

    names = [f"c{number}" for number in range(11, -1, -1)]
    assert [trace["external_id"] for trace in missed] == names
    assert [trace["external_id"] for trace in [*first["traces"], *older["traces"]]] == names
    assert 'id="more"' not in html  # only the newest page goes on by itself


async def test_administrators_see_all_users_and_others_their_own(engine: AsyncToldOnce) -> None:
    for who in ("ana", "ben"):
        await engine.add("The shelf holds boxes.", user=who)
    async with dashboard_client(engine) as browser:
        for who in ("ana", "ben"):
            await chat(browser, "What does the shelf hold?", who=who, session=f"of-{who}")
        assert {trace["subject"] for trace in (await browser.read("/dashboard/live"))["traces"]} == {
            "user:ana",
            "user:ben",
        }
        assert {trace["subject"] for trace in (await browser.read(LIVE))["traces"]} == {"user:ana"}
    _, key = await engine.keys.create(NewApiKey(name="ana", access=Access.WRITE, user="ana"))
    async with dashboard_client(engine, authorization=f"Bearer {key}") as browser:
        assert len((await browser.read(LIVE))["traces"]) == 1
        for path in ("/dashboard/live", "/dashboard/subjects/user%3Aben/live"):
            assert (await browser.http.get(path, headers=HTML)).status_code == 403


async def test_a_tenants_administrator_sees_its_own_requests(engine: AsyncToldOnce) -> None:
    for tenant in ("acme", "bolt"):
        await engine.add("The shelf holds boxes.", user=Subject("user", "ana", tenant))
    async with dashboard_client(engine) as browser:
        for tenant in ("acme", "bolt"):
            await chat(browser, "What does the shelf hold?", tenant=tenant)
        rows = (await browser.read("/dashboard/live"))["traces"]
        assert {trace["subject"] for trace in rows} == {"@acme/user:ana", "@bolt/user:ana"}
        [full] = re.findall(r'hx-get="([^"]*%40bolt[^"]*)"', await browser.open("/dashboard/live"))
        assert "The shelf holds boxes." in await browser.open(full)
    _, key = await engine.keys.create(NewApiKey(name="acme", access=Access.ADMIN, tenant="acme"))
    async with dashboard_client(engine, authorization=f"Bearer {key}") as browser:
        [trace] = (await browser.read("/dashboard/live"))["traces"]
        assert trace["subject"] == "user:ana"
        [own] = re.findall(r'hx-get="([^"]*/traces/[^"]*)"', await browser.open("/dashboard/live"))
        assert "The shelf holds boxes." in await browser.open(own)
        refused = await browser.http.get(full, headers=HTML)
        assert (refused.status_code, "boxes" in refused.text) == (400, False)


async def test_unknown_conversations_and_requests_are_not_found(engine: AsyncToldOnce) -> None:
    await engine.record([user("I live in Oslo.")], user="ana", conversation="c1")
    async with dashboard_client(engine) as browser:
        page = await path_of(engine)
        assert "No request of it had a memory to consider." in await browser.open(f"{page}/trace")
        for path in (f"{page}/traces/0199f3a2-7c1e-7d3a-9b0e-3f1d5c7a9b21", f"{ANA}/conversations/none/trace"):
            assert (await browser.http.get(path, headers=HTML)).status_code == 404
