"""A process is killed during a reembedding: nothing is lost, recall never mixes spaces, and the next run goes on."""

import asyncio
import os
import shutil
import signal
import subprocess
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw
import numpy as np
import pytest

from forked_processes import run_python
from patience import PATIENCE_S
from postgres_server import shared_server
from reembed_process import BATCH_SIZE, FIRST, OTHER, opened
from sample_chats import ALL_KINDS, assistant, user
from soak import SOAK
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.ids import id_text
from toldonce.store.failpoint import VARIABLE
from toldonce.store.postgres.connection import connect
from toldonce.testing import WordEmbedder
from toldonce.types import MemoryId

pytestmark = pytest.mark.process

TESTS = Path(__file__).parent.parent
SCRIPT = TESTS / "reembed_process.py"
PEOPLE = ("ana", "ben")
EACH = BATCH_SIZE + 8
SPELLED = {FIRST.space: WordEmbedder(64), OTHER.space: WordEmbedder(32, name="other")}
POINTS = ("embedding", "embedded", "switching", "switched", "dropping", "dropped", "before-commit", "after-commit")
# The commits of a run: the choice, two portions a subject, its switch, its dropping.
COMMITS = 1 + len(PEOPLE) * 4


def change(url: str, failpoint: str = "") -> "subprocess.CompletedProcess[str]":
    path = os.pathsep.join([str(TESTS), str(TESTS.parent)])
    environment = {**os.environ, "PYTHONPATH": path, VARIABLE: failpoint}
    return run_python(str(SCRIPT), url, env=environment, timeout=PATIENCE_S)


@dataclass(frozen=True)
class Filled:
    """A database in which two people's memories fill more than a batch each, and those memories."""

    kind: str
    url: str
    known: dict[str, set[str]]

    def copied(self, folder: Path) -> str:
        """Return the URL of a copy."""
        if self.kind == "postgres":
            return shared_server().new_database(f"copy_{folder.name}", template=self.url.rpartition("/")[2])
        shutil.copy(self.url.removeprefix("sqlite:///"), folder / "kept.sqlite3")
        return f"sqlite:///{folder / 'kept.sqlite3'}"


@pytest.fixture(scope="module", params=DURABLE)
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Filled:
    url = url_of(request.param, tmp_path_factory.mktemp("filled"))

    async def fill() -> dict[str, set[str]]:
        async with await opened(url) as engine:
            for who in PEOPLE:
                said = [message for number in range(EACH // 2) for message in talk(who, number)]
                await engine.record(said, user=who, conversation="chat")
                await engine.form()
            return {who: await kept(engine, who) for who in PEOPLE}

    return Filled(request.param, url, asyncio.run(fill()))


def talk(who: str, number: int) -> list[dict[str, str]]:
    return [user(f"{who} saw heron {number} at pier {number * 7}."), assistant(f"Heron {number} likes pier {number}.")]


async def kept(engine: AsyncToldOnce, who: str) -> set[str]:
    return {memory.text for memory in await engine.list(user=who, kinds=ALL_KINDS, limit=1000)}


def spaces_of(url: str) -> dict[str, str]:
    statement = "SELECT s.name, coalesce(p.name, 'words-64') FROM subject AS s LEFT JOIN space AS p ON p.id = s.space"
    with closing(apsw.Connection(path_of(url)) if path_of(url) else connect(url)) as db:
        rows = db.execute(statement).fetchall()
    return {str(name).removeprefix("user:"): str(space) for name, space in rows}


def path_of(url: str) -> str:
    """Return the file's path; empty where it is a server."""
    return url.removeprefix("sqlite:///") if url.startswith("sqlite:///") else ""


async def check_serving(url: str, known: dict[str, set[str]]) -> None:
    """Each subject has all its memories, and the space that serves it has a vector of each."""
    async with await opened(url) as engine:
        for who, space in spaces_of(url).items():
            assert await kept(engine, who) == known[who]
            snapshot = await engine._components.store.snapshots.snapshot(engine.subject(who), space)
            ids = [MemoryId(id_text(id_)) for id_ in snapshot.ids]
            texts = [memory.text for memory in await engine._components.store.memories.get_many(snapshot.subject, ids)]
            assert snapshot.vectors.shape == (len(texts), SPELLED[space].dim)
            assert np.allclose(snapshot.vectors.between(0, 5), await SPELLED[space].embed(texts[:5]), atol=1e-6)
            asked = await engine.search(f"{who} heron 3 pier 21", user=who)
            assert asked.items[0].similarity > 0.5
        assert (await engine.admin.stats(check=True)).problems == ()


def moments() -> list[str]:
    """Each point at its first time, and further ones of a long run."""
    first = [*POINTS[:5], "embedding:4", "after-commit:1"]
    return first if not SOAK else [f"{point}:{time}" for point in POINTS for time in range(1, COMMITS // 2)]


@pytest.mark.soak
@pytest.mark.parametrize("failpoint", moments())
async def test_i1_a_kill_during_reembedding_loses_nothing_and_the_next_run_resumes(
    filled: Filled, tmp_path: Path, failpoint: str
) -> None:
    url = filled.copied(tmp_path)
    killed = change(url, failpoint)
    if SOAK and killed.returncode == 0:
        pytest.skip(f"{failpoint} lies behind the end")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert set(spaces_of(url).values()) <= {FIRST.space, OTHER.space}
    await check_serving(url, filled.known)

    done = change(url)
    assert done.returncode == 0, done.stderr
    assert set(spaces_of(url).values()) == {OTHER.space}
    await check_serving(url, filled.known)
    async with await opened(url) as engine:
        assert [count.space for count in (await engine.embedder.status()).spaces] == [OTHER.space]
