"""Memories kept and closed by hand: word for word, once, and never taken for another."""

import asyncio

import numpy as np
import pytest

from factories import ANA, BEN, memory
from sample_chats import ALL_KINDS, tell
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import BadRequestError, UnknownMemoryError
from toldonce.testing import FakeClock
from toldonce.types import Action, AddMemory, MemoryKind, MemoryState


async def notes(engine: AsyncToldOnce) -> list[str]:
    return sorted(memory.text for memory in await engine.list(user=ANA))


async def test_a_sentence_is_kept_word_for_word_and_found_again(engine: AsyncToldOnce) -> None:
    kept = await engine.add("  My locker has\nthe number 12. ", user=ANA, importance=0.9)
    assert (kept.text, kept.kind, kept.importance) == ("My locker has the number 12.", MemoryKind.NOTE, 0.9)
    found = await engine.search("which number has my locker", user=ANA)
    assert [item.memory.id for item in found.items] == [kept.id]


@pytest.mark.parametrize("importance", [1, 0.1, 0.7])
async def test_a_note_is_returned_as_it_is_stored(engine: AsyncToldOnce, importance: float) -> None:
    text = "My locker\x00 has the number 12."
    for _ in range(2):  # the second time it is strengthened
        kept = await engine.add(text, user=ANA, importance=importance, type="pref\x00erence")
        assert kept == await engine.get(kept.id, user=ANA)
        assert isinstance(kept.importance, float)


async def test_the_same_sentence_added_twice_is_one_memory_with_both_decisions(engine: AsyncToldOnce) -> None:
    first = await engine.add("I like tea.", user=ANA, importance=0.4)
    again = await engine.add("i LIKE tea!", user=ANA, importance=0.8)
    assert again.id == first.id
    assert again.text == "I like tea."
    assert again.importance == 0.8
    assert [(line.action, line.reason) for line in await engine.history.decisions(user=ANA)] == [
        (Action.ADD, "added by hand"),
        (Action.MERGE, "added by hand again"),
    ]


async def test_twenty_at_once_are_one(engine: AsyncToldOnce) -> None:
    added = await asyncio.gather(*(engine.add("I like tea.", user=ANA) for _ in range(20)))
    assert len({memory.id for memory in added}) == 1
    assert len(await engine.history.decisions(user=ANA)) == 20


async def test_a_hundred_different_ones_at_once_are_all_kept(engine: AsyncToldOnce) -> None:
    texts = [f"Shelf {number} holds boxes." for number in range(100)]
    await asyncio.gather(*(engine.add(text, user="ana") for text in texts))
    kept = await engine.list(user="ana", limit=1000)
    assert sorted(memory.text for memory in kept) == sorted(texts)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like C.", "I like C++."),
        ("I like C++.", "I like C#."),
        ("It was -5 degrees.", "It was 5 degrees."),
        ("It costs 5%.", "It costs $5."),
        ("👍", "👎"),
        ("I like tea.", "I do not like tea."),
    ],
)
async def test_sentences_that_differ_in_a_sign_are_two(engine: AsyncToldOnce, one: str, other: str) -> None:
    await engine.add(one, user=ANA)
    await engine.add(other, user=ANA)
    assert await notes(engine) == sorted([one, other])


async def test_signs_alone_are_kept_once(engine: AsyncToldOnce) -> None:
    await engine.add("I like tea.", user=ANA)
    await engine.add("👍", user=ANA)
    await engine.add("👍", user=ANA)
    assert await notes(engine) == ["I like tea.", "👍"]


async def test_a_closed_note_added_again_is_a_new_one(engine: AsyncToldOnce) -> None:
    first = await engine.add("I like tea.", user=ANA)
    await engine.forget(first.id, user=ANA)
    again = await engine.add("I like tea.", user=ANA)
    assert again.id != first.id
    assert await notes(engine) == ["I like tea."]


async def test_only_notes_are_taken_for_the_same_never_a_quotation_of_the_same_words(
    engine: AsyncToldOnce, parts: Components
) -> None:
    quoted = memory("I like tea.", subject=ANA, kind=MemoryKind.EPISODE)
    [vector] = await parts.embedder.embed([quoted.text])
    await parts.store.memories.apply(ANA, [AddMemory(memory=quoted, space=parts.embedder.space, vectors=(vector,))], [])
    assert np.any(vector)
    assert (await engine.add("I like tea.", user=ANA)).kind is MemoryKind.NOTE


@pytest.mark.parametrize(
    ("text", "importance", "param"),
    [("", 0.5, "text"), (" \n\t ", 0.5, "text"), ("a" * 10_001, 0.5, "text"), ("Tea.", 1.01, "importance")],
)
async def test_what_cannot_be_a_note_is_refused_by_name(
    engine: AsyncToldOnce, text: str, importance: float, param: str
) -> None:
    with pytest.raises(BadRequestError) as refused:
        await engine.add(text, user=ANA, importance=importance)
    assert refused.value.param == param
    assert await engine.list(user=ANA) == []


async def test_importance_that_is_no_number_is_refused(engine: AsyncToldOnce) -> None:
    with pytest.raises(BadRequestError):
        await engine.add("Tea.", user=ANA, importance=float("nan"))


async def test_forgetting_closes_and_keeps_the_history(engine: AsyncToldOnce, clock: FakeClock) -> None:
    kept = await engine.add("My locker has the number 12.", user=ANA)
    clock.advance(days=3)
    closed = await engine.forget(kept.id, user=ANA)
    assert (closed.state, closed.valid_to, closed.closed_at) == (MemoryState.CLOSED, clock.now(), clock.now())
    assert (await engine.search("locker number", user=ANA)).items == ()
    assert await engine.list(user=ANA) == []
    assert [memory.id for memory in await engine.list(user=ANA, closed=True)] == [kept.id]
    history = await engine.history.get(kept.id, user=ANA)
    assert [line.reason for line in history.decisions] == ["added by hand", "forgotten by hand"]


async def test_forgetting_twice_changes_nothing(engine: AsyncToldOnce, clock: FakeClock) -> None:
    kept = await engine.add("My locker has the number 12.", user=ANA)
    once = await engine.forget(kept.id, user=ANA)
    clock.advance(days=1)
    assert await engine.forget(kept.id, user=ANA) == once
    assert len(await engine.history.decisions(user=ANA)) == 2


async def test_forgetting_a_quotation_logs_no_words_of_it(engine: AsyncToldOnce) -> None:
    await tell(engine, "I bought a tagine in Fez.")
    [quotation] = await engine.list(user=ANA, kinds=(MemoryKind.TURN,))
    await engine.forget(quotation.id, user=ANA)
    assert quotation.id not in {memory.id for memory in await engine.list(user=ANA, kinds=ALL_KINDS)}
    [line] = [line for line in await engine.history.decisions(user=ANA) if line.memory_id == quotation.id]
    assert (line.action, line.text) == (Action.CLOSE, "")


async def test_nobody_forgets_what_is_somebody_elses(engine: AsyncToldOnce) -> None:
    kept = await engine.add("My locker has the number 12.", user=ANA)
    with pytest.raises(UnknownMemoryError):
        await engine.forget(kept.id, user=BEN)
    assert (await engine.get(kept.id, user=ANA)).state is MemoryState.ACTIVE
