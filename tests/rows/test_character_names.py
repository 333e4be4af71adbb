"""C3: a character that gets another name."""

from urllib.parse import quote

import httpx
import pytest

from remote_engine import connected
from rows.scenes import LIGHTHOUSE
from rows.test_character import ANA, FOUND, MARCUS, told
from sample_chats import assistant, request, user
from toldonce.engine import AsyncToldOnce, RenamedCharacter
from toldonce.types import Identity, RequestScope, Subject


async def renamed(api: httpx.AsyncClient, to: str, *, join: bool = False, who: str = "Kira") -> httpx.Response:
    body = {"to": to, "join": join}
    return await api.post(f"/v1/subjects/me/characters/{quote(who, safe='')}/rename", json=body)


@pytest.mark.parametrize("name", ["Nova", "Kira of the North/Süd", "雪 50%", "NOVA + Co"])
async def test_c3_a_renamed_character_keeps_its_memories(
    engine: AsyncToldOnce, api: httpx.AsyncClient, name: str
) -> None:
    kira = await told(engine)
    path = f"/api/characters/{quote(name, safe='')}/memories"
    before = (await api.get("/api/characters/Kira/memories")).json()
    assert (await api.get(path)).json()["memories"] == []
    answer = await renamed(api, name)
    assert (answer.status_code, answer.json()) == (200, {"subject": kira.text, "joined": 0})
    assert (await api.get(path)).json() == (await api.get("/api/characters/Kira/memories")).json() == before
    scope = RequestScope(profile="character", characters=(name, "Marcus"))
    bye = await engine.turns.prepare(request(user("Bye!")), Identity(subject=ANA, scope=scope, conversation="d"))
    assert [LIGHTHOUSE in item.memory.text for item in bye.items] == [True], "it is the same pair"

    await engine.record([user(f"Turn {n}.") for n in range(5)], user="ana", conversation="c", scope=scope)
    said = [user("Go on."), assistant(FOUND.format(7))]
    await engine.record(said, user="ana", conversation="c", scope=scope)
    await engine.conversations.save("c", user="ana", scope=scope)
    await engine.form()
    both = await engine.list(user=kira, tag="pair:kira+marcus")
    assert sorted(LIGHTHOUSE in memory.text for memory in both) == [False, True], "nothing is formed twice"
    assert any(memory.text == f"{name} said: {FOUND.format(7)}" for memory in both)
    bens = await engine.conversations.subject(user="ben", scope=scope)
    assert bens != kira, "Ben's characters have their own names"
    async with connected(engine) as remote:
        back = await remote.characters.rename(name, "Kira", user="ana")
    assert back == RenamedCharacter(subject=kira)


async def test_c3_who_is_talked_with_may_be_renamed(engine: AsyncToldOnce, api: httpx.AsyncClient) -> None:
    await told(engine)
    marcus = await engine.conversations.subject(user="ana", scope=MARCUS)
    await engine.add("The old mill burned.", user=marcus, profile="character")
    assert (await renamed(api, "Mark", who="Marcus")).is_success
    scope = RequestScope(profile="character", characters=("Kira", "Mark"))
    bye = await engine.turns.prepare(request(user("Bye!")), Identity(subject=ANA, scope=scope, conversation="d"))
    assert [LIGHTHOUSE in item.memory.text for item in bye.items] == [True]


async def test_c3_a_name_that_has_memories_is_taken_over_only_on_demand(
    engine: AsyncToldOnce, api: httpx.AsyncClient
) -> None:
    kira = await told(engine)
    nova = await engine.conversations.subject(
        user="ana", scope=RequestScope(profile="character", characters=("Nova", "Marcus"))
    )
    for text in ("The old mill burned.", "The miller left for Ghent."):
        await engine.add(text, user=nova, profile="character")
    assert (await renamed(api, "Nova", who="Nobody")).status_code == 400
    refused = await renamed(api, "Nova")
    assert (refused.status_code, refused.json()["param"]) == (409, "to")
    assert len(await engine.list(user=kira)) == 1
    assert (await renamed(api, "Nova", join=True)).json() == {"subject": kira.text, "joined": 2}
    held = (await api.get("/api/characters/nova/memories")).json()
    assert (held["subject"], len(held["memories"])) == (kira.text, 3)
    assert await engine.list(user=nova) == []
    found = await engine.search("Who left for Ghent?", user=kira, profile="character")
    assert "miller" in found.items[0].memory.text


async def test_c3_names_of_characters_are_erased_with_their_user(engine: AsyncToldOnce, api: httpx.AsyncClient) -> None:
    await told(engine)
    await renamed(api, "Nova")
    await engine.erasure.subject("ana")
    assert await engine.conversations.subject(
        user="ana", scope=RequestScope(profile="character", characters=("Nova", "Marcus"))
    ) == Subject("character", "ana/nova")
