"""Every table is declared with how erasing treats it (E5): a new one without a line fails here."""

import re
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from postgres_server import NEEDS_POSTGRES
from stores import url_of
from toldonce.store.postgres.connection import SCHEMA, connect
from toldonce.store.sql.database import load
from toldonce.store.sql.tables import TABLES, Table
from toldonce.store.sqlite.connection import MEMORY, DatabaseLocation, open_writer

# Of every subject's rows in such tables erasing takes away all; what else they are keyed by does not matter.
_OF_A_SUBJECT = {"subject", "home", "key"}


@pytest.fixture(scope="module")
def db() -> Iterator[apsw.Connection]:
    opened = open_writer(DatabaseLocation(path=MEMORY))
    yield opened
    opened.close()


def tables_of(db: apsw.Connection) -> set[str]:
    return {
        str(row[0])
        for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    }


def columns(db: apsw.Connection, table: str) -> set[str]:
    return {str(row[0]) for row in db.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def test_i13_every_table_is_declared_once_with_how_erasing_treats_it(db: apsw.Connection) -> None:
    assert sorted(table.name for table in TABLES) == sorted(tables_of(db))


def test_i13_no_table_is_virtual_for_its_shadows_would_have_to_be_declared_too(db: apsw.Connection) -> None:
    assert db.execute("SELECT count(*) FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'").get == 0


@pytest.mark.parametrize("declared", TABLES, ids=[table.name for table in TABLES])
def test_i13_what_a_table_holds_of_a_subject_is_taken_away_or_kept_for_a_reason(
    db: apsw.Connection, declared: Table
) -> None:
    assert bool(declared.delete_statements) != bool(declared.kept), "either its rows go, or it says why they stay"
    assert declared.holds
    for statement in declared.delete_statements:
        sql = load("erase")[statement]
        assert sql.split()[:3] == ["DELETE", "FROM", declared.name]
    if not declared.delete_statements:
        text = {
            str(row[0])
            for row in db.execute("SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT'", (declared.name,))
        }
        ids = {"actor", "action", "tenant", "target"} if declared.name == "audit" else set[str]()
        assert text <= {"name", "counts", "spec", "curve"} | ids, "what stays holds no text of anybody's"


def test_i13_a_table_that_keeps_no_subject_keeps_rows(db: apsw.Connection) -> None:
    nobodys = {table.name for table in TABLES if not columns(db, table.name) & _OF_A_SUBJECT}
    assert nobodys == {"api_key", "audit", "meta", "space", "user_alias"}


@pytest.mark.parametrize("declared", TABLES, ids=[table.name for table in TABLES])
def test_the_declared_key_is_the_tables_own_and_leases_are_columns_of_it(db: apsw.Connection, declared: Table) -> None:
    """Copies read tables in the order of their keys, cut them by subject, and leave leases behind."""
    key = db.execute("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (declared.name,))
    assert tuple(str(row[0]) for row in key) == declared.key
    assert set(declared.leased) <= columns(db, declared.name)
    assert {name for name in columns(db, declared.name) if re.match(r"(lease|tend)_", name)} == set(declared.leased)
    assert declared.is_global == (declared.name in {"api_key", "audit", "meta", "space", "user_alias"})


@NEEDS_POSTGRES
def test_both_databases_have_the_same_tables_with_the_same_columns(db: apsw.Connection, tmp_path: Path) -> None:
    """But for a vector, which is a row a chunk on PostgreSQL, and the list of its migrations: SQLite has a pragma."""
    with connect(url_of("postgres", tmp_path)) as server:
        found: dict[str, set[str]] = {}
        for table, column in server.execute(
            "SELECT c.table_name, c.column_name FROM information_schema.columns AS c JOIN pg_tables AS t "
            "ON t.tablename = c.table_name AND t.schemaname = c.table_schema WHERE c.table_schema = $1",
            (SCHEMA,),
        ):
            found.setdefault(str(table), set()).add(str(column))
    assert found.pop("migration")
    assert found.pop("vector") - {"chunk", "embedding", "sealed"} == columns(db, "vector") - {"data"}
    own = {declared.name: declared.postgres for declared in TABLES if declared.postgres}
    assert {table: set(names) & found[table] for table, names in own.items()} == {"subject": {"near"}}
    found["subject"] -= {"near"}
    assert found == {table: columns(db, table) for table in tables_of(db) if table != "vector"}
