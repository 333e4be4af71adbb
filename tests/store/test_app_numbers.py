"""A4: the ids of apps' memories are integers, unique in the whole table and never given twice."""

import os
import signal
from asyncio import gather
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from factories import add, memory, turn
from forked_processes import ForkedProcess
from patience import PATIENCE_S
from stores import DURABLE, new_store, url_of
from toldonce.store.factory import open_store
from toldonce.store.failpoint import VARIABLE
from toldonce.store.postgres.connection import PostgresConnection, connect
from toldonce.store.postgres.migrate import prepare
from toldonce.store.sql import app_numbers
from toldonce.store.sql.app_numbers import MAX_NUMBER, RANGE_SIZE, take
from toldonce.store.sql.rows import fetch
from toldonce.store.sqlite.connection import MEMORY, DatabaseLocation, open_writer
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import CloseMemory, EraseRequest, Memory, ReopenMemory, Subject

TESTS = Path(__file__).parent.parent
SCRIPT = Path(__file__).parent / "numbers_process.py"
CALENDAR, NOTES, BENS = (Subject("app", name) for name in ("ana/calendar", "ana/notes", "ben/calendar"))
SHARED = Subject("app", "To%20do")


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


async def test_a4_ids_are_unique_across_users_and_apps_and_ascend_within_each(store: Store, clock: FakeClock) -> None:
    found: list[int] = []
    for count in (1, 3, 2):
        for app in (CALENDAR, NOTES, BENS, SHARED):
            found += [row.number for row in await added(store, app, count, clock)]
    assert len(set(found)) == len(found) == 24
    assert all(0 < number <= MAX_NUMBER < 2**53 for number in found)
    for app in (CALENDAR, NOTES, BENS, SHARED):
        newest_first = await numbers_of(store, app)
        assert newest_first == sorted(newest_first, reverse=True)
        assert newest_first[0] - newest_first[-1] == 5, "one after the other"
    assert sorted(await numbers_of(store, CALENDAR)) == [1, 2, 3, 4, 5, 6], "the first app of a store counts from 1"


async def test_a4_no_id_is_used_again_after_an_erasure_or_a_restart(url: str, clock: FakeClock) -> None:
    given: list[int] = []
    for order in ("last", "all", "app", "user", "nothing"):
        store = await open_store(url, clock=clock)
        known = await added(store, CALENDAR, 3, clock)
        given += [row.number for row in known]
        gone = tuple(row.id for row in (known[-1:] if order == "last" else await store.memories.list(CALENDAR)))
        if order in ("last", "all"):
            await store.erasures.erase(EraseRequest(subject=CALENDAR, memories=gone))
        elif order != "nothing":
            whose = CALENDAR if order == "app" else Subject("user", "ana")
            await store.erasures.erase(EraseRequest(subject=whose, everything=True))
        await store.close()
    assert len(set(given)) == len(given) == 15, given


async def test_a4_an_id_tells_nothing_of_what_others_store(clock: FakeClock, tmp_path: Path) -> None:
    """In two worlds, with busy others and without, each user's apps count the same."""
    found = []
    for place, busy in enumerate((0, 7)):
        (tmp_path / str(place)).mkdir()
        store = await new_store("file", tmp_path / str(place), clock)
        await added(store, Subject("app", "first/app"), 1, clock)
        mine: list[int] = []
        for count in (1, 2, 3):
            for other in range(busy):
                await added(store, Subject("app", f"other {other}/calendar"), count, clock)
            mine += [row.number for row in await added(store, BENS, 2, clock)]
        found.append(mine)
        await store.close()
    assert found[0] == found[1]
    assert [number % RANGE_SIZE for number in found[0]] == [1, 2, 3, 4, 5, 6]


def test_a4_a_batch_takes_its_ids_in_one_statement() -> None:
    db = open_writer(DatabaseLocation(path=MEMORY))
    take(db, CALENDAR, 1)
    asked: list[str] = []

    def told(_: object, sql: str, __: object) -> bool:
        asked.append(sql)
        return True

    db.exec_trace = told
    assert take(db, CALENDAR, 500) == list(range(2, 502))
    assert len(asked) == 1
    assert take(db, CALENDAR, 0) == []
    assert len(asked) == 1, "who adds nothing to an app asks nothing"
    db.close()


def test_a4_a_range_that_is_full_is_followed_by_another() -> None:
    db = open_writer(DatabaseLocation(path=MEMORY))
    before = take(db, CALENDAR, RANGE_SIZE - 3)
    behind = take(db, CALENDAR, 5)
    assert behind == list(range(behind[0], behind[0] + 5))
    assert behind[0] % RANGE_SIZE == 1
    assert before[-1] + 2 < behind[0]
    many = take(db, NOTES, RANGE_SIZE + 1)
    assert len({*before, *behind, *many}) == len(before) + 5 + len(many)
    db.close()


