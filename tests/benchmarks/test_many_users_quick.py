"""The benchmarks on PostgreSQL still run, with counts that take no time."""

from dataclasses import replace

import pytest

from benchmarks import among_users, giant
from benchmarks.among_users import QUICK, WAYS, run
from benchmarks.giant import LOOKS
from benchmarks.giant import run as run_giant
from postgres_server import NEEDS_POSTGRES, shared_server

pytestmark = NEEDS_POSTGRES


async def test_recall_among_few_and_many_users_is_that_of_each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(among_users, "_SERIES", 2)
    monkeypatch.setattr(among_users, "_QUERIES", 10)
    sizes = replace(QUICK, few=3, many=6, recalls=3, checked=1)

    rows = {row.name: row for row in await run(shared_server().url, sizes)}

    for where in ("3 users", "6 users"):
        assert rows[f"{where}, a memory"].value > 1024
        for way in WAYS:
            assert rows[f"{where}, {way.name}, p50"].count == 6
    bars = {way.name: rows[f"growth, {way.name}, p50"].bar for way in WAYS}
    assert bars["random users, cold"] == bars["200 users who chat"] == 1.5
    assert rows["recalls equal to those of the user's memories alone"].value == 10


async def test_one_user_with_many_memories_is_searched_in_each_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(giant, "_COLD", 1)
    monkeypatch.setattr(giant, "_QUERIES", 20)
    rows = {row.name: row for row in await run_giant(shared_server().url, 300)}

    for way in ("all vectors", "with an index"):
        assert rows[f"300 of one user, {way}, first recall of a process, p50"].count == 1
        assert rows[f"300 of one user, {way}, cached, p50"].value > 0
    assert rows["300 of one user, `toldonce db index`, size"].value > 0
    assert rows["300 of one user, with an index, of the best 10 of all"].value > 0.9
    assert rows["300 of one user, vectors compared"].value <= 300
    assert rows["300 of one user, pgvector, exact, recall@10"].value == 1
    assert rows[f"300 of one user, HNSW, ef_search {LOOKS[-1]}, recall@10"].value > 0.9
