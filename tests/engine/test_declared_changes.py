"""What earlier prompts of a conversation show and no longer holds is declared with the newest message, once."""

import pytest

from append_only import ScriptedChat
from recollect.engine import AsyncRecollect, Components, PreparedTurn, shown_memories
from recollect.engine.ended_memories import find_ended, is_declared, is_ended
from recollect.engine.injector import RECALL_FAILED
from recollect.errors import StoreUnavailableError
from recollect.formation import quotations
from recollect.prompt.replay import PrefixState
from recollect.testing import FakeClock
from recollect.types import Action, CloseMemory, Decision, Memory, MemoryKind, MemoryMode, MemoryState, Subject
from sample_chats import tell
from stores import STORES

ANA = Subject("user", "ana")
ENDED = "No longer true:"
EXAM, POSTPONED = "My anatomy exam is on 12 March.", "they postponed it, it's on the 21st now"
DECLARED = "The user's anatomy exam is on 12 March 2026."


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def declared(turn: PreparedTurn, text: str) -> str:
    """Return what a prompt declares no longer true after its newest message; empty if nothing."""
    return turn.body.decode().rpartition(text)[2].partition(ENDED)[2].partition("</recollect-memory")[0]


async def change(engine: AsyncRecollect, clock: FakeClock, text: str) -> None:
    """Say something a day later."""
    clock.advance(days=1)
    await tell(engine, text)
    clock.advance(days=1)


async def closed(engine: AsyncRecollect, kind: MemoryKind) -> list[Memory]:
    listed = await engine.list(user="ana", kinds=(kind,), closed=True)
    return [memory for memory in listed if memory.state is MemoryState.CLOSED]


async def found(engine: AsyncRecollect, parts: Components, memory: Memory) -> Memory | None:
    """Return what would be declared of a memory."""
    return next(iter(await find_ended(parts.store, ANA, [memory.id])), None)


@pytest.mark.parametrize(
    ("before", "question", "then", "ended"),
    [
        (EXAM, "When is my anatomy exam?", POSTPONED, DECLARED),
        (
            "I'm flying to Lisbon on 3 April.",
            "What should I pack for Lisbon?",
            "My trip to Lisbon was postponed.",
            "The user is flying to Lisbon on 3 April 2026.",
        ),
        (
            "I bake bread every Sunday. I live in Oslo with my cat.",
            "Where do I bake bread, in Oslo?",
            "I moved to Bergen.",
            "The user lives in Oslo with their cat.",
        ),
    ],
)
async def test_a_note_that_was_replaced_is_declared_once(
    engine: AsyncRecollect, clock: FakeClock, before: str, question: str, then: str, ended: str
) -> None:
    await tell(engine, before)
    chat = ScriptedChat(engine)
    assert ended in (await chat.ask(question, "I see.")).body.decode()
    await change(engine, clock, then)

    later = await chat.ask("What else is there to do today?", "Nothing.")

    assert declared(later, "What else is there to do today?") == f"\\n- {ended}\\n"
    again = await chat.ask("And tomorrow?", "Nothing.")
    assert not declared(again, "And tomorrow?")
    assert again.body.decode().count(ENDED) == 1
    assert (again.prefix, chat.problems) == (PrefixState.KEPT, [])


async def test_a_declared_note_that_is_erased_is_not_repeated(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, EXAM)
    chat = ScriptedChat(engine)
    await chat.ask("When is my anatomy exam?", "On 12 March.")
    await change(engine, clock, POSTPONED)
    later = await chat.ask("What else is there to do today?", "Nothing.")
    assert DECLARED in declared(later, "What else is there to do today?")
    [note] = await closed(engine, MemoryKind.NOTE)

    await engine.erase(note.id, user="ana")

    erased = await chat.ask("And tomorrow?", "Nothing.")
    assert DECLARED not in erased.body.decode()
    assert erased.prefix is PrefixState.ERASED


