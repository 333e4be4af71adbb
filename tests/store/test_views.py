"""The tables of the five systems, as views: their columns, and that they show what the API shows (A4, U6, T2, T4)."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID

import apsw
import numpy as np
import numpy.typing as npt
import pytest

from factories import ANA, add, decision, memory
from own_profile import with_profile
from postgres_server import shared_server
from sample_chats import assistant, slots, tell, user
from stores import DURABLE
from toldonce.engine import AsyncToldOnce, Components
from toldonce.store.postgres.connection import connect
from toldonce.store.postgres.migrate import prepare
from toldonce.store.sql import database
from toldonce.store.sqlite.connection import MEMORY, DatabaseLocation, open_writer
from toldonce.store.sqlite.migrate import migrations, newest_schema
from toldonce.testing import FakeClock
from toldonce.types import (
    Action,
    MemoryDetail,
    MemoryId,
    MemoryKind,
    MemoryState,
    RequestScope,
    StrengthenMemory,
    Subject,
)

COLUMNS = {
    "apps": "id users memories conversations installed_at removed_at last_used_at",
    "app_memories": "id app_id content created_at updated_at source_conversation_id metadata",
    "vectors": "id values metadata",
    "users_vectors": "user_id vector_id",
    "memory_updates": "id user_id old_vector_id new_vector_id reason created_at",
    "episodic_memory": "id user_id turn_range summary embedding turn_start turn_end created_at",
    "structured_facts": "id user_id category key value confidence importance is_active updated_at",
}
TALK = [
    user("I need a calendar entry for my dentist on 12 May at nine, please."),
    assistant("Done: dentist on 12 May at nine. I chose the blue calendar because it is your private one."),
]

OTHER_TALK = [
    user("I want the roof of my greenhouse painted before the winter, by a neighbour."),
    assistant("Noted: the greenhouse's roof is painted before the winter, by a neighbour."),
]


@pytest.fixture(params=DURABLE)
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of a store that other programs can read with SQL: a file or a server."""
    return str(request.param)


@contextmanager
def sql(parts: Components) -> Iterator[Any]:
    if parts.settings.database_url.startswith("postgresql:"):
        with connect(parts.settings.database_url) as there:
            yield there
        return
    path = Path(parts.settings.database_url.removeprefix("sqlite:///"))
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        yield db
    finally:
        db.close()


def rows(parts: Components, query: str, *values: str) -> list[tuple[Any, ...]]:
    with sql(parts) as db:
        given = query.replace("?", "$1") if parts.settings.database_url.startswith("postgresql:") else query
        return [tuple(plain(value) for value in row) for row in db.execute(given, values)]


def plain(value: Any) -> Any:
    """Write PostgreSQL's ids and instants as they stand on SQLite."""
    if isinstance(value, UUID):
        return str(value)
    return _text(value.astimezone(UTC).isoformat()) if isinstance(value, datetime) else value


def read(value: Any) -> Any:
    """Read a column of JSON: a text on SQLite, a value on PostgreSQL."""
    return json.loads(value) if isinstance(value, str) else value


def numbers(value: Any) -> npt.NDArray[np.float32]:
    """Read a vector: bytes on SQLite, pgvector's text on PostgreSQL."""
    if isinstance(value, bytes):
        return np.frombuffer(value, dtype="<f4")
    return np.array(json.loads(value), dtype=np.float32)


def test_a4_u6_t2_t4_each_table_has_its_columns() -> None:
    db = open_writer(DatabaseLocation(path=MEMORY))
    for name, columns in COLUMNS.items():
        assert [str(row[0]) for row in db.execute("SELECT name FROM pragma_table_info(?)", (name,))] == columns.split()
    db.close()


@pytest.mark.skipif("postgres" not in DURABLE, reason="PostgreSQL's programs are not installed")
def test_u6_on_postgresql_they_have_the_same_columns() -> None:
    url = shared_server().new_database("views")
    prepare(url)
    query = "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 ORDER BY attnum"
    with connect(url) as db:
        found = {name: [str(row[0]) for row in db.execute(query, (name,))] for name in COLUMNS}
    assert found == {name: columns.split() for name, columns in COLUMNS.items()}


@pytest.mark.skipif("postgres" not in DURABLE, reason="PostgreSQL's programs are not installed")
def test_a4_u6_t2_t4_on_postgresql_they_have_its_own_types() -> None:
    url = shared_server().new_database("typed_views")
    prepare(url)
    query = (
        "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0"
    )
    with connect(url) as db:
        found = {name: {row[0]: row[1] for row in db.execute(query, (name,))} for name in COLUMNS}
    for name, columns in found.items():
        for column, type_ in columns.items():
            if column.endswith("_at"):
                assert type_ == "timestamp with time zone", f"{name}.{column}"
            if column == "metadata":
                assert type_ == "jsonb", f"{name}.{column}"
            if column == "content":
                assert type_ == "text", f"{name}.{column}"
            if (column == "id" and name not in ("apps", "app_memories")) or column.endswith("vector_id"):
                assert type_ == "uuid", f"{name}.{column}"
    assert found["structured_facts"]["is_active"] == "boolean"
    assert found["app_memories"]["id"] == "bigint"


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [number for number, _ in migrations()] == list(range(1, newest_schema() + 1))


