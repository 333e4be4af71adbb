"""Every statement that writes or compares content says so in its header: else it would be stored as it is."""

import re
from collections.abc import Iterator

from statement_kinds import ALL
from toldonce.store.encryption.connection import _either, _plan_of
from toldonce.store.sql.database import MATCHES, SEALS, Statement, parse
from toldonce.store.sql.tables import CONTENT, TABLES

# These write a constant, and to rows of several subjects.
CONSTANTS = {"clear_errors", "clear_errors_on_log"}
_INSERT = re.compile(r"INSERT INTO (\w+) \(([\w\s,]+)\)\s*VALUES \((.*?)\)\s*(?:ON|RETURNING|$)", re.DOTALL)
_UPDATE = re.compile(r"UPDATE (?:OR REPLACE )?(\w+)(.*)", re.DOTALL)
_FROM = re.compile(r"\b(?:FROM|JOIN) (\w+)")
_CALLED = re.compile(r"(?:json\w*|substr|instr|strpos|length|lower|upper|->>?)\W+(?:\w\.)?(\w+)")


def written(statement: str) -> Iterator[tuple[str, str, int]]:
    """Yield table, column and number of each value that a statement writes."""
    for table, names, values in _INSERT.findall(statement):
        for name, value in zip(names.split(","), values.split(","), strict=True):
            if number := re.fullmatch(r"\?(\d+)", value.strip()):
                yield table, name.strip(), int(number[1])
    if updated := _UPDATE.search(re.sub(r"ON CONFLICT.*", "", statement, flags=re.DOTALL)):
        sets = updated[2].partition("WHERE")[0]
        for name, number in re.findall(r"(\w+) = \?(\d+)", sets):
            yield updated[1], name, int(number)


def compared(statement: str) -> Iterator[tuple[str, str, int]]:
    """Yield table, column and number of each value that a statement compares with content; `?1` is the subject."""
    tables = {*_FROM.findall(statement), *(match[1] for match in _UPDATE.finditer(statement))} & CONTENT.keys()
    asked = " ".join(re.findall(r"(?:WHERE|\bON\b)(.*?)(?=SELECT|$)", statement, re.DOTALL))
    for name, number in re.findall(r"(?:\w\.)?(\w+) (?:=|<>|IS NOT|IS|>|<|LIKE) \?(\d+)", asked):
        for table in sorted(tables):
            if int(number) > 1 and name in (*CONTENT[table].seals, *CONTENT[table].matches):
                yield table, name, int(number)


def declared(statement: Statement) -> tuple[set[int], dict[int, str]]:
    seals = {int(number) for number in statement.handling.get(SEALS, "").split(",") if number}
    pairs = [pair.split("=") for pair in statement.handling.get(MATCHES, "").split(",") if pair]
    return seals, {int(number): column for column, number in pairs}


def expected(name: str, statement: Statement) -> tuple[set[int], dict[int, str]]:
    """Return what a statement has to declare."""
    expected_seals: set[int] = set()
    expected_matches: dict[int, str] = {}
    for table, column, number in written(statement):
        if table in CONTENT and column in CONTENT[table].seals and name not in CONSTANTS:
            expected_seals.add(number)
        if table in CONTENT and column in CONTENT[table].matches:
            expected_matches[number] = column
    for table, column, number in compared(statement):
        if name in CONSTANTS:
            continue
        assert column in CONTENT[table].matches, f"{table}.{column} is sealed at random and cannot be compared"
        expected_matches[number] = column
    return expected_seals, expected_matches


def test_content_that_a_statement_writes_or_compares_is_declared() -> None:
    assert [f"{room}/{name}" for room, name, statement in ALL if declared(statement) != expected(name, statement)] == []


def test_no_statement_computes_on_content() -> None:
    """But for the beginning of a text, which is read whole where it may be encrypted, as is what names no memory."""
    computed: dict[str, set[str]] = {}
    for _, name, statement in ALL:
        tables = {*_FROM.findall(statement)} & CONTENT.keys()
        content = {column for table in tables for column in (*CONTENT[table].seals, *CONTENT[table].matches)} - {"key"}
        if called := content & {*_CALLED.findall(statement)}:
            computed[name] = called
    assert computed == {"user_words": {"text"}, "recalls_naming": {"omitted"}}


def test_what_the_test_looks_for_is_found() -> None:
    by_name = {(room, name): statement for room, name, statement in ALL}
    assert ("message", "text", 12) in set(written(by_name["log", "add_message"]))
    assert ("conversation", "options", 3) in set(written(by_name["log", "note_options"]))
    assert set(compared(by_name["memory", "in_slot"])) == {("memory", "category", 2), ("memory", "key", 3)}
    assert set(compared(by_name["tagged", "tagged"])) == {("memory_tag", "tag", 2)}


def test_a_statement_that_begins_with_a_remark_is_known_as_one_that_reads() -> None:
    remark = parse("memory", "-- name: found matches: tag=2\n-- Why.\nSELECT 1 FROM memory_tag WHERE tag = ?2")["found"]
    plan = _plan_of(remark)
    assert plan is not None
    assert (plan.reads, plan.matches) == (True, ((1, "tag"),))
    assert "tag IN (?2, ?3)" in _either(remark, plan)


def test_each_table_with_content_is_one_of_a_subject_and_has_such_columns() -> None:
    known = {table.name: table for table in TABLES}
    assert all(not known[name].is_global for name in CONTENT)