@pytest.mark.parametrize("mode", [MemoryMode.ON, MemoryMode.READ])
@pytest.mark.parametrize("by_hand", [True, False])
async def test_what_was_forgotten_is_not_declared(
    engine: AsyncRecollect, clock: FakeClock, by_hand: bool, mode: MemoryMode
) -> None:
    await tell(engine, EXAM)
    chat = ScriptedChat(engine)
    shown = await chat.ask("When is my anatomy exam?", "On 12 March.", mode=mode)
    assert "anatomy exam is on" in shown.body.decode()
    if by_hand:
        [note] = await engine.list(user="ana", kinds=(MemoryKind.NOTE,))
        await engine.forget(note.id, user="ana")
    else:
        await change(engine, clock, "Please forget that I have an anatomy exam.")

    later = await chat.ask("What else is there to do today?", "Nothing.", mode=mode)

    assert "anatomy exam is on" not in later.body.decode()
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
        (EXAM, "When is my anatomy exam?", [POSTPONED], "12 March"),
    ],
)
async def test_what_ended_before_it_was_forgotten_is_not_repeated(
    engine: AsyncRecollect, clock: FakeClock, before: str, question: str, since: list[str], words: str
) -> None:
    await tell(engine, before)
    chat = ScriptedChat(engine)
    assert words in (await chat.ask(question, "I see.")).body.decode()
    for text in since:
        await change(engine, clock, text)
    if len(since) == 1:
        for memory in [*await closed(engine, MemoryKind.NOTE), *await closed(engine, MemoryKind.TURN)]:
            await engine.forget(memory.id, user="ana")

    later = await chat.ask("What else is there to do today?", "Nothing.")

    assert words not in later.body.decode()
    assert not declared(later, "What else is there to do today?")
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
    engine: AsyncRecollect, newer: str, is_declared_: bool
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
    engine: AsyncRecollect, action: Action, target: str | None, has_ended: bool
) -> None:
    note = await engine.add("The user has a dog.", user="ana")
    line = Decision.of(note, action, "for a test", clock=FakeClock(), target=target)

    assert is_ended(note, [line]) is has_ended


async def test_of_a_quotation_the_stretch_that_ended_is_declared(
    engine: AsyncRecollect, parts: Components, clock: FakeClock
) -> None:
    await tell(engine, "I bake bread every Sunday. I live in Oslo with my cat.")
    await change(engine, clock, "I moved to Bergen.")

    [quotation] = await closed(engine, MemoryKind.TURN)
    ended = await found(engine, parts, quotation)

    assert ended is not None
    assert (ended.id, ended.text) == (quotation.id, "I live in Oslo with my cat.")


async def test_of_a_quotation_that_was_closed_whole_nothing_is_declared(
    engine: AsyncRecollect, parts: Components, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotations, "MAX_SHORTENED", 1)
    older = "I'm allergic to peanuts. I live in Oslo with my cat."
    await tell(engine, older)
    clock.advance(days=1)
    await tell(engine, "I play chess on Mondays. I live in Oslo with my cat.")
    await change(engine, clock, "I moved to Bergen.")

    [quotation] = [memory for memory in await closed(engine, MemoryKind.TURN) if memory.text == older]

    assert await found(engine, parts, quotation) is None


async def test_a_newer_quotation_that_was_closed_too_tells_what_ended(
    engine: AsyncRecollect, parts: Components, clock: FakeClock
) -> None:
    await tell(engine, "I'm allergic to peanuts. I live in Oslo with my cat.")
    await change(engine, clock, "I moved to Bergen.")
    [quotation] = await closed(engine, MemoryKind.TURN)
    versions = [
        memory
        for memory in await engine.list(user="ana", kinds=(MemoryKind.TURN,))
        if memory.text.startswith("I'm allergic")
    ]
    now = clock.now()
    closing = [CloseMemory(id=version.id, valid_to=now, closed_at=now) for version in versions]
    await parts.store.memories.apply(ANA, closing, [])

    ended = await found(engine, parts, quotation)

    assert len(closing) == 1
    assert ended is not None
    assert ended.text == "I live in Oslo with my cat."


async def test_a_secret_that_is_left_out_as_well_is_not_declared(
    engine: AsyncRecollect, parts: Components, clock: FakeClock
) -> None:
    await tell(engine, "My PIN is 1234 and I bake bread every Sunday. I live in Oslo with my cat.")
    await change(engine, clock, "I moved to Bergen.")

    [quotation] = await closed(engine, MemoryKind.TURN)
    ended = await found(engine, parts, quotation)

    assert ended is not None
    assert ended.text == "I live in Oslo with my cat."


async def test_forgetting_the_newer_note_leaves_the_older_undeclared(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, EXAM)
    chat = ScriptedChat(engine)
    await chat.ask("When is my anatomy exam?", "On 12 March.")
    await change(engine, clock, POSTPONED)
    [newer] = [memory for memory in await engine.list(user="ana", kinds=(MemoryKind.NOTE,)) if "21" in memory.text]
    await engine.forget(newer.id, user="ana")

    later = await chat.ask("What else is there to do today?", "Nothing.")

    assert not declared(later, "What else is there to do today?")


async def test_a_prompt_is_replayed_where_what_ended_cannot_be_read(
    engine: AsyncRecollect, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tell(engine, EXAM)
    chat = ScriptedChat(engine)
    await chat.ask("When is my anatomy exam?", "On 12 March.")
    await change(engine, clock, POSTPONED)

    async def fail(*_: object) -> None:
        raise StoreUnavailableError("the database is away")

    monkeypatch.setattr(shown_memories, "find_ended", fail)
    later = await chat.ask("What else is there to do today?", "Nothing.")

    assert (later.prefix, later.failure) == (PrefixState.KEPT, RECALL_FAILED)
    assert DECLARED in later.body.decode()
    assert not declared(later, "What else is there to do today?")
