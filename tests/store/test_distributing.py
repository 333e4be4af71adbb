"""A database spread over Citus: how it is set up, when it is refused, and that a request stays on one node.

PyPI has no Citus. What is asked of it is tested against a double that keeps its books (`citus_double.sql`); statements,
against the plans of PostgreSQL. Where `TOLDONCE_TEST_CITUS` names a cluster, both run against it, and so does every
test of the store (`tests/stores.py`).
"""

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest

from giants import Shown
from postgres_server import NEEDS_POSTGRES, shared_server
from statement_kinds import ALL, CHECKS, ERASING, EVERY_NODE, NOBODYS, OPERATORS, POSTGRES_ONLY, TWO_SUBJECTS
from stores import CITUS
from toldonce.engine.databases import build_indexes, distribute_database, drop_indexes
from toldonce.errors import BadRequestError, UnreadableStoreError
from toldonce.store.postgres.connection import SCHEMA, connect
from toldonce.store.postgres.dialect import dialect_statements, to_postgres
from toldonce.store.postgres.migrate import prepare

pytestmark = NEEDS_POSTGRES
Db = psycopg.Connection[tuple[Any, ...]]
DOUBLE = (Path(__file__).parent / "citus_double.sql").read_text("utf-8")
EVERYWHERE = {"api_key", "audit", "meta", "migration", "space", "user_alias"}
REQUESTED = [
    (room, name, to_postgres(sql))
    for room, name, sql in (
        *ALL,
        *((room, name, sql) for room in POSTGRES_ONLY for name, sql in dialect_statements(room).items()),
    )
    if name not in OPERATORS | CHECKS | NOBODYS | ERASING and (room, name) not in EVERY_NODE
]
_numbers = count(1)


def new_url() -> str:
    return shared_server().new_database(f"distributing{next(_numbers)}")


@pytest.fixture
def cluster() -> str:
    """A database that takes itself for the coordinator of Citus, with one node that holds shards."""
    url = new_url()
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(DOUBLE)
        db.execute("INSERT INTO pg_dist_node VALUES ('primary', true, true), ('primary', true, false)")
    return url


def told(url: str) -> list[str]:
    with psycopg.connect(url) as db:
        return [what for (what,) in db.execute("SELECT what FROM called")]


def test_rows_of_a_subject_share_a_node_and_common_rows_are_on_each(cluster: str) -> None:
    done = distribute_database(cluster, shards=16)

    said = told(cluster)
    assert said[: len(EVERYWHERE)] == [f"reference {table}" for table in sorted(EVERYWHERE)]
    assert said[len(EVERYWHERE)] == "distribute subject by key with none in 16"
    assert set(said[len(EVERYWHERE) + 1 :]) == {
        f"distribute {table} by subject with subject in " for table in done.distributed
    } - {"distribute subject by subject with subject in "}
    assert set(done.copied) == EVERYWHERE
    assert done.nodes == 1
    with connect(cluster) as db:
        tables = db.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'toldonce'::regnamespace AND relkind = 'r'"
        ).fetchall()
    assert {name for (name,) in tables} == {*done.distributed, *done.copied}


def test_tables_placed_correctly_are_left_alone_and_new_ones_are_added(cluster: str) -> None:
    first = distribute_database(cluster)
    said = told(cluster)
    again = distribute_database(cluster)

    assert (again.distributed, again.copied) == ((), ())
    assert sorted(again.before) == sorted((*first.distributed, *first.copied))
    assert told(cluster) == said
    with connect(cluster) as db:  # as a migration of a later version would
        db.execute("CREATE TABLE later (subject BIGINT NOT NULL, id BYTEA NOT NULL, PRIMARY KEY (subject, id))")
    assert distribute_database(cluster).distributed == ("later",)


def test_an_interrupted_distribution_resumes(cluster: str) -> None:
    prepare(cluster)
    with connect(cluster) as db:
        db.execute("CREATE TABLE unheard (subject BIGINT NOT NULL, id BIGINT PRIMARY KEY)")
    with pytest.raises(UnreadableStoreError, match=r'Citus refuses \(cannot create constraint on "unheard"\)'):
        distribute_database(cluster)
    assert "distribute memory by subject with subject in " in told(cluster)
    with connect(cluster) as db:
        db.execute("DROP TABLE unheard")
    assert distribute_database(cluster).distributed == ("vector",)


def test_a_table_distributed_otherwise_is_named_and_nothing_is_done(cluster: str) -> None:
    prepare(cluster)
    with connect(cluster) as db:
        db.execute("INSERT INTO public.pg_dist_partition VALUES ('memory'::regclass, 'h', 'id', 7)")
    with pytest.raises(UnreadableStoreError, match="memory: distributed otherwise"):
        distribute_database(cluster)
    assert told(cluster) == []


def test_indexes_of_single_users_are_dropped_first(cluster: str) -> None:
    prepare(cluster)
    with connect(cluster) as db:
        db.execute('CREATE INDEX "near_7_1" ON vector (memory) WHERE subject = 7 AND space = 1')
    with pytest.raises(UnreadableStoreError, match="single users: drop them first, `toldonce db index --drop`"):
        distribute_database(cluster)
    assert told(cluster) == []
    assert drop_indexes(cluster, progress=Shown()).dropped == ("near_7_1",)
    assert "vector" in distribute_database(cluster).distributed
    with pytest.raises(UnreadableStoreError, match="spread over the nodes of Citus"):
        build_indexes(cluster, progress=Shown())


