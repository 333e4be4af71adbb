"""S11: the memories of a session over HTTP, in the names of its interface."""

from collections.abc import AsyncIterator

import httpx
import pytest

from sample_chats import user
from toldonce.engine import AsyncToldOnce
from toldonce.server.app import build_app
from toldonce.types import RequestScope

ANA = {"x-toldonce-user": "ana"}
NEW = {"content": "Ana likes tea.", "type": "PREFERENCE", "importance": 0.9}


@pytest.fixture
async def api(engine: AsyncToldOnce) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=build_app(engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=ANA) as client:
        yield client


async def opened(api: httpx.AsyncClient, name: str = "s1") -> str:
    answer = await api.post("/api/sessions", json={"id": name})
    assert answer.status_code == 201
    return f"/api/sessions/{name}/memories"


async def test_s11_a_memory_is_added_listed_read_and_deleted(api: httpx.AsyncClient) -> None:
    memories = await opened(api)
    added = await api.post(memories, json=NEW)
    assert added.status_code == 201
    one = added.json()
    assert set(one) == {
        "id", "sessionId", "memoryContent", "memoryType", "importance", "createdAt", "lastAccessedAt",
    }  # fmt: skip
    assert (one["sessionId"], one["memoryContent"], one["memoryType"]) == ("s1", "Ana likes tea.", "preference")
    assert (one["importance"], one["lastAccessedAt"]) == (0.9, one["createdAt"])
    assert (await api.get(memories)).json() == [one], "a bare array"
    assert (await api.get(f"{memories}/{one['id']}")).json() == one
    assert (await api.delete(f"{memories}/{one['id']}")).json() == {"success": True}
    assert (await api.get(memories)).json() == []


async def test_s11_a_session_exists_from_its_first_message(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    assert (await api.get("/api/sessions/s2/memories")).status_code == 404
    await engine.record([user("I like tea.")], user="ana", conversation="s2", scope=RequestScope(profile="session"))
    await engine.form()
    assert [memory["sessionId"] for memory in (await api.get("/api/sessions/s2/memories")).json()] == ["s2"]


async def test_s11_a_session_without_an_id_gets_one(api: httpx.AsyncClient) -> None:
    made = (await api.post("/api/sessions")).json()
    assert made["id"]
    assert made["profile"] == "session"
    assert (await api.get(f"/api/sessions/{made['id']}")).json() == made
    assert (await api.get(f"/api/sessions/{made['id']}/memories")).json() == []


async def test_s12_an_unknown_session_or_memory_is_404(api: httpx.AsyncClient) -> None:
    memories = await opened(api)
    one = (await api.post(memories, json=NEW)).json()["id"]
    stranger = {"x-toldonce-user": "ben"}
    for method, path, headers in (
        ("GET", "/api/sessions/gone/memories", ANA),
        ("POST", "/api/sessions/gone/memories", ANA),
        ("GET", f"{memories}/nonsense", ANA),
        ("DELETE", f"{memories}/0198c0de-0000-7000-8000-00000000000a", ANA),
        ("GET", memories, stranger),
        ("GET", f"{memories}/{one}", stranger),
        ("DELETE", f"{memories}/{one}", stranger),
    ):
        body = NEW if method == "POST" else None
        answer = await api.request(method, path, headers=headers, json=body)
        assert answer.status_code == 404, path
        assert answer.json()["error"]["type"] == "invalid_request_error"
    assert len((await api.get(memories)).json()) == 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not JSON"),
        (b"[" * 50_000, "nests values deeper than 200"),
        (b'"text"', "the body"),
        (b"{}", "content: Field required"),
        (b'{"content": 5}', "content: Input should be a valid string (it is 5)"),
        (b'{"content": "x", "type": "poem"}', "it is one of preference, insight, fact"),
        (b'{"content": "x", "importance": 1.5}', "importance"),
        (b'{"content": "x", "importance": "0.5"}', "importance"),
        (b'{"content": "x", "importance": NaN}', "NaN is no number of JSON"),
        (b'{"content": "half \\ud83d"}', "half of a surrogate pair, \\ud83d,"),
        (b'{"content": "x", "more": 1}', "more: Extra inputs are not permitted"),
        (b'{"content": " \\u0000 "}', None),
        (b'{"content": ""}', "the text is empty"),
    ],
)
async def test_s11_what_cannot_be_read_is_refused_with_what_was_wrong(
    api: httpx.AsyncClient, body: bytes, said: str | None
) -> None:
    answer = await api.post(await opened(api), content=body)
    assert answer.status_code == (201 if said is None else 400)
    if said is not None:
        assert said in answer.json()["error"]["message"]


@pytest.mark.parametrize("limit", ["0", "-1", "1001", "x", "1e3", "9999999999999999999", "\u0661"])
async def test_a_limit_out_of_range_never_means_all(api: httpx.AsyncClient, limit: str) -> None:
    answer = await api.get(await opened(api), params={"limit": limit})
    assert answer.status_code == 400
    assert "goes from 1 to 1000" in answer.json()["error"]["message"]


async def test_users_are_told_apart_by_the_path_as_well(api: httpx.AsyncClient) -> None:
    await opened(api)
    plain = {"x-toldonce-user": ""}
    assert (await api.get("/u/ana/api/sessions/s1", headers=plain)).status_code == 200
    assert (await api.get("/u/ben/api/sessions/s1", headers=plain)).status_code == 404
    assert (await api.get("/u/ben/api/sessions/s1")).status_code == 403, "path and header name different users"


async def test_an_unknown_method_is_refused(api: httpx.AsyncClient) -> None:
    answer = await api.put("/api/sessions", json={})
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json()["error"]["type"] == "invalid_request_error"
    nowhere = await api.get("/api/nowhere")
    assert (nowhere.status_code, nowhere.json()["error"]["type"]) == (404, "invalid_request_error")


async def test_s11_memories_added_in_one_request_come_back_in_order(
    api: httpx.AsyncClient,
) -> None:
    memories = await opened(api)
    answer = await api.post(memories, json=[NEW, {"content": "Ana rows."}, {"content": "Ana likes TEA"}])
    assert answer.status_code == 201
    first, second, third = answer.json()
    assert [memory["memoryContent"] for memory in (first, second)] == ["Ana likes tea.", "Ana rows."]
    assert third == first, "said twice, kept once"
    assert sorted(memory["id"] for memory in (await api.get(memories)).json()) == sorted([first["id"], second["id"]])


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ([], "at least 1 item"),
        ([NEW, 7], "1: Input should be"),
        ([NEW, {"type": "fact"}], "1.content: Field required"),
        ([NEW, NEW | {"type": "poem"}], "1.type is 'poem'; it is one of preference, insight, fact"),
        ([NEW, NEW | {"content": " "}], "note 2 of 2: there is nothing to remember: the text is empty; none was kept"),
        ([NEW] * 1001, "there are 1,001 notes, one call takes 1,000: send them in parts"),
    ],
)
async def test_s11_of_several_memories_none_is_kept_where_one_cannot_be(
    api: httpx.AsyncClient, sent: list[object], said: str
) -> None:
    memories = await opened(api)
    answer = await api.post(memories, json=sent)
    assert answer.status_code == 400
    assert said in answer.json()["error"]["message"]
    assert (await api.get(memories)).json() == []
