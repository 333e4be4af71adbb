"""PostgreSQL behind a pooler: by session it is as without one, by transaction it is refused when it is opened."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from benchmarks.postgres_server import free_port
from factories import ANA, SPACE, add, memory
from patience import PATIENCE_S
from postgres_server import NEEDS_POSTGRES, shared_server
from stores import url_of
from toldonce.errors import UnreadableStoreError
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock

_PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

pytestmark = [
    NEEDS_POSTGRES,
    pytest.mark.skipif(_PROGRAM is None, reason="pgbouncer is not installed"),
]


@pytest.fixture
def pooled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database through a pooler that pools by what the test's parameter says."""
    assert _PROGRAM is not None
    direct, port = url_of("postgres", tmp_path), free_port()
    folder = shared_server().folder / f"pooler-{port}"
    folder.mkdir()
    (folder / "users").write_text('"toldonce" ""\n', "utf-8")
    (folder / "settings").write_text(
        f"[databases]\n* = host=127.0.0.1 port={shared_server().port}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = trust\nauth_file = {folder / 'users'}\npool_mode = {request.param}\n",
        "utf-8",
    )
    with (folder / "log").open("wb") as log:
        user = "nobody" if os.getuid() == 0 else None
        pooler = subprocess.Popen([_PROGRAM, str(folder / "settings")], stdout=log, stderr=log, user=user)
    try:
        url = direct.replace(f":{shared_server().port}/", f":{port}/")
        _await(url, pooler, folder / "log")
        yield url
    finally:
        pooler.kill()
        pooler.wait()


def _await(url: str, pooler: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            if pooler.poll() is not None or time.monotonic() > until:
                raise AssertionError(log.read_text("utf-8", "replace")[-2000:]) from None
            time.sleep(0.05)
        else:
            return


@pytest.mark.parametrize("pooled", ["session"], indirect=True)
async def test_behind_a_pooler_by_session_all_is_as_without_one(pooled: str, clock: FakeClock) -> None:
    store = await open_store(pooled, clock=clock)
    known = memory("Ana keeps bees.", clock=clock)
    await store.memories.apply(ANA, [add(known)], [])
    assert await store.memories.get_many(ANA, [known.id]) == [known]
    assert len(await store.snapshots.snapshot(ANA, SPACE)) == 1
    assert (await store.admin.stats(check=True)).problems == ()
    await store.close()


@pytest.mark.parametrize("pooled", ["transaction"], indirect=True)
async def test_a_pooler_by_transaction_is_refused_with_what_to_do(pooled: str, clock: FakeClock) -> None:
    for _ in range(3):
        with pytest.raises(UnreadableStoreError, match="pool by session"):
            await open_store(pooled, clock=clock)
