"""Rolling back a source leaves what a run without it would know (J5), over random scripts of what people say."""

import random
from collections.abc import Sequence
from contextlib import suppress

import pytest

from sample_chats import user
from soak import SOAK
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import BadRequestError
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import MemoryKind

SOURCE = "poisoned"
CITIES = ("Rome", "Oslo", "Lima", "Quito")
FOODS = ("peanuts", "shrimps", "eggs")
TASTES = ("jazz", "chess", "opera")
SCRIPTS = SOAK or 3
Step = tuple[str, str]
"""A chat, and what is said in it."""


def script(seed: int) -> list[Step]:
    """Write a script: a dozen statements in three chats, one of them the source that is to go.

    The source ends nothing that another chat says has ended as well: who says second finds nothing to end, and what was
    not kept cannot come back.
    """
    draw = random.Random(seed)
    steps: list[Step] = []
    for _ in range(draw.randint(6, 14)):
        said = draw.choice(
            [
                f"I live in {draw.choice(CITIES)}.",
                f"I moved to {draw.choice(CITIES)}.",
                f"I am allergic to {draw.choice(FOODS)}.",
                f"I am no longer allergic to {draw.choice(FOODS)}.",
                f"I like {draw.choice(TASTES)}.",
                f"I hate {draw.choice(TASTES)}.",
                f"My sister moved to {draw.choice(CITIES)} last week.",
            ]
        )
        chat = draw.choice(("one", "two", SOURCE))
        steps.append(("one" if "no longer" in said and chat == SOURCE and draw.random() < 0.5 else chat, said))
    ended = {said for chat, said in steps if chat != SOURCE and "no longer" in said}
    return [(chat, said) for chat, said in steps if chat != SOURCE or said not in ended]


async def known_after(steps: Sequence[Step], *, undo: bool) -> set[tuple[str, str, str, str]]:
    """Say the steps, an hour apart; a step without words lets the hour pass. Return what is known in the end."""
    clock = FakeClock()
    store = await open_store("sqlite:///:memory:", clock=clock)
    parts = Components(
        settings=Settings(database_url="sqlite:///:memory:"),
        clock=clock,
        store=store,
        embedder=WordEmbedder(),
        model=None,
        counter=token_counter(),
    )
    source = None
    async with AsyncToldOnce(parts) as engine:
        for chat, said in steps:
            clock.advance(hours=1)
            if not said:
                continue
            recorded = await engine.record([user(said)], user="ana", conversation=chat)
            await engine.form()
            source = recorded.conversation if chat == SOURCE else source
        if undo and source:
            with suppress(BadRequestError):  # what was said there may have left nothing
                await engine.history.undo_source(user="ana", conversation=source)
            left = await engine.list(user="ana", kinds=tuple(MemoryKind))
            assert not [memory for memory in left for said in memory.evidence if said.conversation == source]
        known = await engine.list(user="ana", kinds=(MemoryKind.NOTE, MemoryKind.FACT))
        return {(memory.kind.value, memory.key, memory.value, memory.text) for memory in known}


@pytest.mark.parametrize("seed", range(SCRIPTS))
async def test_j5_undoing_a_source_leaves_what_a_run_without_it_knows(seed: int) -> None:
    steps = script(seed)
    without = [(chat, "" if chat == SOURCE else said) for chat, said in steps]
    assert await known_after(steps, undo=True) == await known_after(without, undo=False)
