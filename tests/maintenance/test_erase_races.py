"""Erasing while the same words are formed, recorded again and recalled: none survives (E2)."""

import asyncio
import os
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from canaries import DenseEmbedder, canary, found, spellings
from sample_chats import ALL_KINDS, answer, assistant, note, user
from soak import SOAK
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import UnknownMemoryError
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock, ScriptedModel

RACES = SOAK or 8
_WORD = re.compile(r"allergic to ([a-z]{22})")


class Pondering(ScriptedModel):
    """A model that takes its time, and finds what the user is allergic to."""

    def __init__(self, luck: random.Random) -> None:
        super().__init__(self._found)
        self._luck = luck

    @staticmethod
    def _found(_system: str, asked: str) -> object:
        words = _WORD.findall(asked)
        return answer(*(note(f"The user is allergic to {word}.", f"allergic to {word}") for word in words[-1:]))

    async def answer(self, **asked: Any) -> Any:
        await asyncio.sleep(self._luck.uniform(0, 0.01))
        return await super().answer(**asked)


class Race:
    """One conversation, and what is done with it at once."""

    def __init__(self, engine: AsyncToldOnce, luck: random.Random, number: int) -> None:
        self.engine, self.luck, self.number = engine, luck, number
        self.word = canary(luck)
        self.history = [user(f"I'm allergic to {self.word}."), assistant(f"I will mind the {self.word}.")]

    async def soon(self) -> None:
        await asyncio.sleep(self.luck.uniform(0, 0.02))

    async def resend(self) -> None:
        for count in range(3):
            await self.soon()
            await self.send(f"chat {self.number}", f"What else is new, number {self.number}, {count}?")

    async def send(self, named: str | None, asked: str) -> None:
        await self.engine.record([*self.history, user(asked)], user="ana", conversation=named)

    async def form(self) -> None:
        for _ in range(3):
            await self.soon()
            await self.engine.form()

    async def recall(self) -> None:
        await self.soon()
        await self.engine.search(f"allergic to {self.word}", user="ana")

    async def erase(self, conversation: str, how: int) -> None:
        await self.soon()
        if how == 0:
            await self.engine.erasure.subject("ana")
        elif how == 1:
            for known in await self.engine.list(user="ana"):
                if self.word in known.text:
                    try:
                        await self.engine.erase(known.id, user="ana")
                    except UnknownMemoryError:
                        continue
        # The answer is no source of the memory: it goes with the conversation.
        if how:
            await self.engine.erasure.conversation(conversation, user="ana")

    async def run(self) -> None:
        first = await self.engine.record(self.history, user="ana", conversation=f"chat {self.number}")
        if self.luck.random() < 0.5:
            await self.engine.form()
        await asyncio.gather(self.resend(), self.form(), self.recall(), self.erase(first.conversation, self.number % 3))
        await self.send(f"copy {self.number}", "And here?")
        await self.send(None, "And without a name?")
        await self.engine.form()


@pytest.mark.soak
@pytest.mark.parametrize("by", ["rules", "model"])
async def test_i13_no_race_of_erasing_with_forming_and_recording_brings_a_word_back(
    tmp_path: Path, clock: FakeClock, parts: Components, by: str
) -> None:
    seed = int.from_bytes(os.urandom(4))
    luck = random.Random(seed)
    store = await open_store(f"sqlite:///{tmp_path / 'kept.sqlite3'}", clock=clock)
    model = Pondering(luck) if by == "model" else None
    engine = AsyncToldOnce(replace(parts, store=store, embedder=DenseEmbedder(), model=model))
    words = []
    for number in range(max(6, RACES // 2)):
        race = Race(engine, luck, number)
        await race.run()
        clock.advance(seconds=20)
        words.append(race.word)
        said = [
            message.text
            for conversation in await engine.conversations.list(user="ana")
            for message in await engine.conversations.messages(conversation.id, user="ana")
        ]
        known = [memory.text for memory in await engine.list(user="ana", kinds=ALL_KINDS, closed=True, limit=5_000)]
        decided = [f"{line.text} {line.reason}" for line in await engine.history.decisions(user="ana", limit=5_000)]
        left = [text for text in (*said, *known, *decided) if race.word in text]
        assert left == [], f"race {number}, seed {seed}"
    assert await engine.admin.formations(parked=True) == []
    assert (await engine.admin.stats(check=True)).problems == ()
    assert await engine.erasure.finish()
    patterns = {pattern: f"{word} as {how}" for word in words for how, pattern in spellings(word)}
    assert found(tmp_path, patterns) == []
    await engine.close()
