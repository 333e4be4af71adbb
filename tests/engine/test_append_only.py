"""What was once put into a conversation's prompt is put there again, byte for byte, at the same place."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from append_only import ScriptedChat, tool_call, tool_result
from sample_chats import PEANUTS_AND_OSLO, tell
from soak import SOAK
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.context_builder import ContextBuilder
from toldonce.errors import StoreUnavailableError
from toldonce.profiles.registry import ProfileRegistry
from toldonce.prompt.replay import PrefixState
from toldonce.testing import FakeClock
from toldonce.types import Identity, MemoryMode, RequestScope, Subject

ANA = Subject("user", "ana")
SYSTEM = {"role": "system", "content": "Be kind."}
ROUNDS = 30 if SOAK else 4
"""Of a tool loop."""


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["chat id", "session", "no id"])
def identity(request: pytest.FixtureRequest) -> Identity:
    return {
        "chat id": Identity(subject=ANA, conversation="chat"),
        "session": Identity(subject=ANA, conversation="chat", append=True),
        "no id": Identity(subject=ANA),
    }[request.param]


async def test_each_prompt_begins_with_the_one_before(engine: AsyncToldOnce, identity: Identity) -> None:
    await tell(engine, f"{PEANUTS_AND_OSLO} My sister Eva runs a restaurant in Lima.")
    chat = ScriptedChat(engine, identity, [SYSTEM])
    first = await chat.ask("Which restaurant does my sister run?", "Hers.")
    second = await chat.ask("And what may I not eat there?", "Peanuts.")
    third = await chat.ask("Where do I live?", "In Oslo.")
    assert chat.problems == []
    assert [turn.prefix for turn in (first, second, third)] == [PrefixState.NEW, PrefixState.KEPT, PrefixState.KEPT]
    assert first.injected > 0
    assert second.replayed == first.injected
    shown = [item.memory.id for turn in (first, second, third) for item in turn.items]
    assert len(shown) == len(set(shown)), "nothing is shown twice"


async def test_a_tool_loop_recalls_once(engine: AsyncToldOnce, identity: Identity) -> None:
    await tell(engine, f"{PEANUTS_AND_OSLO} My sister Eva runs a restaurant in Lima.")
    chat = ScriptedChat(engine, identity)
    await chat.ask("Which restaurant does my sister run?", tool_call(1))
    counted = engine.metrics.retrieved
    for number in range(1, ROUNDS + 1):
        await engine.add(f"The restaurant of the sister has {number} tables.", user="ana")
        chat.messages.append(tool_result(number))
        turn = await chat.ask(answer=tool_call(number + 1) if number < ROUNDS else "It is Eva's.")
        assert (turn.injected, turn.prefix) == (0, PrefixState.KEPT)
        assert "Eva" in turn.body.decode()
        assert await engine.turns.read_replayed(turn), "the client can still be told what was used"
    assert engine.metrics.retrieved == counted
    assert chat.problems == []


async def test_edits_and_regenerations_repeat_their_branch(engine: AsyncToldOnce, identity: Identity) -> None:
    await tell(engine, f"{PEANUTS_AND_OSLO} My sister Eva runs a restaurant in Lima.")
    chat = ScriptedChat(engine, identity, [SYSTEM])
    await chat.ask("Hello there", "Hi.")
    await chat.ask("Which restaurant does my sister run?", "Hers.")
    del chat.messages[-1]
    await engine.add("Eva's restaurant has a Michelin star.", user="ana")
    again = await chat.ask(answer="The one in Lima.")
    assert again.prefix is PrefixState.KEPT
    assert "Michelin" not in again.body.decode()
    del chat.messages[-2:]
    edited = await chat.ask("What is special about the restaurant of my sister Eva?", "A star.")
    assert "Michelin" in edited.body.decode()
    await chat.ask("Good.", "Yes.")
    assert chat.problems == []


async def test_changed_facts_are_told_in_the_newest_turn(engine: AsyncToldOnce, identity: Identity) -> None:
    await tell(engine, "I live in Oslo and work as a baker.")
    chat = ScriptedChat(engine, identity)
    await chat.ask("Where do I live?", "In Oslo.")
    await tell(engine, "I moved to Bergen last week.")
    moved = await chat.ask("And how is the weather where I live?", "Wet.")
    last = moved.body.decode().rpartition("And how is the weather")[2]
    assert "Bergen" in last
    assert "Oslo" in moved.body.decode()
    later = await chat.ask("Thank you for that.", "Yes.")
    assert "Bergen" not in later.body.decode().rpartition("Thank you for that.")[2], "it is told once"
    assert chat.problems == []


async def test_erased_words_are_not_repeated_and_the_prefix_breaks_once(engine: AsyncToldOnce) -> None:
    secret = await engine.add("The safe of the user is in the cellar of the restaurant.", user="ana")
    chat = ScriptedChat(engine)
    await chat.ask("Where is my safe, in which cellar?", "In the cellar.")
    assert b"safe of the user" in (await chat.ask("And the restaurant?", "Yes.")).body
    await engine.erase(secret.id, user="ana")
    erased = await chat.ask("Good.", "Yes.")
    assert b"safe of the user" not in erased.body
    assert erased.prefix is PrefixState.ERASED
    chat.prompts, chat.problems = chat.prompts[-1:], []
    assert (await chat.ask("Well.", "Yes.")).prefix is PrefixState.KEPT
    assert chat.problems == []


@pytest.mark.parametrize("mode", [MemoryMode.ON, MemoryMode.READ])
async def test_forgotten_words_are_not_repeated(engine: AsyncToldOnce, mode: MemoryMode) -> None:
    secret = await engine.add("The safe of the user is in the cellar of the restaurant.", user="ana")
    chat = ScriptedChat(engine)
    await chat.ask("Where is my safe, in which cellar?", "In the cellar.", mode=mode)
    await engine.forget(secret.id, user="ana")
    forgotten = await chat.ask("Good.", "Yes.", mode=mode)
    assert b"safe of the user" not in forgotten.body
    assert forgotten.prefix is PrefixState.ERASED


async def test_a_chat_that_is_read_only_leaves_nothing_in_the_store(engine: AsyncToldOnce, parts: Components) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    chat = ScriptedChat(engine)
    await chat.ask("May I eat peanuts?", "No.", mode=MemoryMode.READ)
    second = await chat.ask("Where do I live?", "In Oslo.", mode=MemoryMode.READ)
    assert (second.prefix, chat.problems) == (PrefixState.KEPT, [])
    links = second.chain.links if second.chain else ()
    assert links
    assert (await parts.store.insertions.find(ANA, links)).insertions == ()


async def test_memory_that_was_off_for_a_turn_changes_nothing_before_it(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    chat = ScriptedChat(engine)
    await chat.ask("May I eat peanuts?", "No.")
    off = await chat.ask("Where do I live?", "I do not know.", mode=MemoryMode.RECORD)
    assert b"toldonce-memory" not in off.body
    await chat.ask("Where do I live, please?", "In Oslo.")
    assert chat.problems == []


async def test_an_equal_first_question_begins_a_conversation_of_its_own(engine: AsyncToldOnce) -> None:
    asked = Identity(subject=ANA)
    assert b"Oslo" not in (await ScriptedChat(engine, asked).ask("Where do I live?", "I do not know.")).body
    await tell(engine, "I live in Oslo.")
    turn = await ScriptedChat(engine, asked).ask("Where do I live?", "In Oslo.")
    assert turn.prefix is PrefixState.NEW
    assert b"Oslo" in turn.body


async def test_a_client_without_history_gets_fresh_memory_each_time(engine: AsyncToldOnce) -> None:
    await tell(engine, "I live in Oslo.")
    session = Identity(subject=ANA, conversation="s", append=True)
    assert b"Oslo" in (await ScriptedChat(engine, session).ask("Where do I live now?", "In Oslo.")).body
    await tell(engine, "I moved to Bergen.")
    assert b"Bergen" in (await ScriptedChat(engine, session).ask("Where do I live now?", "In Bergen.")).body


async def test_a_trimmed_history_begins_a_new_ledger(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    chat = ScriptedChat(engine)
    for text in ("May I eat peanuts?", "Where do I live?", "Tell me of Oslo."):
        await chat.ask(text, f"About {text}")
    del chat.messages[:2]
    chat.prompts.clear()
    trimmed = await chat.ask("What do you know about me?", "Much.")
    assert trimmed.prefix is PrefixState.NEW
    assert b"peanuts" in trimmed.body
    assert (await chat.ask("Fine.", "Yes.")).prefix is PrefixState.KEPT
    assert chat.problems == []


async def test_users_with_equal_chats_get_their_own_memory(engine: AsyncToldOnce) -> None:
    await tell(engine, "I live in Oslo.")
    await tell(engine, "I live in Lima.", who="ben")
    for name, city, other in (("ana", b"Oslo", b"Lima"), ("ben", b"Lima", b"Oslo")):
        chat = ScriptedChat(engine, Identity(subject=Subject("user", name), conversation="same"))
        for text in ("Where do I live?", "Are you sure?"):
            body = (await chat.ask(text, "Yes.")).body
            assert city in body
            assert other not in body


async def test_recall_that_is_late_repeats_what_earlier_prompts_had(
    parts: Components, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = AsyncToldOnce(parts)
    await tell(engine, PEANUTS_AND_OSLO)
    chat = ScriptedChat(engine, timeout_s=0.5)
    await chat.ask("May I eat peanuts?", "No.")

    async def never(*_: object) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(ContextBuilder, "write", never)
    late = await chat.ask("Where do I live?", "I do not know.")
    assert late.failure == "recall was late"
    assert (late.prefix, chat.problems) == (PrefixState.KEPT, [])
    assert b"peanuts" in late.body


async def test_a_system_message_that_comes_later_moves_nothing(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    chat = ScriptedChat(engine)
    await chat.ask("May I eat peanuts?", "No.")
    chat.messages.append({"role": "system", "content": "It is 10 pm."})
    assert (await chat.ask("Where do I live?", "In Oslo.")).prefix is PrefixState.KEPT
    assert chat.problems == []


@pytest.mark.parametrize("conversation", ["c", None])
async def test_prompts_of_one_memory_repeat_nothing_of_another(
    parts: Components, tmp_path: Path, conversation: str | None
) -> None:
    (tmp_path / "shop.toml").write_text(
        'extends = "default"\ndescription = "Of an app."\n[subject]\nkind = "app"\n', "utf-8"
    )
    engine = AsyncToldOnce(replace(parts, profiles=ProfileRegistry(tmp_path)))
    for app, known in (("health", "The user takes lithium."), ("shop", "The user buys tea.")):
        scope = RequestScope(profile="shop", app=app)
        await engine.add(known, user=await engine.conversations.subject(user="ana", scope=scope))
    bodies = []
    for app in ("health", "shop"):
        identity = Identity(subject=ANA, conversation=conversation, scope=RequestScope(profile="shop", app=app))
        chat = ScriptedChat(engine, identity)
        await chat.ask("What should I take or buy today?", "Yes.")
        bodies.append((await chat.ask("And tomorrow, what should I buy or take?", "Yes.")).body)
    assert b"lithium" in bodies[0]
    assert b"lithium" not in bodies[1]


@pytest.mark.parametrize("mode", [MemoryMode.ON, MemoryMode.READ])
async def test_words_forgotten_in_a_chat_are_not_repeated(
    engine: AsyncToldOnce, clock: FakeClock, mode: MemoryMode
) -> None:
    await tell(engine, "My cat Mimi has diabetes.")
    chat = ScriptedChat(engine)
    assert b"diabetes" in (await chat.ask("What is wrong with my cat Mimi?", "Diabetes.", mode=mode)).body
    chat.messages[-1] = {"role": "assistant", "content": "She is ill."}
    clock.advance(minutes=1)
    await tell(engine, "Please forget that my cat Mimi has diabetes.")
    forgotten = await chat.ask("Good.", "Yes.", mode=mode)
    assert b"diabetes" not in forgotten.body
    assert forgotten.prefix is PrefixState.ERASED


async def test_prompts_go_on_from_the_one_that_was_accepted_plain(engine: AsyncToldOnce, identity: Identity) -> None:
    await tell(engine, f"{PEANUTS_AND_OSLO} My sister Eva runs a restaurant in Lima.")
    chat = ScriptedChat(engine, identity, [SYSTEM])
    await chat.ask("May I eat peanuts?", tool_call(1))
    chat.messages.append(tool_result(1))
    await chat.ask(answer="No.", refused=True)
    assert b"toldonce-memory" not in chat.prompts[-1].sent[-1].encode()
    again = await chat.ask("Which restaurant does my sister run?", "Hers.")
    assert again.prefix is PrefixState.KEPT
    said, _, asked = again.body.decode().rpartition("Which restaurant")
    assert "toldonce-memory" not in said, "the system message stays as upstream accepted it"
    assert "peanut" in asked
    assert "Lima" in asked
    later = await chat.ask("And where do I live?", "In Oslo.")
    assert (later.prefix, chat.problems) == (PrefixState.KEPT, [])


async def test_a_model_that_refused_memory_gets_it_in_user_messages(engine: AsyncToldOnce, identity: Identity) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    chat = ScriptedChat(engine, identity, [SYSTEM], in_user_message=True)
    first = await chat.ask("Where do I live?", "In Oslo.")
    assert "toldonce-memory" not in first.body.decode().partition("Where do I live?")[0]
    assert "Oslo" in first.body.decode()
    chat.in_user_message = False
    second = await chat.ask("May I eat peanuts?", "No.")
    assert (second.prefix, chat.problems) == (PrefixState.KEPT, [])


@pytest.mark.parametrize("first", [True, False])
async def test_a_failed_recall_changes_no_prompt(
    parts: Components, identity: Identity, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    engine = AsyncToldOnce(parts)
    await tell(engine, PEANUTS_AND_OSLO)
    chat = ScriptedChat(engine, identity, [SYSTEM])
    if not first:
        await chat.ask("May I eat peanuts?", "No.")

    async def fails(*_: object) -> None:
        raise StoreUnavailableError("the database does not answer")

    with monkeypatch.context() as patched:
        patched.setattr(ContextBuilder, "write", fails)
        failed = await chat.ask("Where do I live?", "I do not know.")
    assert failed.failure == "recall failed"
    assert (b"peanuts" in failed.body.partition(b"Where do I live")[0]) is not first
    later = await chat.ask("Where do I live, please?", "In Oslo.")
    assert (later.prefix, chat.problems) == (PrefixState.KEPT, [])
    assert b"Oslo" in later.body


async def test_a_message_sent_with_memory_off_stays_as_it_was(engine: AsyncToldOnce, identity: Identity) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    chat = ScriptedChat(engine, identity, [SYSTEM])
    await chat.ask("Hello", "Hi.", mode=MemoryMode.OFF)
    await chat.ask("May I eat peanuts?", "No.")
    off = await chat.ask("Where do I live?", "I do not know.", mode=MemoryMode.OFF)
    assert b"toldonce-memory" not in off.body
    await chat.ask("Where do I live, please?", "In Oslo.")
    del chat.messages[-3:]
    again = await chat.ask(answer="In Oslo, I think.")
    assert "toldonce-memory" not in again.body.decode().rpartition("Where do I live?")[2]
    assert (again.prefix, chat.problems) == (PrefixState.KEPT, [])


@pytest.mark.parametrize("modes", [(MemoryMode.READ, MemoryMode.ON), (MemoryMode.ON, MemoryMode.READ)])
async def test_turns_that_are_read_and_recorded_go_on_from_each_other(
    engine: AsyncToldOnce, identity: Identity, parts: Components, modes: tuple[MemoryMode, MemoryMode]
) -> None:
    await tell(engine, f"{PEANUTS_AND_OSLO} My sister Eva runs a restaurant in Lima.")
    chat = ScriptedChat(engine, identity, [SYSTEM])
    for mode, question in zip(modes, ("May I eat peanuts?", "Which restaurant does my sister run?"), strict=True):
        await chat.ask(question, "Yes.", mode=mode)
    last = await chat.ask("Where do I live?", "In Oslo.")
    assert (last.prefix, chat.problems) == (PrefixState.KEPT, [])
    chat.engine = AsyncToldOnce(parts)  # the store has it all
    assert (await chat.ask("Really?", "Yes.")).prefix is PrefixState.KEPT
    assert chat.problems == []


async def test_an_undone_fact_is_declared_no_longer_true(engine: AsyncToldOnce) -> None:
    await tell(engine, "I live in Oslo.")
    chat = ScriptedChat(engine)
    assert b"I live in Oslo." in (await chat.ask("Where do I live?", "In Oslo.")).body
    [fact] = [memory for memory in await engine.list(user="ana") if memory.value == "Oslo"]
    added = [line for line in await engine.history.decisions(user="ana") if line.memory_id == fact.id]
    await engine.history.undo(added[0].id, user="ana")
    undone = await chat.ask("Are you sure?", "No.")
    assert "No longer true:" in undone.body.decode().rpartition("Are you sure?")[2]
    assert (undone.prefix, chat.problems) == (PrefixState.KEPT, [])


async def test_each_request_leaves_a_trace(engine: AsyncToldOnce, identity: Identity) -> None:
    await tell(engine, f"{PEANUTS_AND_OSLO} My sister Eva runs a restaurant in Lima.")
    chat = ScriptedChat(engine, identity, [SYSTEM])
    first = await chat.ask("Which restaurant does my sister run?", tool_call(1))
    chat.messages.append(tool_result(1))
    looped = await chat.ask(answer="Hers.")
    [talk, _] = await engine.conversations.list(user="ana")
    traces = await engine.conversations.trace(talk.id, user="ana")
    assert [(trace.record.replayed, trace.record.prefix) for trace in traces] == [(first.injected, "kept"), (0, "new")]
    assert [trace.record.seq for trace in traces] == [4, 2]
    assert [len(trace.memories) for trace in traces] == [0, first.injected]
    assert [memory.id for memory in traces[1].memories] == [item.memory.id for item in first.items]
    assert first.record is not None
    assert looped.record is not None
    assert traces[1].record.omitted == first.record.omitted
    assert engine.metrics.retrieved == first.injected


async def test_a_turn_that_only_replays_is_recorded_in_its_own_transaction(
    engine: AsyncToldOnce, parts: Components, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    chat = ScriptedChat(engine)
    await chat.ask("May I eat peanuts?", tool_call(1))
    writes = []
    write = type(parts.store.conversations._executor).write

    async def counted(executor: Any, *arguments: Any, **options: Any) -> Any:
        writes.append(options)
        return await write(executor, *arguments, **options)

    monkeypatch.setattr(type(parts.store.conversations._executor), "write", counted)
    chat.messages.append(tool_result(1))
    looped = await chat.ask(answer="No.")
    assert looped.replayed > 0
    assert len(writes) == 1, "the turn, with its trace"
