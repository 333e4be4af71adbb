"""`memory.admin.merge_user`: two users who are one person have one memory, and undoing that gives each its own."""

from collections.abc import AsyncIterator
from pathlib import Path
from unittest.mock import AsyncMock

import httpx
import pytest

from populated import parts_of
from remote_engine import connected
from sample_chats import ALL_KINDS, tell, user
from stores import DURABLE, SEALED, keyring_of, url_of
from toldonce.engine import AsyncToldOnce, user_copy, user_merge
from toldonce.errors import BadRequestError, ModelError
from toldonce.server.app import build_app
from toldonce.server.user_checks import user_findings
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind, Subject

OLD, NEW = "ana@example.org", "ana"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_merge, "SETTLE_S", 0)


@pytest.fixture(params=(*DURABLE, *SEALED))
async def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> AsyncIterator[AsyncToldOnce]:
    keyring = keyring_of(request.param, tmp_path)
    async with AsyncToldOnce(await parts_of(url_of(request.param, tmp_path), clock=clock, keyring=keyring)) as opened:
        yield opened


async def known(engine: AsyncToldOnce, who: str | Subject, *, closed: bool = False) -> set[str]:
    return {memory.text for memory in await engine.list(user=who, kinds=ALL_KINDS, closed=closed, limit=1000)}


async def towns(engine: AsyncToldOnce, who: str) -> list[str]:
    facts = await engine.list(user=who, kinds=[MemoryKind.FACT])
    return [fact.value for fact in facts if fact.value in ("Rome", "Oslo")]


async def two_lives(engine: AsyncToldOnce, clock: FakeClock) -> None:
    """Let one person talk under two names."""
    await tell(engine, "I live in Rome.", "I'm allergic to peanuts.", who=NEW)
    clock.advance(days=1)
    await tell(engine, "I live in Oslo.", "I keep bees.", who=OLD)
    await engine.add("Ana reads maps.", user=Subject("session", "ana%40example.org/1"))
    clock.advance(days=1)


