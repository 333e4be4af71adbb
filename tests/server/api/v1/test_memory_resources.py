"""Memories under `/v1/subjects/{subject}/memories`. On every store; every answer is checked against the document."""

import asyncio
from datetime import timedelta

import httpx
import pytest

from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock
from toldonce.types import Subject

ANA = "/v1/subjects/user:ana"
TEA = {"text": "Ana likes green tea.", "type": "preference", "importance": 0.9}


async def added(api: httpx.AsyncClient, *texts: str) -> list[str]:
    answer = await api.post(f"{ANA}/memories", json={"memories": [{"text": text} for text in texts]})
    assert answer.status_code == 201
    return [memory["id"] for memory in answer.json()["memories"]]


async def test_notes_are_stored_listed_and_found(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    answer = await api.post(f"{ANA}/memories", json={"memories": [TEA, {"text": "Ana rows."}]})
    assert answer.status_code == 201
    tea, rows = answer.json()["memories"]
    assert (tea["text"], tea["type"], tea["importance"], tea["subject"]) == (
        "Ana likes green tea.",
        "preference",
        0.9,
        "user:ana",
    )
    assert {note.id for note in await engine.list(user="ana")} == {tea["id"], rows["id"]}
    found = (await api.post(f"{ANA}/search", json={"query": "what does she drink? tea?", "limit": 1})).json()
    assert [item["memory"]["id"] for item in found["items"]] == [tea["id"]]
    assert found["items"][0]["reasons"]
    assert (await api.post("/v1/subjects/user:ben/search", json={"query": "tea"})).json()["items"] == []


async def test_a_list_is_read_page_by_page_by_its_links(api: httpx.AsyncClient) -> None:
    ids = await added(api, *(f"Shelf {number} holds boxes." for number in range(7)))
    read: list[str] = []
    url: str | None = f"{ANA}/memories?limit=3&kind=note"
    pages = 0
    while url is not None:
        answer = await api.get(url)
        read += [memory["id"] for memory in answer.json()["memories"]]
        url = answer.links.get("next", {}).get("url")
        pages += 1
        assert (answer.json()["next_cursor"] is None) == (url is None)
    assert (read, pages) == (ids[::-1], 3)


async def test_lists_are_filtered_by_kind_state_and_time(api: httpx.AsyncClient, clock: FakeClock) -> None:
    [tea] = await added(api, "Ana likes green tea.")
    then = clock.now()
    clock.advance(hours=1)
    assert (await api.post(f"{ANA}/memories/{tea}/close")).json()["state"] == "closed"

    async def listed(query: str) -> list[str]:
        return [memory["id"] for memory in (await api.get(f"{ANA}/memories?{query}")).json()["memories"]]

    assert await listed("") == []
    assert await listed("state=closed") == [tea]
    assert await listed("state=closed&state=active&kind=fact") == []
    at = then.isoformat().replace("+", "%2B")
    assert await listed(f"known_at={at}") == [tea]


async def test_a_correction_takes_the_place_of_a_memory(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    [tea] = await added(api, "Ana likes green tea.")
    read = await api.get(f"{ANA}/memories/{tea}")
    corrected = await api.patch(
        f"{ANA}/memories/{tea}", json={"text": "Ana likes black tea."}, headers={"If-Match": read.headers["etag"]}
    )
    assert corrected.status_code == 200
    assert corrected.headers["etag"] == (await api.get(f"{ANA}/memories/{corrected.json()['id']}")).headers["etag"]
    assert [note.text for note in await engine.list(user="ana")] == ["Ana likes black tea."]
    why = (await api.get(f"{ANA}/memories/{tea}/why")).json()
    assert (why["memory"]["state"], why["replaced_by"]) == ("closed", [corrected.json()["id"]])
    history = (await api.get(f"{ANA}/memories/{tea}/history")).json()
    assert [line["action"] for line in history["decisions"]] == ["add", "replace"]


async def test_a_memory_was_wrong_or_true_until_an_instant(
    api: httpx.AsyncClient, engine: AsyncToldOnce, clock: FakeClock
) -> None:
    tea, dog = await added(api, "Ana likes green tea."), await added(api, "Ana has a dog.")
    clock.advance(days=2)
    until = clock.now() - timedelta(days=1)
    wrong = (await api.patch(f"{ANA}/memories/{tea[0]}", json={})).json()
    assert (wrong["id"], wrong["state"], wrong["valid_to"]) == (tea[0], "closed", wrong["valid_from"])
    body = {"text": "Ana has a cat.", "true_until": until.isoformat()}
    cat = (await api.patch(f"{ANA}/memories/{dog[0]}", json=body)).json()
    assert cat["valid_from"] == (await api.get(f"{ANA}/memories/{dog[0]}")).json()["valid_to"]
    past = await engine.list(user="ana", at=until - timedelta(hours=1))
    assert [memory.id for memory in past] == dog
    late = await api.patch(f"{ANA}/memories/{cat['id']}", json={"true_until": "2990-01-01T00:00:00Z"})
    assert (late.status_code, "still to come" in late.json()["detail"]) == (400, True)
    closed = await api.post(f"{ANA}/memories/{cat['id']}/close", json={"reason": "she asked"})
    assert closed.json()["state"] == "closed"
    decisions = (await api.get(f"{ANA}/memories/{cat['id']}/history")).json()["decisions"]
    assert decisions[-1]["reason"] == "forgotten by hand: she asked"


@pytest.mark.parametrize("verb", ["correct", "close", "erase"])
async def test_a_changed_memory_is_left_alone(api: httpx.AsyncClient, engine: AsyncToldOnce, verb: str) -> None:
    [tea] = await added(api, "Ana likes green tea.")
    tag = (await api.get(f"{ANA}/memories/{tea}")).headers["etag"]
    await engine.add("ana likes green tea", user="ana", importance=1.0)  # strengthens it

    async def act(headers: dict[str, str]) -> httpx.Response:
        match verb:
            case "correct":
                return await api.patch(f"{ANA}/memories/{tea}", json={"text": "Ana likes milk."}, headers=headers)
            case "close":
                return await api.post(f"{ANA}/memories/{tea}/close", headers=headers)
            case _:
                return await api.delete(f"{ANA}/memories/{tea}", headers=headers)

    refused = await act({"If-Match": tag})
    assert (refused.status_code, refused.json()["type"]) == (412, "/docs#changed")
    assert (await engine.get(tea, user="ana")).state == "active"
    assert (await act({"If-Match": "*"})).status_code == 200


async def test_recall_does_not_change_the_tag_of_a_memory(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    [tea] = await added(api, "Ana likes green tea.")
    tag = (await api.get(f"{ANA}/memories/{tea}")).headers["etag"]
    await engine.context("Do I like green tea?", user="ana")
    assert [item.memory.uses for item in (await engine.search("green tea", user="ana")).items] == [1]
    assert (await api.get(f"{ANA}/memories/{tea}")).headers["etag"] == tag


async def test_of_two_corrections_of_one_state_one_is_made(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    [tea] = await added(api, "Ana likes green tea.")
    tag = {"If-Match": (await api.get(f"{ANA}/memories/{tea}")).headers["etag"]}
    answers = await asyncio.gather(
        *(api.patch(f"{ANA}/memories/{tea}", json={"text": f"Ana likes tea {n}."}, headers=tag) for n in range(8))
    )
    assert sorted(answer.status_code for answer in answers) == [200, *[412] * 7]
    assert len(await engine.list(user="ana")) == 1


async def test_an_erased_memory_leaves_a_receipt(api: httpx.AsyncClient) -> None:
    [tea] = await added(api, "Ana likes green tea.")
    receipt = (await api.delete(f"{ANA}/memories/{tea}?keep_messages=true")).json()
    assert {place["name"]: place["count"] for place in receipt["places"]}["memories"] == 1
    gone = await api.get(f"{ANA}/memories/{tea}")
    assert (gone.status_code, gone.json()["type"]) == (404, "/docs#unknown-memory")


async def test_a_memory_says_which_words_it_rests_on(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    await engine.record([{"role": "user", "content": "I am allergic to peanuts."}], user="ana", conversation="c")
    await engine.form()
    [fact] = (await api.get(f"{ANA}/memories?kind=fact")).json()["memories"]
    why = (await api.get(f"{ANA}/memories/{fact['id']}/why")).json()
    assert [source["text"] for source in why["sources"]] == ["I am allergic to peanuts."]
    assert "allergic to peanuts" in why["memory"]["evidence"][0]["quote"]


async def test_a_memory_is_shared_and_taken_back(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    [bins] = await added(api, "The bins go out on Tuesday.")
    linked = await api.post(f"{ANA}/memories/{bins}/links", json={"to": "shared:family"})
    assert (linked.status_code, linked.json()["subject"], linked.json()["id"]) == (201, "shared:family", bins)
    assert (await api.post(f"{ANA}/memories/{bins}/unlink")).status_code == 204
    assert await engine.list(user="ana") == []
    assert [note.id for note in await engine.list(user=Subject("shared", "family"))] == [bins]
