"""Migrating on purpose: processes wait for one another, and each says what it did."""

import asyncio
from pathlib import Path

import pytest

from postgres_server import NEEDS_POSTGRES
from pretended_migration import pretend_migration
from stores import url_of
from toldonce.engine.databases import migrate_database


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
