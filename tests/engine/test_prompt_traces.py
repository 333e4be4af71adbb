"""A trace shows what memory did for a request, with no word that may not be shown any more."""

import threading
from typing import Any

import pytest

from append_only import ScriptedChat
from factories import turn
from sample_chats import tell
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce, Components, retrieval
from toldonce.engine.context_builder import ContextBuilder
from toldonce.errors import StoreUnavailableError
from toldonce.extraction import sources
from toldonce.ids import new_id
from toldonce.testing import FakeClock
from toldonce.types import InjectionRecord, MemoryKind, MemoryState, Subject

ANA, TEAM = Subject("user", "ana"), Subject("shared", "team-x")
EXAM = "My anatomy exam is on 12 March."


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def traced(engine: AsyncToldOnce) -> list[tuple[MemoryState, str]]:
    """Return the states and texts that the traces of the chat show."""
    traces = await engine.conversations.trace("chat", user="ana")
    return [(memory.state, memory.text) for trace in traces for memory in trace.memories]


async def test_an_ended_memory_is_shown_as_closed(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Oslo.")
    await ScriptedChat(engine).ask("Where do I live?", "In Oslo.")
    clock.advance(days=1)
    await tell(engine, "I moved to Bergen.")
    shown = await traced(engine)
    assert (MemoryState.CLOSED, 'The user said: "I live in Oslo."') in shown


async def test_a_forgotten_memory_has_no_words(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, EXAM)
    await ScriptedChat(engine).ask("When is my anatomy exam?", "On 12 March.")
    assert any("anatomy" in text for _, text in await traced(engine))
    clock.advance(days=1)
    await tell(engine, "Please forget that I have an anatomy exam.")
    traces = await engine.conversations.trace("chat", user="ana")
    memories = [memory for trace in traces for memory in trace.memories]
    assert memories
    assert {memory.state for memory in memories} == {MemoryState.CLOSED}
    assert "anatomy" not in str([(memory.text, memory.key, memory.value, memory.evidence) for memory in memories])


async def test_a_shared_memory_is_not_shown_after_unsubscribing(engine: AsyncToldOnce) -> None:
    await engine.shared.subscribe("team-x", user="ana")
    await engine.add("The build server is called Zebra.", user=TEAM)
    assert b"Zebra" in (await ScriptedChat(engine).ask("What is the build server called?", "Zebra.")).body
    assert await traced(engine) == [(MemoryState.ACTIVE, "The build server is called Zebra.")]
    await engine.shared.unsubscribe("team-x", user="ana")
    assert await traced(engine) == []


async def test_i13_a_reason_tells_nothing_of_an_erased_fact(engine: AsyncToldOnce) -> None:
    await engine.shared.subscribe("team-x", user="ana")
    await tell(engine, "I'm allergic to peanuts.")
    await engine.record([{"role": "user", "content": "I'm allergic to peanuts."}], user=TEAM)
    await engine.form()
    await ScriptedChat(engine).ask("What should I cook for dinner?", "Rice.")
    reasons = await reasons_of(engine)
    assert any("user:ana has its own value" in reason for reason in reasons)
    assert "peanut" not in str(reasons)
    [fact] = await engine.list(user="ana", kinds=(MemoryKind.FACT,))
    await engine.erase(fact.id, user="ana")
    assert not any("user:ana" in reason or fact.id in reason for reason in await reasons_of(engine))


async def reasons_of(engine: AsyncToldOnce) -> list[str]:
    """Return the reasons for which the prompts of the chat left memories out."""
    traces = await engine.conversations.trace("chat", user="ana")
    return [line.reason for trace in traces for line in trace.record.omitted]


async def test_a_trace_tells_what_was_declared_no_longer_true(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Oslo.")
    chat = ScriptedChat(engine)
    await chat.ask("Where do I live?", "In Oslo.")
    [oslo] = [memory for memory in await engine.list(user="ana") if memory.value == "Oslo"]
    clock.advance(days=1)
    await tell(engine, "I moved to Bergen.")
    await chat.ask("What should I do today?", "Rest.")
    newest = (await engine.conversations.trace("chat", user="ana"))[0].record
    assert [line.reason for line in newest.omitted if line.id == oslo.id] == ["the prompt says that it no longer holds"]
    await engine.erase(oslo.id, user="ana")
    assert oslo.id not in str(await engine.conversations.trace("chat", user="ana"))


async def test_a_trace_tells_that_recall_failed(engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch) -> None:
    await tell(engine, "I live in Oslo.")
    chat = ScriptedChat(engine)
    await chat.ask("Where do I live?", "In Oslo.")

    async def broken(*_: Any, **__: Any) -> None:
        raise StoreUnavailableError("broken")

    monkeypatch.setattr(ContextBuilder, "write", broken)
    await chat.ask("Really?", "Yes.")
    newest, first = [trace.record for trace in await engine.conversations.trace("chat", user="ana")]
    assert (newest.failure, newest.omitted, first.failure) == ("recall failed", (), "")


async def test_many_quotations_are_redacted_off_the_event_loop(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval, "_LARGE_TEXT", 2_000)
    said = [f"Yesterday we walked along river {number} for two hours with my sister. " * 12 for number in range(4)]
    await engine.record([{"role": "user", "content": text} for text in said], user="ana")
    await engine.form()
    quotations = await engine.list(user="ana", kinds=(MemoryKind.TURN,), limit=1000)
    assert sum(len(quotation.text) for quotation in quotations) > 2_000
    record = InjectionRecord(
        id=new_id(clock),
        at=clock.now(),
        query_hash=1,
        items=tuple((ANA, quotation.id, 1.0) for quotation in quotations),
        block_hash="",
        tokens=1,
    )
    await parts.store.conversations.record(turn("a", "b", external_id="chat", recall=record))
    redact, threads = sources.read_quotation, set[int]()

    def noted(*arguments: Any) -> sources.Readable:
        threads.add(threading.get_ident())
        return redact(*arguments)

    monkeypatch.setattr(sources, "read_quotation", noted)
    assert len(await traced(engine)) == len(quotations)
    assert threads
    assert threading.get_ident() not in threads
