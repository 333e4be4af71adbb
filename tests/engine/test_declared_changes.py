"""What earlier prompts of a conversation show and no longer holds is declared with the newest message, once."""

import json

import pytest

from append_only import ScriptedChat
from sample_chats import answer, note, tell, with_model
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce, Components, PreparedTurn, shown_memories
from toldonce.engine.prompt_recall import RECALL_FAILED
from toldonce.engine.shown_memories import find_ended, is_declared, is_ended
from toldonce.errors import StoreUnavailableError, UnknownMemoryError
from toldonce.prompt.replay import PrefixState
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import DECLARED, Action, Decision, MemoryId, MemoryKind, MemoryMode, MemoryState, Subject

ANA = Subject("user", "ana")
ENDED = "No longer true:"
ALLERGIC, OUTGROWN = "I have a peanut allergy.", "I am no longer allergic to peanuts."
OLD_NOTE, MOVED = "Ana rows on Mondays.", "Rowing moved to Fridays, no more Mondays."
ROW = f"- {OLD_NOTE}"
DINNER, ROWING = "What may I eat for dinner?", "On which day do I row, is it Mondays?"
TODAY, TOMORROW = "What else is there to do today?", "And tomorrow?"


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def declared(turn: PreparedTurn, text: str) -> str:
    """Return what a prompt declares no longer true after its newest message; empty if nothing."""
    newest = str(json.loads(turn.body)["messages"][-1]["content"])
    return newest.rpartition(text)[2].partition(ENDED)[2].partition("</toldonce-memory")[0].strip()


async def change(engine: AsyncToldOnce, clock: FakeClock, text: str) -> None:
    """Say something a day later."""
    clock.advance(days=1)
    await tell(engine, text)
    clock.advance(days=1)


async def replace_note(engine: AsyncToldOnce, parts: Components, clock: FakeClock, chat: ScriptedChat) -> MemoryId:
    """Show a note in a chat, and have a model replace it a day later."""
    old = await engine.add(OLD_NOTE, user="ana")
    assert OLD_NOTE in (await chat.ask(ROWING, "Yes.")).body.decode()
    clock.advance(days=1)
    changed = note("Ana rows on Fridays.", MOVED, updates=1)
    model = ScriptedModel(lambda _, asked: answer(*[changed] if MOVED in asked.rpartition("Messages:")[2] else []))
    await tell(with_model(parts, model), MOVED)
    assert (await engine.get(old.id, user="ana")).state is MemoryState.CLOSED
    return old.id


