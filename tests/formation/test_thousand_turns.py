"""A conversation of a thousand turns under `tiered`: the window stays small, nothing is lost, facts stay few."""

from collections import Counter
from itertools import chain

import pytest

from chats import ranges, tiered_parts
from sample_chats import assistant, user
from soak import SOAK
from toldonce.engine import AsyncToldOnce, Components
from toldonce.types import MemoryKind

# Enough to say each fact, and some of them again.
TURNS, EVERY = (1000, 7) if SOAK else (50, 3)
# What the user says of themselves, spread over the talk: fifteen facts (T10), some said time and again.
FACTS = (
    "My name is Ana Lind.",
    "I live in Oslo.",
    "I'm allergic to peanuts.",
    "I work as a nurse.",
    "I speak Norwegian.",
    "I'm vegetarian.",
    "My birthday is on 7 May.",
    "I'm from Bergen.",
    "My pronouns are she/her.",
    "Please always answer in short sentences.",
    "I'm allergic to wool.",
    "I speak Portuguese.",
    "I'm free on weekday mornings.",
    "My dog is called Pan.",
    "I use tabs, 4 wide.",
)


def said(turn: int, every: int = 7) -> str:
    """Say one of the facts every so many turns, else something of the day."""
    return FACTS[turn // every % len(FACTS)] if turn % every == 0 else f"The weather on walk number {turn} was calm."


@pytest.mark.soak
async def test_t10_in_a_thousand_turns_the_window_is_bounded_and_no_turn_is_twice(parts: Components) -> None:
    async with AsyncToldOnce(tiered_parts(parts)) as engine:
        widest = 0
        for turn in range(TURNS):
            messages = [user(said(turn, EVERY)), assistant(f"Noted: {turn}.")]
            await engine.record(messages, user="ana", conversation="chat")
            if SOAK or turn % 5 == 4:
                await engine.form()
            if turn % 10 in (8, 9):
                widest = max(widest, len(await engine.conversations.window("chat", user="ana")))
        assert widest == 2 * 19

        listed = await engine.list(user="ana", kinds=(MemoryKind.EPISODE,), limit=1000)
        made = sorted(listed, key=lambda one: one.detail.first_turn)
        assert ranges(made) == [(first, first + 9) for first in range(1, TURNS - 10, 10)]
        window = await engine.conversations.window("chat", user="ana")
        places = Counter(
            chain((source.seq for episode in made for source in episode.evidence), (message.seq for message in window))
        )
        assert places == Counter(range(1, 2 * TURNS + 1))

        facts = await engine.list(user="ana", kinds=(MemoryKind.FACT,), limit=1000)
        assert 12 <= len(facts) <= 18, sorted((memory.key, memory.value) for memory in facts)
        assert len({(memory.category, memory.key) for memory in facts}) == len(facts)
        found = await engine.search("walk number 34", user="ana")
        assert any(item.memory.kind is MemoryKind.EPISODE and "number 34" in item.memory.text for item in found.items)
        messages = await engine.prompt("What may I eat?", conversation="chat", user="ana")
        assert len(messages) <= 1 + 1 + 2 * 19 + 1
        assert sum(len(message["content"]) for message in messages) < 12_000
