"""The active path of a conversation, the spans that its episodes cover, and when that work is due."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from factories import ANA, BEN, add, decision, due, evidence, memory, turn
from toldonce.errors import BadRequestError
from toldonce.store.sql import database
from toldonce.store.sql.log import conversations as repository
from toldonce.store.sqlite.connection import MEMORY, DatabaseLocation, open_writer
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.text import conversation_tag
from toldonce.types import (
    Action,
    CloseMemory,
    ConversationId,
    ConversationPage,
    EpisodeRange,
    FormationResult,
    Memory,
    MemoryDetail,
    MemoryKind,
    MemoryState,
    MessageRef,
    RecordedTurn,
    message_address,
)


async def talked(store: Store, *texts: str) -> RecordedTurn:
    return await store.conversations.record(
        turn(*texts, external_id="chat", formations=[replace(due(), every_turns=3, on_edit=True)])
    )


async def seqs(store: Store, chat: ConversationId, **more: int) -> list[int]:
    return [message.seq for message in await store.conversations.active_path(ANA, chat, **more)]


def episode(chat: ConversationId, first_turn: int, seqs: Sequence[int], *, clock: FakeClock) -> Memory:
    detail = MemoryDetail(
        source_uri=message_address(chat, seqs[0]),
        tags=(conversation_tag(chat),),
        first_turn=first_turn,
        last_turn=first_turn + len(seqs) // 2 - 1,
        first_seq=seqs[0],
        last_seq=seqs[-1],
    )
    sources = [evidence(chat, seq) for seq in seqs]
    return replace(memory("summary", clock=clock, kind=MemoryKind.EPISODE, sources=sources), detail=detail)


def span(of: Memory) -> EpisodeRange:
    """Return what an episode sums up, as it is read back."""
    detail = of.detail
    state = MemoryState.CLOSED if detail.first_turn == 1 else MemoryState.ACTIVE
    return EpisodeRange(
        id=of.id,
        state=state,
        began=of.valid_from,
        first_turn=detail.first_turn,
        last_turn=detail.last_turn,
        parts=detail.summarized,
    )


async def test_the_path_ends_in_the_newest_message_and_passes_over_other_branches(store: Store) -> None:
    chat = (await talked(store, "a", "b", "c", "d", "e", "f")).conversation
    assert await seqs(store, chat) == [1, 2, 3, 4, 5, 6]
    await talked(store, "a", "b", "c2", "d2")
    assert await seqs(store, chat) == [1, 2, 7, 8]
    await talked(store, "a", "b", "c", "d", "e", "f", "g", "h")
    assert await seqs(store, chat) == [1, 2, 3, 4, 5, 6, 9, 10]


async def test_a_path_read_after_a_message_tells_whether_that_is_on_it(store: Store) -> None:
    chat = (await talked(store, "a", "b", "c", "d")).conversation
    await talked(store, "a", "b", "c2", "d2")
    assert await seqs(store, chat, after_seq=2) == [5, 6]
    assert (await store.conversations.active_path(ANA, chat, after_seq=2))[0].parent_seq == 2
    assert await seqs(store, chat, after_seq=4) == [5, 6]
    assert (await store.conversations.active_path(ANA, chat, after_seq=4))[0].parent_seq == 2, "4 is on another branch"
    assert await seqs(store, chat, limit=3) == [1, 2, 5]
    assert await seqs(store, chat, after_seq=6) == []


async def test_another_subject_has_no_path_in_the_conversation(store: Store) -> None:
    chat = (await talked(store, "a", "b")).conversation
    assert await store.conversations.active_path(BEN, chat) == []
    assert await store.conversations.active_path(ANA, ConversationId("nonsense")) == []
    with pytest.raises(BadRequestError):
        await store.conversations.active_path(ANA, chat, limit=0)


async def test_spans_come_by_turn_with_closed_ones_and_without_abandoned_ones(store: Store, clock: FakeClock) -> None:
    chat = (await talked(store, "a", "b", "c", "d", "e", "f", "g", "h")).conversation
    other = (await store.conversations.record(turn("x", "y"))).conversation
    kept, forgotten, gone, foreign = (
        episode(chat, 3, [5, 6], clock=clock),
        episode(chat, 1, [1, 2, 3, 4], clock=clock),
        episode(chat, 4, [7, 8], clock=clock),
        episode(other, 1, [1, 2], clock=clock),
    )
    await store.memories.apply(ANA, [add(row) for row in (kept, forgotten, gone, foreign)], [])
    closes = [CloseMemory(id=row.id, valid_to=clock.now(), closed_at=clock.now()) for row in (forgotten, gone)]
    await store.memories.apply(ANA, closes, [decision(forgotten, Action.CLOSE), decision(gone, Action.ABANDON)])
    assert await store.conversations.episode_ranges(ANA, chat) == [span(forgotten), span(kept)]
    assert await store.conversations.episode_ranges(BEN, chat) == []


def test_spans_look_up_each_episodes_decisions_by_its_id() -> None:
    db = open_writer(DatabaseLocation(path=MEMORY))
    plan = [str(row[3]) for row in db.execute(f"EXPLAIN QUERY PLAN {database.load('episode')['spans']}", (1, ""))]
    db.close()
    assert any("USING INDEX decision_memory (subject=? AND memory=?)" in step for step in plan)


async def test_an_edit_makes_due_at_once_what_else_waits_for_so_many_turns(store: Store, clock: FakeClock) -> None:
    await talked(store, "a", "b")
    await talked(store, "a", "b", "c", "d")
    assert await store.formations.due(clock.now()) == []
    await talked(store, "a", "b", "c2", "d2")
    assert len(await store.formations.due(clock.now())) == 1


async def test_a_cursor_moves_back_only_where_an_edit_took_away_what_it_had_passed(
    store: Store, clock: FakeClock
) -> None:
    await talked(store, "a", "b", "c", "d", "e", "f")
    for result in (FormationResult(formed_seq=4), FormationResult(formed_seq=2, goes_back=True)):
        [key] = await store.formations.due(clock.now())
        lease = await store.formations.lease(key, now=clock.now(), lease_s=60)
        assert lease is not None
        if result.goes_back:
            with pytest.raises(BadRequestError):
                await store.formations.commit(lease, replace(result, goes_back=False), now=clock.now())
        await store.formations.commit(lease, result, now=clock.now())
    [status] = await store.formations.list()
    assert status.formed_seq == 2


async def test_all_messages_of_a_long_conversation_are_looked_at_in_a_thread(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = (await talked(store, "a", "b", "c", "d")).conversation
    await talked(store, "a", "b", "c2", "d2")
    short = await store.conversations.page(ANA, chat, after_seq=0, limit=10, injected=1)
    monkeypatch.setattr(repository, "MAX_WALKED_ON_LOOP", 5)
    threads: list[partial[object]] = []
    read = store.conversations._executor.read

    async def noted(work: partial[Any]) -> Any:
        threads.append(work)
        return await read(work)

    monkeypatch.setattr(store.conversations._executor, "read", noted)
    assert await store.conversations.page(ANA, chat, after_seq=0, limit=10, injected=1) == short
    assert await store.conversations.abandoned(ANA, chat) == short.abandoned == {3, 4}
    assert sum("most" not in work.keywords for work in threads) == 2


async def test_a_conversation_whose_id_is_none_has_nothing(store: Store, clock: FakeClock) -> None:
    await store.conversations.record(turn("hi", "hello"))
    await store.memories.apply(ANA, [add(memory("one", clock=clock))], [])
    no_id = ConversationId("nonsense")
    read = store.conversations

    assert await read.get(ANA, id=no_id) is None
    assert await read.user_words(ANA, no_id, after_seq=0, before_seq=10, characters=10) == []
    assert await read.page(ANA, no_id, after_seq=0, limit=10, injected=10) == ConversationPage()
    assert (await read.abandoned(ANA, no_id), await read.injections(ANA, conversation=no_id)) == (set(), [])
    assert await store.memories.from_source(ANA, no_id) == []
    assert await store.memories.closed_from(ANA, ANA, MessageRef(no_id, 1), last=9) == []
    assert await store.decisions.from_source(ANA, conversation=no_id) == []
    assert await store.decisions.get(ANA, "nonsense") is None
