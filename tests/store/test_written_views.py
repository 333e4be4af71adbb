"""A4, U6, T2, T4: what the five systems write to their tables is refused with the reason, and changes nothing."""

from pathlib import Path
from typing import Any

import apsw
import pytest

from rows.scenes import CALENDAR, ended
from sample_chats import user
from store.test_views import COLUMNS, rows
from stores import DURABLE
from toldonce.engine import AsyncToldOnce, Components
from toldonce.store.postgres.connection import connect

SEEDS = (
    "INSERT INTO app_memories (app_id, content) VALUES ('calendar', 'Ana likes jam.')",
    "UPDATE app_memories SET content = 'Ana likes jam.'",
    "DELETE FROM app_memories WHERE app_id = 'calendar'",
    "DELETE FROM vectors",
    "DELETE FROM users_vectors WHERE user_id = 'ana'",
    "INSERT INTO episodic_memory (user_id, summary) VALUES ('ana', 'They talked.')",
    "UPDATE structured_facts SET confidence = 0.5",
)


@pytest.fixture(params=DURABLE)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def write(parts: Components, statement: str) -> None:
    """Run a statement as a program with SQL of its own does."""
    url = parts.settings.database_url
    if url.startswith("postgresql:"):
        with connect(url) as there:
            there.execute(statement.encode())
        return
    db = apsw.Connection(str(Path(url.removeprefix("sqlite:///"))))
    try:
        db.execute(statement)
    finally:
        db.close()


def shown(parts: Components) -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of the views."""
    return {name: rows(parts, f"SELECT * FROM {name}") for name in COLUMNS}  # noqa: S608 - names of this file


async def test_a4_u6_t2_t4_a_write_is_refused_with_the_reason(engine: AsyncToldOnce, parts: Components) -> None:
    await ended(engine, scope=CALENDAR)
    await engine.record([user("I live in Bergen.")], user="ana")
    await engine.form()
    await engine.add("Ana has two dogs.", user="ana")
    before = shown(parts)
    for statement in SEEDS:
        with pytest.raises(Exception, match="is a view: memories are written by the API"):
            write(parts, statement)
    assert shown(parts) == before
    assert (await engine.admin.stats(check=True)).problems == ()
