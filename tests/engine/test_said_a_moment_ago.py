"""What users said is recalled from the moment it is recorded, before it is formed and without a worker."""

import json

import pytest

from chats import Chat
from factories import ANA
from sample_chats import assistant, request, tell, user
from stores import STORES
from toldonce.chat.reply import Reply
from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock
from toldonce.types import Identity, MemoryMode, RequestScope, Subject

pytestmark = pytest.mark.parametrize("kind", [kind for kind in STORES if kind != "file"])
NOT_FORMED = "not formed yet"
MOVES = [
    ("I live in Oslo.", "I live in Bergen now.", "Where do I live?", "Bergen"),
    ("Ich wohne in Oslo.", "Ich wohne jetzt in Bergen.", "Wo wohne ich?", "Bergen"),
    ("我住在上海。", "我现在住在北京。", "我住在哪里？", "北京"),
    ("My sister is called Vera.", "My sister is called Wanda since her wedding.", "What is my sister called?", "Wanda"),
]


async def say(engine: AsyncToldOnce, text: str, *, who: Subject = ANA, conversation: str | None = None) -> None:
    """Record a message and its answer; nothing is formed."""
    await engine.record([user(text), assistant("I see.")], user=who, conversation=conversation)


async def prompt(engine: AsyncToldOnce, *messages: dict[str, str], **more: object) -> str:
    prepared = await engine.turns.prepare(request(*messages), Identity(subject=ANA, **more))  # type: ignore[arg-type]
    return json.dumps(json.loads(prepared.body)["messages"], ensure_ascii=False)


@pytest.mark.parametrize(("before", "now", "question", "place"), MOVES)
async def test_what_was_said_a_moment_ago_stands_first(
    engine: AsyncToldOnce, clock: FakeClock, before: str, now: str, question: str, place: str
) -> None:
    await tell(engine, before)
    clock.advance(days=1)
    await say(engine, now)
    found = await engine.search(question, user=ANA)
    assert place in found.items[0].memory.text
    assert NOT_FORMED in found.items[0].reasons

    await engine.form()
    found = await engine.search(question, user=ANA)
    # A search sorts by likeness alone; a prompt has the later one first.
    assert any(place in item.memory.text for item in found.items[:2])
    assert not [item for item in found.items if NOT_FORMED in item.reasons]


@pytest.mark.near_only
@pytest.mark.parametrize(("before", "now", "question", "place"), MOVES)
async def test_the_prompt_has_it_dated_before_what_it_may_have_changed(
    engine: AsyncToldOnce, clock: FakeClock, before: str, now: str, question: str, place: str
) -> None:
    await tell(engine, before)
    clock.advance(days=1)
    await say(engine, now)
    text = await prompt(engine, user(question))
    assert f'{now.replace(chr(34), "")}\\" (the user, 2 January 2026)' in text
    old = next((part for part in ("Oslo", "上海", "Vera") if part in text), None)
    assert old is None or text.index(place) < text.index(old)


async def test_the_first_words_of_a_new_user_are_recalled(engine: AsyncToldOnce) -> None:
    await say(engine, "My cat is called Tofu.")
    assert [item.memory.text for item in (await engine.search("What is my cat called?", user=ANA)).items] == [
        "My cat is called Tofu."
    ]


