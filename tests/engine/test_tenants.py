"""Two tenants never meet, though their users, apps and shared subjects have the same names."""

import pytest

from sample_chats import user
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError, UnknownMemoryError
from toldonce.types import GLOBAL, RequestScope, Subject

ACME, BOLT = Subject("user", "ana", "acme"), Subject("user", "ana", "bolt")
PLAIN = Subject("user", "ana")
USER = RequestScope(profile="user")


async def found(engine: AsyncToldOnce, query: str, who: Subject) -> list[str]:
    return [item.memory.text for item in (await engine.search(query, user=who, profile="user")).items]


async def test_a_users_memory_is_its_tenants_alone(engine: AsyncToldOnce) -> None:
    for who, bird in ((ACME, "heron"), (BOLT, "kestrel"), (PLAIN, "wagtail")):
        await engine.record(
            [user(f"I collect photos of the {bird}, it is my favourite bird.")], user=who, conversation="1", scope=USER
        )
    await engine.form()
    for who, bird in ((ACME, "heron"), (BOLT, "kestrel"), (PLAIN, "wagtail")):
        assert bird in str(await found(engine, "What is my favourite bird?", who))
        assert {memory.subject for memory in await engine.list(user=who)} == {who}
    theirs = (await engine.list(user=BOLT))[0]
    for verb in (engine.get, engine.forget, engine.erase):
        with pytest.raises(UnknownMemoryError):
            await verb(theirs.id, user=ACME)


async def test_global_and_shared_memories_are_a_tenants_own(engine: AsyncToldOnce) -> None:
    await engine.add("The office closes at six.", user=GLOBAL)
    await engine.add("The office closes at nine.", user=ACME.everyone)
    assert await found(engine, "When does the office close?", ACME) == ["The office closes at nine."]
    assert await found(engine, "When does the office close?", BOLT) == []
    await engine.add("The team meets on Tuesday.", user=Subject("shared", "team", "acme"))
    assert await engine.shared.subscribe("team", user=ACME) == [Subject("shared", "team", "acme")]
    assert "The team meets on Tuesday." in await found(engine, "When does the team meet?", ACME)
    await engine.shared.subscribe("team", user=BOLT)
    assert await found(engine, "When does the team meet?", BOLT) == []


async def test_nothing_is_shared_across_tenants(engine: AsyncToldOnce) -> None:
    note = await engine.add("The team meets on Tuesday.", user=ACME)
    for other in (Subject("shared", "team", "bolt"), Subject("shared", "team")):
        with pytest.raises(BadRequestError, match="another tenant"):
            await engine.shared.subscribe(other, user=ACME)
        with pytest.raises(BadRequestError, match="another tenant"):
            await engine.shared.link(note.id, to=other, user=ACME)


@pytest.mark.parametrize("per_user", ["app", "app_all"])
async def test_an_apps_memories_and_numbers_are_a_tenants_own(engine: AsyncToldOnce, per_user: str) -> None:
    of_app = {"app": "app:ana/cal", "app_all": "app:cal"}[per_user]
    await engine.add("Meetings are at nine.", user=Subject.parse(of_app))
    await engine.add("Meetings are at ten.", user=Subject.parse(f"@acme/{of_app}"))
    assert [memory.text for memory in await engine.apps.memories("cal", user=ACME)] == ["Meetings are at ten."]
    assert await engine.apps.memories("cal", user=BOLT) == []
    [number] = [memory.number for memory in await engine.apps.memories("cal", user=ACME)]
    await engine.apps.delete_memories("cal", user=PLAIN)
    assert [memory.number for memory in await engine.apps.memories("cal", user=ACME)] == [number]


async def test_numbers_do_not_show_whether_another_tenant_has_apps(engine: AsyncToldOnce) -> None:
    alone = await engine.add("Meetings are at ten.", user=Subject.parse("@acme/app:cal"))
    assert alone.number is not None
    assert alone.number > 1_000_000
    assert (await engine.add("Meetings are at ten.", user=Subject.parse("app:cal"))).number == 1


async def test_counts_include_the_apps_of_tenants(engine: AsyncToldOnce) -> None:
    await engine.add("Meetings are at ten.", user=Subject.parse("@acme/app:cal"))
    await engine.add("Meetings are at ten.", user=Subject.parse("app:cal"))
    await engine.add("Cats sleep.", user=Subject.parse("@acme/user:x/app:y"))
    totals = await engine.admin.totals()
    assert (totals.apps, totals.apps_with_memories) == (2, 2)
