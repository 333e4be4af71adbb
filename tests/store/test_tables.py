"""Every table is declared with how erasing treats it (E5): a new one without a line fails here."""

from collections.abc import Iterator

import apsw
import pytest

from recollect.store.relational.statements import load
from recollect.store.relational.tables import TABLES, Table
from recollect.store.sqlite.connection import MEMORY, Place, open_writer

# Of every subject's rows in such tables erasing takes away all; what else they are keyed by does not matter.
_OF_A_SUBJECT = {"subject", "home", "key"}


@pytest.fixture(scope="module")
def db() -> Iterator[apsw.Connection]:
    opened = open_writer(Place(path=MEMORY))
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
    assert bool(declared.every) != bool(declared.kept), "either its rows go, or it says why they stay"
    assert declared.holds
    for statement in declared.every:
        sql = load("erase")[statement]
        assert sql.split()[:3] == ["DELETE", "FROM", declared.name]
    if not declared.every:
        text = {
            str(row[0])
            for row in db.execute("SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT'", (declared.name,))
        }
        assert text <= {"name", "counts", "spec", "curve"}, "what stays holds no text of anybody's"


def test_i13_a_table_that_keeps_no_subject_keeps_rows(db: apsw.Connection) -> None:
    nobodys = {table.name for table in TABLES if not columns(db, table.name) & _OF_A_SUBJECT}
    assert nobodys == {"meta", "space"}
