"""Export and import under `/v1`: what was exported is imported elsewhere, in streams. On stores that are shared."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, BinaryIO

import httpx
import pytest

from product_exports import chatgpt_dialogue, write_zip
from stores import DURABLE
from toldonce.engine import AsyncToldOnce
from toldonce.errors import StoreUnavailableError
from toldonce.server.api.v1.transfer import export_stream
from toldonce.server.app import build_app
from toldonce.settings import Settings

OCTETS = {"content-type": "application/octet-stream"}
LINES = {"content-type": "application/x-ndjson"}
pytestmark = pytest.mark.parametrize("engine", DURABLE, indirect=True)


async def test_what_is_exported_is_imported_elsewhere(
    api: httpx.AsyncClient, engine: AsyncToldOnce, tmp_path: Path
) -> None:
    for user in ("ana", "ben"):
        await engine.add(f"{user} likes tea.", user=user)
    one = await api.get("/v1/subjects/user:ana/export")
    assert (one.status_code, one.headers["content-type"]) == (200, "application/x-ndjson")
    assert b"ben likes tea" not in one.content
    paper = await api.get("/v1/subjects/user:ana/export?format=markdown")
    assert paper.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "\n- ana likes tea. *(added by hand, " in paper.text
    assert (await api.get("/v1/export?format=markdown")).text.count(" likes tea. *(") == 2
    assert (await api.get("/v1/export?format=pdf")).status_code == 400
    everything = await api.get("/v1/export")
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'other.sqlite3'}")
    async with await AsyncToldOnce.open(settings, embedder=engine._components.embedder) as other:
        transport = httpx.ASGITransport(app=build_app(other))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as there:
            assert (await there.post("/v1/import", content=one.content, headers=LINES)).json()["memories"] == 1
            present = await there.post("/v1/import", content=everything.content, headers=LINES)
            assert (present.status_code, "user:ana" in present.json()["detail"]) == (400, True)
            rest = await there.post("/v1/import?only_missing=true", content=everything.content, headers=LINES)
            assert (rest.json()["subjects"], rest.json()["present"]) == (1, 1)
        assert [note.text for note in await other.list(user="ben")] == ["ben likes tea."]


async def test_an_export_of_another_product_is_imported_once(api: httpx.AsyncClient, tmp_path: Path) -> None:
    path = write_zip(
        tmp_path / "chatgpt.zip",
        {"conversations.json": [chatgpt_dialogue("trip", [("I am allergic to nuts.", "Noted.")])]},
    )

    async def send(query: str) -> Any:
        url = f"/v1/subjects/user:ana/import{query}"
        return (await api.post(url, content=path.read_bytes(), headers=OCTETS)).json()

    dry = await send("?dry_run=true")
    assert (dry["source"], dry["dry_run"], dry["conversations"], dry["messages"]) == ("chatgpt", True, 1, 2)
    taken, again = await send("?from=chatgpt"), await send("")

    assert (taken["conversations"], taken["first"][:10], taken["bad_count"]) == (1, "2025-03-01", 0)
    assert (again["conversations"], again["known"]) == (0, 1)
    listed = (await api.get("/v1/subjects/user:ana/conversations")).json()["conversations"]
    assert [chat["external_id"] for chat in listed] == ["chatgpt:trip"]


@pytest.mark.parametrize(
    ("content", "query", "why"),
    [
        (b"never exported", "", "the file is no export that is known"),
        (b"PK\x03\x04 broken", "", "the file is a zip without its end"),
        (b'{"id": 1}', "?from=mem1", "no source is called 'mem1'"),
        (b'{"toldonce": 1}\n', "", "post it to /v1/import"),
        (b"x" * 2048, "", "larger than 1024 bytes"),
    ],
)
async def test_a_file_that_is_no_export_is_refused_in_the_clients_words(
    api: httpx.AsyncClient, engine: AsyncToldOnce, content: bytes, query: str, why: str
) -> None:
    engine.settings = engine.settings.model_copy(update={"max_import_bytes": 1024})
    refused = await api.post(f"/v1/subjects/user:ana/import{query}", content=content, headers=OCTETS)
    assert refused.status_code in (400, 413)
    assert why in refused.json()["detail"]
    assert "/tmp" not in refused.text


async def test_nothing_to_export_is_a_problem_and_not_an_empty_file(api: httpx.AsyncClient) -> None:
    refused = await api.get("/v1/subjects/user:ana/export")
    assert (refused.status_code, refused.json()["type"]) == (400, "/docs#bad-request")


async def test_a_file_is_bounded_declared_and_checked(api: httpx.AsyncClient, engine: AsyncToldOnce) -> None:
    assert (await api.post("/v1/import", content=b"x", headers=LINES)).status_code == 400
    assert (await api.post("/v1/import", content=b"x")).status_code == 415
    engine.settings = engine.settings.model_copy(update={"max_import_bytes": 1024})
    large = await api.post("/v1/import", content=b"x" * 1025, headers=LINES)
    assert (large.status_code, large.json()["type"]) == (413, "/docs#too-large")


async def test_a_client_that_reads_slowly_holds_the_export_back(engine: AsyncToldOnce) -> None:
    written = 0

    async def write(file: BinaryIO) -> None:
        def fill() -> None:
            nonlocal written
            for _ in range(1000):
                file.write(b"x" * 10_000)
                written += 10_000

        await asyncio.to_thread(fill)

    pieces = await export_stream(write)
    await asyncio.sleep(0.2)
    assert written < 1_000_000
    total = 0
    async for piece in pieces:
        total += len(piece)
    assert total == written == 10_000_000


async def test_a_client_that_leaves_ends_the_export(engine: AsyncToldOnce) -> None:
    ended = asyncio.Event()

    async def write(file: BinaryIO) -> None:
        try:
            await asyncio.to_thread(lambda: [file.write(b"x" * 10_000) for _ in range(10_000)])
        finally:
            ended.set()

    pieces = await export_stream(write)
    assert len(await anext(pieces)) >= 10_000
    await pieces.aclose()
    assert ended.is_set()


async def test_an_export_that_breaks_off_ends_with_its_error(engine: AsyncToldOnce) -> None:
    async def write(file: BinaryIO) -> None:
        await asyncio.to_thread(file.write, b"x" * 100_000)
        raise StoreUnavailableError("it is closed")

    pieces: AsyncIterator[bytes] = await export_stream(write)
    with pytest.raises(StoreUnavailableError):
        async for _ in pieces:
            pass
