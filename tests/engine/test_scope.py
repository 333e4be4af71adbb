"""Whose memory a profile reads and writes."""

from dataclasses import replace
from pathlib import Path

import pytest

from sample_chats import asks, request, user
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.scope import owned_subject
from toldonce.errors import BadRequestError, UnknownConversationError
from toldonce.extraction.provenance import pair_tag
from toldonce.profiles.registry import ProfileRegistry
from toldonce.types import MemoryKind, RequestScope, Subject

PEANUTS = "I'm allergic to peanuts and I moved from Rome to Oslo in May."
SESSION = RequestScope(profile="session")


def test_owners_with_slashes_in_their_names_never_meet() -> None:
    names = [("ana/x", "1"), ("ana", "x/1"), ("ana%2Fx", "1")]
    assert len({owned_subject("session", Subject("user", owner), name) for owner, name in names}) == 3
    assert owned_subject("session", Subject("app", "x"), "1") != owned_subject("session", Subject("user", "app:x"), "1")


def test_a_pair_names_first_who_knows() -> None:
    assert pair_tag("Kira ", "MARCUS") == "pair:kira+marcus"
    assert pair_tag("Marcus", "Kira") == "pair:marcus+kira"


async def told(engine: AsyncToldOnce, scope: RequestScope, conversation: str | None, who: str = "ana") -> Subject:
    await engine.record([user(PEANUTS)], user=who, conversation=conversation, scope=scope)
    await engine.form()
    return await engine.conversations.subject(user=who, conversation=conversation, scope=scope)


async def test_a_session_keeps_its_memories_to_itself(engine: AsyncToldOnce) -> None:
    one = await told(engine, SESSION, "one")
    assert one == Subject("session", "ana/one")
    assert any("peanuts" in known.text for known in await engine.list(user=one))
    for other in (await engine.conversations.subject(user="ana", conversation="two", scope=SESSION), "ana", "ben"):
        assert await engine.list(user=other, kinds=tuple(MemoryKind)) == []


async def test_a9_what_one_app_knows_shows_in_no_other_and_with_no_other_user(engine: AsyncToldOnce) -> None:
    calendar = RequestScope(profile="app", app="calendar")
    await engine.record([user(PEANUTS)], user="ana", conversation="c", scope=calendar)
    await engine.conversations.end("c", user="ana", scope=calendar)
    await engine.form()
    mine = await engine.conversations.subject(user="ana", scope=calendar)
    assert await engine.list(user=mine)
    for who, app in (("ana", "notes"), ("ben", "calendar")):
        other = await engine.conversations.subject(user=who, scope=RequestScope(profile="app", app=app))
        assert await engine.list(user=other, kinds=tuple(MemoryKind)) == []


@pytest.mark.parametrize(
    ("profile", "wants"),
    [("session", "x-toldonce-session"), ("app", "x-toldonce-app"), ("character", "x-toldonce-characters")],
)
async def test_a_profile_that_is_told_too_little_says_what_it_wants_and_keeps_nothing(
    engine: AsyncToldOnce, profile: str, wants: str
) -> None:
    scope = RequestScope(profile=profile)
    with pytest.raises(BadRequestError, match=wants):
        await engine.conversations.subject(user="ana", scope=scope)
    prepared = await engine.turns.prepare(request(user(PEANUTS)), asks("ana", scope=scope), mode="split")
    assert prepared.scope is not None
    assert wants in prepared.scope.missing
    await engine.record([user(PEANUTS)], user="ana", scope=scope)
    assert await engine.form() == 0
    assert [subject.kind for subject in await engine.admin.subjects()] == ["user"], "the log is kept, and nothing else"


async def test_a_character_knows_nothing_of_what_another_observed(engine: AsyncToldOnce) -> None:
    kira = RequestScope(profile="character", characters=("Kira", "Marcus"))
    marcus = RequestScope(profile="character", characters=("Marcus", "Kira"))
    assert await engine.conversations.subject(user="ana", scope=kira) == Subject("character", "ana/kira")
    assert await engine.conversations.subject(user="ana", scope=marcus) == Subject("character", "ana/marcus")


async def test_a_conversation_keeps_the_profile_it_was_opened_with(engine: AsyncToldOnce) -> None:
    opened = await engine.conversations.open("c", user="ana", scope=SESSION)
    assert (opened.profile, opened.last_seq) == ("session", 0)
    scope = await engine.turns.memory_scope(Subject("user", "ana"), RequestScope(key_profile="user"), "c")
    assert scope.profile.name == "session", "the conversation's comes before the key's"
    named = await engine.turns.memory_scope(Subject("user", "ana"), RequestScope(profile="tiered"), "c")
    assert named.profile.name == "tiered", "and the request's before it"
    again = await engine.conversations.open("c", user="ana", scope=RequestScope(profile="user"))
    assert again.profile == "session"
    with pytest.raises(UnknownConversationError):
        await engine.conversations.get("c", user="ben")