def test_a_database_that_cannot_be_distributed_is_refused_without_tables(cluster: str) -> None:
    plain = new_url()
    with pytest.raises(UnreadableStoreError, match="it has no Citus: put citus into shared_preload_libraries"):
        distribute_database(plain)
    with psycopg.connect(cluster, autocommit=True) as db:
        db.execute("DELETE FROM pg_dist_node WHERE shouldhaveshards")
    with pytest.raises(UnreadableStoreError, match="no node of it holds shards: add some"):
        distribute_database(cluster)
    with psycopg.connect(cluster, autocommit=True) as db:
        db.execute("CREATE OR REPLACE FUNCTION citus_is_coordinator() RETURNS BOOLEAN LANGUAGE sql AS 'SELECT false'")
        db.execute("DELETE FROM pg_dist_node")  # Citus calls a cluster without nodes no coordinator
    with pytest.raises(UnreadableStoreError, match="no node of it holds shards: add some"):
        distribute_database(cluster)
    with psycopg.connect(cluster, autocommit=True) as db:
        db.execute("INSERT INTO pg_dist_node VALUES ('primary', true, true)")
    with pytest.raises(UnreadableStoreError, match="it is a worker of Citus: name the coordinator's"):
        distribute_database(cluster)
    for url in (plain, cluster):
        with psycopg.connect(url) as db:
            assert db.execute("SELECT to_regnamespace('toldonce')").fetchone() == (None,)


def test_only_postgresql_is_distributed_into_a_sensible_number_of_shards() -> None:
    with pytest.raises(BadRequestError, match="is no PostgreSQL database"):
        distribute_database("sqlite:///memory.db")
    with pytest.raises(BadRequestError, match="0 shards"):
        distribute_database("postgresql://nowhere/", shards=0)


@pytest.fixture(scope="module")
def db() -> Iterator[Db]:
    url = new_url()
    prepare(url)
    with connect(url) as connection:
        connection.execute("SET enable_seqscan = off")
        yield connection


def test_whatever_is_unique_is_so_within_one_subject(db: Db) -> None:
    unique = db.execute(
        """
        SELECT t.relname, c.relname, ARRAY(SELECT a.attname FROM pg_attribute AS a
                                            WHERE a.attrelid = t.oid AND a.attnum = ANY (i.indkey))
          FROM pg_index AS i
          JOIN pg_class AS c ON c.oid = i.indexrelid
          JOIN pg_class AS t ON t.oid = i.indrelid
         WHERE i.indisunique AND t.relnamespace = $1::TEXT::REGNAMESPACE
        """,
        (SCHEMA,),
    ).fetchall()
    assert len(unique) > 20
    assert [
        index
        for table, index, columns in unique
        if table not in EVERYWHERE and ("key" if table == "subject" else "subject") not in columns
    ] == []


def read(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each table that a plan reads, with all that is asked of its rows."""
    asked = " ".join(str(node.get(kind, "")) for kind in ("Index Cond", "Recheck Cond", "Filter"))
    children = node.get("Plans", [])
    if "Relation Name" in node and node["Node Type"] != "ModifyTable":
        yield node["Relation Name"], asked + " ".join(str(child.get("Index Cond", "")) for child in children)
    for child in children:
        yield from read(child)


def whose(plan: dict[str, Any]) -> Iterator[str]:
    """Yield the number of each subject whose rows a plan reads; "everybody's <table>" for a table read without one."""
    for table, asked in read(plan):
        if table not in EVERYWHERE:
            column = "key" if table == "subject" else "subject"
            yield from re.findall(rf"\b{column} = \(?\$(\d+)", asked) or [f"everybody's {table}"]


def test_each_table_of_a_request_is_reached_by_one_and_the_same_subject(db: Db) -> None:
    wrong: dict[str, set[str]] = {}
    for room, name, sql in REQUESTED:
        ((plan,),) = db.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF, FORMAT JSON) {sql}").fetchall()
        subjects = {*whose(plan[0]["Plan"])}
        if len(subjects) > (2 if name in TWO_SUBJECTS else 1) or not all(map(str.isdecimal, subjects)):
            wrong[f"{room}/{name}"] = subjects
    assert wrong == {}


# A value of each type that a statement takes.
SAMPLES = {
    "bigint": "42",
    "integer": "1",
    "smallint": "1",
    "double precision": "0.5",
    "text": "'[]'",  # some texts are lists
    "json": "'[]'",
    "bytea": "'\\x01'",
    "bytea[]": "ARRAY['\\x01'::BYTEA]",
    "bigint[]": "ARRAY[1]::BIGINT[]",
    "boolean": "true",
}


@pytest.mark.skipif(CITUS is None, reason="TOLDONCE_TEST_CITUS names no cluster")
def test_citus_sends_each_statement_of_a_request_to_one_shard() -> None:
    assert CITUS is not None
    distribute_database(CITUS, shards=4)
    with connect(CITUS) as there:
        there.prepare_threshold = None
        wrong = [
            (room, name, plan)
            for room, name, sql in REQUESTED
            if name not in TWO_SUBJECTS | {"add_vectors"} and (plan := planned(there, sql)) not in (["1"], [])
        ]
    assert wrong == []


def planned(there: Db, sql: str) -> list[str]:
    """Return of how many tasks the parts of a plan are; a statement on what lies on each node has none."""
    there.execute(f"PREPARE asked AS {sql}")
    ((types,),) = there.execute("SELECT parameter_types::TEXT[] FROM pg_prepared_statements").fetchall()
    values = f"({', '.join(SAMPLES[kind] for kind in types)})" if types else ""
    plan = "\n".join(str(row[0]) for row in there.execute(f"EXPLAIN (COSTS OFF) EXECUTE asked{values}").fetchall())
    there.execute("DEALLOCATE asked")
    return re.findall(r"Task Count: (\d+)", plan)
