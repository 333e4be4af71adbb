"""The shares of CPU time are still told, with counts that take no time."""

from pathlib import Path

import pytest

from benchmarks.cpu_shares import Sizes, measured
from benchmarks.throughput import Noter

SIZES = Sizes(memories=5, calls=2)


async def test_the_time_of_each_call_is_told_by_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.cpu_shares._BATCH", 10)
    monkeypatch.setattr("benchmarks.cpu_shares._MIN_PERCENT", 0.0)  # what little there is depends on the machine
    rows = {row.name: row for row in await measured(tmp_path, SIZES, None)}

    calls = ["a cached search", "an add", "an add and a search", "an add of 10 at once", "a formed turn"]
    assert [name.removesuffix(", CPU") for name in rows if name.endswith(", CPU")] == calls
    for call in calls:
        shares = {
            name.rpartition(" ")[2]: row.value for name, row in rows.items() if name.startswith(f"{call}, of it ")
        }
        assert 99 < sum(shares.values()) < 101
        assert {"toldonce.text"} <= shares.keys()
        assert rows[f"{call}, calls"].value > 100
    assert "an add, of it SQLite" in rows, "the writing thread is seen, too"


async def test_with_a_model_the_forming_is_measured(tmp_path: Path) -> None:
    rows = await measured(tmp_path, SIZES, Noter())

    assert {row.name.partition(", ")[0] for row in rows} == {"a formed turn"}
    assert rows[0].name == "a formed turn, with a model, CPU"
