"""After an erasure no cache of the process holds words of it; the receipt claims no more than that."""

import os
from pathlib import Path

import pytest

from forked_processes import run_python
from patience import PATIENCE_S
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.ids import new_id
from toldonce.maintenance.eraser import receipt
from toldonce.testing import NEW_YEAR, FakeClock
from toldonce.types import EraseRequest, ErasureRecord, ErasureStatus, Subject

SCRIPT = Path(__file__).with_name("erase_cache_process.py")
TESTS = Path(__file__).parent.parent


@pytest.mark.process
@pytest.mark.parametrize(("kind", "where"), [("file", "here"), *((kind, "elsewhere") for kind in DURABLE)])
def test_no_live_object_holds_what_was_erased(tmp_path: Path, kind: str, where: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(TESTS.parent)}
    done = run_python(str(SCRIPT), url_of(kind, tmp_path), where, env=environment, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    before, *holders = done.stdout.split("\n")
    assert int(before) > 10
    assert [holder for holder in holders if holder] == []


async def test_the_receipt_tells_caches_from_freed_memory(engine: AsyncToldOnce) -> None:
    await engine.add("The user keeps bees.", user="ana")
    places = {place.name: place for place in (await engine.erasure.subject("ana")).places}
    assert "others on this database drop theirs" in places["caches of processes"].text
    assert places["memory of processes"].reach is ErasureStatus.OUT_OF_REACH
    assert "freed is not overwritten" in places["memory of processes"].text


def test_a_pending_receipt_names_an_export_as_a_possible_reader() -> None:
    done = ErasureRecord(id=new_id(FakeClock()), at=NEW_YEAR, cleaned_at=None, counts={})
    order = EraseRequest(subject=Subject("user", "ana"), everything=True)
    [file] = [place for place in receipt(order, done, clean=False).places if place.name == "file and log"]
    assert file.reach is ErasureStatus.PENDING
    assert file.text.startswith("a reader, such as an export, holds the write-ahead log")
