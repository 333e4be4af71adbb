"""A newer version migrates: processes wait for one another, and which of the version before may go on."""

import asyncio
from pathlib import Path

import pytest

from factories import ANA, turn
from postgres_server import NEEDS_POSTGRES
from pretended_migration import ADDITIVE_INDEX, INDEX, pretend_migration
from stores import DURABLE, new_store, url_of
from toldonce.engine.databases import copy_database, migrate_database
from toldonce.errors import NewerSchemaError
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock


@NEEDS_POSTGRES
async def test_of_several_that_migrate_a_server_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = url_of("postgres", tmp_path)
    before = migrate_database(url).after
    # What the first one does takes long enough that all others wait for it.
    pretend_migration(monkeypatch, "SELECT pg_sleep(0.5); CREATE TABLE pretended (number INTEGER);")
    done = await asyncio.gather(*(asyncio.to_thread(migrate_database, url) for _ in range(3)))
    assert sorted((report.before, report.after) for report in done) == [
        (before, before + 1),
        (before + 1, before + 1),
        (before + 1, before + 1),
    ]


@pytest.mark.parametrize("kind", DURABLE)
async def test_the_version_before_goes_on_while_migrations_are_additive(
    kind: str, tmp_path: Path, clock: FakeClock
) -> None:
    old = await new_store(kind, tmp_path, clock)
    url, schema = url_of(kind, tmp_path), await old.database.schema_version()
    with pytest.MonkeyPatch.context() as newer:
        pretend_migration(newer, ADDITIVE_INDEX)
        assert migrate_database(url).after == schema + 1
    assert await old.database.schema_version() == schema + 1
    restarted = await open_store(url, clock=clock)
    recorded = await restarted.conversations.record(turn("a", "b"))
    await restarted.close()
    assert len(await old.conversations.messages(ANA, recorded.conversation)) == 2
    with pytest.raises(NewerSchemaError):  # it would leave out what the newer schema has
        copy_database(url, f"sqlite:///{tmp_path / 'copy.sqlite3'}")

    with pytest.MonkeyPatch.context() as newest:
        for sql in (ADDITIVE_INDEX, INDEX, ADDITIVE_INDEX):
            pretend_migration(newest, sql)
        assert migrate_database(url).after == schema + 3
    for refused in (old.database.schema_version(), open_store(url, clock=clock)):
        with pytest.raises(NewerSchemaError, match=f"has schema {schema + 3}, this ToldOnce knows up to {schema}"):
            await refused
    await old.close()
