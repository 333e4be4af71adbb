"""The benchmark of many at once still runs, with counts that take no time."""

from pathlib import Path

import pytest

from benchmarks import bulk
from benchmarks.bulk import PARTS, Bulk, Sizes
from postgres_server import NEEDS_POSTGRES, shared_server

pytestmark = NEEDS_POSTGRES


def test_each_way_in_is_measured_on_both_databases_and_with_a_far_embedder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "_TURNS", 2)
    sizes = Sizes(memories=20, per_user=10, far=20, replayed=2, added=10)
    rows = Bulk(shared_server().url, tmp_path, sizes).run(PARTS)

    figures = {row.name: row for row in rows}
    assert all(row.value > 0 for row in rows)
    for store in ("SQLite", "PostgreSQL"):
        for way in ("import", "replay"):
            assert {f"{way}, {store}", f"{way}, {store}, embedder far away"} <= figures.keys()
        assert f"copy to {store}" in figures
        assert figures[f"import, {store}, embedder far away"].note == "1 calls of 50 ms"
        assert figures[f"add, {store}, embedder far away, 1 a call"].note == "2 calls of 50 ms"
        assert figures[f"add, {store}, embedder far away, 100 a call"].note == "1 calls of 50 ms"
