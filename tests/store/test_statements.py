"""The SQL itself: each statement names its subject, searches by key, and is used."""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import apsw
import pytest

from factories import ANA, memory, turn
from statement_kinds import (
    ALL,
    BY_SUBJECT_ALONE,
    CHECKS,
    ERASING,
    NAMES_A_SUBJECT,
    NOBODYS,
    OPERATORS,
    READING_ALL,
    RELATIONAL,
    ROOMS,
    SMALL_INDEXES,
    WHOLE_ERASURE,
    WRITES,
)
from toldonce.errors import BadSubjectError
from toldonce.store.factory import open_store
from toldonce.store.sql import database
from toldonce.store.sqlite.connection import MEMORY, DatabaseLocation, open_writer
from toldonce.testing import FakeClock


@pytest.fixture(scope="module")
def empty() -> Iterator[apsw.Connection]:
    """A new, empty database, which these tests only read."""
    db = open_writer(DatabaseLocation(path=MEMORY))
    yield db
    db.close()


# json_each is the list of ids that the caller asks for, or the items of one row; few: the rows within a limit.
SMALL_SCANS = tuple(
    f"SCAN {name}"
    for name in ("gone", "named", "below", "up", "waiting", "space", "json_each", "item", "few", "CONSTANT")
)


def test_each_statement_names_its_subject_and_scans_no_table(empty: apsw.Connection) -> None:
    wrong: dict[str, list[str]] = {}
    for room, name, sql in ALL:
        values = (None,) * max(map(int, re.findall(r"\?(\d+)", sql)), default=0)
        plan = [str(row[3]) for row in empty.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
        scanned = [step for step in plan if step.startswith("SCAN") and not step.startswith(SMALL_SCANS)]
        if name not in OPERATORS | CHECKS | NOBODYS | ERASING and (scanned or not NAMES_A_SUBJECT.search(sql)):
            wrong[f"{room}/{name}"] = scanned
    assert wrong == {}


def _by_subject_alone(db: apsw.Connection, sql: str) -> bool:
    """Return whether a statement reaches all rows of a subject, or of a table that grows."""
    values = (None,) * max(map(int, re.findall(r"\?(\d+)", sql)), default=0)
    steps = [str(row[3]) for row in db.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    alone = [step for step in steps if re.search(r"\((subject|home|bound_to)=\?\)$", step)]
    if WRITES.search(sql):
        alone += [step for step in steps if re.match(r"SCAN (?!json_each|CONSTANT|space)", step)]
    return any(not SMALL_INDEXES.keys() & set(step.split()) for step in alone)


def test_no_transaction_searches_by_the_subject_alone_but_for_known_reasons(empty: apsw.Connection) -> None:
    found = {f"{room}/{name}" for room, name, sql in ALL if _by_subject_alone(empty, sql)}
    assert found - WHOLE_ERASURE == BY_SUBJECT_ALONE.keys() | READING_ALL


@pytest.mark.parametrize(
    "statement",
    [
        # As it was: it read each memory of the user after each prompt, which held the only writer.
        "UPDATE hot SET fixed = unhex(item.value ->> 1) FROM json_each(?2) AS item"
        " WHERE hot.subject = ?1 AND hot.memory = unhex(item.value ->> 0)",
        "UPDATE memory SET uses = 0 WHERE subject = ?1 AND importance < ?2",
        "DELETE FROM insertion WHERE subject = ?1 AND thread = ?2",
        "DELETE FROM idempotency WHERE subject = ?1 AND state = 2",
        "UPDATE formation SET parked = 0 WHERE home = ?1",
        "UPDATE conversation SET profile = NULL WHERE profile = ?1",
        "SELECT payload FROM message WHERE subject = ?1 AND recorded_at > ?2",
    ],
)
def test_a_statement_that_would_hold_the_writer_is_told(statement: str, empty: apsw.Connection) -> None:
    assert _by_subject_alone(empty, statement)


def test_abandoned_messages_are_found_by_index(
    empty: apsw.Connection,
) -> None:
    sql = database.load("log")["abandoned"]
    plan = [str(row[3]) for row in empty.execute(f"EXPLAIN QUERY PLAN {sql}", (1, b""))]
    looked_up = [step for step in plan if step.startswith(("SEARCH new", "SEARCH below"))]
    assert len(looked_up) == 2
    assert all("message_child (subject=? AND conversation=? AND parent_seq=?" in step for step in looked_up)


@pytest.mark.parametrize("name", ["showing", "showing_any"])
def test_insertions_that_show_a_memory_are_found_by_index(name: str, empty: apsw.Connection) -> None:
    values = (1, b"")[: 2 if name == "showing" else 1]
    plan = [str(row[3]) for row in empty.execute(f"EXPLAIN QUERY PLAN {database.load('insertion')[name]}", values)]
    assert any("insertion_item_owner (owner=?" in step for step in plan)


def test_whether_any_key_is_valid_is_looked_up_in_an_index(empty: apsw.Connection) -> None:
    plan = [
        str(row[3]) for row in empty.execute(f"EXPLAIN QUERY PLAN {database.load('access')['has_valid_key']}", (1,))
    ]
    searches = [step for step in plan if step.startswith(("SEARCH", "SCAN api_key"))]
    assert [step.partition("api_key_valid ")[2] for step in searches] == ["(expires_at=?)", "(expires_at>?)"]


@pytest.mark.parametrize("name", ["decisions_of", "decisions_of_many"])
def test_decisions_about_memories_are_found_by_index(name: str, empty: apsw.Connection) -> None:
    values = (1, 10, b"") if name == "decisions_of" else (1, "[]")
    plan = [str(row[3]) for row in empty.execute(f"EXPLAIN QUERY PLAN {database.load('memory')[name]}", values)]
    searches = [step for step in plan if step.startswith("SEARCH decision")]
    assert len(searches) == 2
    assert "decision_memory (subject=? AND memory=?)" in searches[0]
    assert "decision_target (subject=? AND target=?)" in searches[1]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("traces_of_all", "recall_recorded (recorded>? AND recorded<?"),
        ("traces_of_tenant", "recall_tenant (tenant=? AND recorded>? AND recorded<?"),
        ("traces_of_subject", "recall_subject (subject=? AND recorded>? AND recorded<?"),
    ],
)
def test_a_page_of_traces_is_a_range_of_an_index(name: str, index: str, empty: apsw.Connection) -> None:
    sql = database.load("trace")[name]
    values = (None,) * max(map(int, re.findall(r"\?(\d+)", sql)))
    plan = [str(row[3]) for row in empty.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    assert index in plan[0].replace("(recorded,id)", "recorded")
    assert not any("TEMP B-TREE" in step for step in plan)


def test_each_statement_is_used() -> None:
    folder = Path(str(RELATIONAL)).parent
    code = "\n".join(path.read_text("utf-8") for path in sorted(folder.rglob("*.py")))
    unused = [
        f"{room}/{name}"
        for room, name, _ in ALL
        if f'"{name}"' not in code and f'"{name.removesuffix("_within")}"' not in code
    ]
    assert unused == []


def test_names_of_statements_are_unique_within_their_room() -> None:
    for room in ROOMS:
        text = (files("toldonce.store.sql") / "queries" / f"{room}.sql").read_text("utf-8")
        names = re.findall(r"^-- name: (\w+)", text, re.MULTILINE)
        assert len(names) == len(set(names))


def test_decisions_are_append_only() -> None:
    db = open_writer(DatabaseLocation(path=MEMORY))
    values = "(1, 1, x'00', 'add', 'because', 'text', '')"
    db.execute(f"INSERT INTO decision (subject, at, id, action, reason, text, profile) VALUES {values}")  # noqa: S608 - a constant
    with pytest.raises(apsw.ConstraintError, match="append-only"):
        db.execute("UPDATE decision SET reason = 'another'")
    db.execute("DELETE FROM decision")
    db.close()


async def test_a_subject_whose_key_is_taken_is_refused_everywhere(url: str, clock: FakeClock) -> None:
    store = await open_store(url, clock=clock)
    db = apsw.Connection(url.removeprefix("sqlite:///"))
    db.execute("INSERT INTO subject (key, name) VALUES (?, 'user:twin')", (ANA.key,))
    db.close()
    known = memory("a", clock=clock)
    for attempt in (
        store.conversations.record(turn("a", "b")),
        store.memories.apply(ANA, [], []),
        store.snapshots.snapshot(ANA, "x"),
        store.memories.get_many(ANA, [known.id]),
        store.snapshots.rank_and_fetch({ANA: "x"}, lambda _: ({}, 0)),
        store.memories.list(ANA),
        store.memories.facts(ANA),
        store.decisions.list(ANA),
        store.conversations.list(ANA),
        store.conversations.injections(ANA),
        store.traces.list(ANA),
        store.insertions.find(ANA, [1]),
        store.insertions.drop(ANA, 1, [1]),
        store.formations.list(subject=ANA),
    ):
        with pytest.raises(BadSubjectError, match="user:ana"):
            await attempt
    await store.close()