async def test_an_ended_conversation_goes_on_with_its_next_message(engine: AsyncToldOnce) -> None:
    await engine.record([user(PEANUTS)], user="ana", conversation="c")
    ended = await engine.conversations.end("c", reason="window closed", user="ana")
    assert (ended.end_reason, ended.ended_at) == ("window closed", engine.clock.now())
    await engine.record([user("And I have a dog.")], user="ana", conversation="c")
    assert (await engine.conversations.get("c", user="ana")).ended_at is None


async def test_c1_a_conversations_own_settings_hold_for_it_alone(engine: AsyncToldOnce) -> None:
    kira = RequestScope(profile="character", characters=("Kira", "Marcus"))
    settings = {"maxMemoryContext": 2, "memoryExtractionMode": "on_save"}
    await engine.conversations.open("c", user="ana", scope=kira, options=settings)
    scope = await engine.turns.memory_scope(Subject("user", "ana"), RequestScope(), "c")
    assert (scope.profile.recall.limit, scope.profile.trigger.when) == (2, "on_save")
    assert scope.writes == Subject("character", "ana/kira")
    other = await engine.turns.memory_scope(Subject("user", "ana"), kira, "d")
    assert (other.profile.recall.limit, other.profile.trigger.when) == (5, "periodic")


async def test_c1_memory_of_characters_in_settings_is_off_until_turned_on(engine: AsyncToldOnce) -> None:
    named = {"systemCharacter": "Kira", "userCharacter": "Marcus"}
    for more, writes in ({}, None), ({"useMemory": True}, Subject("character", "ana/kira")):
        name = f"c{len(more)}"
        await engine.conversations.open(
            name, user="ana", scope=RequestScope(profile="character"), options={**named, **more}
        )
        scope = await engine.turns.memory_scope(Subject("user", "ana"), RequestScope(), name)
        assert scope.writes == writes


async def test_a_conversation_of_characters_goes_on_under_another_profile(parts: Components) -> None:
    engine = AsyncToldOnce(parts)
    ana, kira = Subject("user", "ana"), ("Kira", "Marcus")
    for key_profile, characters in (("character", kira), ("user", None), ("session", None)):
        scope = RequestScope(key_profile=key_profile, characters=characters)
        await engine.record([user(f"{PEANUTS} ({key_profile})")], user=ana, conversation="c", scope=scope)
    [conversation] = await engine.conversations.list(user=ana)
    assert conversation.options["systemCharacter"] == "Kira"
    assert conversation.last_seq == 3
    back = await engine.turns.memory_scope(ana, RequestScope(key_profile="character"), "c")
    assert back.writes == Subject("character", "ana/kira")


async def test_s14_a_session_can_be_turned_off_and_its_limits_set(engine: AsyncToldOnce) -> None:
    await engine.conversations.open("c", user="ana", scope=SESSION, options={"enabled": False})
    assert (
        await engine.turns.memory_scope(Subject("user", "ana"), RequestScope(), "c")
    ).missing == "memory is off for this session"
    settings = {"max-per-session": 7, "extraction-threshold": 0.6, "context-limit": 2}
    await engine.conversations.open("d", user="ana", scope=SESSION, options=settings)
    profile = (await engine.turns.memory_scope(Subject("user", "ana"), RequestScope(), "d")).profile
    assert (profile.capacity.max_memories, profile.form.min_importance, profile.recall.limit) == (7, 0.6, 2)


async def test_a_setting_that_is_none_is_refused_with_those_there_are(engine: AsyncToldOnce) -> None:
    with pytest.raises(BadRequestError, match="max-per-session"):
        await engine.conversations.open("c", user="ana", scope=SESSION, options={"maximum": 3})
    with pytest.raises(BadRequestError, match="context-limit"):
        await engine.conversations.open("c", user="ana", scope=SESSION, options={"context-limit": "many"})


async def test_an_app_for_all_can_have_the_name_of_nobodys_own(parts: Components, tmp_path: Path) -> None:
    (tmp_path / "common.toml").write_text('extends = "app"\n[subject]\nper_user = false\n', "utf-8")
    engine = AsyncToldOnce(replace(parts, profiles=ProfileRegistry(tmp_path)))
    anas = await engine.conversations.subject(user="ana", scope=RequestScope(profile="app", app="calendar"))
    for name in ("calendar", "ana/calendar", anas.name):
        shared = [
            await engine.conversations.subject(user=who, scope=RequestScope(profile="common", app=name))
            for who in ("ana", "ben")
        ]
        assert shared[0] == shared[1] != anas
