"""The order of queries to PostgreSQL: a recall of one moment in two round trips, erasing after uses are noted."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import psycopg
import pytest

from factories import ANA, BEN, SPACE, add, memory, recall_record, turn
from patience import PATIENCE_S
from postgres_server import NEEDS_POSTGRES, shared_server
from stores import url_of
from toldonce.errors import BadSettingError, StoreUnavailableError
from toldonce.ids import id_text
from toldonce.profiles.policies import BudgetPolicy
from toldonce.store.factory import open_store
from toldonce.store.failpoint import Failpoint
from toldonce.store.postgres import connection
from toldonce.store.postgres.connection import STATEMENT_MS, PostgresConnection, ReconnectingConnection, connect
from toldonce.store.postgres.migrate import LOCK
from toldonce.store.sql.database import SqlConnection
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import CloseMemory, EraseRequest, Memory, MemoryId, Subject, SubjectSnapshot

NO_BUDGET = BudgetPolicy()
Wanted = Mapping[Subject, Sequence[MemoryId]]

pytestmark = NEEDS_POSTGRES


def everything(snapshots: Sequence[SubjectSnapshot]) -> tuple[Wanted, list[int]]:
    """Want all memories, newest first; tell how many each subject has."""
    return {
        snapshot.subject: [MemoryId(id_text(id_)) for id_ in reversed(snapshot.ids)] for snapshot in snapshots
    }, list(map(len, snapshots))


async def chosen(store: Store, *subjects: Subject) -> list[Memory]:
    return (await store.snapshots.rank_and_fetch(dict.fromkeys(subjects or (ANA,), SPACE), everything))[1]


@pytest.fixture
async def both(tmp_path: Path, clock: FakeClock) -> AsyncIterator[tuple[Store, Store]]:
    """Two on one database, as two processes are."""
    opened = [await open_store(url_of("postgres", tmp_path), clock=clock) for _ in range(2)]
    ours, theirs = opened
    yield ours, theirs
    await ours.close()
    await theirs.close()


async def test_a_commit_during_the_ranking_is_ranked_too(both: tuple[Store, Store], clock: FakeClock) -> None:
    ours, theirs = both
    one, two = memory("one", clock=clock), memory("two", clock=clock)
    await ours.memories.apply(ANA, [add(one)], [])
    loop = asyncio.get_running_loop()
    seen: list[int] = []

    def rank(snapshots: Sequence[SubjectSnapshot]) -> tuple[Wanted, list[int]]:
        seen.append(len(snapshots[0]))
        if len(seen) == 1:
            gone = CloseMemory(id=MemoryId(one.id), valid_to=clock.now(), closed_at=clock.now())
            asyncio.run_coroutine_threadsafe(theirs.memories.apply(ANA, [gone, add(two)], []), loop).result(PATIENCE_S)
        return everything(snapshots)

    assert await ours.snapshots.rank_and_fetch({ANA: SPACE}, rank) == ([1], [two])
    assert seen == [1, 1]
    assert await chosen(ours) == [two]


async def test_a_recall_takes_two_round_trips_and_one_while_nothing_changed(
    both: tuple[Store, Store], clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = both
    await theirs.memories.apply(ANA, [add(memory(text, clock=clock)) for text in ("one", "two")], [])
    await theirs.memories.apply(BEN, [add(memory("three", subject=BEN, clock=clock))], [])
    asked: list[str] = []
    say = PostgresConnection._say

    def told(session: PostgresConnection, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        asked.append(statement)
        return say(session, statement, values)

    monkeypatch.setattr(PostgresConnection, "_say", told)
    assert [known.text for known in await chosen(ours)] == ["two", "one"]
    assert len(asked) == 2
    asked.clear()
    assert [known.text for known in await chosen(ours)] == ["two", "one"]
    assert len(asked) == 1
    asked.clear()
    await theirs.memories.apply(ANA, [add(memory("four", clock=clock))], [])
    asked.clear()
    assert [known.text for known in await chosen(ours)] == ["four", "two", "one"]
    assert len(asked) == 3, "the version, what changed, the new text"
    asked.clear()
    assert len(await chosen(ours, BEN, ANA)) == 4
    assert asked[0].startswith("BEGIN")
    assert asked[-1] == "COMMIT"


async def test_noting_uses_after_an_answer_does_not_bring_back_an_erased_memory(
    tmp_path: Path, clock: FakeClock
) -> None:
    url = url_of("postgres", tmp_path)
    store = await open_store(url, clock=clock)
    known = memory("Ana keeps bees.", clock=clock)
    await store.memories.apply(ANA, [add(known)], [])
    injected = recall_record((ANA, known.id, 0.5), at=clock.now())
    await store.conversations.record(turn("What does Ana keep?", "Bees.", recall=injected))
    with connect(url) as other:  # somebody who keeps what is noted behind answers waiting
        other.execute("SELECT pg_advisory_lock($1)", (BEN.key,))
        await store.memories.record_uses(BEN, [known.id], clock.now())
        await store.conversations.record_hits(ANA, injected, [known.id])
        erasing = asyncio.create_task(store.erasures.erase(EraseRequest(subject=ANA, memories=(known.id,))))
        await asyncio.sleep(0.2)
        other.execute("SELECT pg_advisory_unlock($1)", (BEN.key,))
        await erasing
    await store.memories.record_uses(BEN, [known.id], clock.now())
    await store.budgets.status(BEN, NO_BUDGET, now=clock.now())  # behind all that was noted
    assert [record.items for record in await store.conversations.injections(ANA)] == [()]
    await store.close()


async def test_a_slow_statement_runs_once_and_a_lost_connection_is_reopened(tmp_path: Path, clock: FakeClock) -> None:
    url = url_of("postgres", tmp_path)
    await (await open_store(url, clock=clock)).close()
    link = ReconnectingConnection(url, Failpoint())
    asked: list[str] = []

    def slow(db: SqlConnection) -> None:
        asked.append("slow")
        db.execute("SET statement_timeout = 50")
        db.execute("SELECT pg_sleep(30)")

    with pytest.raises(psycopg.errors.QueryCanceled):
        link.read(slow)
    kept = link.session()
    assert not kept.connection.closed

    def gone(db: SqlConnection) -> None:
        asked.append("gone")
        if asked.count("gone") == 1:
            db.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    link.read(gone)
    assert asked == ["slow", "gone", "gone"]
    assert link.session() is not kept
    link.close()


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgresql://me:hunter2%zz@127.0.0.1/x", "percent-encoded"),
        ("postgresql://me:hunter2@[bad", "IPv6"),
    ],
)
async def test_a_url_that_cannot_be_read_is_refused_without_its_password(clock: FakeClock, url: str, says: str) -> None:
    with pytest.raises(BadSettingError, match=says) as caught:
        await open_store(url, clock=clock)
    assert "hunter2" not in str(caught.value)


async def test_a_missing_database_is_refused_with_where_to_look(tmp_path: Path, clock: FakeClock) -> None:
    url = f"{url_of('postgres', tmp_path).rpartition('/')[0]}/nosuch".replace("toldonce@", "toldonce:hunter2@")
    with pytest.raises(StoreUnavailableError, match=r'"nosuch" does not exist.*TOLDONCE_DATABASE_URL') as caught:
        await open_store(url, clock=clock)
    assert "hunter2" not in str(caught.value)


async def test_opening_waits_for_a_migration_longer_than_a_request_would(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = shared_server().new_database("migrating")
    monkeypatch.setattr(connection, "_SETTINGS", connection._SETTINGS.replace(str(STATEMENT_MS), "100"))
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        opening = asyncio.create_task(open_store(url, clock=clock))
        await asyncio.sleep(0.5)
        assert not opening.done()
        other.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))
        await (await opening).close()
