"""Whatever a client does with its history: each turn of the active path is in one episode, or else in the window."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chats import Chat, hashes_of
from soak import SOAK, fuzzed
from toldonce.engine import AsyncToldOnce, Components
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import Memory, MemoryKind

WINDOW, KEEP = 6, 3
PROFILE = f'extends = "tiered"\n[episodes]\nwindow = {WINDOW}\nkeep = {KEEP}\n'
# What a client may do: say so many turns, edit or regenerate a turn (a share of the way back), take up an older branch,
# retry; and when the worker comes round.
STEP = st.one_of(
    st.tuples(st.just("say"), st.integers(1, 9)),
    st.tuples(st.just("edit"), st.integers(0, 100)),
    st.tuples(st.just("regenerate"), st.integers(0, 100)),
    st.tuples(st.just("go back"), st.integers(0, 100)),
    st.tuples(st.just("retry"), st.just(0)),
    st.tuples(st.just("form"), st.just(0)),
)
MAX_STEPS = 40 if SOAK else 20
STEPS = st.lists(STEP, min_size=1, max_size=MAX_STEPS)
Step = tuple[str, int]


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> ProfileRegistry:
    folder = tmp_path_factory.mktemp("profiles")
    (folder / "small.toml").write_text(PROFILE, "utf-8")
    return ProfileRegistry(folder)


@given(steps=STEPS)
@fuzzed(40)
def test_t3_no_turn_is_lost_between_window_and_episode_and_none_is_in_two(
    profiles: ProfileRegistry, steps: Sequence[Step]
) -> None:
    asyncio.run(live_through(profiles, steps))


@given(steps=st.lists(st.tuples(st.integers(0, 2), STEP), min_size=1, max_size=MAX_STEPS))
@example(steps=[(0, ("say", 1)), (1, ("say", 1)), (1, ("say", 2)), (0, ("form", 0)), (0, ("edit", 67))])
@fuzzed(40)
def test_t3_of_several_chats_no_turn_is_lost_and_none_is_in_two_episodes(
    profiles: ProfileRegistry, steps: Sequence[tuple[int, Step]]
) -> None:
    asyncio.run(live_through_all(profiles, steps))


async def live_through_all(profiles: ProfileRegistry, steps: Sequence[tuple[int, Step]]) -> None:
    clock = FakeClock()
    async with AsyncToldOnce(await new_parts(profiles, clock)) as engine:
        chats = [Chat(engine, conversation=f"chat{number}") for number in range(3)]
        for chat in chats:
            await say_each(chat, 0, 2)
        branches = [[chat.messages] for chat in chats]
        for number, (which, step) in enumerate(steps, start=1):
            clock.advance(minutes=1)
            await do(engine, chats[which], branches[which], step, number)
            if chats[which].messages not in branches[which]:
                branches[which].append(chats[which].messages)
            if step[0] == "form":
                await check_all(engine, chats)
        await engine.form()
        await check_all(engine, chats)


async def check_all(engine: AsyncToldOnce, chats: Sequence[Chat]) -> None:
    made = await active_episodes(engine)
    window = await engine.conversations.window("chat0", user="ana")
    told = Counter(source.hash for memory in made for source in memory.evidence)
    said = Counter(hash_ for chat in chats for hash_ in hashes_of(chat.messages))
    assert told + Counter(message.hash for message in window) == said
    spans = [(memory.detail.first_turn, memory.detail.last_turn) for memory in made]
    assert all(before[1] < after[0] for before, after in pairwise(spans)), "no number is given twice"
    assert 1 <= sum(message.role == "user" for message in window) < WINDOW
    for status in await engine.admin.formations():
        assert status.due_at is None, "nothing spins"


async def new_parts(profiles: ProfileRegistry, clock: FakeClock) -> Components:
    return Components(
        settings=Settings(database_url="sqlite:///:memory:", profile="small", upstream_url="http://upstream.test/v1"),
        clock=clock,
        store=await open_store("sqlite:///:memory:", clock=clock),
        embedder=WordEmbedder(),
        model=None,
        counter=token_counter(),
        profiles=profiles,
    )


async def live_through(profiles: ProfileRegistry, steps: Sequence[Step]) -> None:
    clock = FakeClock()
    async with AsyncToldOnce(await new_parts(profiles, clock)) as engine:
        chat = Chat(engine)
        # The second turn shows that the client sends its history: only then is another first message an edit.
        await say_each(chat, 0, 2)
        branches = [chat.messages]
        for number, (what, how_far) in enumerate(steps, start=1):
            clock.advance(minutes=1)
            await do(engine, chat, branches, (what, how_far), number)
            if what == "form":
                await check(engine, chat)
            if chat.messages not in branches:
                branches.append(chat.messages)
        await engine.form()
        await check(engine, chat)


async def say_each(chat: Chat, number: int, friends: int) -> None:
    for friend in range(friends):
        await chat.say(f"I visited town number {number} with friend {friend}.")


async def do(
    engine: AsyncToldOnce, chat: Chat, branches: Sequence[list[dict[str, str]]], step: Step, number: int
) -> None:
    what, how_far = step
    turn = max(1, chat.turns * how_far // 100)
    match what:
        case "say":
            await say_each(chat, number, how_far)
        case "edit":
            await chat.edit(turn, f"I visited village number {number} with friend {number}.")
        case "regenerate":
            await chat.regenerate(turn, f"Another answer, number {number}.")
        case "go back":
            chat.messages = branches[len(branches) * how_far // 101]
            await chat.say(f"I came back to town number {number}.")
        case "retry":
            await chat.retry()
        case _:
            await engine.form()


async def check(engine: AsyncToldOnce, chat: Chat) -> None:
    made = await active_episodes(engine)
    window = [message.hash for message in await engine.conversations.window("chat", user="ana")]
    summed_up = [source.hash for memory in made for source in memory.evidence]
    assert [*summed_up, *window] == hashes_of(chat.messages)
    numbers = [turn for memory in made for turn in range(memory.detail.first_turn, memory.detail.last_turn + 1)]
    assert numbers == list(range(1, len(numbers) + 1)), "numbered along the path"
    left = chat.turns - len(numbers)
    # At least one: an edit right behind an episode leaves no more, and takes nothing from the episode.
    assert 1 <= left < WINDOW, "the window is emptied, and never quite"
    [status] = [formation for formation in await engine.admin.formations() if formation.key.stage == "episodes"]
    assert status.due_at is None, "nothing spins"


async def active_episodes(engine: AsyncToldOnce) -> list[Memory]:
    listed = await engine.list(user="ana", kinds=(MemoryKind.EPISODE,), limit=1000)
    return sorted(listed, key=lambda one: one.detail.first_turn)
