"""What spans subjects, on a real Citus cluster: copies, exports, views. Runs where `TOLDONCE_TEST_CITUS` names one."""

from pathlib import Path

import pytest

from database_contents import QuietBar, everything
from populated import populate
from stores import CITUS, DURABLE, url_of
from toldonce.engine.databases import copy_database
from toldonce.store.postgres.connection import connect

VIEWS = (
    *("app_memories", "episodic_memory", "memory_updates", "rests_on"),
    *("structured_facts", "users_vectors", "vectors"),
)
pytestmark = [
    pytest.mark.skipif(CITUS is None, reason="TOLDONCE_TEST_CITUS names no cluster"),
    pytest.mark.skipif("postgres" not in DURABLE, reason="PostgreSQL's programs are not installed"),
]


def shown(url: str) -> dict[str, list[str]]:
    """Read all rows of the views, in any order."""
    with connect(url) as db:
        db.execute("SET TimeZone TO 'UTC'")
        return {
            name: sorted(str(row) for row in db.execute(f'SELECT * FROM "{name}"').fetchall())  # noqa: S608 - names of this project
            for name in VIEWS
        }


async def test_a_copy_to_and_from_a_cluster_is_complete_and_its_views_show_the_same(tmp_path: Path) -> None:
    places: dict[str, str] = {}
    for name, kind in (("file", "file"), ("plain", "postgres"), ("cluster", "citus"), ("back", "file")):
        (tmp_path / name).mkdir()
        places[name] = url_of(kind, tmp_path / name)
    await populate(places["file"])
    before = await everything(places["file"])
    copy_database(places["file"], places["plain"], progress=QuietBar())
    copy_database(places["file"], places["cluster"], progress=QuietBar())
    assert await everything(places["cluster"]) == before
    on_cluster = shown(places["cluster"])
    assert on_cluster == shown(places["plain"])
    assert on_cluster["app_memories"]
    assert on_cluster["rests_on"]
    copy_database(places["cluster"], places["back"], progress=QuietBar())
    assert await everything(places["back"]) == before
