"""The benchmark of small users among many memories still runs, with counts that take no time."""

from pathlib import Path

import pytest

from benchmarks.crowd import new_database
from benchmarks.flatness import (
    ADD,
    BAR_BESIDE,
    BAR_OTHERS,
    BAR_OWN,
    BESIDE,
    CACHED,
    COUNTED,
    FIRST,
    FORM,
    NewDatabase,
    Sizes,
    run,
)
from postgres_server import NEEDS_POSTGRES, shared_server

SIZES = Sizes(
    others=(30, 90), own=(5, 40), per_user=10, texts=30, users=2, rounds=1, adds=3, prompted=(10, 40), prompts=2
)


def _new(kind: str, folder: Path) -> NewDatabase:
    if kind == "SQLite":
        return lambda name: f"sqlite:///{folder / name}.sqlite3"
    server = shared_server().url
    return lambda name: new_database(server, f"flat_{name}")


@pytest.mark.parametrize("kind", ["SQLite", pytest.param("PostgreSQL", marks=NEEDS_POSTGRES)])
async def test_each_call_is_measured_at_each_size_with_its_growth(kind: str, tmp_path: Path) -> None:
    rows = {row.name: row for row in await run(_new(kind, tmp_path), SIZES)}

    assert all(row.value > 0 for row in rows.values())
    for way in (FIRST, CACHED, ADD, FORM):
        few, many = rows[f"{way}, 30 of others, p50"], rows[f"{way}, 90 of others, p50"]
        assert few.count == many.count == SIZES.users * SIZES.rounds
        growth = rows[f"growth, {way}, 90 of others"]
        assert (growth.value, growth.bar) == (many.value / few.value, BAR_OTHERS)
    assert rows["add, 40 of one's own, p50"].count == SIZES.adds
    assert rows["growth, add, 40 of one's own"].bar == BAR_OWN
    for way in (BESIDE, COUNTED):
        assert rows[f"{way}, 40 memories, p50"].count == SIZES.prompts
        assert rows[f"growth, {way}, 40 memories"].bar == BAR_BESIDE
