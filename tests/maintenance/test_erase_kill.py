"""A process is killed while it erases: all of it happened or nothing, and what is pending is finished later (E4)."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from canaries import canary, found, spellings
from forked_processes import run_python
from patience import PATIENCE_S
from sample_chats import ALL_KINDS, assistant, user
from soak import SOAK
from toldonce.engine import AsyncToldOnce
from toldonce.settings import Settings
from toldonce.store.failpoint import VARIABLE
from toldonce.types import Subject

pytestmark = pytest.mark.process

SCRIPT = Path(__file__).parent / "erase_process.py"
TESTS = Path(__file__).parent.parent
ROUNDS = max(1, SOAK // 10)
# The first commit of the process is the erasure's.
UNDONE, DONE = ("erasing", "before-commit"), ("after-commit", "erased", "cleaning", "cleaned")


def erase(url: str, what: str, failpoint: str = "") -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}", VARIABLE: failpoint}
    return run_python(str(SCRIPT), url, what, env=environment, timeout=PATIENCE_S)


async def fill(url: str, words: list[str]) -> str:
    async with await AsyncToldOnce.open(Settings(database_url=url)) as engine:
        said = [m for word in words for m in (user(f"I'm allergic to {word}."), assistant(f"Mind the {word}."))]
        recorded = await engine.record(said, user="ana", conversation="chat")
        await engine.form()
        assert len(await engine.list(user="ana", kinds=ALL_KINDS)) >= len(words)
    return recorded.conversation


@pytest.mark.soak
@pytest.mark.parametrize("failpoint", [*UNDONE, *DONE])
async def test_i13_a_kill_during_an_erasure_leaves_all_or_nothing_until_resumed(tmp_path: Path, failpoint: str) -> None:
    for number in range(ROUNDS):
        folder = tmp_path / str(number)
        url = f"sqlite:///{folder / 'kept.sqlite3'}"
        words = [canary(random.Random(f"{failpoint}{number}{place}")) for place in range(5)]
        conversation = await fill(url, words)
        killed = erase(url, "all" if number % 2 else conversation, failpoint)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert killed.stdout == ""

        async with await AsyncToldOnce.open(Settings(database_url=url)) as engine:
            left = [memory for memory in await engine.list(user="ana", kinds=ALL_KINDS) if memory.text]
            assert (left == []) == (failpoint in DONE)
            pending = unclean(folder / "kept.sqlite3")
            assert pending == (1 if failpoint in DONE else 0)
            if failpoint in UNDONE:
                assert (await engine.erasure.conversation(conversation, user="ana")).done
            else:
                await engine.form()  # a worker's round
            assert unclean(folder / "kept.sqlite3") == 0
            patterns = {pattern: f"{word} as {how}" for word in words for how, pattern in spellings(word)}
            assert found(folder, patterns) == []
            assert (await engine.admin.stats(check=True)).problems == ()


INNER = [Subject("session", "ana/one"), Subject("app", "ana/calendar"), Subject("character", "ana/Kira")]


@pytest.mark.parametrize("failpoint", [*UNDONE, *DONE])
async def test_i13_after_a_kill_the_next_erasure_leaves_no_inner_subject_behind(tmp_path: Path, failpoint: str) -> None:
    url = f"sqlite:///{tmp_path / 'kept.sqlite3'}"
    words = [canary(random.Random(f"{failpoint}{place}")) for place in range(8)]
    await fill(url, words[:2])
    async with await AsyncToldOnce.open(Settings(database_url=url)) as engine:
        for place, word in enumerate(words[2:]):
            await engine.add(f"Kira hid the {word}.", user=INNER[place % len(INNER)])
        bens = await engine.add("Ben's boat is green.", user=Subject("app", "ben/calendar"))
    killed = erase(url, "all", failpoint)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert killed.stdout == ""

    async with await AsyncToldOnce.open(Settings(database_url=url)) as engine:
        if failpoint in UNDONE:
            assert [len(await engine.list(user=inner)) for inner in INNER] == [2, 2, 2], "the first commit was undone"
        await engine.form()  # a worker's round
        assert unclean(tmp_path / "kept.sqlite3") == 0
        assert (await engine.erasure.subject("ana")).done, "asked again, it ends what the kill left"
        assert [await engine.list(user=inner, closed=True) for inner in INNER] == [[], [], []]
        assert await engine.list(user="ana", kinds=ALL_KINDS) == []
        assert [memory.id for memory in await engine.list(user=bens.subject)] == [bens.id]
        patterns = {pattern: f"{word} as {how}" for word in words for how, pattern in spellings(word)}
        assert found(tmp_path, patterns) == []
        assert (await engine.admin.stats(check=True)).problems == ()


def unclean(file: Path) -> int:
    db = apsw.Connection(str(file))
    count = db.execute("SELECT count(*) FROM erasure WHERE cleaned_at IS NULL").get
    db.close()
    assert isinstance(count, int)
    return count


async def test_i13_the_receipt_says_pending_while_another_process_reads(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'data' / 'kept.sqlite3'}"
    words = [canary(random.Random(place)) for place in range(6)]
    patterns = {pattern: f"{word} as {how}" for word in words for how, pattern in spellings(word)}
    conversation = await fill(url, words)
    holding = subprocess.Popen(  # noqa: ASYNC220  # starts at once, and is waited for below
        [
            sys.executable,
            "-c",
            "import apsw, sys; db = apsw.Connection(sys.argv[1]); db.execute('BEGIN');"
            "db.execute('SELECT count(*) FROM message').fetchall(); print('held', flush=True); sys.stdin.read()",
            url.removeprefix("sqlite:///"),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holding.stdout is not None
    assert holding.stdout.readline() == "held\n"
    try:
        async with await AsyncToldOnce.open(Settings(database_url=url)) as engine:
            receipt = await engine.erasure.conversation(conversation, user="ana")
            assert not receipt.done
            assert [place.name for place in receipt.places if place.reach.value == "pending"] == ["file and log"]
            assert await engine.list(user="ana", kinds=ALL_KINDS) == []
            assert not await engine.erasure.finish()
            assert found(tmp_path, patterns)
            holding.communicate()
            assert await engine.erasure.finish()
            assert found(tmp_path, patterns) == []
    finally:
        holding.kill()
        holding.wait()
