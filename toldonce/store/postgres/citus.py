"""Distribute the tables of a Citus database over its nodes, all rows of a subject on one. Network."""

from typing import NamedTuple

import psycopg

from toldonce.errors import UnreadableStoreError
from toldonce.settings import shown_url
from toldonce.store.postgres.connection import SCHEMA, PostgresConnection, connect
from toldonce.store.postgres.dialect import dialect_statements, to_postgres
from toldonce.store.postgres.errors import fault
from toldonce.store.postgres.hnsw_index import indexes
from toldonce.store.postgres.migrate import LOCK, prepare
from toldonce.store.sql.database import Row
from toldonce.store.store_reports import CitusReport

SQL = dialect_statements("distribute")
# The table whose key the others are distributed by.
ROOT = "subject"
_BY_HASH, _EVERYWHERE = "h", "n"


class TablePlacement(NamedTuple):
    """Placement of one table: wanted and actual."""

    name: str
    column: str | None
    """Column it should be distributed by; None: a copy on every node."""
    method: str | None
    """How Citus distributes it; None: on the coordinator alone."""
    by: str | None
    """The column it is distributed by."""
    group: int | None
    """Tables of one group have the same subjects on the same nodes."""

    def settled(self, group: int | None) -> bool:
        """Return whether it is placed as wanted; `group` is that of the subjects."""
        if self.column is None:
            return self.method == _EVERYWHERE
        return self.method == _BY_HASH and self.by == self.column and self.group == group


def distribute(url: str, *, shards: int) -> CitusReport:
    """Create the schema if needed, and distribute tables that are not distributed yet. Idempotent.

    Args:
        url: Of the coordinator's database.
        shards: Into how many parts the subjects are divided, where they are not divided yet.

    Raises:
        UnreadableStoreError: it has no Citus, is no coordinator, has no nodes, or a table was distributed otherwise.
        StoreUnavailableError: the server does not answer.
    """
    where = shown_url(url)
    try:
        with connect(url) as db:
            version, nodes = _citus(db, where)  # before anything is made: a worker of Citus is not to get a schema
            prepare(url)
            if indexes(PostgresConnection(db)):
                raise refused(where, "it has indexes of single users: drop them first, `toldonce db index --drop`")
            db.execute("SET statement_timeout = 0")
            db.execute("SELECT pg_advisory_lock($1)", (LOCK,))
            distributed, copied, before = _distribute(db, where, shards)
            db.execute(to_postgres(SQL["spread_sources"]))
    except psycopg.errors.InsufficientPrivilege as error:
        raise refused(where, f"its user may not do that ({_said(error)}): run this as the tables' owner") from error
    except psycopg.errors.FeatureNotSupported as error:
        raise refused(where, f"Citus refuses ({_said(error)})") from error
    except psycopg.Error as error:
        raise fault(error, where) from error
    return CitusReport(where=where, citus=version, nodes=nodes, distributed=distributed, copied=copied, before=before)


def _citus(db: psycopg.Connection[Row], where: str) -> tuple[str, int]:
    """Return the version, and how many nodes hold shards.

    Raises:
        UnreadableStoreError: there is nothing to distribute to.
    """
    found = _rows(db, "version")
    if not found:
        raise refused(
            where,
            "it has no Citus: put citus into shared_preload_libraries, restart the server, and run "
            "`CREATE EXTENSION citus` in this database, on each node",
        )
    known, nodes = map(int, _rows(db, "nodes")[0])
    # Without any node Citus takes every server for a worker.
    if known and not _rows(db, "is_coordinator")[0][0]:
        raise refused(where, "it is a worker of Citus: name the coordinator's database")
    if not nodes:
        raise refused(where, "no node of it holds shards: add some with `SELECT citus_add_node('worker-1', 5432)`")
    return str(found[0][0]), nodes


def _distribute(
    db: psycopg.Connection[Row], where: str, shards: int
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Do what is left; return the tables that were distributed, those put on each node, those that lay so before."""
    tables = [TablePlacement(*row) for row in _rows(db, "tables", SCHEMA)]
    wrong = [table for table in tables if _lies_otherwise(table, tables)]
    if wrong:
        names = ", ".join(table.name for table in wrong)
        raise refused(
            where, f"{names}: distributed otherwise than ToldOnce needs it; see docs/deploy.md, or undo that first"
        )
    before = tuple(table.name for table in tables if table.settled(_group(tables)))
    left = [table for table in tables if table.name not in before]
    for table in left:
        if table.column is None:
            _rows(db, "copy_to_all", table.name)
    if any(table.name == ROOT for table in left):
        _rows(db, "distribute_subjects", shards)
    for table in left:
        if table.column is not None and table.name != ROOT:
            with db.transaction():
                db.execute(to_postgres(SQL["allow_triggers"]))
                _rows(db, "distribute", table.name)
    return (
        tuple(table.name for table in left if table.column is not None),
        tuple(table.name for table in left if table.column is None),
        before,
    )


def _group(tables: list[TablePlacement]) -> int | None:
    return next((table.group for table in tables if table.name == ROOT), None)


def _lies_otherwise(table: TablePlacement, tables: list[TablePlacement]) -> bool:
    return table.method is not None and not table.settled(_group(tables))


def refused(where: str, why: str) -> UnreadableStoreError:
    """Say why a database cannot be distributed."""
    return UnreadableStoreError(f"{where} cannot be distributed: {why}")


def _said(error: psycopg.Error) -> str:
    return str(error).strip().splitlines()[0]


def _rows(db: psycopg.Connection[Row], name: str, *values: object) -> list[Row]:
    return db.execute(to_postgres(SQL[name]), values or None).fetchall()
