"""What PostgreSQL keeps of erased rows: named on the receipt, and gone once the tables are rewritten."""

import base64
import random
from dataclasses import replace
from pathlib import Path

import psycopg

from canaries import canary, found
from postgres_server import NEEDS_POSTGRES, shared_server
from sample_chats import tell
from stores import url_of
from toldonce.engine import AsyncToldOnce, Components
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock
from toldonce.types import EraseReceipt, ErasureStatus, Subject

pytestmark = NEEDS_POSTGRES
COUNT = 12


def patterns(words: list[str]) -> dict[bytes, str]:
    return {
        data: f"{how} of a canary"
        for word in words
        for how, data in (
            ("plain", word.encode()),
            ("title case", word.title().encode()),
            ("base64", base64.b64encode(word.encode())[:-4]),
        )
    }


def reach(receipt: EraseReceipt) -> dict[str, ErasureStatus]:
    return {place.name: place.reach for place in receipt.places}


async def test_i13_the_receipt_is_true_of_tables_and_log_and_tables_are_rewritten(
    tmp_path: Path, parts: Components, clock: FakeClock
) -> None:
    url = url_of("postgres", tmp_path)
    luck = random.Random(7)
    words, kept = [canary(luck) for _ in range(COUNT)], [canary(luck) for _ in range(3)]
    store = await open_store(url, clock=clock)
    async with AsyncToldOnce(replace(parts, store=store)) as engine:
        for word in words:
            await tell(engine, f"I am allergic to {word}.")
        for word in kept:
            await tell(engine, f"I am allergic to {word}.", who="ben")
        files = _files(url)
        _settle(url)
        assert len(found(files, patterns(words))) >= COUNT, "else the search could not fail"

        receipt = await engine.erasure.subject("ana")
        assert (receipt.done, reach(receipt)["tables"]) == (False, ErasureStatus.PENDING)
        assert reach(receipt)["write-ahead log"] is ErasureStatus.OUT_OF_REACH
        assert await engine.admin.subjects() == [Subject("user", "ben")]
        assert not await engine.erasure.finish(), "only writing the tables anew reaches them"
        assert await engine.erasure.finish(rewrite=True)
        assert await engine.erasure.finish(), "nothing is pending any more"
        _settle(url)
        assert found(files, patterns(words)) == []
        assert len(found(files, patterns(kept))) >= len(kept), "strangers keep theirs"
        assert (await engine.admin.stats(check=True)).problems == ()


def _files(url: str) -> Path:
    """Return the folder of a database."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
    assert row is not None
    return shared_server().folder / "data" / "base" / str(row[0])


def _settle(url: str) -> None:
    """Let the server collect its samples and write its pages."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")
        connection.execute("CHECKPOINT")


def test_the_folder_of_a_tests_server_is_its_users_alone() -> None:
    assert shared_server().folder.stat().st_mode & 0o077 == 0
