"""Two users with the same words never meet: a foreign id is an unknown id."""

import json
import uuid

import pytest

from sample_chats import ALL_KINDS, PEANUTS_AND_OSLO, RESTAURANT, asks, request, tell, texts, user
from toldonce.chat.formats.known_messages import MIN_KEPT
from toldonce.chat.reply import Reply
from toldonce.engine import AsyncToldOnce
from toldonce.errors import UnknownMemoryError
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind, Subject

UNKNOWN = str(uuid.UUID(int=7))


async def both(engine: AsyncToldOnce) -> None:
    """Let Ana and Ben say the same words, and Ben some more."""
    for who in ("ana", "ben"):
        await engine.record([user(PEANUTS_AND_OSLO)], user=who, conversation="the same id")
    await tell(engine, "I keep bees behind the restaurant.", who="ben")


async def test_the_same_words_make_memories_of_their_own(engine: AsyncToldOnce) -> None:
    await both(engine)
    lists = {who: await engine.list(user=who, kinds=ALL_KINDS) for who in ("ana", "ben")}
    assert {memory.subject for memory in lists["ana"]} == {Subject("user", "ana")}
    assert not {memory.id for memory in lists["ana"]} & {memory.id for memory in lists["ben"]}
    assert await texts(engine, "ana") < await texts(engine, "ben")


async def test_search_and_prompt_show_only_ones_own(engine: AsyncToldOnce) -> None:
    await both(engine)
    found = await engine.search("bees behind the restaurant, peanuts", user="ana")
    assert found.items
    assert {item.memory.subject.name for item in found.items} == {"ana"}
    assert "bees" not in str(found.items)
    turn = await engine.turns.prepare(request(user(f"{RESTAURANT} Bees?")), asks("ana"), mode="split")
    assert "peanuts" in turn.body.decode()
    assert "keep bees" not in json.loads(turn.body)["messages"][-1]["content"]


async def test_a_history_that_another_user_sent_first_is_said_when_it_comes(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    history = [said for _ in range(MIN_KEPT) for said in (user("I ski."), {"role": "assistant", "content": "Nice."})]
    times = []
    for who in ("ana", "ben"):
        asked = request(*history, user("Where do I live?"))
        prepared = await engine.turns.prepare(asked, asks(who), mode="split")
        times.append(clock.now())
        clock.advance(hours=1)
        recorded = await engine.turns.finish(asked, asks(who), Reply(text="In Oslo.", complete=True), prepared)
    assert recorded is not None
    messages = await engine.conversations.messages(recorded.conversation, user="ben")
    assert [message.said_at for message in messages] == [times[1]] * (2 * MIN_KEPT + 1) + [clock.now()]


async def test_the_block_of_the_same_facts_has_another_boundary_for_each_user(engine: AsyncToldOnce) -> None:
    await both(engine)
    bodies = [
        (await engine.turns.prepare(request(user("Peanuts?")), asks(who), mode="system_append")).body
        for who in ("ana", "ben")
    ]
    heads = [json.loads(body)["messages"][0]["content"].split(">")[0] for body in bodies]
    assert heads[0] != heads[1]


@pytest.mark.parametrize("verb", ["get", "history", "forget"])
async def test_foreign_and_unknown_memories_get_the_same_error(engine: AsyncToldOnce, verb: str) -> None:
    await both(engine)
    call = {"get": engine.get, "history": engine.history.get, "forget": engine.forget}[verb]
    [theirs, *_] = await engine.list(user="ben")
    said = []
    for wanted in (theirs.id, UNKNOWN):
        with pytest.raises(UnknownMemoryError) as refused:
            await call(wanted, user="ana")
        said.append(str(refused.value).replace(wanted, "…"))
    assert said[0] == said[1]
    assert await engine.get(theirs.id, user="ben") == theirs


@pytest.mark.parametrize("wanted", ["", "x", "0", "../ana", "0190-"])
async def test_what_is_no_id_at_all_is_unknown_too(engine: AsyncToldOnce, wanted: str) -> None:
    with pytest.raises(UnknownMemoryError):
        await engine.get(wanted, user="ana")


async def test_a_foreign_conversation_reads_like_one_that_is_not_there(engine: AsyncToldOnce) -> None:
    await both(engine)
    [theirs, *_] = await engine.conversations.list(user="ben")
    assert await engine.conversations.messages(theirs.id, user="ben") != []
    assert (
        await engine.conversations.messages(theirs.id, user="ana")
        == await engine.conversations.messages(UNKNOWN, user="ana")
        == []
    )


async def test_one_chat_id_of_two_users_is_two_conversations(engine: AsyncToldOnce) -> None:
    await both(engine)
    mine, theirs = [
        {
            conversation.id
            for conversation in await engine.conversations.list(user=who)
            if conversation.external_id == "the same id"
        }
        for who in ("ana", "ben")
    ]
    assert (len(mine), len(theirs)) == (1, 1)
    assert not mine & theirs


async def test_decisions_tell_of_ones_own_alone(engine: AsyncToldOnce) -> None:
    await both(engine)
    mine = await engine.history.decisions(user="ana")
    assert mine
    assert {line.subject.name for line in mine} == {"ana"}
    assert not any("bees" in line.text for line in mine)


async def test_what_one_forgets_the_other_still_knows(engine: AsyncToldOnce) -> None:
    await both(engine)
    for memory in await engine.list(user="ana", kinds=ALL_KINDS):
        await engine.forget(memory.id, user="ana")
    assert (await engine.search("peanuts", user="ana")).items == ()
    assert "peanuts" in str((await engine.search("peanuts", user="ben")).items)


async def test_another_users_data_changes_no_score(engine: AsyncToldOnce) -> None:
    await both(engine)
    before = await engine.search("restaurant peanuts Oslo", user="ana")
    for place in range(30):
        await engine.add(f"The restaurant in Oslo has peanuts on table {place}.", user="ben")
    after = await engine.search("restaurant peanuts Oslo", user="ana")
    assert [(item.memory.id, item.score, item.reasons) for item in after.items] == [
        (item.memory.id, item.score, item.reasons) for item in before.items
    ]
    assert (after.considered, after.left_out) == (before.considered, before.left_out)


async def test_listing_from_behind_a_foreign_id_shows_nothing_foreign(engine: AsyncToldOnce) -> None:
    await both(engine)
    [theirs, *_] = await engine.list(user="ben")
    behind = await engine.list(user="ana", after=theirs.id, kinds=(MemoryKind.FACT,))
    assert {memory.subject.name for memory in behind} <= {"ana"}


@pytest.mark.parametrize("name", ["app:x", "global", "shared:team"])
async def test_a_users_name_that_looks_like_another_kind_opens_no_other_subject(
    engine: AsyncToldOnce, name: str
) -> None:
    other = Subject.parse(name)
    await engine.add("The team meets at noon.", user=other)
    assert await engine.list(user=name) == []
    assert len(await engine.list(user=other)) == 1
