"""A database that may only be read: it is searched, listed and shown in prompts; writing to it is refused."""

import os
from pathlib import Path

import httpx
import psycopg
import pytest

from patience import PATIENCE_S
from postgres_server import NEEDS_POSTGRES
from sample_chats import assistant, tell, user
from stores import url_of
from toldonce.engine import AsyncToldOnce
from toldonce.errors import StoreReadOnlyError, StoreUnavailableError, UnreadableStoreError
from toldonce.server.app import build_app
from toldonce.settings import Settings
from toldonce.store.sqlite import connection
from toldonce.store.sqlite.migrate import newest_schema
from unprivileged import locked, open_folder, unprivileged

__all__ = ["open_folder"]  # a fixture

SAID = "I live in Oslo."


async def opened(url: str) -> AsyncToldOnce:
    return await AsyncToldOnce.open(Settings(database_url=url, recall_timeout_s=PATIENCE_S))


async def filled(url: str) -> None:
    async with await opened(url) as engine:
        await tell(engine, user(SAID), assistant("Noted."))


async def is_read_and_not_written(url: str) -> None:
    """Use a database in all the ways that read, and try to write."""
    async with await opened(url) as engine:
        [fact] = await engine.list(user="ana")
        assert SAID in (await engine.get(fact.id, user="ana")).text
        assert SAID in (await engine.search("Oslo", user="ana")).items[0].memory.text
        assert SAID in (await engine.context("Where do I live?", user="ana")).text
        prompt = await engine.prompt("Where do I live?", user="ana", conversation="new")
        assert SAID in str(prompt)
        for writing in (
            engine.add("Ana rows.", user="ana"),
            engine.record([user("I row.")], user="ana"),
            engine.forget(fact.id, user="ana"),
            engine.erase(fact.id, user="ana"),
            engine.admin.require_writable(),
        ):
            with pytest.raises(StoreReadOnlyError, match="may be read but not written"):
                await writing
        assert await engine.form() == 0
        transport = httpx.ASGITransport(app=build_app(engine))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            ready, health = await client.get("/readyz"), await client.get("/healthz")
            reason = "the database may be read but not written: nothing was written"
            assert (ready.status_code, ready.json()) == (503, {"status": "unavailable", "reason": reason})
            assert (health.json()["status"], health.json()["reason"]) == ("degraded", reason)
            listed = await client.get("/v1/subjects/user:ana/memories")
            refused = await client.post("/v1/subjects/user:ana/memories", json={"memories": [{"text": "Ana rows."}]})
            assert [row["id"] for row in listed.json()["memories"]] == [fact.id]
            assert (refused.status_code, refused.json()["type"].rpartition("#")[2]) == (503, "store-read-only")


async def test_a_file_that_may_only_be_read_is(open_folder: Path) -> None:
    path = open_folder / "memory.sqlite3"
    await filled(f"sqlite:///{path}")
    path.chmod(0o444)
    with unprivileged(open_folder):
        await is_read_and_not_written(f"sqlite:///{path}")
    assert sorted(os.listdir(open_folder)) == [path.name, f"{path.name}.lock"], "nothing was made"


async def test_a_file_in_a_folder_that_may_only_be_read_is(open_folder: Path) -> None:
    path = open_folder / "memory.sqlite3"
    await filled(f"sqlite:///{path}")
    with unprivileged(open_folder), locked(open_folder):
        await is_read_and_not_written(f"sqlite:///{path}")


async def test_a_file_that_another_process_writes_is_read_with_its_log(open_folder: Path) -> None:
    path = open_folder / "memory.sqlite3"
    async with await opened(f"sqlite:///{path}") as writing:
        await tell(writing, user(SAID), assistant("Noted."))
        path.chmod(0o444)
        with unprivileged(open_folder):
            await is_read_and_not_written(f"sqlite:///{path}")
        path.chmod(0o644)


async def test_a_file_that_a_process_begins_to_write_is_not_read_on(open_folder: Path) -> None:
    path = open_folder / "memory.sqlite3"
    await filled(f"sqlite:///{path}")
    path.chmod(0o444)
    with unprivileged(open_folder):
        async with await opened(f"sqlite:///{path}") as reading:
            assert len(await reading.list(user="ana")) == 1
            (open_folder / f"{path.name}-wal").touch()
            with pytest.raises(StoreUnavailableError, match="restart"):
                await reading.list(user="ana")


async def test_an_older_schema_that_may_not_be_written_is_refused(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = open_folder / "memory.sqlite3"
    await filled(f"sqlite:///{path}")
    path.chmod(0o444)
    newest = newest_schema()
    monkeypatch.setattr(connection, "newest_schema", lambda: newest + 1)
    with unprivileged(open_folder), pytest.raises(UnreadableStoreError, match="older ToldOnce"):
        await opened(f"sqlite:///{path}")


@NEEDS_POSTGRES
async def test_a_server_that_only_reads_says_so(tmp_path: Path) -> None:
    url = url_of("postgres", tmp_path)
    await filled(url)
    with psycopg.connect(url, autocommit=True) as there:
        name = there.info.dbname
        there.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    await is_read_and_not_written(url)
