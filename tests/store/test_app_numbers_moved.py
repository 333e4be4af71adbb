"""A4: the ids of apps' memories where a database moves: copies, imports, and databases of an earlier schema."""

import io
import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from factories import add, memory
from populated import opened
from stores import DURABLE, url_of
from toldonce.engine.databases import copy_database
from toldonce.store.factory import open_store
from toldonce.store.postgres.connection import connect
from toldonce.store.sql.app_numbers import MAX_NUMBER, RANGE_SIZE
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import CloseMemory, EraseRequest, Memory, MemoryId, Subject

CALENDAR, NOTES, BENS = (Subject("app", name) for name in ("ana/calendar", "ana/notes", "ben/calendar"))
SHARED = Subject("app", "To%20do")


class NoBar:
    """Shows nothing."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Show nothing."""

    def reach(self, done: int) -> None:
        """Show nothing."""


@pytest.fixture(params=DURABLE)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return url_of(str(request.param), tmp_path)


async def added(store: Store, app: Subject, count: int, clock: FakeClock) -> list[Memory]:
    """Add memories in one commit; return them as they were stored."""
    known = [memory(f"Memory {place}.", subject=app, clock=clock) for place in range(count)]
    await store.memories.apply(app, [add(row, vector=None) for row in known], [])
    return await store.memories.get_many(app, [row.id for row in known])


async def numbers_of(store: Store, *apps: Subject) -> list[int]:
    listed = [await store.memories.list(app, limit=9999) for app in apps]
    return [row.number for some in listed for row in some]


def said(url: str, query: str) -> list[tuple[Any, ...]]:
    """Ask the database itself."""
    if url.startswith("postgresql:"):
        with connect(url) as server:
            found = server.execute(query.encode())
            return [tuple(row) for row in found] if found.description else []
    db = apsw.Connection(url.removeprefix("sqlite:///"))
    try:
        return [tuple(row) for row in db.execute(query)]
    finally:
        db.close()


@pytest.mark.parametrize("there", DURABLE)
async def test_a4_a_copy_of_the_database_carries_the_ids_and_counts_on(
    url: str, there: str, clock: FakeClock, tmp_path: Path
) -> None:
    store = await open_store(url, clock=clock)
    for app in (CALENDAR, BENS):
        known = await added(store, app, 3, clock)
        await store.erasures.erase(EraseRequest(subject=app, memories=(known[-1].id,)))
    before = await numbers_of(store, CALENDAR, BENS)
    await store.close()
    (tmp_path / "there").mkdir()
    to = url_of(there, tmp_path / "there")
    copy_database(url, to, progress=NoBar())
    store = await open_store(to, clock=clock)
    assert await numbers_of(store, CALENDAR, BENS) == before
    fresh = [row.number for app in (CALENDAR, BENS) for row in await added(store, app, 1, clock)]
    assert fresh == [before[0] + 2, before[2] + 2], "those erased before stay used"
    await store.close()


async def exported(url: str) -> bytes:
    file = io.BytesIO()
    async with opened(url) as engine:
        await engine.transfer.export_to(file, everybody=True)
    return file.getvalue()


async def take_in(url: str, data: bytes) -> None:
    async with opened(url) as engine:
        await engine.transfer.import_from(io.BytesIO(data), progress=NoBar())


@pytest.mark.parametrize("there", DURABLE)
async def test_a4_an_import_keeps_the_ids_and_gives_none_of_them_again(
    url: str, there: str, clock: FakeClock, tmp_path: Path
) -> None:
    store = await open_store(url, clock=clock)
    for app in (NOTES, CALENDAR, BENS):
        await added(store, app, 3, clock)
    before = await numbers_of(store, NOTES, CALENDAR, BENS)
    await store.close()
    (tmp_path / "there").mkdir()
    to = url_of(there, tmp_path / "there")
    await take_in(to, await exported(url))
    store = await open_store(to, clock=clock)
    assert await numbers_of(store, NOTES, CALENDAR, BENS) == before
    fresh = [row.number for app in (NOTES, CALENDAR, BENS) for row in await added(store, app, 2, clock)]
    assert len({*fresh, *before}) == len(fresh) + len(before)
    await store.close()


