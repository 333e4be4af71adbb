"""The statements as PostgreSQL reads them: all are understood, name their subject and search by key."""

import re
from collections import defaultdict
from collections.abc import Iterator
from importlib.resources import files
from itertools import pairwise

import psycopg
import pytest

from postgres_server import NEEDS_POSTGRES, PostgresServer, shared_server
from statement_kinds import (
    ALL,
    BY_SUBJECT_ALONE,
    CHECKS,
    CITUS_ONLY,
    ERASING,
    INDEX_ONLY,
    NAMES_A_SUBJECT,
    NEAR_ONLY,
    NOBODYS,
    OPERATORS,
    POSTGRES_ONLY,
    READING_ALL,
    SMALL_INDEXES,
    WHOLE_ERASURE,
)
from stores import new_store
from toldonce.store.postgres.connection import connect
from toldonce.store.postgres.dialect import REMEMBERED_COLUMNS, dialect_statements, handling, target_of, to_postgres
from toldonce.store.postgres.migrate import prepare
from toldonce.store.sql.database import Statement, load, parse
from toldonce.store.sql.rows import REMEMBERED
from toldonce.store.sql.tables import TABLES
from toldonce.store.sqlite.connection import MEMORY, DatabaseLocation, open_writer
from toldonce.testing import FakeClock

