"""What turns that are only read have shown is kept in the process, and reached by erasures all the same."""

from dataclasses import replace
from functools import partial

import pytest

from append_only import ScriptedChat
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce, Components
from toldonce.prompt.replay import PrefixState
from toldonce.testing import FakeClock
from toldonce.types import Identity, MemoryMode, Subject

ANA = Subject("user", "ana")


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("mode", [MemoryMode.ON, MemoryMode.READ])
@pytest.mark.parametrize("how", ["erased", "erased by another process", "forgotten"])
async def test_i13_quoted_words_erased_after_a_read_turn_are_not_repeated(
    parts: Components, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, how: str, mode: MemoryMode
) -> None:
    """What was only read is kept in this process; its rows quote messages, and show no memory."""
    parts = replace(parts, settings=parts.settings.model_copy(update={"profile": "tiered"}))
    engine = AsyncToldOnce(parts)
    monkeypatch.setattr(engine.turns, "prepare", partial(engine.turns.prepare, mode="split"))
    other = ScriptedChat(engine, Identity(subject=ANA, conversation="other"))
    await other.ask("My locker code is quite hard to remember: zebra-sunset.", "I see, zebra it is.")
    await other.ask("I sleep badly this week because of the moon.", "Sorry.")
    note = await engine.add("Ana has a zebra in her locker.", user="ana")
    clock.advance(minutes=5)
    chat = ScriptedChat(engine)
    assert b"zebra" in (await chat.ask("How are things?", "Fine.", mode=MemoryMode.READ)).body
    clock.advance(minutes=5)
    gone = await engine.conversations.get("other", user="ana")
    if how == "forgotten":
        await engine.forget(note.id, user="ana")
    else:
        eraser = engine if how == "erased" else AsyncToldOnce(parts)
        await eraser.erasure.conversation(gone.id, user="ana")
        await eraser.erase(note.id, user="ana")
    clock.advance(minutes=5)

    later = [await chat.ask(question, "No.", mode=way) for question, way in (("And?", mode), ("More?", MemoryMode.ON))]

    assert later[0].prefix is PrefixState.ERASED
    if how != "forgotten":  # the messages that were not erased are quoted again
        assert [turn.body.count(b"zebra") for turn in later] == [0, 0]
    assert later[1].chain is not None
    links = [*later[1].chain.links, later[1].chain.root or 0]
    rows = (await parts.store.insertions.find(ANA, links)).insertions
    assert [row.erased for row in rows if row.depth == 1] == [True]
    assert how == "forgotten" or not any("zebra" in row.recalled + row.standing for row in rows)
