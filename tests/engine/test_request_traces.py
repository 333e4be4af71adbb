"""Requests in full, and lists of them: through the library and over a connection."""

from dataclasses import replace

import pytest

from append_only import ScriptedChat
from sample_chats import tell, written
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import UnknownConversationError, UnknownTraceError
from toldonce.testing import FakeClock
from toldonce.types import BlockState, Destination, Identity, RequestScope, Subject

ANA, TEAM = Subject("user", "ana"), Subject("shared", "team-x")
TO = Destination(upstream="api.example", model="m", client="chat")


def chat_of(engine: AsyncToldOnce, who: str = "ana", chat: str = "chat") -> ScriptedChat:
    scope = RequestScope(destination=TO)
    return ScriptedChat(engine, Identity(subject=Subject("user", who), conversation=chat, scope=scope))


async def test_a_request_in_full_has_the_text_as_the_model_saw_it(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Oslo.")
    chat = chat_of(engine)
    first = await chat.ask("Where do I live?", "In Oslo.")
    clock.advance(days=1)
    await tell(engine, "I moved to Bergen.")
    second = await chat.ask("Where do I live now?", "In Bergen.")
    await written(engine)

    newest, oldest = await engine.traces.list(user="ana")
    shown = await engine.traces.get("chat", newest.record.id, user="ana")
    before = await engine.traces.get("chat", oldest.record.id, user="ana")
    assert shown.trace == newest
    assert [memory.id for memory in shown.memories] == [id_ for _, id_, _ in newest.record.items]
    assert shown.added is not None
    assert before.added is not None
    assert shown.added.state is BlockState.KEPT
    assert "Bergen" in shown.added.recalled
    assert shown.previous == before.added
    assert [block.standing or block.recalled for block in shown.replayed] == [before.added.standing]
    assert (before.previous, before.replayed) == (None, ())
    for turn, blocks in ((first, [before.added]), (second, [before.added, shown.added])):
        sent = turn.body.decode()
        for block in blocks:
            for text in filter(None, (block.standing, block.recalled)):
                assert text.strip().splitlines()[1].strip() in sent
    assert newest.record.declared


async def test_a_list_tells_how_memory_was_asked(engine: AsyncToldOnce) -> None:
    await tell(engine, "I live in Oslo.")
    await chat_of(engine).ask("Where do I live?", "In Oslo.")
    await written(engine)
    [found] = await engine.traces.list(user="ana")
    asked = found.record.request
    assert (asked.profile, asked.destination, found.external_id) == ("default", TO, "chat")
    assert ANA in asked.reads
    assert asked.considered is not None
    assert asked.considered >= len(found.record.items) > 0
    assert asked.took_ms is not None
    assert await engine.traces.list_all() == [found]
    assert await engine.traces.list_all(tenant="acme") == []
    assert await engine.traces.list(user="ana", after=found.place) == []
    assert await engine.traces.list(user="ana", before=found.place) == []


async def test_a_request_that_nothing_was_found_for_is_listed(engine: AsyncToldOnce) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    await chat_of(engine).ask("How does photosynthesis work?", "With light.")
    [found] = await engine.traces.list(user="ana")
    assert (found.record.items, found.record.tokens) == ((), 0)
    assert found.record.request.considered == 1
    assert (await engine.admin.subject_statistics(user="ana")).buckets[-1].prompts == 1


async def test_an_answer_asked_for_again_shows_what_its_prompt_had(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Oslo.")
    chat = chat_of(engine)
    await chat.ask("Where do I live?", "In Oslo.")
    chat.messages.pop()
    clock.advance(minutes=1)
    await chat.ask(None, "You live in Oslo.")
    again, first = await engine.traces.list(user="ana")
    shown = [await engine.traces.get("chat", trace.record.id, user="ana") for trace in (again, first)]
    assert again.record.replayed > 0
    assert shown[0].added == shown[1].added is not None


async def test_an_edit_does_not_show_what_another_branch_had(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Oslo.", "My cat is called Tofu.")
    chat = chat_of(engine)
    await chat.ask("Hello, where do I live?", "In Oslo.")
    clock.advance(minutes=1)
    await chat.ask("What is my cat called?", "Tofu.")
    chat.messages = chat.messages[:2]
    clock.advance(minutes=1)
    await chat.ask("What is the name of my cat?", "Tofu.")
    edited, asked, first = await engine.traces.list(user="ana")
    shown = await engine.traces.get("chat", edited.record.id, user="ana")
    other = await engine.traces.get("chat", asked.record.id, user="ana")
    begin = await engine.traces.get("chat", first.record.id, user="ana")
    assert shown.previous == other.previous == begin.added
    assert shown.added is not None
    assert other.added is not None
    assert (shown.added.seq, other.added.seq) == (5, 3)


async def test_an_erased_or_forgotten_text_is_not_shown(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "My anatomy exam is on 12 March.")
    await chat_of(engine).ask("When is my anatomy exam?", "On 12 March.")
    [found] = await engine.traces.list(user="ana")
    clock.advance(days=1)
    await tell(engine, "Please forget that I have an anatomy exam.")
    shown = await engine.traces.get("chat", found.record.id, user="ana")
    assert shown.added is not None
    assert (shown.added.state, shown.added.recalled, shown.added.standing) == (BlockState.ERASED, "", "")
    assert "anatomy" not in str(shown)


async def test_words_of_a_subject_that_is_read_no_longer_are_hidden(engine: AsyncToldOnce) -> None:
    await engine.shared.subscribe("team-x", user="ana")
    await engine.add("The build server is called Zebra.", user=TEAM)
    await chat_of(engine).ask("What is the build server called?", "Zebra.")
    [found] = await engine.traces.list(user="ana")
    assert TEAM in found.record.request.reads
    assert [owner for owner, _, _ in found.record.items] == [TEAM]
    await engine.shared.unsubscribe("team-x", user="ana")
    [found] = await engine.traces.list(user="ana")
    shown = await engine.traces.get("chat", found.record.id, user="ana")
    assert (found.record.items, shown.memories) == ((), ())
    assert shown.added is not None
    assert shown.added.state is BlockState.HIDDEN
    assert "Zebra" not in str(shown)


async def test_other_placements_keep_no_text(engine: AsyncToldOnce) -> None:
    await tell(engine, "I live in Oslo.")
    chat = chat_of(engine)
    chat.identity = replace(chat.identity, scope=RequestScope(profile="app", app="calendar"))
    await engine.add("Meetings are at nine.", user=Subject("app", "ana/calendar"))
    await chat.ask("When are my meetings?", "At nine.")
    for trace in await engine.traces.list(user="ana"):
        shown = await engine.traces.get("chat", trace.record.id, user="ana")
        assert shown.trace.record.request.profile == "app"


async def test_an_unknown_request_is_refused(engine: AsyncToldOnce, parts: Components) -> None:
    await tell(engine, "I live in Oslo.")
    await chat_of(engine).ask("Where do I live?", "In Oslo.")
    [found] = await engine.traces.list(user="ana")
    for chat, trace, user, error in (
        ("chat", "0199f3a2-7c1e-7d3a-9b0e-3f1d5c7a9b21", "ana", UnknownTraceError),
        ("chat", "nothing", "ana", UnknownTraceError),
        ("other", found.record.id, "ana", UnknownConversationError),
        ("chat", found.record.id, "ben", UnknownConversationError),
    ):
        with pytest.raises(error):
            await engine.traces.get(chat, trace, user=user)
