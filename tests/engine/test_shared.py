"""U8, U13: global memories at a cold start, and shared subjects that users subscribe to."""

import pytest

from sample_chats import asks, request, user, written
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import BadRequestError
from toldonce.types import GLOBAL, RequestScope, Subject

TEAM = Subject("shared", "team-x")
USER = RequestScope(profile="user")


async def found(engine: AsyncToldOnce, query: str, who: str = "ana", profile: str = "user") -> list[str]:
    return [item.memory.text for item in (await engine.search(query, user=who, profile=profile)).items]


async def test_u8_global_memories_are_read_until_there_are_five_of_ones_own(engine: AsyncToldOnce) -> None:
    await engine.add("The office closes at six.", user=GLOBAL)
    for n in range(5):
        assert await found(engine, "when does the office close?") != []
        assert "The office closes at six." in await found(engine, "when does the office close?")
        await engine.add(f"Ana has visited planet {n}.", user="ana")
    assert "The office closes at six." not in await found(engine, "when does the office close?")
    assert "The office closes at six." in await found(engine, "when does the office close?", who="ben")


async def test_u8_a_prompt_at_a_cold_start_carries_them_and_other_profiles_never_do(engine: AsyncToldOnce) -> None:
    await engine.add("The office closes at six.", user=GLOBAL)
    asked = request(user("When does the office close at six?"))
    cold = await engine.turns.prepare(asked, asks("ana", scope=USER))
    assert "The office closes at six." in cold.body.decode()
    default = await engine.turns.prepare(asked, asks("ana"))
    assert "closes at six." not in default.body.decode().replace("close at six", "")


async def test_u13_what_is_shared_is_read_by_those_who_subscribed_alone(engine: AsyncToldOnce) -> None:
    await engine.add("The team meets on Tuesday.", user=TEAM)
    assert await found(engine, "when does the team meet?", profile="default") == []
    assert await engine.shared.subscribe("shared:team-x", user="ana") == [TEAM]
    assert await found(engine, "when does the team meet?", profile="default") == ["The team meets on Tuesday."]
    assert await found(engine, "when does the team meet?", who="ben", profile="default") == []
    assert await engine.shared.unsubscribe("team-x", user="ana")
    assert not await engine.shared.unsubscribe("team-x", user="ana")
    assert await found(engine, "when does the team meet?", profile="default") == []


async def test_a_subscription_of_another_process_counts_at_once(engine: AsyncToldOnce, parts: Components) -> None:
    await engine.add("The team meets on Tuesday.", user=TEAM)
    assert await found(engine, "when does the team meet?", profile="default") == []
    other = AsyncToldOnce(parts)
    await other.shared.subscribe(TEAM, user="ana")
    assert await found(engine, "when does the team meet?", profile="default") == ["The team meets on Tuesday."]


async def test_a_use_of_a_shared_memory_is_counted_where_it_lies(engine: AsyncToldOnce) -> None:
    await engine.add("The team meets on Tuesday.", user=TEAM)
    await engine.shared.subscribe(TEAM, user="ana")
    from toldonce.chat.reply import Reply

    asked = request(user("When does the team meet?"))
    turn = await engine.turns.prepare(asked, asks("ana"))
    await engine.turns.finish(asked, asks("ana"), Reply(text="On Tuesday.", complete=True), turn)
    await written(engine)
    [shared] = await engine.list(user=TEAM)
    assert shared.uses == 1


async def test_nothing_but_shared_subjects_can_be_subscribed_to_and_by_users_alone(engine: AsyncToldOnce) -> None:
    for wanted in (Subject("user", "ben"), GLOBAL, Subject("app", "calendar"), "app:calendar", "session:s"):
        with pytest.raises(BadRequestError, match="is not shared"):
            await engine.shared.subscribe(wanted, user="ana")
    with pytest.raises(BadRequestError, match="is no user"):
        await engine.shared.subscribe(TEAM, user=Subject("app", "calendar"))
