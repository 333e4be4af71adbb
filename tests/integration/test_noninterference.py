"""Nothing that Ben says changes what Ana sees: her world with him equals the one without him (I10)."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from integration.raw_client import assistant, user
from toldonce import AsyncToldOnce
from toldonce.errors import UnknownMemoryError
from toldonce.ids import new_id
from toldonce.settings import Settings
from toldonce.testing import FakeClock

ANA_SAYS = (
    "My name is Ana. I live in Rome and I am allergic to peanuts.",
    "I love hiking in the mountains.",
    "I moved to Oslo. I no longer eat meat.",
    "I work as a nurse and I have two dogs.",
)
# The same slots, words and nearly the same sentences; some said before her, some after.
BEN_SAYS = (
    "My name is Ben. I live in Oslo and I am allergic to shellfish.",
    "I hate hiking in the mountains.",
    "I moved to Rome. I no longer eat fish.",
    "I work as a baker and I have three dogs.",
)
QUERIES = ("Where do I live?", "What am I allergic to?", "hiking", "dogs", "Who am I?", "mountains in Oslo or Rome")


@dataclass(frozen=True, slots=True)
class World:
    """One database with its engine."""

    engine: AsyncToldOnce
    clock: FakeClock

    async def say(self, who: str, text: str) -> None:
        """Say it and let it be formed; time passes for Ana alone."""
        await self.engine.record([user(text), assistant("I see.")], user=who, conversation="one chat")
        await self.engine.form()
        if who == "ana":
            self.clock.advance(hours=5)

    async def seen_by_ana(self) -> list[object]:
        """Everything that Ana can ask for, without ids."""
        seen: list[object] = []
        for query in QUERIES:
            recall = await self.engine.search(query, user="ana", limit=50)
            seen.append([(item.memory.text, round(item.score, 9)) for item in recall.items])
        for memory in await self.engine.list(user="ana", closed=True, limit=1000):
            seen.append((memory.text, memory.kind, memory.key, memory.value, memory.state, memory.importance))
            history = await self.engine.history.get(memory.id, user="ana")
            seen.append(sorted(related.text for related in history.related))
        decisions = await self.engine.history.decisions(user="ana")
        seen.append([(line.action, line.reason, line.text) for line in decisions])
        for conversation in await self.engine.conversations.list(user="ana"):
            log = await self.engine.conversations.messages(conversation.id, user="ana")
            seen.append([(message.seq, message.parent_seq, message.text) for message in log])
        return seen


async def world(path: Path) -> World:
    clock = FakeClock()
    settings = Settings(database_url=f"sqlite:///{path / 'world.sqlite3'}")
    return World(await AsyncToldOnce.open(settings, clock=clock), clock)


async def test_anas_world_is_the_same_with_and_without_ben(tmp_path: Path) -> None:
    alone, shared = await world(tmp_path / "alone"), await world(tmp_path / "shared")
    async with alone.engine, shared.engine:
        for ana_says, ben_says in zip(ANA_SAYS, BEN_SAYS, strict=True):
            await shared.say("ben", ben_says)
            await alone.say("ana", ana_says)
            await shared.say("ana", ana_says)
        seen = await alone.seen_by_ana()
        assert await shared.seen_by_ana() == seen
        assert "peanuts" in str(seen)
        assert "shellfish" not in str(seen)
        assert (await shared.engine.admin.stats(check=True)).problems == ()


async def test_a_foreign_id_is_an_unknown_id(tmp_path: Path) -> None:
    shared = await world(tmp_path)
    async with shared.engine:
        await shared.say("ana", ANA_SAYS[0])
        await shared.say("ben", BEN_SAYS[0])
        bens = (await shared.engine.list(user="ben"))[0]
        unknown = str(new_id(shared.clock))
        for ask in (shared.engine.get, shared.engine.history.get, shared.engine.forget):
            with pytest.raises(UnknownMemoryError) as foreign:
                await ask(bens.id, user="ana")
            with pytest.raises(UnknownMemoryError) as nobodys:
                await ask(unknown, user="ana")
            assert str(foreign.value).replace(bens.id, "X") == str(nobodys.value).replace(unknown, "X")
        (chat,) = await shared.engine.conversations.list(user="ben")
        assert await shared.engine.conversations.messages(chat.id, user="ana") == []
        assert await shared.engine.get(bens.id, user="ben") == bens