async def test_a_context_leaves_out_what_the_chat_shows_and_declares_what_ended(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    old = await engine.add(OLD_NOTE, user="ana")
    await engine.add("Ben rows on Mondays.", user="ben")
    first = await engine.context(ROWING, user="ana")
    again = await engine.context(ROWING, user="ana", shown=[old.id])
    foreign = await engine.context(ROWING, user="ben", shown=[old.id])
    clock.advance(days=1)
    new = await engine.correct(old.id, "Ana rows on Fridays.", user="ana", true_until=clock.now())
    changed = await engine.context(ROWING, user="ana", shown=[old.id])
    last = await engine.context(ROWING, user="ana", shown=[new.id])

    assert OLD_NOTE in first.text
    assert (again.text, [omitted.id for omitted in again.left_out]) == ("", [old.id])
    assert "Ben rows on Mondays." in foreign.text
    assert ROW in changed.text.partition(ENDED)[2]
    assert [item.memory.id for item in changed.items] == [new.id]
    assert (old.id, DECLARED) in {(omitted.id, omitted.reason) for omitted in changed.left_out}
    assert last.text == ""
    with pytest.raises(UnknownMemoryError, match="x"):
        await engine.context(ROWING, user="ana", shown=["x"])


async def test_a_note_that_a_model_replaced_is_declared_once(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    chat = ScriptedChat(engine)
    await replace_note(engine, parts, clock, chat)

    later = await chat.ask(TODAY, "Nothing.")

    assert declared(later, TODAY) == ROW
    again = await chat.ask(TOMORROW, "Nothing.")
    assert not declared(again, TOMORROW)
    assert again.body.decode().count(ENDED) == 1
    assert (again.prefix, chat.problems) == (PrefixState.KEPT, [])


async def test_what_is_denied_is_not_declared_its_denial_is_shown(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, ALLERGIC)
    chat = ScriptedChat(engine)
    await chat.ask(DINNER, "No peanuts.")
    await change(engine, clock, OUTGROWN)

    later = await chat.ask(TODAY, "Nothing.")

    assert not declared(later, TODAY)
    assert OUTGROWN in str(json.loads(later.body)["messages"][-1]["content"])


async def test_a_quotation_of_what_has_changed_is_not_declared(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    await tell(engine, "I bake bread every Sunday. I live in Oslo with my cat.")
    await change(engine, clock, "I moved to Bergen.")
    quotations = await engine.list(user="ana", kinds=(MemoryKind.TURN,), closed=True)
    assert {memory.state for memory in quotations} == {MemoryState.ACTIVE}, "it was said"
    everything = await engine.list(user="ana", kinds=tuple(MemoryKind), closed=True)

    ended = await find_ended(parts.store, ANA, [memory.id for memory in everything])

    assert [memory.value for memory in ended] == ["Oslo"]


async def test_a_declared_note_that_is_erased_is_not_repeated(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    chat = ScriptedChat(engine)
    old = await replace_note(engine, parts, clock, chat)
    assert declared(await chat.ask(TODAY, "Nothing."), TODAY) == ROW

    await engine.erase(old, user="ana")

    erased = await chat.ask(TOMORROW, "Nothing.")
    assert OLD_NOTE not in erased.body.decode()
    assert erased.prefix is PrefixState.ERASED


@pytest.mark.parametrize("mode", [MemoryMode.ON, MemoryMode.READ])
@pytest.mark.parametrize("by_hand", [True, False])
async def test_what_was_forgotten_is_not_declared(
    engine: AsyncToldOnce, clock: FakeClock, by_hand: bool, mode: MemoryMode
) -> None:
    await tell(engine, ALLERGIC)
    chat = ScriptedChat(engine)
    shown = await chat.ask(DINNER, "Nothing with nuts.", mode=mode)
    assert "have a peanut allergy" in shown.body.decode()
    if by_hand:
        [fact] = await engine.list(user="ana", kinds=(MemoryKind.FACT,))
        await engine.forget(fact.id, user="ana")
    else:
        await change(engine, clock, "Please forget that I have a peanut allergy.")

    later = await chat.ask(TODAY, "Nothing.", mode=mode)

    assert "peanut" not in later.body.decode()
    assert ENDED not in later.body.decode()


SOURDOUGH = "my sourdough came out so flat again, no idea why, third time this month lol."


@pytest.mark.parametrize(
    ("before", "question", "since", "words"),
    [
        (
            f"{SOURDOUGH} I live in Oslo with my cat.",
            "Why did my sourdough come out flat the third time this month?",
            ["I moved to Bergen.", "Please forget what I said about my sourdough."],
            "no idea why",
        ),
        ("I live in Oslo.", "Where do I live?", ["I moved to Bergen.", "Please forget that I lived in Oslo."], "Oslo"),
        (ALLERGIC, DINNER, [OUTGROWN], "have a peanut"),
    ],
)
async def test_what_ended_before_it_was_forgotten_is_not_repeated(
    engine: AsyncToldOnce, clock: FakeClock, before: str, question: str, since: list[str], words: str
) -> None:
    await tell(engine, before)
    chat = ScriptedChat(engine)
    assert words in (await chat.ask(question, "I see.")).body.decode()
    for text in since:
        await change(engine, clock, text)
    if len(since) == 1:
        for memory in await engine.list(user="ana", kinds=tuple(MemoryKind), closed=True):
            if words in memory.text:
                await engine.forget(memory.id, user="ana")

    later = await chat.ask(TODAY, "Nothing.")

    assert words not in later.body.decode()
    assert not declared(later, TODAY)
    assert later.prefix is PrefixState.ERASED


@pytest.mark.parametrize(
    ("newer", "is_declared_"),
    [
        ("The user has a dog named Rex.", False),
        ("The user has a cat.", True),
        ("The user does not have a dog.", True),
    ],
)
async def test_what_a_newer_note_says_as_well_is_not_declared(
    engine: AsyncToldOnce, newer: str, is_declared_: bool
) -> None:
    old, new = [await engine.add(text, user="ana") for text in ("The user has a dog.", newer)]

    assert is_declared(old, [new]) is is_declared_


@pytest.mark.parametrize(
    ("action", "target", "has_ended"),
    [
        (Action.EVICT, None, False),
        (Action.FOLD, None, False),
        (Action.EXPIRE, None, False),
        (Action.EXPIRE, "019b76da-a800-7044-b129-7f2cd89f0a62", True),
        (Action.ABANDON, None, True),
        (Action.UNDO, None, True),
    ],
)
async def test_a_note_that_only_made_room_is_not_declared(
    engine: AsyncToldOnce, action: Action, target: str | None, has_ended: bool
) -> None:
    note = await engine.add("The user has a dog.", user="ana")
    line = Decision.of(note, action, "for a test", clock=FakeClock(), target=target)

    assert is_ended(note, [line]) is has_ended


async def test_forgetting_the_newer_value_leaves_the_older_undeclared(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Oslo.")
    chat = ScriptedChat(engine)
    assert "Oslo" in (await chat.ask("Where do I live?", "There.")).body.decode()
    await change(engine, clock, "I moved to Bergen.")
    [newer] = await engine.list(user="ana", kinds=(MemoryKind.FACT,))
    await engine.forget(newer.id, user="ana")

    later = await chat.ask(TODAY, "Nothing.")

    assert not declared(later, TODAY)
    assert "Bergen" not in later.body.decode()


async def test_a_prompt_is_replayed_where_what_ended_cannot_be_read(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = ScriptedChat(engine)
    await replace_note(engine, parts, clock, chat)

    async def fail(*_: object) -> None:
        raise StoreUnavailableError("the database is away")

    monkeypatch.setattr(shown_memories, "find_ended", fail)
    later = await chat.ask(TODAY, "Nothing.")

    assert (later.prefix, later.failure) == (PrefixState.KEPT, RECALL_FAILED)
    assert OLD_NOTE in later.body.decode()
    assert not declared(later, TODAY)
