"""Conversations and messages under `/v1/subjects/{subject}`. On every store; every answer is checked."""

from datetime import UTC, datetime

import httpx

from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock

ANA = "/v1/subjects/user:ana"
TRIP = f"{ANA}/conversations/trip%2F1"


def said(*texts: str, **more: object) -> dict[str, object]:
    return {"messages": [{"role": "user", "content": text} for text in texts], **more}


async def test_messages_are_recorded_once_and_read_in_pages(api: httpx.AsyncClient) -> None:
    first = await api.post(f"{TRIP}/messages", json=said("I play the cello.", "I live in Oslo."))
    assert (first.status_code, first.json()["appended"], first.json()["new_conversation"]) == (201, [1, 2], True)
    known = (await api.get(TRIP)).json()
    assert (known["external_id"], known["messages"], known["id"]) == ("trip/1", 2, first.json()["conversation"])
    page = await api.get(f"{TRIP}/messages?limit=1")
    assert [message["text"] for message in page.json()["messages"]] == ["I play the cello."]
    following = await api.get(page.links["next"]["url"])
    assert [message["seq"] for message in following.json()["messages"]] == [2]
    assert (await api.get(f"{ANA}/conversations/other/messages")).status_code == 404
    assert (await api.get(f"/v1/subjects/user:ben/conversations/{known['id']}")).status_code == 404


async def test_old_messages_are_imported_with_their_dates(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    old = {"role": "user", "content": "I am allergic to peanuts.", "said_at": "2024-05-03T10:00:00+02:00"}
    reply = {"role": "assistant", "content": "Noted.", "said_at": "2024-05-03T08:00:05Z"}
    assert (await api.post(f"{TRIP}/messages", json={"messages": [old, reply]})).status_code == 201
    await engine.form()
    [fact] = (await api.get(f"{ANA}/memories?kind=fact")).json()["memories"]
    assert datetime.fromisoformat(fact["valid_from"]) == datetime(2024, 5, 3, 8, tzinfo=UTC)
    mixed = await api.post(f"{TRIP}/messages", json={"messages": [old, {"role": "user", "content": "Hi."}]})
    assert (mixed.status_code, "with all messages or with none" in mixed.json()["detail"]) == (400, True)


async def test_memories_are_extracted_from_a_text_without_a_conversation(
    api: httpx.AsyncClient, engine: AsyncToldOnce
) -> None:
    recorded = await api.post(f"{ANA}/messages", json=said("I am allergic to peanuts."))
    assert recorded.status_code == 201
    await engine.form()
    conversation = recorded.json()["conversation"]
    formed = (await api.get(f"{ANA}/conversations/{conversation}/memories")).json()["memories"]
    assert "peanuts" in {memory["value"] for memory in formed}


async def test_conversations_of_one_instant_are_listed_once_each(api: httpx.AsyncClient, clock: FakeClock) -> None:
    for number in range(5):
        await api.put(f"{ANA}/conversations/c{number}", json={})
    clock.advance(seconds=1)
    await api.put(f"{ANA}/conversations/newest", json={})
    read: list[str] = []
    url: str | None = f"{ANA}/conversations?limit=2"
    while url:
        answer = await api.get(url)
        read += [known["external_id"] for known in answer.json()["conversations"]]
        url = answer.links.get("next", {}).get("url")
    assert read[0] == "newest"
    assert sorted(read) == ["c0", "c1", "c2", "c3", "c4", "newest"]
    assert (await api.get(f"{ANA}/conversations?cursor=nonsense")).status_code == 400


async def test_a_conversation_is_opened_ended_saved_and_erased(api: httpx.AsyncClient) -> None:
    opened = await api.put(TRIP, json={"profile": "tiered"})
    assert (opened.status_code, opened.json()["profile"], opened.json()["ended_at"]) == (200, "tiered", None)
    await api.post(f"{TRIP}/messages", json=said("I play the cello."))
    assert (await api.post(f"{TRIP}/save")).status_code == 202
    ended = await api.post(f"{TRIP}/end", json=said("Bye.", reason="closed"))
    assert (ended.status_code, ended.json()["end_reason"], ended.json()["messages"]) == (202, "closed", 2)
    assert (await api.post(f"{TRIP}/end")).status_code == 202
    erased = await api.delete(f"{TRIP}/messages?seq=1&seq=2")
    assert {place["name"]: place["count"] for place in erased.json()["places"]}["messages"] == 2
    assert [message["text"] for message in (await api.get(f"{TRIP}/messages")).json()["messages"]] == ["", ""]
    assert (await api.delete(TRIP)).json()["done"] in (True, False)
    unknown = await api.post(f"{ANA}/conversations/none/save")
    assert (unknown.status_code, unknown.json()["type"]) == (404, "/docs#unknown-conversation")


async def test_memory_writes_prompts_and_shows_what_it_did(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    await api.post(f"{ANA}/memories", json={"memories": [{"text": "Ana likes green tea."}]})
    context = (await api.post(f"{ANA}/context", json={"query": "Which tea do I like?"})).json()
    assert "green tea" in context["text"]
    assert [item["memory"]["uses"] for item in context["items"]] == [0]
    await api.post(f"{TRIP}/messages", json=said("I play the cello."))
    prompt = (await api.post(f"{TRIP}/prompt", json={"query": "Which tea do I like?", "system": "Be kind."})).json()
    assert prompt["messages"][0] == {"role": "system", "content": "Be kind."}
    assert prompt["messages"][-1] == {"role": "user", "content": "Which tea do I like?"}
    summary = (await api.get(f"{TRIP}/summary")).json()
    assert [message["text"] for message in summary["window"]] == ["I play the cello."]
    assert (await api.get(f"{TRIP}/trace")).json() == {"prompts": []}


async def test_further_fields_of_messages_are_kept(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "clock", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "What time is it?"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    assert (await api.post(f"{TRIP}/messages", json={"messages": messages})).status_code == 201
    texts = [message["text"] for message in (await api.get(f"{TRIP}/messages")).json()["messages"]]
    assert texts == ["What time is it?", ""]
