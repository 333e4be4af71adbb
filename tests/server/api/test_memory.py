"""Adding to the caller's memory over HTTP: one note or many in a request. On every store."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from stores import DIALECTS, new_store, url_of
from toldonce.engine import AsyncToldOnce, Components
from toldonce.providers.token_counter import token_counter
from toldonce.server.app import build_app
from toldonce.settings import Settings
from toldonce.testing import FakeClock, WordEmbedder

ANA, BEN = {"x-toldonce-user": "ana"}, {"x-toldonce-user": "ben"}
TEA = {"content": "Ana likes tea.", "type": "preference", "importance": 0.9}


@pytest.fixture(params=DIALECTS)
async def engine(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> AsyncIterator[AsyncToldOnce]:
    parts = Components(
        settings=Settings(database_url=url_of(request.param, tmp_path)),
        clock=clock,
        store=await new_store(request.param, tmp_path, clock),
        embedder=WordEmbedder(64),
        model=None,
        counter=token_counter(),
    )
    async with AsyncToldOnce(parts) as opened:
        yield opened


@pytest.fixture
async def api(engine: AsyncToldOnce) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=build_app(engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=ANA) as client:
        yield client


async def test_a_note_is_added_to_the_callers_memory(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    answer = await api.post("/api/memory", json=TEA)
    assert answer.status_code == 201
    one = answer.json()
    assert (one["content"], one["type"], one["kind"], one["state"]) == (TEA["content"], "preference", "note", "active")
    [kept] = await engine.list(user="ana")
    assert (kept.id, kept.importance) == (one["id"], 0.9)
    assert (await api.post("/api/memory", json={"content": "I row."}, headers=BEN)).status_code == 201
    assert [note.text for note in await engine.list(user="ben")] == ["I row."]


async def test_a_hundred_notes_are_added_in_one_request(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    texts = [f"Shelf {number} holds boxes." for number in range(100)]
    answer = await api.post("/api/memory", json=[{"content": text} for text in texts])
    assert answer.status_code == 201
    assert [note["content"] for note in answer.json()] == texts
    listed = await engine.list(user="ana", limit=1000)
    assert {note.id for note in listed} == {note["id"] for note in answer.json()}


@pytest.mark.parametrize(
    ("sent", "said", "param"),
    [
        ({}, "content: Field required", "content"),
        ([], "at least 1 item", None),
        ([TEA, TEA | {"importance": 2}], "1.importance: Input should be less than or equal to 1", "1.importance"),
        ([TEA, {"content": "x" * 10_001}], "note 2 of 2: the text has 10001 characters", "1.text"),
        ([TEA] * 1001, "there are 1,001 notes, one call takes 1,000", None),
    ],
)
async def test_what_cannot_be_kept_is_named_and_nothing_is(
    api: httpx.AsyncClient, engine: AsyncToldOnce, sent: object, said: str, param: str | None
) -> None:
    answer = await api.post("/api/memory", json=sent)
    assert answer.status_code == 400
    assert said in answer.json()["error"]["message"]
    assert answer.json()["error"]["param"] == param
    assert await engine.list(user="ana") == []