pytestmark = NEEDS_POSTGRES
# Subjects in the filled tables, and rows of each.
WHO, ROWS_EACH = 20, 400
OWN = [
    (room, name)
    for entry in (files("toldonce.store.postgres") / "queries").iterdir()
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


# Columns that fewer values should have than there are rows.
REPEATED_VALUES = {name: f"row % {WHO}" for name in ("subject", "home", "owner", "bound_to")} | dict.fromkeys(
    ("kind", "state", "parked", "masked", "held", "erased", "is_answer", "quotes_messages"), "0"
)
VALUES = {
    "bytea": "decode(lpad(to_hex(row), 32, '0'), 'hex')",
    "text": "CAST(row AS TEXT)",
    "double precision": "0.5",
    "bigint": "row",
    "integer": "row",
    "smallint": "0",
    "boolean": "FALSE",
}
COLUMNS = """
SELECT CAST(c.relname AS TEXT), CAST(a.attname AS TEXT), format_type(a.atttypid, NULL)
  FROM pg_attribute AS a
  JOIN pg_class AS c ON c.oid = a.attrelid
 WHERE c.relnamespace = CAST('toldonce' AS REGNAMESPACE) AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
   AND c.relname NOT IN ('migration', 'space') AND a.attname NOT IN ('near', 'cleaned_at')
 ORDER BY c.relname, a.attnum
"""


@pytest.fixture(scope="module")
def filled() -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A database in which each table has rows of some subjects, and the server knows how many."""
    url = shared_server().new_database("filled")
    prepare(url)
    with connect(url) as connection:
        columns = defaultdict[str, dict[str, str]](dict)
        for table, column, type_ in connection.execute(COLUMNS).fetchall():
            columns[table][column] = REPEATED_VALUES.get(column) or VALUES.get(type_, "NULL")
        for table, values in columns.items():
            connection.execute(
                f"INSERT INTO {table} ({', '.join(values)}) SELECT {', '.join(values.values())}"  # noqa: S608 - our names
                f" FROM generate_series(1, {WHO * ROWS_EACH}) AS row ON CONFLICT DO NOTHING"
            )
        connection.execute("ANALYZE")
        connection.execute("SET enable_seqscan = off")
        yield connection


def _by_subject_alone(db: psycopg.Connection[tuple[object, ...]], sql: str) -> list[str]:
    """Return the indexes by which a statement reaches all rows of a subject, though it may have many in them."""
    one_row = {f"{table.name}_pkey" for table in TABLES if table.key == ("subject",)} | {"subject_key_retired"}
    plan = [str(row[0]) for row in db.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {sql}")]
    found = [
        re.search(r" (?:using|on) (\w+)", scan)
        for scan, condition in pairwise(plan)
        if re.search(r"Index Cond: \(\(?(subject|home|bound_to) = \$\d\)+$", condition)
    ]
    return [index[1] for index in found if index and index[1] not in SMALL_INDEXES.keys() | one_row]


def test_no_transaction_searches_by_the_subject_alone_but_for_known_reasons(
    filled: psycopg.Connection[tuple[object, ...]],
) -> None:
    known = BY_SUBJECT_ALONE.keys() | READING_ALL | WHOLE_ERASURE | {"health/held_conflicts", "sharing/subscriptions"}
    found = {f"{room}/{name}": _by_subject_alone(filled, to_postgres(sql)) for room, name, sql in ALL}
    assert {key: indexes for key, indexes in found.items() if indexes and key not in known} == {}


@pytest.mark.parametrize(
    "statement",
    [
        # As they were: of ids in a list, the server read all memories of the user.
        "UPDATE memory SET uses = 1 FROM json_array_elements_text($2) AS item"
        " WHERE subject = $1 AND id = CAST(item AS BYTEA)",
        "SELECT state FROM memory WHERE subject = $1"
        " AND id IN (SELECT CAST(item AS BYTEA) FROM json_array_elements_text($2) AS item)",
        "UPDATE formation SET parked = 0 WHERE home = $1",
    ],
)
def test_a_statement_that_would_read_all_of_a_subject_is_told(
    filled: psycopg.Connection[tuple[object, ...]], statement: str
) -> None:
    assert _by_subject_alone(filled, statement)


def test_each_statement_is_understood_names_its_subject_and_scans_no_table(
    db: psycopg.Connection[tuple[object, ...]],
) -> None:
    wrong: dict[str, list[str]] = {}
    for room, name, sql in ASKED:
        plan = [str(row[0]) for row in db.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {to_postgres(sql)}")]
        scanned = [line for line in plan if re.search(r"Seq Scan on (?!space|meta)", line)]
        is_named = NAMES_A_SUBJECT.search(dialect_statements(room).get(name, sql))
        if name not in OPERATORS | CHECKS | NOBODYS | ERASING and (scanned or not is_named):
            wrong[f"{room}/{name}"] = scanned
    assert wrong == {}


def test_whether_any_key_is_valid_is_looked_up_in_an_index(db: psycopg.Connection[tuple[object, ...]]) -> None:
    statement = to_postgres(load("access")["has_valid_key"])
    plan = [str(row[0]) for row in db.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {statement}")]
    assert len([line for line in plan if "using api_key_valid" in line or "on api_key_valid" in line]) >= 2


def test_a_wording_of_its_own_differs_from_the_statement_it_replaces() -> None:
    assert [(room, name) for room, name in OWN if dialect_statements(room)[name] == load(room)[name]] == []


def test_a_statement_without_a_wording_of_its_own_has_its_values_renamed() -> None:
    assert to_postgres(Statement("nowhere", "nothing", "SELECT ?1 WHERE ?12 = ?2")) == "SELECT $1 WHERE $12 = $2"


@pytest.mark.parametrize("statement", [load("memory")["changes"], dialect_statements("recall")["forward"]])
def test_changes_are_looked_up_by_key_where_the_server_has_no_statistics(
    db: psycopg.Connection[tuple[object, ...]], statement: Statement
) -> None:
    plan = [str(row[0]) for row in db.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {to_postgres(statement)}")]
    by_key = [line for line in plan if "Index Cond" in line and re.search(r"memory = memory(_1)?\.id", line)]
    assert len(by_key) == 2
    assert not [line for line in plan if "Join Filter" in line]


async def test_two_databases_of_one_server_have_keys_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    first = await new_store("postgres", tmp_path_factory.mktemp("one"), FakeClock())
    url = shared_server().new_database("keys")
    keys = {prepare(url), prepare(url)}
    await first.close()
    assert len(keys) == 1


def test_a_header_declares_what_postgres_does_besides_running_the_statement() -> None:
    declared = {(group, name): handling(sql) for group, name, sql in ALL if handling(sql)}

    assert {name for (_, name), special in declared.items() if "copy" in special} == {
        "add_memory",
        "add_evidence",
        "add_hot",
        "add_vectors",
        "add_decision",
        "add_message",
    }
    assert declared["subject", "subject"] == {"lock": "row"}
    # Statements of the view end with its columns; its text may be in another subject's log.
    assert {key for key, special in declared.items() if "text" in special} == {
        (group, name) for group, name, sql in ALL if re.search(r"\bFROM remembered\b", to_postgres(sql))
    }


@pytest.mark.parametrize("header", ["locks: row", "lock: table", "copy: everything"])
def test_a_header_that_says_something_unknown_is_refused(header: str) -> None:
    with pytest.raises(ValueError, match=header):
        parse("group", f"-- name: statement {header}\nSELECT 1")


def test_rows_copied_are_those_of_plain_inserts() -> None:
    for _, _, sql in ALL:
        if "copy" in handling(sql):
            table, columns = target_of(to_postgres(sql))
            assert f"INSERT INTO {table} ({columns[0]}" in sql
    for more in ("INSERT INTO link (a) VALUES ($1) ON CONFLICT DO NOTHING", "INSERT INTO link (a, b) VALUES ($2, $1)"):
        with pytest.raises(ValueError, match="INSERT INTO link"):
            target_of(more)


def test_the_view_has_the_columns_that_rows_are_read_by(db: psycopg.Connection[tuple[object, ...]]) -> None:
    columns = db.execute("SELECT * FROM remembered LIMIT 0").description or []
    assert tuple(column.name for column in columns) == REMEMBERED_COLUMNS
    file = open_writer(DatabaseLocation(path=MEMORY))
    named = [row[1] for row in file.execute("PRAGMA table_info(remembered)")]
    file.close()
    assert tuple(named) == REMEMBERED