async def test_the_newest_of_several_comes_first(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for town in ("Rome", "Oslo", "Bergen"):
        await say(engine, f"I live in {town} now.", conversation=town)
        clock.advance(minutes=1)
    found = await engine.search("Where do I live?", user=ANA)
    assert [item.memory.text for item in found.items] == [
        f"I live in {town} now." for town in ("Bergen", "Oslo", "Rome")
    ]


async def test_of_very_many_the_newest_are_read(engine: AsyncToldOnce, clock: FakeClock) -> None:
    chat: list[dict[str, str]] = []
    for number in range(130):
        chat += [user(f"Shelf {number} holds {number} boxes."), assistant("Noted.")]
    await engine.record(chat, user=ANA)
    assert (await engine.search("What does shelf 129 hold?", user=ANA)).items[0].memory.text.startswith("Shelf 129 ")
    found = await engine.search("shelf boxes", user=ANA, limit=100)
    assert len(found.items) == 50
    clock.advance(minutes=1)


@pytest.mark.near_only
async def test_a_message_that_the_request_holds_is_not_quoted(engine: AsyncToldOnce) -> None:
    chat = [user("I live in Bergen now."), assistant("I see.")]
    await engine.record(chat, user=ANA)
    assert (await prompt(engine, *chat, user("Where do I live?"))).count("Bergen") == 1


@pytest.mark.near_only
async def test_what_the_request_holds_leaves_room_for_what_it_does_not(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await say(engine, "I live in Bergen now.", conversation="before")
    clock.advance(minutes=1)
    shelves = [user(f"Shelf {number} holds {number} boxes.") for number in range(60)]
    await engine.record(shelves, user=ANA, conversation="now")
    assert "Bergen" in await prompt(engine, *shelves, user("Where do I live?"), conversation="now")


@pytest.mark.near_only
@pytest.mark.parametrize("mode", [MemoryMode.OFF, MemoryMode.READ])
async def test_what_is_not_recorded_is_not_quoted(engine: AsyncToldOnce, mode: MemoryMode) -> None:
    said, identity = request(user("I live in Bergen now.")), Identity(subject=ANA, memory=mode)
    prepared = await engine.turns.prepare(said, identity)
    if identity.memory.records:
        await engine.turns.finish(said, identity, Reply(text="I see.", complete=True), prepared)
    assert "Bergen" not in await prompt(engine, user("Where do I live?"))
    await say(engine, "I live in Bergen now.")
    off = await engine.turns.prepare(request(user("Where do I live?")), Identity(subject=ANA, memory=MemoryMode.OFF))
    assert b"Bergen" not in off.body


async def test_another_user_knows_nothing_of_it(engine: AsyncToldOnce) -> None:
    await say(engine, "I live in Bergen now.")
    assert not (await engine.search("Where do I live?", user="ben")).items


async def test_secrets_are_not_quoted(engine: AsyncToldOnce) -> None:
    await say(engine, "I live in Bergen now, and my password is hunter2!Xy.")
    [item] = (await engine.search("Where do I live?", user=ANA)).items
    assert "Bergen" in item.memory.text
    assert "hunter2" not in item.memory.text


@pytest.mark.near_only
async def test_edited_messages_are_not_quoted(engine: AsyncToldOnce) -> None:
    chat = Chat(engine)
    await chat.say("Hello there.")
    await chat.say("I live in Bergen now.")
    await chat.edit(2, "I live in Rome now.")
    assert [item.memory.text for item in (await engine.search("Where do I live?", user=ANA)).items] == [
        "I live in Rome now."
    ]


@pytest.mark.parametrize("wish", ["Forget that I live in Bergen.", "Please forget where I live."])
async def test_what_is_to_be_forgotten_is_not_quoted(engine: AsyncToldOnce, clock: FakeClock, wish: str) -> None:
    await say(engine, "I live in Bergen now.", conversation="one")
    clock.advance(minutes=1)
    await say(engine, wish, conversation="two")
    for _ in range(2):
        found = await engine.search("Where do I live?", user=ANA)
        assert not [item for item in found.items if "Bergen" in item.memory.text]
        await engine.form()


async def test_what_was_erased_is_not_quoted(engine: AsyncToldOnce) -> None:
    await say(engine, "I live in Bergen now.", conversation="one")
    [conversation] = await engine.conversations.list(user=ANA)
    await engine.erasure.conversation(conversation.id, user=ANA)
    assert not (await engine.search("Where do I live?", user=ANA)).items


@pytest.mark.near_only
async def test_a_prompt_that_quoted_it_is_emptied_when_it_is_erased(engine: AsyncToldOnce) -> None:
    await say(engine, "I live in Bergen now.", conversation="one")
    asked = [user("Where do I live?")]
    identity = Identity(subject=ANA, conversation="two")
    first = await engine.turns.prepare(request(*asked), identity)
    assert b"Bergen" in first.body
    assert first.entry is not None
    await first.entry.written()
    [conversation] = await engine.conversations.list(user=ANA)
    await engine.erasure.conversation(conversation.id, user=ANA)
    later = await engine.turns.prepare(
        request(*asked, assistant("In Norway."), user("Where exactly do I live?")), identity
    )
    assert b"Bergen" not in later.body


@pytest.mark.near_only
async def test_later_prompts_repeat_what_was_quoted(engine: AsyncToldOnce) -> None:
    await say(engine, "I live in Bergen now.", conversation="one")
    asked = [user("Where do I live?")]
    identity = Identity(subject=ANA, conversation="two")
    first = await engine.turns.prepare(request(*asked), identity)
    assert first.entry is not None
    await first.entry.written()
    await engine.form()
    later = await engine.turns.prepare(request(*asked, assistant("In Norway."), user("Thanks!")), identity)
    assert json.loads(later.body)["messages"][0] == json.loads(first.body)["messages"][0]


@pytest.mark.near_only
async def test_what_was_said_in_an_app_stays_there(engine: AsyncToldOnce) -> None:
    scope = RequestScope(profile="project", app="house")
    identity = Identity(subject=ANA, scope=scope)
    said = request(user("The boiler code is written on the blue door."))
    prepared = await engine.turns.prepare(said, identity)
    await engine.turns.finish(said, identity, Reply(text="I see.", complete=True), prepared)
    asked = user("Where is the boiler code written?")
    assert "blue door" in await prompt(engine, asked, scope=scope)
    assert "blue door" not in await prompt(engine, asked, scope=RequestScope(profile="project", app="boat"))
    assert "blue door" not in await prompt(engine, asked)


@pytest.mark.near_only
@pytest.mark.parametrize("long", ["A page. " * 9_000, f"Look: ![a](data:image/png;base64,{'iVBORw0KGgo9' * 9_000})"])
async def test_a_long_message_hides_none_that_was_said_before_it(engine: AsyncToldOnce, long: str) -> None:
    await say(engine, "My cat is called Tofu.", conversation="pets")
    await say(engine, long, conversation="pets")
    found = await engine.search("What is my cat called?", user=ANA)
    assert "My cat is called Tofu." in [item.memory.text for item in found.items]
