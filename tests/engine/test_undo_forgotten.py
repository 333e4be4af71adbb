"""What is undone brings back its own words alone: what else was closed or forgotten of the message stays away."""

from itertools import permutations

import pytest

from rows.scenes import TIERED
from sample_chats import ALL_KINDS, assistant, tell, texts, user
from soak import whole_only
from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock
from toldonce.types import Action, MemoryKind

SAID = "I live in Rome. I'm allergic to walnuts. My cat is called Miso."
VALUES = {"location": "Rome", "allergy:walnuts": "walnuts"}


async def forget(engine: AsyncToldOnce, value: str, clock: FakeClock) -> str:
    """Forget a fact by hand; return the decision."""
    clock.advance(hours=1)
    [fact] = [memory for memory in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if value in memory.value]
    await engine.forget(fact.id, user="ana")
    [line] = [
        decision
        for decision in await engine.history.decisions(user="ana")
        if decision.memory_id == fact.id and decision.action is Action.CLOSE
    ]
    return line.id


async def held(engine: AsyncToldOnce) -> str:
    found = [await engine.search(query, user="ana", limit=50) for query in ("walnuts", "Rome", "Miso")]
    return " ".join([*await texts(engine), *(item.memory.text for recall in found for item in recall.items)])


# Each order of forgetting with one of undoing, and each of these with one of those; in a long run, with all.
ORDERS = [
    pytest.param(forgotten, undone, marks=whole_only if (row + column) % 6 else ())
    for row, forgotten in enumerate(permutations(["Rome", "walnuts", "Miso"]))
    for column, undone in enumerate(permutations([0, 1, 2]))
]


@pytest.mark.parametrize(("forgotten", "undone"), ORDERS)
async def test_each_undoing_brings_back_its_own_words_in_whatever_order(
    engine: AsyncToldOnce, clock: FakeClock, forgotten: tuple[str, ...], undone: tuple[int, ...]
) -> None:
    await tell(engine, user(SAID), assistant(f"Good to know. {SAID}"))
    before = await texts(engine)
    lines = [await forget(engine, value, clock) for value in forgotten]
    gone = set(forgotten)
    assert not [word for word in gone if word in await held(engine)]
    for place in undone:
        clock.advance(hours=1)
        await engine.history.undo(lines[place], user="ana")
        gone.remove(forgotten[place])
        shown = await held(engine)
        assert not [word for word in gone if word in shown]
        assert forgotten[place] in shown
        turns = await engine.list(user="ana", kinds=(MemoryKind.TURN,))
        assert len({turn.evidence[0].seq for turn in turns}) == len(turns), "one quotation for each message"
    assert await texts(engine) == before


async def test_undoing_a_change_does_not_bring_back_what_was_forgotten_meanwhile(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await tell(engine, SAID)
    clock.advance(days=1)
    await tell(engine, "I moved to Oslo last week.")
    await forget(engine, "walnuts", clock)
    [oslo] = [memory for memory in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if memory.value == "Oslo"]
    [change] = [line for line in await engine.history.decisions(user="ana") if line.memory_id == oslo.id]
    await engine.history.undo(change.id, user="ana")
    shown = await held(engine)
    assert "I live in Rome." in shown
    assert "walnut" not in shown


async def test_a_summary_comes_back_without_what_else_was_forgotten(engine: AsyncToldOnce, clock: FakeClock) -> None:
    said = [SAID, *(f"Turn {number} is about rain." for number in range(20))]
    for message in said:
        await engine.record([user(message), assistant("Hm.")], user="ana", conversation="c", scope=TIERED)
        await engine.form()
    [episode] = await engine.list(user="ana", kinds=(MemoryKind.EPISODE,))
    assert "Rome" in episode.text
    assert "walnuts" in episode.text
    rome, walnuts = await forget(engine, "Rome", clock), await forget(engine, "walnuts", clock)
    await engine.history.undo(rome, user="ana")
    [shorter] = await engine.list(user="ana", kinds=(MemoryKind.EPISODE,))
    assert "Rome" in shorter.text
    assert "walnut" not in shorter.text
    await engine.history.undo(walnuts, user="ana")
    [whole] = await engine.list(user="ana", kinds=(MemoryKind.EPISODE,))
    assert whole.text == episode.text
    assert not [memory for memory in await engine.list(user="ana", kinds=ALL_KINDS) if memory.text == "…"]
