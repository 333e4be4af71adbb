"""A merge of users proceeds in portions: killed between them, nothing is lost or doubled, then or after the next."""

import os
import signal
from pathlib import Path

import pytest

from forked_processes import run_python
from patience import PATIENCE_S
from populated import parts_of
from sample_chats import ALL_KINDS, user
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce, user_copy, user_merge
from toldonce.engine.user_copy import UserCopier
from toldonce.errors import ModelError
from toldonce.store.failpoint import VARIABLE
from toldonce.store.sql.transfer import merge_portions
from toldonce.testing import FakeClock
from toldonce.types import Subject

SCRIPT = Path(__file__).with_name("merge_process.py")
TESTS = Path(__file__).parent.parent
OLD, NEW = "ana@example.org", "ana"
THINGS = {"bees": OLD, "cello": OLD, "chess": OLD, "kite": OLD, "boat": NEW, "maps": NEW}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_merge, "SETTLE_S", 0)
    monkeypatch.setattr(merge_portions, "MAX_ROWS", 3)


async def two_lives(engine: AsyncToldOnce) -> None:
    """Let one person talk under two names; the last words are not formed."""
    for thing, who in THINGS.items():
        await engine.record([user(f"I like my {thing}.")], user=who, conversation=thing)
    await engine.form()
    await engine.add("Ana reads maps.", user=Subject("session", "ana%40example.org/1"))
    await engine.record([user("I like my kayak.")], user=OLD, conversation="kayak")


async def found(engine: AsyncToldOnce, thing: str, who: str) -> list[str]:
    items = (await engine.search(f"What about my {thing}?", user=who)).items
    assert len({item.memory.id for item in items}) == len(items)
    texts = [item.memory.text for item in items if thing in item.memory.text]
    assert len(set(texts)) == len(texts), "nothing is shown twice"
    return texts


async def listed(engine: AsyncToldOnce, who: str) -> list[str]:
    return sorted(memory.text for memory in await engine.list(user=who, kinds=ALL_KINDS, closed=True, limit=1000))


@pytest.mark.process
@pytest.mark.parametrize("kind", DURABLE)
@pytest.mark.parametrize("failpoint", ["before-commit:4", "after-commit:6"])
async def test_a_killed_merge_shows_all_once_and_ends_with_the_next(
    tmp_path: Path, clock: FakeClock, kind: str, failpoint: str
) -> None:
    url = url_of(kind, tmp_path)
    async with AsyncToldOnce(await parts_of(url, clock=clock)) as engine:
        await two_lives(engine)
        apart = await listed(engine, OLD), await listed(engine, NEW)
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}", VARIABLE: failpoint}
    killed = run_python(str(SCRIPT), url, OLD, NEW, env=environment, timeout=PATIENCE_S)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    clock.advance(days=4)
    async with AsyncToldOnce(await parts_of(url, clock=clock)) as engine:
        await engine.admin.refresh_merges()
        assert len(await listed(engine, OLD)) < len(apart[0]) + len(apart[1])
        for thing in (*THINGS, "kayak"):
            for who in (OLD, NEW):
                assert await found(engine, thing, who), f"{thing} is lost for {who}"
        await engine.admin.merge_user(OLD, NEW)
        assert await listed(engine, NEW) == sorted([*apart[0], *apart[1]])
        assert (await engine.admin.stats(check=True)).problems == ()
        await engine.form()
        assert await found(engine, "kayak", NEW)

        await engine.admin.undo_merge(OLD)
        assert await listed(engine, OLD) == apart[0]
        assert set(apart[1]) <= set(await listed(engine, NEW))
        assert (await engine.admin.stats(check=True)).problems == ()


@pytest.mark.parametrize("kind", ["file"])
async def test_what_is_forgotten_or_erased_during_a_merge_does_not_come_back(
    tmp_path: Path, clock: FakeClock, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with AsyncToldOnce(await parts_of(url_of(kind, tmp_path), clock=clock)) as engine:
        await two_lives(engine)
        written, write = 0, UserCopier._write

        async def fail_late(copier: UserCopier, *portion: object) -> None:
            nonlocal written
            written += 1
            if written == 7:
                raise ModelError("the embedder is down")
            await write(copier, *portion)  # type: ignore[arg-type]

        with monkeypatch.context() as patched:
            patched.setattr(user_copy.UserCopier, "_write", fail_late)
            with pytest.raises(ModelError):
                await engine.admin.merge_user(OLD, NEW)
        for memory in await engine.list(user=OLD, kinds=ALL_KINDS):
            if "bees" in memory.text:
                await engine.forget(memory.id, user=OLD)
        [chat] = [said.id for said in await engine.conversations.list(user=OLD) if said.external_id == "cello"]
        await engine.erasure.conversation(chat, user=OLD)
        for thing in ("bees", "cello"):
            assert not await found(engine, thing, NEW)
        await engine.admin.merge_user(OLD, NEW)
        for thing in THINGS:
            assert bool(await found(engine, thing, NEW)) == (thing not in ("bees", "cello"))
        assert (await engine.admin.stats(check=True)).problems == ()
