"""Chats that upstream keeps: an answer's id leads to its place in the log, and a thread to what it has of memory."""

from dataclasses import replace

import pytest

from factories import ANA, BEN, turn
from store.test_insertions import THREAD, insertion
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import EraseRequest, LedgerRows, RecordedTurn, Turn


def answered(*texts: str, id: str) -> Turn:
    said = turn(*texts)
    assert said.reply is not None
    return replace(said, reply=replace(said.reply, call_ids=(id,)))


async def path(store: Store, recorded: RecordedTurn, seq: int | None) -> list[str]:
    """Return the texts from the beginning of a conversation to a message."""
    known = {message.seq: message for message in await store.conversations.messages(ANA, recorded.conversation)}
    texts: list[str] = []
    while seq:
        texts.insert(0, known[seq].text)
        seq = known[seq].parent_seq
    return texts


async def test_a_turn_goes_on_after_the_answer_that_it_names(store: Store) -> None:
    first = await store.conversations.record(answered("Hi", "Hello.", id="resp_1"))
    second = await store.conversations.record(replace(answered("Tea?", "Yes.", id="resp_2"), after="resp_1"))
    again = await store.conversations.record(replace(answered("Tea?", "Yes.", id="resp_2"), after="resp_1"))
    branch = await store.conversations.record(replace(answered("Cake?", "No.", id="resp_3"), after="resp_1"))
    last = await store.conversations.record(replace(turn("Thanks", "Fine."), after="resp_3"))

    assert {each.conversation for each in (second, branch, again, last)} == {first.conversation}
    assert again.appended == ()
    assert await path(store, last, last.reply_seq) == ["Hi", "Hello.", "Cake?", "No.", "Thanks", "Fine."]


async def test_an_id_that_nobody_knows_begins_a_conversation(store: Store) -> None:
    known = await store.conversations.record(answered("Hi", "Hello.", id="resp_1"))
    other = await store.conversations.record(replace(turn("Tea?", "Yes."), after="resp_9"))
    of_ben = await store.conversations.record(replace(turn("Tea?", "Yes.", subject=BEN), after="resp_1"))

    assert len({known.conversation, other.conversation, of_ben.conversation}) == 3


@pytest.mark.parametrize("after", ["resp_2", None])
async def test_what_was_said_before_is_found(store: Store, after: str | None) -> None:
    first = replace(answered("Hi", "Hello.", id="resp_1"), external_id="conv", append=True)
    second = replace(answered("Tea?", "Yes.", id="resp_2"), external_id="conv", append=True, after=after and "resp_1")
    for said in (first, second):
        await store.conversations.record(said)
    await store.conversations.record(turn("Elsewhere", "Yes."))

    found = await store.conversations.said_before(ANA, after=after, external_id="conv")

    assert first.reply is not None
    assert second.reply is not None
    assert found == tuple(message.hash for message in (second.reply, *second.messages, first.reply, *first.messages))
    assert await store.conversations.said_before(BEN, after=after, external_id="conv") == ()
    assert await store.conversations.said_before(ANA, after="resp_9", external_id=None) == ()


async def test_a_thread_is_found_with_its_answers_after_an_erasure_too(store: Store, clock: FakeClock) -> None:
    rows = [insertion(clock, 1), insertion(clock, 3, depth=3)]
    await store.insertions.add(ANA, rows)
    said = replace(answered("a", "b", id="resp_1"), thread=THREAD, answer_chains=(2, 77), answer_depth=2)
    await store.conversations.record(said)

    found = await store.insertions.find_thread(ANA, THREAD)
    assert [row.depth for row in found.insertions] == [1, 3]
    assert [(mark.chain, mark.depth) for mark in found.answers] == [(2, 2), (77, 2)]
    assert await store.insertions.find_thread(BEN, THREAD) == await store.insertions.find_thread(ANA, 8) == LedgerRows()

    other = await store.conversations.record(turn("secret", "yes"))
    await store.erasures.erase(EraseRequest(subject=ANA, conversation=other.conversation))
    assert [mark.depth for mark in (await store.insertions.find_thread(ANA, THREAD)).answers] == [2, 2]
    assert [mark.thread for mark in (await store.insertions.find(ANA, [77])).answers] == [THREAD]
    later = await store.conversations.record(replace(turn("more", "ok"), after="resp_1"))
    assert await path(store, later, later.reply_seq) == ["a", "b", "more", "ok"]
