"""The benchmark of the dashboard opens every page, with counts that take no time."""

from pathlib import Path

from benchmarks.dashboard import pages_at
from toldonce.server.dashboard.pages import PAGES


async def test_every_page_of_the_dashboard_is_measured(tmp_path: Path) -> None:
    rows = await pages_at(tmp_path, 40, 1, turns=3, requests=2)

    named = {row.name.partition(", ")[2] for row in rows}
    assert {page.path or "/" for page in PAGES if page.method == "GET"} <= named
    assert all(row.value > 0 for row in rows)