def test_a4_subjects_whose_keys_lead_to_one_range_share_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_numbers, "_derived", lambda _, attempt: 7 + attempt)
    db = open_writer(DatabaseLocation(path=MEMORY))
    found = [number for place in range(9) for number in take(db, Subject("app", f"{place}/x"), 4)]
    assert len(set(found)) == len(found)
    db.close()


async def test_a4_an_edit_keeps_the_id_and_a_restored_memory_gets_a_new_one(store: Store, clock: FakeClock) -> None:
    [old] = await added(store, CALENDAR, 1, clock)
    heir = replace(memory("Edited.", subject=CALENDAR, clock=clock), number=old.number)
    closing = CloseMemory(id=old.id, valid_to=clock.now(), closed_at=clock.now())
    await store.memories.apply(CALENDAR, [closing, add(heir, vector=None)], [])
    assert await numbers_of(store, CALENDAR) == [old.number]
    await store.memories.apply(CALENDAR, [ReopenMemory(id=old.id, terms={}, space="", vectors=())], [])
    assert sorted(await numbers_of(store, CALENDAR)) == [old.number, old.number + 1]


async def test_a4_quotations_and_memories_outside_apps_have_no_number(store: Store, clock: FakeClock) -> None:
    [note] = await added(store, Subject("session", "ana/1"), 1, clock)
    assert note.number == 0
    await store.conversations.record(turn("a", "b"))
    assert [row.number for row in await added(store, CALENDAR, 1, clock)] == [1]


async def test_a4_two_connections_of_one_process_take_different_ids(url: str, clock: FakeClock) -> None:
    stores = [await open_store(url, clock=clock) for _ in range(2)]
    apps = (CALENDAR, NOTES, BENS)
    await gather(*(added(store, app, 1 + place % 3, clock) for place in range(10) for store in stores for app in apps))
    found = await numbers_of(stores[0], *apps)
    assert len(set(found)) == len(found) == 2 * 3 * sum(1 + place % 3 for place in range(10))
    for store in stores:
        await store.close()


def start(url: str, count: int, apps: Sequence[Subject], failpoint: str = "") -> ForkedProcess:
    path = f"{TESTS}{os.pathsep}{TESTS.parent}"
    environment = {**os.environ, "PYTHONPATH": path, VARIABLE: failpoint}
    return ForkedProcess(str(SCRIPT), url, str(count), *(app.name for app in apps), env=environment)


async def test_a4_two_processes_that_add_at_once_take_different_ids(url: str, clock: FakeClock) -> None:
    ours = [[CALENDAR, NOTES, SHARED], [CALENDAR, BENS, SHARED]]
    processes = [start(url, 6, apps) for apps in ours]
    told = [int(line) for process in processes for line in process.communicate(timeout=PATIENCE_S)[0].split()]
    assert [process.returncode for process in processes] == [0, 0]
    store = await open_store(url, clock=clock)
    found = await numbers_of(store, CALENDAR, NOTES, BENS, SHARED)
    await store.close()
    assert len(set(found)) == len(found) == 2 * 3 * 12
    assert sorted(told) == sorted(found)


@pytest.mark.parametrize("failpoint", ["before-commit", "after-commit"])
async def test_a4_a_process_that_dies_around_its_commit_leaves_no_id_twice(
    url: str, clock: FakeClock, failpoint: str
) -> None:
    told: list[int] = []
    for place in (1, 4):
        process = start(url, 6, [CALENDAR, BENS], f"{failpoint}:{place}")
        told += [int(line) for line in process.communicate(timeout=PATIENCE_S)[0].split()]
        assert process.returncode == -signal.SIGKILL
    store = await open_store(url, clock=clock)
    told += [row.number for app in (CALENDAR, BENS) for row in await added(store, app, 2, clock)]
    found = await numbers_of(store, CALENDAR, BENS)
    await store.close()
    assert len(set(found)) == len(found)
    assert set(told) <= set(found)
    assert len(set(told)) == len(told)


def test_a4_an_app_is_called_by_its_own_name() -> None:
    names = {
        "ana/To do": "To do",
        "ana%2Fx/calendar": "calendar",
        "ana/a/b": "a/b",
        "ana/100%25": "100%25",
        "To%20do": "To do",
        "100%25": "100%",
        "50%": "50%",
        "Kalender%C3%9C": "KalenderÜ",
    }
    assert {name: Subject("app", name).app_name for name in names} == names


def test_a4_both_databases_make_the_same_numbers(tmp_path: Path) -> None:
    """They follow from names alone: a copy, or an import, goes on as the database it came from would have."""
    if "postgres" not in DURABLE:
        pytest.skip("PostgreSQL's programs are not installed")
    url = url_of("postgres", tmp_path)
    prepare(url)
    db = open_writer(DatabaseLocation(path=MEMORY))
    with connect(url) as server:
        session = PostgresConnection(server)
        for app in (CALENDAR, NOTES, BENS, SHARED, CALENDAR):
            assert take(session, app, 3) == take(db, app, 3)
        assert fetch(session, "SELECT count(*) FROM app_number") == [(4,)]
    db.close()