def test_u6_no_statement_of_the_store_reads_these_views() -> None:
    db = open_writer(DatabaseLocation(path=MEMORY))
    for view in (*COLUMNS, "readable", "embedding", "rests_on"):
        db.execute(f"DROP VIEW {view}")
    folder = Path(database.__file__).parent / "queries"
    for room in sorted(path.stem for path in folder.glob("*.sql")):
        for statement in database.load(room).values():
            values = (None,) * 40
            assert db.execute(f"EXPLAIN {statement}", values[: _places(statement)]).fetchall()
    db.close()


def _places(statement: str) -> int:
    return max((int(found) for found in re.findall(r"\?(\d+)", statement)), default=0)


async def test_a4_the_view_shows_an_apps_memories_as_its_endpoints_do(engine: AsyncToldOnce, parts: Components) -> None:
    scope = RequestScope(profile="app", app="calendar")
    await engine.conversations.end("c1", user="ana", messages=TALK, scope=scope)
    await engine.form()
    mine = await engine.conversations.subject(user="ana", scope=scope)
    await engine.add("Ana's dentist is Dr. Berg.", user=mine, importance=0.65, profile="app")
    await engine.conversations.end("c2", user="ben", messages=TALK, scope=replace(scope, app="notes"))
    await engine.form()

    shown = await engine.apps.memories("calendar", user="ana")
    query = "SELECT id, content, created_at, updated_at FROM app_memories WHERE app_id = 'calendar' ORDER BY id DESC"
    assert rows(parts, query) == [
        (row.number, row.text, _text(row.valid_from.isoformat()), _text(row.known_from.isoformat())) for row in shown
    ]
    origin = dict(rows(parts, "SELECT content, source_conversation_id FROM app_memories WHERE app_id = 'calendar'"))
    assert origin["Ana's dentist is Dr. Berg."] is None
    assert set(origin.values()) == {"c1", None}
    [(about,)] = rows(parts, "SELECT metadata FROM app_memories WHERE content LIKE '%Berg%'")
    assert read(about) == {"importance": 6.5, "tags": [], "relatedConversations": []}
    [(related,)] = rows(
        parts, "SELECT DISTINCT metadata ->> 'relatedConversations' FROM app_memories WHERE app_id = 'notes'"
    )
    assert read(related) == ["c2"]

    await engine.apps.delete_memories("calendar", user="ana")
    assert rows(parts, "SELECT id FROM app_memories WHERE app_id = 'calendar'") == []
    assert rows(parts, "SELECT id FROM app_memories WHERE app_id = 'notes'") != []


