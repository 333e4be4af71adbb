"""T1 to T3: one chain of episodes for each user, whatever the number of conversations."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from chats import KEEP, WINDOW, Chat, ranges, small_windows, tiered_parts
from rows.scenes import TIERED
from sample_chats import assistant, user
from soak import SOAK
from store.test_views import rows
from stores import DIALECTS, DURABLE
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import ModelError
from toldonce.store.factory import open_store
from toldonce.testing import NEW_YEAR, FakeClock, ScriptedModel
from toldonce.text import conversation_tag
from toldonce.types import Memory, MemoryKind, MemoryState, MessageRef, Subject

ANA = Subject("user", "ana")
TURNS = 1200 if SOAK else 48
TOWNS = ("Bergen", "Oslo", "Lima", "Rome", "Graz", "Leeds")
"""Where Ana lives, one after the other."""


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def parts(parts: Components) -> Components:
    """Return parts with a small window: test_tiered.py has that of the shipped profile."""
    return replace(parts, profiles=small_windows())


class Chain:
    """Chats of one user under `tiered`, and what became of their turns."""

    def __init__(self, parts: Components, clock: FakeClock, *, profile: str = "tiered") -> None:
        self.parts = tiered_parts(parts, profile)
        self.engine = AsyncToldOnce(self.parts)
        self.clock = clock
        self.chats: dict[str, Chat] = {}

    async def say(self, chat: str, *, form: bool = False) -> None:
        """Say something in a chat, a minute after what was said before."""
        self.clock.advance(minutes=1)
        count = sum(known.turns for known in self.chats.values())
        known = self.chats.setdefault(chat, Chat(self.engine, conversation=chat))
        await known.say(f"I visited town number {count} for chat {chat}.")
        if form:
            await self.engine.form()

    async def talk(self, chats: Iterable[str]) -> None:
        """Say something in a chat after the other; what was said is formed after each fourth, and at the end."""
        for place, chat in enumerate(chats, start=1):
            await self.say(chat, form=not place % 4)
        await self.engine.form()

    async def episodes(self) -> list[Memory]:
        listed = await self.engine.list(user="ana", kinds=(MemoryKind.EPISODE,), limit=1000)
        return sorted(listed, key=lambda memory: memory.detail.first_turn)

    async def check(self, *, least: int = KEEP, most: int = WINDOW - 1) -> list[tuple[int, int]]:
        """Check that each turn on a path is in the window or in one episode, and ranges follow each other; return them.

        Args:
            least: Minimum number of turns of the window.
            most: Maximum number.
        """
        made = await self.episodes()
        window = await self.engine.conversations.window(next(iter(self.chats)), user="ana")
        covered = Counter(source.ref for memory in made for source in memory.evidence)
        covered += Counter(message.ref for message in window)
        on_paths = Counter[MessageRef]()
        for conversation in await self.engine.conversations.list(user="ana", limit=1000):
            path = await self.parts.store.conversations.active_path(ANA, conversation.id)
            on_paths += Counter(message.ref for message in path if not message.erased)
        hollow = Counter(message.ref for message in window if message.erased)
        assert covered - hollow == on_paths
        said = [message.said_at for message in window]
        assert said == sorted(said)
        assert least <= sum(message.role == "user" for message in window) <= most
        found = ranges(made)
        starts = [1, *(last + 1 for _, last in found)][: len(found)]
        assert [first for first, _ in found] == starts, "no gap, no overlap"
        for status in await self.engine.admin.formations():
            assert status.due_at is None
            assert not status.parked
        return found


FOUR_EACH = [(1, 4), (5, 8), (9, 12), (13, 16), (17, 20)]


async def test_t3_twelve_chats_of_two_turns_make_episodes_like_one_chat_of_all(
    parts: Components, clock: FakeClock
) -> None:
    chain = Chain(parts, clock)
    for number in range(24):
        await chain.say(f"c{number // 2}", form=True)
    assert await chain.check() == FOUR_EACH
    [first, *_] = await chain.episodes()
    assert "number 0 " in first.text
    assert first.detail.tags == tuple(sorted(conversation_tag(part.conversation) for part in first.detail.parts))
    assert len(first.detail.parts) == 2
    assert await chain.engine.conversations.summary("c0", user="ana") != ""


async def test_t3_chats_that_were_recorded_before_anything_was_formed_make_the_same(
    parts: Components, clock: FakeClock
) -> None:
    chain = Chain(parts, clock)
    for number in range(24):
        await chain.say(f"c{number // 2}")
    await chain.engine.form()
    assert await chain.check() == FOUR_EACH


@pytest.mark.soak
async def test_t2_t3_t4_each_turn_of_many_chats_is_in_one_episode_or_the_window(
    parts: Components, clock: FakeClock
) -> None:
    chain, dice, towns = Chain(parts, clock), Random(4), iter(TOWNS)
    chain.chats["c0"] = Chat(chain.engine, conversation="c0")
    for number in range(TURNS):
        clock.advance(minutes=1)
        said = f"I visited town number {number}." if number % (TURNS // len(TOWNS)) else f"I live in {next(towns)}."
        told = [user(said), assistant(f"Noted: {number}.")]
        await chain.engine.record(told, user="ana", conversation=f"c{dice.randrange(TURNS // 12)}")
        if not number % 20:
            await chain.engine.form()
    await chain.engine.form()
    assert await chain.check() == [(first, first + 3) for first in range(1, TURNS - 3, 4)]
    known = await chain.engine.list(user="ana", kinds=(MemoryKind.FACT,), closed=True, limit=100)
    homes = sorted((fact.valid_from, fact.value, fact.state) for fact in known if fact.key == "location")
    assert [home for _, home, _ in homes] == list(TOWNS)
    assert {home for _, home, state in homes if state is MemoryState.ACTIVE} == {TOWNS[-1]}


async def test_t1_t3_a_new_chats_window_has_whole_turns_of_all_chats_oldest_first(
    parts: Components, clock: FakeClock
) -> None:
    chain = Chain(parts, clock)
    await chain.talk(f"c{number % 4}" for number in range(13))
    written = await chain.engine.prompt("And then?", conversation="new", user="ana")
    shown = [message for message in written if message["role"] != "system"]
    assert [message["role"] for message in shown] == [*(["user", "assistant"] * 5), "user"]
    said = [message["content"] for message in shown if message["role"] == "user"]
    assert said == [*(f"I visited town number {n} for chat c{n % 4}." for n in range(8, 13)), "And then?"]


async def test_t3_an_edit_in_one_chat_takes_its_turns_off_and_leaves_those_of_others(
    parts: Components, clock: FakeClock
) -> None:
    chain = Chain(parts, clock)
    await chain.talk(f"c{number % 3}" for number in range(24))
    before = await chain.episodes()
    clock.advance(minutes=1)
    await chain.chats["c1"].edit(3, "I stayed at home instead.")
    await chain.engine.form()
    # Of c1 two turns are left before the edited one, and the other chats have eight each: 19 turns in all.
    assert await chain.check() == FOUR_EACH[:3]
    after = await chain.episodes()
    assert after[0] == before[0]
    assert {memory.id for memory in before[1:]}.isdisjoint(memory.id for memory in after)
    assert not any("number 7 " in memory.text for memory in after), "c1's third turn"
    await chain.talk(f"c{number % 3}" for number in range(9))
    assert await chain.check() == [*FOUR_EACH, (21, 24)]


async def test_t3_an_edit_in_an_old_chat_makes_its_episode_again_in_its_place(
    parts: Components, clock: FakeClock
) -> None:
    chain = Chain(parts, clock)
    await chain.talk(f"c{number // 6}" for number in range(24))
    before = await chain.episodes()
    clock.advance(minutes=1)
    await chain.chats["c0"].edit(6, "I stayed at home instead.")
    await chain.engine.form()
    assert await chain.check() == FOUR_EACH
    after = await chain.episodes()
    assert [memory for memory in after if memory in before] == [before[0], *before[2:]]
    assert [source.quote for source in after[1].evidence] == [""] * 6, "one turn of c0 is left of it, and two of c1"
    assert (await chain.engine.get(before[1].id, user="ana")).state is MemoryState.CLOSED


async def test_t3_an_edit_of_what_is_in_the_window_leaves_all_episodes(parts: Components, clock: FakeClock) -> None:
    chain = Chain(parts, clock)
    await chain.talk(f"c{number % 5}" for number in range(15))
    before = await chain.episodes()
    await chain.chats["c2"].edit(3, "I stayed at home instead.")
    await chain.chats["c4"].regenerate(3, "Really?")
    await chain.engine.form()
    await chain.check()
    assert await chain.episodes() == before


async def test_t3_i13_an_erased_conversation_leaves_others_turns_in_place(parts: Components, clock: FakeClock) -> None:
    chain = Chain(parts, clock)
    await chain.talk(f"c{number // 2}" for number in range(24))
    before = await chain.episodes()
    gone = await chain.engine.conversations.get("c2", user="ana")
    await chain.engine.erasure.conversation(gone.id, user="ana")
    await chain.engine.form()
    assert await chain.check() == FOUR_EACH
    after = await chain.episodes()
    assert [memory for memory in after if memory in before] == [before[0], *before[2:]]
    assert "chat c3" in after[1].text
    assert not any("chat c2" in memory.text for memory in after)


async def test_t3_i13_of_an_erased_conversation_in_all_episodes_others_stay(
    parts: Components, clock: FakeClock
) -> None:
    chain = Chain(parts, clock)
    await chain.talk(f"c{number % 4}" for number in range(24))
    gone = await chain.engine.conversations.get("c2", user="ana")
    await chain.engine.erasure.conversation(gone.id, user="ana")
    await chain.engine.form()
    await chain.check()
    assert not any("chat c2" in memory.text for memory in await chain.episodes())
    await chain.talk(f"d{number}" for number in range(8))
    await chain.check()


async def test_t3_i13_an_erased_message_is_left_out_and_its_episode_made_again(
    parts: Components, clock: FakeClock
) -> None:
    chain = Chain(parts, clock)
    await chain.talk(f"c{number}" for number in range(20))
    before = await chain.episodes()
    hit = before[1].evidence[4]
    await chain.engine.erasure.messages(hit.conversation, [hit.seq], user="ana")
    await chain.engine.form()
    assert await chain.check() == FOUR_EACH[:4]
    after = await chain.episodes()
    assert [memory.id for memory in after if memory in before] == [before[place].id for place in (0, 2, 3)]
    assert "number 6 " not in after[1].text
    assert "number 7 " in after[1].text


async def test_t3_an_episode_that_was_erased_alone_does_not_come_back(parts: Components, clock: FakeClock) -> None:
    chain = Chain(parts, clock)
    await chain.talk(f"c{number % 6}" for number in range(20))
    gone = (await chain.episodes())[1]
    await chain.engine.erase(gone.id, user="ana", keep_messages=True)
    await chain.talk(f"c{number % 6}" for number in range(8))
    assert ranges(await chain.episodes()) == [(1, 4), (9, 12), (13, 16), (17, 20), (21, 24)]


async def test_t3_turns_that_are_recorded_late_get_the_next_numbers(parts: Components, clock: FakeClock) -> None:
    chain = Chain(parts, clock)
    await chain.talk(f"c{number % 3}" for number in range(16))
    before = await chain.episodes()
    log = [message for number in range(5) for message in (user(f"Long ago I saw film {number}."), assistant("Ah."))]
    await chain.engine.record(log, user="ana", conversation="old", said_at=NEW_YEAR - timedelta(days=9))
    await chain.engine.form()
    assert await chain.check() == FOUR_EACH[:4]
    after = await chain.episodes()
    assert after[:3] == before[:3]
    assert "film 3" in after[3].text


@pytest.mark.parametrize("kind", DURABLE)
async def test_t3_the_chain_goes_on_after_an_import(parts: Components, clock: FakeClock, tmp_path: Path) -> None:
    chain = Chain(parts, clock)
    await chain.talk(f"c{number % 5}" for number in range(15))
    url = f"sqlite:///{tmp_path}/copy.db"
    settings = chain.parts.settings.model_copy(update={"database_url": url})
    copied = replace(chain.parts, settings=settings, store=await open_store(url, clock=clock))
    async with AsyncToldOnce(copied) as copy:
        with (tmp_path / "ana.jsonl").open("w+b") as file:
            await chain.engine.transfer.export_to(file, user="ana")
            file.seek(0)
            await copy.transfer.import_from(file)
        chain.engine, chain.parts = copy, copied
        await chain.check()
        chain.chats = {}
        await chain.talk(f"d{number}" for number in range(8))
        assert await chain.check() == FOUR_EACH[:4]


async def test_t3_what_is_said_to_an_app_has_a_chain_of_its_own(parts: Components, clock: FakeClock) -> None:
    chain = Chain(parts, clock)
    scope = replace(TIERED, app="garden")
    for number in range(16):
        await chain.say(f"c{number % 3}")
        told = [user(f"I planted tulip {number}."), assistant(f"Tulip {number} is in.")]
        await chain.engine.record(told, user="ana", conversation="apart", scope=scope)
        if number % 4 == 3:
            await chain.engine.form()
    found = ranges(await chain.episodes())
    assert found == [(1, 4), (1, 4), (5, 8), (5, 8), (9, 12), (9, 12)]
    assert not any("tulip" in memory.text and "town" in memory.text for memory in await chain.episodes())
    window = await chain.engine.conversations.window("c0", user="ana")
    assert len(window) == 2 * KEEP
    assert not any("ulip" in message.text for message in window)


async def test_t3_a_window_of_each_conversation_makes_episodes_of_each(parts: Components, clock: FakeClock) -> None:
    chain = Chain(replace(parts, profiles=small_windows("conversation")), clock)
    await chain.talk(f"c{number % 4}" for number in range(24))
    assert await chain.episodes() == []
    await chain.talk("c1" for _ in range(2))
    assert ranges(await chain.episodes()) == [(1, 4)]


async def test_t3_a_model_that_fails_leaves_every_turn_in_the_window_until_it_sums_up(
    parts: Components, clock: FakeClock
) -> None:
    answers = iter([ModelError("refused"), {"summary": 7}, ModelError("late"), {"summary": "The user saw four towns."}])
    model = ScriptedModel(lambda system, _: next(answers) if "sum up" in system else {"memories": []})
    chain = Chain(replace(parts, model=model), clock)
    for number in range(WINDOW):
        await chain.say(f"c{number}")
    for _ in range(3):
        await chain.engine.form()
        assert len(await chain.engine.conversations.window("c3", user="ana")) == 2 * WINDOW
        clock.advance(minutes=5)
    await chain.engine.form()
    assert await chain.check() == [(1, 4)]
    assert [memory.text for memory in await chain.episodes()] == ["The user saw four towns."]


@pytest.mark.parametrize("kind", DURABLE)
async def test_t3_two_servers_that_form_two_chats_of_a_user_at_once_make_one_chain(
    parts: Components, clock: FakeClock
) -> None:
    chain = Chain(parts, clock)
    other_parts = replace(chain.parts, store=await open_store(parts.settings.database_url, clock=clock))
    async with AsyncToldOnce(other_parts) as other:
        for number in range(28):
            await chain.say(f"c{number % 7}")
        await asyncio.gather(*(engine.form() for engine in (chain.engine, other, chain.engine, other)))
        await chain.engine.form()
        assert await chain.check() == [*FOUR_EACH, (21, 24)]


@pytest.mark.parametrize("kind", DURABLE)
async def test_t2_the_view_shows_the_ranges_of_a_user(parts: Components, clock: FakeClock) -> None:
    chain = Chain(parts, clock)
    await chain.talk(f"c{number}" for number in range(16))
    query = "SELECT user_id, turn_range, turn_start, turn_end FROM episodic_memory ORDER BY turn_start"
    assert rows(chain.parts, query) == [
        ("ana", "turns 1-4", 1, 4),
        ("ana", "turns 5-8", 5, 8),
        ("ana", "turns 9-12", 9, 12),
    ]
