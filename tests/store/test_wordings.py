"""The statements as PostgreSQL reads them: all are understood, name their subject and search by key."""

import re
from collections.abc import Iterator
from importlib.resources import files

import psycopg
import pytest

from postgres_server import NEEDS_POSTGRES, PostgresServer, shared_server
from recollect.store.postgres.connection import connect
from recollect.store.postgres.dialect import dialect_statements, to_postgres
from recollect.store.postgres.migrate import prepare
from recollect.store.sql.statements import Statement, load
from recollect.testing import FakeClock
from statement_kinds import (
    ALL,
    CHECKS,
    CITUS_ONLY,
    ERASING,
    INDEX_ONLY,
    NAMES_A_SUBJECT,
    NEAR_ONLY,
    NOBODYS,
    OPERATORS,
    POSTGRES_ONLY,
)
from stores import new_store

pytestmark = NEEDS_POSTGRES
OWN = [
    (room, name)
    for entry in (files("recollect.store.postgres") / "queries").iterdir()
    for room in [entry.name.removesuffix(".sql")]
    for name in dialect_statements(room)
    if room not in POSTGRES_ONLY + NEAR_ONLY + INDEX_ONLY + CITUS_ONLY
]
ASKED = [*ALL, *((room, name, sql) for room in POSTGRES_ONLY for name, sql in dialect_statements(room).items())]


@pytest.fixture(scope="module")
def db() -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    server: PostgresServer = shared_server()
    url = server.new_database("wordings")
    prepare(url)
    with connect(url) as connection:
        connection.execute("SET enable_seqscan = off")
        yield connection


@pytest.mark.parametrize(("room", "name", "sql"), ASKED, ids=[f"{room}-{name}" for room, name, _ in ASKED])
def test_each_statement_is_understood_names_its_subject_and_scans_no_table(
    db: psycopg.Connection[tuple[object, ...]], room: str, name: str, sql: str
) -> None:
    plan = [str(row[0]) for row in db.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {to_postgres(sql)}")]
    if name not in OPERATORS | CHECKS | NOBODYS | ERASING:
        assert NAMES_A_SUBJECT.search(dialect_statements(room).get(name, sql))
        scanned = [line for line in plan if re.search(r"Seq Scan on (?!space|meta)", line)]
        assert scanned == []


@pytest.mark.parametrize(("room", "name"), OWN)
def test_a_wording_of_its_own_stands_for_a_statement_and_says_it_in_other_words(room: str, name: str) -> None:
    assert dialect_statements(room)[name] != load(room)[name]


def test_what_has_no_wording_of_its_own_is_the_statement_with_its_values_renamed() -> None:
    assert to_postgres(Statement("nowhere", "nothing", "SELECT ?1 WHERE ?12 = ?2")) == "SELECT $1 WHERE $12 = $2"


@pytest.mark.parametrize("name", ["hot_changed", "vectors_changed"])
def test_what_changed_is_looked_up_by_its_key_where_the_server_has_no_statistics_yet(
    db: psycopg.Connection[tuple[object, ...]], name: str
) -> None:
    plan = [str(row[0]) for row in db.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {to_postgres(load('memory')[name])}")]
    assert [line for line in plan if "Index Cond" in line and "memory = m.id" in line]
    assert not [line for line in plan if "Join Filter" in line]


async def test_two_databases_of_one_server_have_keys_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    first = await new_store("postgres", tmp_path_factory.mktemp("one"), FakeClock())
    url = shared_server().new_database("keys")
    keys = {prepare(url), prepare(url)}
    await first.close()
    assert len(keys) == 1
