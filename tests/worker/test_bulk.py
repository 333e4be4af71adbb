"""Forming many conversations at once: what is formed is the same; the embedder is called less. On every store."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sample_chats import ALL_KINDS, assistant, user
from stores import STORES, new_store, url_of
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import ModelError
from toldonce.formation.runtime import Runtime
from toldonce.providers import batching_embedder
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import FormationStatus, Subject, Vectors
from toldonce.worker.bulk import BulkWorker

USERS, TALKS, TURNS = 2, 2, 6
_DAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


class Counting(WordEmbedder):
    """Counts its calls; refuses some texts."""

    calls = 0
    refuses = ""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        if self.refuses and any(self.refuses in text for text in texts):
            raise ModelError(f"{self.refuses} is refused")
        return await super().embed(texts)


@pytest.fixture(params=STORES)
async def made(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[list[Components]]:
    """Two databases."""
    parts = []
    for name in ("one", "two") if request.param != "citus" else ():
        folder = tmp_path / name
        folder.mkdir()
        clock = FakeClock()
        store = await new_store(request.param, folder, clock)
        settings = Settings(database_url=url_of(request.param, folder))
        parts.append(
            Components(
                settings=settings,
                clock=clock,
                store=store,
                embedder=Counting(64),
                model=None,
                counter=token_counter(),
            )
        )
    if not parts:
        pytest.skip("there is one such database")
    yield parts
    for components in parts:
        await components.store.close()


def talk(who: int, number: int) -> list[dict[str, Any]]:
    """Write a conversation: lasting statements, some of them again or changed in a later one."""
    said = (
        f"My sister Kira{who} works as a nurse in Oslo.",
        f"I moved to Bergen in {2010 + number}.",
        "I like green tea a lot.",
        f"I am allergic to peanuts and box {number} is blue.",
        "What should I cook tonight?",
        f"Please call me captain {number}.",
    )
    messages = []
    for turn in range(TURNS):
        messages += [user(said[turn]), assistant(f"Noted for talk {number}, turn {turn}.")]
    return messages


async def record(engine: AsyncToldOnce, *, at_once: bool) -> None:
    """Record all conversations, whole or turn by turn."""
    for who in range(USERS):
        for number in range(TALKS):
            messages = talk(who, number)
            step = len(messages) if at_once else 2
            for start in range(0, len(messages), step):
                await engine.record(
                    messages[start : start + step],
                    user=f"user-{who}",
                    conversation=f"talk-{number}",
                    said_at=_DAY + timedelta(days=number),
                )


async def known(engine: AsyncToldOnce) -> list[object]:
    """Say all that is kept, without the ids, which are of their time."""
    found: list[object] = []
    for who in range(USERS):
        name = f"user-{who}"
        talks = {conversation.id: conversation for conversation in await engine.conversations.list(user=name)}
        for conversation in sorted(talks.values(), key=lambda talk: talk.external_id or ""):
            said = await engine.conversations.messages(conversation.id, user=name)
            found.append([(line.seq, line.parent_seq, line.role, line.text, line.said_at) for line in said])
        for memory in await engine.list(user=name, kinds=ALL_KINDS, closed=True, limit=1000):
            rests_on = [
                (talks[source.conversation].external_id, source.seq, source.quote) for source in memory.evidence
            ]
            what = (memory.kind, memory.state, memory.text, memory.category, memory.key, memory.value)
            found.append((what, memory.importance, memory.valid_from, memory.valid_to, rests_on))
        lines = await engine.history.decisions(user=name)
        found.append([(line.action, line.reason, line.text, line.seq) for line in lines])
    for status in await engine.admin.formations(limit=1000):
        found.append((status.key.subject, status.key.stage, status.formed_seq, status.last_seq, status.due_at))
    return found


async def searched(engine: AsyncToldOnce) -> list[object]:
    return [
        [(item.memory.text, item.score) for item in (await engine.search(query, user=f"user-{who}")).items]
        for query in ("Where do I live?", "green tea", "box 2")
        for who in range(USERS)
    ]


async def test_what_is_formed_at_once_is_what_is_formed_turn_by_turn(
    made: list[Components], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batching_embedder, "REMOTE_CALL_S", 0.0)  # as behind a network: texts are read ahead
    live, replayed = (AsyncToldOnce(parts) for parts in made)
    await record(live, at_once=False)
    await live.form()
    await record(replayed, at_once=True)
    formations = await replayed.bulk.form()
    assert formations > 2 * USERS
    assert await known(replayed) == await known(live)
    assert await searched(replayed) == await searched(live)
    assert await replayed.bulk.form() == 0


async def test_users_side_by_side_and_texts_read_ahead_make_few_calls(
    made: list[Components], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = made
    assert isinstance(one.embedder, Counting)
    assert isinstance(two.embedder, Counting)
    alone, far = AsyncToldOnce(one), AsyncToldOnce(two)
    await record(alone, at_once=True)
    await alone.form()
    assert one.embedder.calls >= 2 * USERS * TALKS

    monkeypatch.setattr(batching_embedder, "REMOTE_CALL_S", 0.0)
    await record(far, at_once=True)
    await far.bulk.form()
    assert two.embedder.calls <= one.embedder.calls / 4


async def test_one_subjects_texts_are_embedded_ahead_round_by_round(
    made: list[Components], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = made[0]
    assert isinstance(parts.embedder, Counting)
    monkeypatch.setattr(batching_embedder, "REMOTE_CALL_S", 0.0)
    monkeypatch.setattr(BulkWorker, "batch_size", 4)
    engine = AsyncToldOnce(parts)
    for number in range(6):
        await engine.record(talk(0, number), user="ana", conversation=f"talk-{number}")
    await engine.bulk.form()
    # The first tells how far it is; then there is one for each of three rounds of four.
    assert parts.embedder.calls <= 1 + 3
    assert len(await engine.admin.formations(limit=100)) == 12
    assert all(status.due_at is None for status in await engine.admin.formations(limit=100))


async def test_a_text_that_is_refused_holds_up_its_own_conversation_alone(
    made: list[Components], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = made[0]
    assert isinstance(parts.embedder, Counting)
    monkeypatch.setattr(batching_embedder, "REMOTE_CALL_S", 0.0)
    engine = AsyncToldOnce(parts)
    await record(engine, at_once=True)
    await engine.record([user("The word is abracadabra."), assistant("Noted.")], user="user-1", conversation="bad")
    parts.embedder.refuses = "abracadabra"
    await engine.bulk.form()
    waiting = [status for status in await engine.admin.formations(limit=1000) if status.formed_seq < status.last_seq]
    assert {(status.key.subject, status.last_seq) for status in waiting} == {(Subject("user", "user-1"), 2)}
    parts.embedder.refuses = ""
    clock = parts.clock
    assert isinstance(clock, FakeClock)
    for _ in range(4):
        clock.advance(minutes=5)
        await engine.bulk.form()
    assert [status for status in await engine.admin.formations(limit=1000) if status.formed_seq < status.last_seq] == []


async def test_what_was_begun_before_is_not_read_ahead(made: list[Components], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its worker may have ended by it: only under a lease is that counted."""
    parts = made[0]
    monkeypatch.setattr(batching_embedder, "REMOTE_CALL_S", 0.0)
    clock = parts.clock
    assert isinstance(clock, FakeClock)
    engine = AsyncToldOnce(parts)
    for number in range(3):
        await engine.record(talk(0, number), user="ana", conversation=f"talk-{number}")
    [first, *_] = await parts.store.formations.due(clock.now())
    assert await parts.store.formations.lease(first, now=clock.now(), lease_s=1)
    clock.advance(seconds=2)
    read: list[object] = []
    texts = BulkWorker._texts

    async def told(worker: BulkWorker, waiting: FormationStatus, runtime: Runtime) -> list[str]:
        read.append(waiting.key)
        return await texts(worker, waiting, runtime)

    monkeypatch.setattr(BulkWorker, "_texts", told)
    monkeypatch.setattr(BulkWorker, "batch_size", 3)
    await engine.bulk.form()
    assert read
    assert first not in read


async def test_it_can_be_ended_on_the_way_and_goes_on(made: list[Components]) -> None:
    engine = AsyncToldOnce(made[0])
    await record(engine, at_once=True)
    forming = asyncio.create_task(engine.bulk.form())
    while not engine.admin.worker_counters.formed:  # noqa: ASYNC110  # nothing tells of it
        await asyncio.sleep(0)
    forming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await forming
    clock = made[0].clock
    assert isinstance(clock, FakeClock)
    clock.advance(seconds=10)  # leases run out
    await engine.bulk.form()
    other = AsyncToldOnce(made[1])
    await record(other, at_once=True)
    await other.form()
    texts = [[memory.text for memory in await each.list(user="user-0", kinds=ALL_KINDS)] for each in (engine, other)]
    assert sorted(texts[0]) == sorted(texts[1])
    assert (await engine.admin.stats(check=True)).problems == ()