async def test_a_merged_user_and_the_other_have_one_memory(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await two_lives(engine, clock)
    apart = await known(engine, OLD), await known(engine, NEW)
    report = await engine.admin.merge_user(OLD, NEW, actor="test")
    assert (report.conversations, report.replaced) == (1, 1)

    both = await known(engine, NEW)
    assert both == await known(engine, OLD)
    assert any("bees" in text for text in both)
    assert any("peanuts" in text for text in both)
    assert await towns(engine, NEW) == ["Oslo"]
    assert await known(engine, Subject("session", "ana/1")) == {"Ana reads maps."}
    found = (await engine.search("What do I keep?", user=NEW)).items
    assert any("bees" in item.memory.text for item in found)
    [listed] = [summary for summary in await engine.admin.users() if summary.merged_into]
    assert (listed.subject, listed.merged_into) == (Subject("user", OLD), Subject("user", NEW))

    clock.advance(days=1)
    await tell(engine, "I play the cello.", who=OLD)
    assert any("cello" in text for text in await known(engine, NEW))

    undone = await engine.admin.undo_merge(OLD)
    assert (undone.memories, undone.kept) == (report.memories, 0)
    assert await known(engine, OLD) == apart[0]
    assert {text for text in await known(engine, NEW) if "cello" not in text} == apart[1]
    assert any("cello" in text for text in await known(engine, NEW))
    assert await towns(engine, NEW) == ["Rome"]
    assert await known(engine, Subject("session", "ana/1")) == set()
    assert (await engine.admin.stats(check=True)).problems == ()
    assert [entry.action for entry in await engine.keys.audit()] == ["users.undo_merge", "users.merge"]


async def test_what_was_forgotten_or_erased_stays_so_after_a_merge_and_its_undoing(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    locker, garage = "My locker has a green door.", "My garage has a red gate."
    await engine.record([user(locker)], user=OLD, conversation="c1")
    await engine.record([user(garage)], user=NEW, conversation="c2")
    await tell(engine, "I keep bees.", "I play chess.", "I row a boat.", who=OLD)
    await engine.record([user(garage)], user=OLD, conversation="c3")
    await engine.form()
    clock.advance(days=1)
    for who, chat in ((OLD, "c1"), (NEW, "c2")):
        [gone] = [said for said in await engine.conversations.list(user=who) if said.external_id == chat]
        await engine.erasure.conversation(gone.id, user=who)
    await engine.admin.merge_user(OLD, NEW)
    assert not [text for text in await known(engine, NEW, closed=True) if "gate" in text or "door" in text]

    again = [user(locker), {"role": "assistant", "content": "Noted."}, user("What time is it?")]
    await engine.record(again, user=OLD, conversation="c4")
    await engine.form()
    for memory in await engine.list(user=NEW, kinds=ALL_KINDS):
        if "bees" in memory.text:
            await engine.forget(memory.id, user=OLD)
        if "chess" in memory.text:
            await engine.erase(memory.id, user=NEW)
    assert not [text for text in await known(engine, NEW) if "door" in text or "bees" in text or "chess" in text]

    await engine.admin.undo_merge(OLD)
    left = await known(engine, OLD)
    assert not [text for text in left if "door" in text or "bees" in text or "chess" in text]
    assert any("boat" in text for text in left)

    await engine.admin.merge_user(OLD, NEW)
    assert any("boat" in text for text in await known(engine, NEW))
    receipt = await engine.erasure.subject(NEW)
    assert any(place.name == f"user:{OLD}" for place in receipt.places)
    await engine.record([user("I row a boat."), *again[1:]], user=OLD, conversation="c5")
    await engine.form()
    assert not [text for text in await known(engine, OLD) if "boat" in text]
    assert (await engine.admin.stats(check=True)).problems == ()
    assert [user.merged_into for user in await engine.admin.users()] == [None]


async def test_what_one_name_had_forgotten_does_not_come_back_with_the_other(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    """Unless it was said again since: then it holds."""
    for who in (OLD, NEW):
        await tell(
            engine, "I'm allergic to peanuts.", "I keep bees.", "I row a boat. My garage has a red gate.", who=who
        )
        await engine.add("Ana reads maps.", user=who)
    before = await known(engine, OLD)
    clock.advance(days=1)
    for memory in await engine.list(user=NEW, kinds=ALL_KINDS, limit=1000):
        if any(word in memory.text for word in ("peanuts", "bees", "maps")):
            await engine.forget(memory.id, user=NEW)
    clock.advance(days=1)
    await tell(engine, "I keep bees.", who=OLD)
    await engine.admin.merge_user(OLD, NEW)
    both = " ".join(await known(engine, NEW))
    assert "boat" in both
    assert "bees" in both
    assert "peanuts" not in both
    assert "maps" not in both
    assert "peanuts" not in (await engine.context("What am I allergic to?", user=OLD)).text
    assert await told(engine) == []

    await engine.admin.undo_merge(OLD)
    assert before <= await known(engine, OLD)
    assert "peanuts" not in " ".join(await known(engine, NEW))


async def told(engine: AsyncToldOnce) -> list[str]:
    return [f"{finding.text}: {finding.todo}" for finding in await user_findings(engine)]


@pytest.mark.parametrize("engine", ["file"], indirect=True)
async def test_an_interrupted_merge_goes_on_over_rest_and_other_processes_follow(
    engine: AsyncToldOnce, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await two_lives(engine, clock)
    assert [line for line in await told(engine) if line.endswith(f"merge-user {OLD} {NEW}`")]
    async with (
        AsyncToldOnce(await parts_of(engine.settings.database_url, clock=clock)) as other,
        connected(engine) as remote,
    ):
        with pytest.raises(BadRequestError, match="in that memory already"):
            await remote.admin.merge_user(OLD, OLD)
        with pytest.raises(BadRequestError, match="is no user"):
            await remote.admin.merge_user(Subject("session", "ana/1"), NEW)
        with pytest.raises(BadRequestError, match="is not merged"):
            await remote.admin.undo_merge(OLD)

        with monkeypatch.context() as patched:
            patched.setattr(user_copy, "derive", AsyncMock(side_effect=ModelError("the embedder is down")))
            with pytest.raises(ModelError):
                await engine.admin.merge_user(OLD, NEW)
        assert not any("bees" in text for text in await known(engine, OLD))
        assert [line for line in await told(engine) if "is not copied" in line]
        report = await remote.admin.merge_user(OLD, NEW)
        assert (report.source.name, report.target.name, report.conversations) == (OLD, NEW, 1)
        assert await told(engine) == []

        clock.advance(seconds=2)
        assert await known(other, OLD) == await known(engine, NEW)
        await remote.admin.merge_user(NEW, "third")
        with pytest.raises(BadRequestError, match="undo that first"):
            await remote.admin.undo_merge(OLD)
        merged = {user.subject.name: user.merged_into for user in await remote.admin.users()}
        assert merged == {OLD: Subject("user", "third"), NEW: Subject("user", "third"), "third": None}

    transport = httpx.ASGITransport(app=build_app(engine))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        body = {"model": "m", "messages": [user("What do I keep?")]}
        answer = await client.post("/v1/chat/completions", json=body, headers={"x-toldonce-user": OLD})
        assert answer.headers["x-toldonce-subject"] == "user:third"
        page = await client.get(f"/dashboard/subjects/user:{OLD}")
        assert "this is the memory of" in page.text
    [chat] = [said for said in await engine.conversations.list(user="third") if said.updated_at >= clock.now()]
    assert chat.subject == Subject("user", "third")
