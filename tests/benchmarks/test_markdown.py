"""Figures become the tables that the documentation has."""

from benchmarks.markdown import markdown
from benchmarks.rows import Row


def test_a_list_of_figures_names_the_bars_and_what_misses_them() -> None:
    rows = [
        Row(name="add, p50", value=1.2345, unit="ms", note="0.5 ms of CPU"),
        Row(name="growth", value=1.25, unit="times", bar=1.2),
        Row(name="rate", value=12345.6, unit="/s", bar=99999),
    ]

    assert markdown(rows).splitlines() == [
        "| | value | unit | bar | note |",
        "|---|---|---|---|---|",
        "| add, p50 | 1.23 | ms |  | 0.5 ms of CPU |",
        "| growth | 1.25 | times | **missed**, < 1.2 |  |",
        "| rate | 12,346 | /s | < 99999 |  |",
    ]


def test_systems_are_columns_and_shares_of_one_figure_a_cell() -> None:
    rows = [
        Row(name="3 of 6: add one, p50", value=2.0, unit="ms", of="ToldOnce"),
        Row(name="3 of 6: add one, p95", value=4.0, unit="ms", of="ToldOnce"),
        Row(name="3 of 6: add one, p50", value=5.0, unit="ms", of="Other", ratio=2.5),
        Row(name="3 of 6: add one, p95", value=150.0, unit="ms", of="Other", ratio=37.5),
        Row(name="forced to disk", value=1.0, unit="calls", of="ToldOnce"),
    ]

    assert markdown(rows).splitlines() == [
        "| | ToldOnce | Other |",
        "|---|---|---|",
        "| **3 of 6** | | |",
        "| add one, ms p50 / p95 | 2 / 4 | 5 / 150 ×2.5 |",
        "| forced to disk, calls | 1 | — |",
    ]