async def test_a9_the_view_has_each_app_once_over_all_users(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    calendar = RequestScope(profile="app", app="calendar")
    await engine.apps.register("calendar", user="ana")
    await engine.apps.register("To do/2", user="ana/x")
    await engine.conversations.end("c1", user="ana", messages=TALK, scope=calendar)
    await engine.conversations.end("c2", user=Subject("user", "ben", "acme"), messages=TALK, scope=calendar)
    await engine.form()
    clock.advance(days=1)
    mine = await engine.conversations.subject(user="ana", scope=calendar)
    kept = await engine.add("Ana's dentist is Dr. Berg.", user=mine, profile="app")
    assert await engine.apps.remove("To do/2", user="ana/x") == 0

    counted = dict(rows(parts, "SELECT app_id, count(*) FROM app_memories GROUP BY app_id"))
    found = {row[0]: row[1:] for row in rows(parts, "SELECT * FROM apps")}
    assert found.keys() == {"calendar", "To do/2"}
    assert found["calendar"][:3] == (2, counted["calendar"], 2)
    assert found["calendar"][4:] == (None, _text(kept.known_from.isoformat()))
    assert found["To do/2"][:3] == (1, 0, 0)
    assert None not in found["To do/2"][3:5]
    joined = "SELECT count(*) FROM app_memories AS m JOIN apps AS a ON a.id = m.app_id"
    assert rows(parts, joined) == [(sum(counted.values()),)], "the target of the seed's foreign key"

    [todo, own] = await engine.apps.list()
    assert (todo.id, todo.removed_at) == ("To do/2", clock.now())
    assert (own.id, own.users, own.conversations, own.last_used_at) == ("calendar", 1, 1, kept.known_from)
    assert [app.id for app in await engine.apps.list(tenant="acme")] == ["calendar"], "a tenant sees its own"
    assert [app.id for app in await engine.apps.list(after="To do/2", limit=1)] == ["calendar"]


async def test_a4_the_view_has_unique_ids_for_all_users_and_the_names_of_apps(
    engine: AsyncToldOnce, parts: Components, tmp_path: Path
) -> None:
    names = ("To do", "calendar", "a/b", "100%")
    for who in ("ana", "ben/x"):
        for app in names:
            for text in ("They met on Tuesday.", "They met again."):
                mine = await engine.conversations.subject(user=who, scope=RequestScope(profile="app", app=app))
                await engine.add(text, user=mine, profile="app")
    for app in names:
        for_all = Subject("app", quote(app, safe=""))
        await engine.add("Everybody met.", user=for_all, profile="app")
    found = rows(parts, "SELECT id, app_id FROM app_memories")
    assert len({id_ for id_, _ in found}) == len(found) == 4 * (2 * 2 + 1)
    assert {app for _, app in found} == set(names)
    for who in ("ana", "ben/x"):
        shown = [row.number for app in names for row in await engine.apps.memories(app, user=who)]
        assert set(shown) <= {id_ for id_, _ in found}
    [(count,)] = rows(parts, "SELECT count(*) FROM app_memories WHERE app_id = 'To do'")
    assert count == 5
    if not parts.settings.database_url.startswith("postgresql:"):
        assert rows(parts, "SELECT DISTINCT typeof(id), typeof(created_at) FROM app_memories") == [("integer", "text")]


async def test_a4_the_view_lists_a_memorys_conversations_first_to_last(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    scope = RequestScope(profile="app", app="calendar")
    for name, messages in (("c1", TALK), ("c2", OTHER_TALK)):
        await engine.conversations.end(name, user="ana", messages=messages, scope=scope)
        await engine.form()
    mine = await engine.conversations.subject(user="ana", scope=scope)
    first, second = [row.id for row in reversed(await engine.apps.memories("calendar", user="ana"))]
    strengthened = StrengthenMemory(id=MemoryId(second), importance=0.9, inherits=(MemoryId(first),))
    await parts.store.memories.apply(mine, [strengthened], [])
    query = "SELECT source_conversation_id, metadata FROM app_memories ORDER BY id"
    told = [(source, read(about)["relatedConversations"]) for source, about in rows(parts, query)]
    assert told == [("c1", ["c1"]), ("c2", ["c2", "c1"])]


async def test_u6_the_audit_has_a_replaced_sentence_and_other_users_links_stay(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    scope = RequestScope(profile="user")
    await engine.record([user("I like coffee.")], user="ana", scope=scope)
    await engine.form()
    [old] = await engine.list(user="ana", kinds=(MemoryKind.NOTE,))
    await engine.shared.link(old.id, to=Subject("user", "ben"), user="ana")
    assert set(rows(parts, "SELECT user_id, vector_id FROM users_vectors")) == {("ana", old.id), ("ben", old.id)}

    clock.advance(days=1)
    new = await engine.correct(old.id, "Ana doesn't like coffee.", user="ana")
    assert new.id != old.id
    assert set(rows(parts, "SELECT user_id, vector_id FROM users_vectors")) == {("ana", new.id), ("ben", old.id)}
    [decided] = [line for line in await engine.history.decisions(user="ana") if line.target_id == old.id]
    audit = rows(parts, "SELECT * FROM memory_updates")
    assert audit == [(decided.id, "ana", old.id, new.id, decided.reason, _text(decided.at.isoformat()))]

    [(values, about)] = rows(parts, 'SELECT "values", metadata FROM vectors WHERE id = ?', new.id)
    [vector] = await parts.embedder.embed([new.text])
    assert np.allclose(numbers(values), vector, atol=1e-6)
    assert read(about) == {
        "content": new.text,
        "type": "memory",
        "created_at": _text(new.known_from.isoformat()),
    }
    assert len(rows(parts, "SELECT id FROM vectors")) == 2

    await engine.forget(new.id, user="ana")
    [(unlinked, about)] = rows(parts, 'SELECT "values", metadata FROM vectors WHERE id = ?', new.id)
    assert (read(about)["content"], unlinked) == (new.text, values), "what no user links stays as it was"
    assert len(rows(parts, 'SELECT id FROM vectors WHERE "values" IS NOT NULL')) == 2
    assert rows(parts, "SELECT new_vector_id FROM memory_updates WHERE old_vector_id = ?", new.id) == [(None,)]
    assert rows(parts, "SELECT user_id FROM users_vectors") == [("ben",)]


async def test_u6_the_audit_has_every_end_of_a_users_memory(
    parts: Components, clock: FakeClock, tmp_path: Path
) -> None:
    engine = with_profile(
        parts, tmp_path, "[form]\nturns = false\n[age]\nexpire_days = 30\n[capacity]\nmax_memories = 5\n"
    )
    await tell(engine, "I live in Rome.")
    clock.advance(days=1)
    await tell(engine, "I moved to Oslo.")
    forgotten, shared = [await engine.add(f"Ana keeps {what}.", user="ana") for what in ("bees", "owls")]
    await engine.forget(forgotten.id, user="ana")
    await engine.shared.link(shared.id, to=Subject("user", "ben"), user="ana")
    await engine.shared.unlink(shared.id, user="ana")
    undone = await engine.add("Ana sails.", user="ana")
    await engine.history.undo((await engine.history.decisions(user="ana"))[-1].id, user="ana")
    back = await engine.add("Ana plays chess.", user="ana")
    await engine.forget(back.id, user="ana")
    await engine.history.undo((await engine.history.decisions(user="ana"))[-1].id, user="ana")
    for number in range(7):
        await engine.add(f"Ana read book number {number}.", user="ana", importance=0.1)
    clock.advance(days=60)
    await engine.admin.maintain(user="ana")

    listed = await engine.list(user="ana", closed=True)
    closed = {row.id for row in listed if row.state is MemoryState.CLOSED}
    ends = {line.action for line in await engine.history.decisions(user="ana") if line.memory_id in closed}
    assert ends >= {Action.CLOSE, Action.EVICT, Action.EXPIRE, Action.UNDO}
    audit = rows(parts, "SELECT old_vector_id, new_vector_id, reason FROM memory_updates WHERE user_id = 'ana'")
    ended = {str(old) for old, _, _ in audit}
    assert closed | {shared.id} <= ended <= closed | {shared.id, back.id}, "one came back: its end stays on record"
    assert undone.id in ended
    assert all(reason for _, _, reason in audit)
    assert [old for old, new, _ in audit if new is not None] == [
        row.id for row in listed if row.state is MemoryState.CLOSED and row.value == "Rome"
    ]


async def test_t4_the_view_has_facts_with_their_history(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    await tell(engine, "I live in Rome.")
    await tell(engine, "I live in Lima.", who="ben")
    clock.advance(days=1)
    await tell(engine, "I moved to Oslo.")
    assert await slots(engine) == {"location": "Oslo"}
    query = "SELECT id, category, key, value, confidence, importance, is_active, updated_at FROM structured_facts"
    listed = await engine.list(user="ana", kinds=(MemoryKind.FACT,), closed=True)
    assert len(listed) == 2
    assert set(rows(parts, f"{query} WHERE user_id = 'ana'")) == {
        (
            row.id,
            row.category,
            row.key,
            row.value,
            row.confidence,
            row.importance,
            int(row.state is MemoryState.ACTIVE),
            _text((row.closed_at or row.known_from).isoformat()),
        )
        for row in listed
    }
    assert rows(parts, "SELECT value FROM structured_facts WHERE user_id = 'ben'") == [("Lima",)]


async def test_t2_the_view_has_episodes_with_their_turns_and_embedding(parts: Components, clock: FakeClock) -> None:
    text = "They planned a journey to Oslo."
    detail = MemoryDetail(first_turn=21, last_turn=40)
    known = replace(memory(text, clock=clock, kind=MemoryKind.EPISODE), detail=detail)
    [whole, piece] = await parts.embedder.embed([text, "a journey"])
    added = replace(add(known), space=parts.embedder.space, vectors=(whole, piece))
    await parts.store.memories.apply(ANA, [added], [decision(known, clock=clock)])
    [(id_, who, span, summary, embedding, start, end, created)] = rows(parts, "SELECT * FROM episodic_memory")
    assert (id_, who, span, summary) == (known.id, "ana", "turns 21-40", text)
    assert (start, end, created) == (21, 40, _text(known.known_from.isoformat()))
    assert np.allclose(numbers(embedding), whole, atol=1e-6)


async def test_i13_what_is_erased_is_in_no_view(engine: AsyncToldOnce, parts: Components, clock: FakeClock) -> None:
    await tell(engine, "I live in Rome. My sister Kira has two dogs.")
    clock.advance(days=1)
    await tell(engine, "I moved to Oslo.")
    await engine.erasure.subject("ana")
    for view in COLUMNS:
        assert rows(parts, f"SELECT * FROM {view}") == []  # noqa: S608 - names of this file


def _text(instant: str) -> str:
    """Write an instant as SQLite does: to the millisecond, with a Z."""
    moment, _, fraction = instant.removesuffix("+00:00").partition(".")
    return f"{moment}.{(fraction or '0')[:3]:0<3}Z"
