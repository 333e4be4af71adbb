"""A4: what programs ask of the table `app_memories` with SQL of their own has types, and is answered by indexes."""

import pytest

from postgres_server import NEEDS_POSTGRES, shared_server
from toldonce.store.postgres.connection import connect
from toldonce.store.postgres.migrate import prepare
from toldonce.store.sqlite.connection import MEMORY, DatabaseLocation, open_writer

COLUMNS = ("id", "app_id", "content", "created_at", "updated_at", "source_conversation_id", "metadata")


def test_a4_on_sqlite_the_columns_of_apps_memories_have_types() -> None:
    db = open_writer(DatabaseLocation(path=MEMORY))
    found = dict(db.execute("SELECT name, type FROM pragma_table_info('app_memories')"))
    db.close()
    assert found == {name: "INTEGER" if name == "id" else "TEXT" for name in COLUMNS}


ASKED = {
    "SELECT * FROM app_memories WHERE app_id = 'calendar' ORDER BY updated_at DESC LIMIT 10": "memory_app_updated",
    "SELECT * FROM app_memories WHERE app_id = 'calendar' ORDER BY created_at LIMIT 1": "memory_app_created",
    "SELECT count(*) FROM app_memories WHERE app_id = 'calendar'": "memory_app_",
    "SELECT * FROM app_memories WHERE app_id = 'calendar' AND updated_at > '2025-10-10'": "memory_app_updated",
    "SELECT * FROM app_memories WHERE app_id = 'calendar' AND created_at < '2025-10-10'": "memory_app_created",
    "SELECT * FROM app_memories WHERE id = 17": "memory_",
    "SELECT max(id) FROM app_memories": "memory_",
    "SELECT * FROM app_memories ORDER BY updated_at DESC LIMIT 10": "memory_updated",
    "SELECT * FROM app_memories ORDER BY created_at LIMIT 10": "memory_created",
    "SELECT * FROM app_memories WHERE created_at >= '2025-10-10' AND created_at < '2025-10-11'": "memory_created",
    "SELECT content FROM app_memories WHERE id = 17 AND app_id = 'calendar'": "memory_",
}
"""What is asked of such a table, and the index that answers it."""


@pytest.mark.parametrize("query", ASKED)
def test_a4_on_sqlite_queries_for_apps_memories_use_an_index(query: str) -> None:
    db = open_writer(DatabaseLocation(path=MEMORY))
    plan = [str(row[3]) for row in db.execute(f"EXPLAIN QUERY PLAN {query}")]
    db.close()
    assert f" m USING INDEX {ASKED[query]}" in plan[0] or f" m USING COVERING INDEX {ASKED[query]}" in plan[0]
    # `o` is the list of one memory's conversations.
    assert [line for line in plan[1:] if "SCAN" in line and line != "SCAN o"] == []
    assert not plan[-1].startswith("USE TEMP B-TREE"), "no order is made of all rows"


@NEEDS_POSTGRES
def test_a4_on_postgresql_queries_for_apps_memories_use_an_index() -> None:
    url = shared_server().new_database("app_plans")
    prepare(url)
    with connect(url) as db:
        db.execute("INSERT INTO subject (key, name) SELECT s, 'app:' || s || '/c' FROM generate_series(1, 500) AS s")
        db.execute(_MANY_MEMORIES)
        db.execute(_THEIR_EVIDENCE)
        db.execute(_THEIR_CONVERSATIONS)
        db.execute("ANALYZE")
        for query, index in ASKED.items():
            plan = [str(row[0]) for row in db.execute(f"EXPLAIN (COSTS OFF) {query}".encode())]
            scans = [line for line in plan if "Scan" in line]
            assert any(f"using {index}" in line or f"on {index}" in line for line in scans), f"{query}: {plan}"
            # Few rows have tags: that table is empty here.
            assert [line for line in scans if "Seq Scan" in line and "memory_tag" not in line] == [], query


_MANY_MEMORIES = """
INSERT INTO memory (subject, id, kind, state, text, type, category, key, value, importance, confidence, speaker,
                    valid_from, known_from, profile, version, changed, number, app)
SELECT s, decode(lpad(to_hex(100 * s + n), 32, '0'), 'hex'), 0, 0, 'It was fine.', '', '', '', '', 0.5, 1, '',
       1700000000000000 + 100000000000 * n + s, 1700000000000000 + 100000000000 * n + s, 'app', '', 1, 1000000 * s + n,
       CASE WHEN s % 250 = 0 THEN 'calendar' ELSE 'app ' || s END
  FROM generate_series(1, 500) AS s, generate_series(1, 10) AS n
"""
_THEIR_EVIDENCE = """
INSERT INTO evidence (subject, memory, place, home, conversation, seq, hash, role, speaker, quote, said_at)
SELECT s, decode(lpad(to_hex(100 * s + n), 32, '0'), 'hex'), 0, s, decode(lpad(to_hex(s), 32, '0'), 'hex'), n, n,
       'user', 'user', 'q', 1
  FROM generate_series(1, 500) AS s, generate_series(1, 10) AS n
"""
_THEIR_CONVERSATIONS = """
INSERT INTO conversation (subject, id, created_at, updated_at)
SELECT s, decode(lpad(to_hex(s), 32, '0'), 'hex'), 1, 1 FROM generate_series(1, 500) AS s
"""