async def test_a4_imported_ids_that_are_taken_or_foreign_are_renewed_in_order(
    url: str, clock: FakeClock, tmp_path: Path
) -> None:
    (tmp_path / "here").mkdir()
    here = url_of("file", tmp_path / "here")
    store = await open_store(here, clock=clock)
    known = await added(store, CALENDAR, 4, clock)
    texts = [row.text for row in known]
    await store.close()
    store = await open_store(url, clock=clock)
    taken = await added(store, BENS, 4, clock)
    others = [row.number for row in await added(store, NOTES, 1, clock)]
    await store.close()
    lines = [json.loads(line) for line in (await exported(here)).splitlines()]
    wanted = iter([others[0], 3, MAX_NUMBER, RANGE_SIZE])
    for line in lines:
        if "memory" in line:
            line["memory"]["number"] = next(wanted)
    await take_in(url, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    store = await open_store(url, clock=clock)
    by_text = {row.text: row.number for row in await store.memories.list(CALENDAR)}
    await store.close()
    assert not set(by_text.values()) & {*others, MAX_NUMBER, *(row.number for row in taken)}
    assert sorted(texts, key=lambda text: by_text[text]) == [texts[1], texts[3], texts[0], texts[2]]
    assert len(set(by_text.values())) == 4


OLD = {CALENDAR: [1, 2, 3, 3], BENS: [1, 2, 7], NOTES: [2], SHARED: [1, 3, 9]}
"""What each subject counted for itself, until this was changed; of two equal ones the first ended in an edit."""


async def of_before(url: str, clock: FakeClock) -> dict[Subject, list[MemoryId]]:
    """Make a database as it was when each subject counted its own."""
    store = await open_store(url, clock=clock)
    ids: dict[Subject, list[MemoryId]] = {}
    for app, old in OLD.items():
        ids[app] = [row.id for row in await added(store, app, len(old), clock)]
        for place, number in enumerate(old):
            if number in old[place + 1 :]:
                closing = CloseMemory(id=ids[app][place], valid_to=clock.now(), closed_at=clock.now())
                await store.memories.apply(app, [closing], [])
    await added(store, Subject("user", "ana"), 1, clock)  # a file brought it a number
    await store.close()
    undone = [
        *(f"DROP VIEW {name}" for name in ("apps", "app_shares", "app_memories")),
        *(f"DROP INDEX memory_{name}" for name in ("app_created", "app_updated", "created", "updated", "number")),
        "DROP TABLE app_number",
        "DELETE FROM meta WHERE name LIKE 'numbers/%'",
    ]
    unique = "CREATE UNIQUE INDEX memory_number ON memory (subject, number) WHERE number IS NOT NULL AND state = 0"
    hexed = "x'{}'"
    if url.startswith("postgresql:"):
        undone += ["DROP INDEX memory_by_number", "DELETE FROM migration WHERE number >= 6"]
        undone += ["CREATE VIEW app_memories AS SELECT 1 AS nothing"]
        hexed = "'\\x{}'::BYTEA"
    else:
        undone += ["PRAGMA user_version = 10"]
    undone += ["ALTER TABLE memory DROP COLUMN app"]
    for app, old in OLD.items():
        for id_, number in zip(ids[app], old, strict=True):
            undone.append(
                f"UPDATE memory SET number = {number} "  # noqa: S608 - numbers of this file
                f"WHERE subject = {app.key} AND id = {hexed.format(id_.replace('-', ''))}"
            )
    undone += [f"UPDATE memory SET number = NULL WHERE subject = {SHARED.key} AND number = 9"]  # noqa: S608 - as above
    undone += [f"UPDATE memory SET number = 1 WHERE subject = {Subject('user', 'ana').key}"]  # noqa: S608 - as above
    for statement in (*undone, unique):
        said(url, statement)
    return ids


async def test_a4_migration_renumbers_duplicates_and_keeps_all_other_ids(
    url: str, clock: FakeClock, tmp_path: Path
) -> None:
    ids = await of_before(url, clock)
    found: dict[Subject, list[int]] = {}
    for _ in range(2):  # opening it again changes nothing
        store = await open_store(url, clock=clock)
        again = {app: [row.number for row in await store.memories.get_many(app, ids[app])] for app in OLD}
        await store.close()
        assert again == found or not found
        found = again
    assert found[SHARED][:2] == [1, 3], "the first in the order of names"
    assert found[SHARED][2] > RANGE_SIZE, "the one without a number"
    assert said(url, "SELECT count(*) FROM memory WHERE number IS NOT NULL") == [(11,)]
    assert found[CALENDAR][1] == 2
    assert found[BENS][2] == 7
    assert found[CALENDAR][2] == found[CALENDAR][3], "an edit keeps the id of what it took the place of"
    every = [number for some in found.values() for number in dict.fromkeys(some)]
    assert len(set(every)) == len(every)
    for app, some in found.items():
        renumbered = [number for number, old in zip(some, OLD[app], strict=True) if number != old]
        assert renumbered == sorted(renumbered)
    assert sorted(said(url, "SELECT DISTINCT app_id FROM app_memories")) == [("To do",), ("calendar",), ("notes",)]

    (tmp_path / "again").mkdir()
    other = url_of("postgres" if url.startswith("postgresql:") else "file", tmp_path / "again")
    same = await of_before(other, clock)
    store = await open_store(other, clock=clock)
    assert {app: [row.number for row in await store.memories.get_many(app, same[app])] for app in OLD} == found
    fresh = [row.number for app in OLD for row in await added(store, app, 2, clock)]
    assert len({*fresh, *every}) == len(fresh) + len(every)
    assert (await store.admin.stats(check=True)).problems == ()
    await store.close()
