"""A conversation as a tree: branches, the active path and what messages left; by library and over a connection."""

import pytest

from append_only import ScriptedChat
from sample_chats import user
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce
from toldonce.errors import UnknownConversationError
from toldonce.types import MemoryKind, MemoryState, RequestScope


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_an_edit_leaves_the_active_path_and_its_memories(engine: AsyncToldOnce) -> None:
    chat = ScriptedChat(engine)
    await chat.ask("I live in Oslo.", "Nice.")
    await chat.ask("My cat is called Tofu.", "Lovely.")
    await engine.form()
    chat.messages = chat.messages[:2]
    await chat.ask("My dog is called Rex.", "Good dog.")
    await engine.form()
    tree = await engine.conversations.tree("chat", user="ana")
    shape = [(each.message.seq, each.message.parent_seq, each.active) for each in tree]
    assert shape == [(1, 0, True), (2, 1, True), (3, 2, False), (4, 3, False), (5, 2, True), (6, 5, True)]
    oslo, *_ = tree
    known = {memory.id: memory for memory in await engine.list(user="ana", closed=True)}
    assert {known[left.id].text for left in oslo.memories} >= {'The user said: "I live in Oslo."'}
    assert {left.state for left in tree[2].memories} <= {MemoryState.CLOSED}
    assert tree[4].memories
    assert not any(left.kind is MemoryKind.TURN for each in tree for left in each.memories)
    rest = await engine.conversations.tree("chat", user="ana", after_seq=2, limit=2)
    assert rest == tree[2:4]


async def test_memories_of_a_session_are_named_with_their_subject(engine: AsyncToldOnce) -> None:
    scope = RequestScope(profile="session")
    await engine.conversations.open("s1", user="ana", scope=scope)
    await engine.record([user("I prefer tea over coffee.")], user="ana", conversation="s1", scope=scope)
    await engine.conversations.save("s1", user="ana", scope=scope)
    await engine.form()
    [only] = await engine.conversations.tree("s1", user="ana")
    assert {left.subject.text for left in only.memories} == {"session:ana/s1"}


async def test_an_erased_message_has_no_words_and_left_nothing(engine: AsyncToldOnce) -> None:
    await engine.record([user("I live in Oslo.")], user="ana", conversation="c1")
    await engine.form()
    known = await engine.conversations.get("c1", user="ana")
    await engine.erasure.messages(known.id, [1], user="ana")
    [only] = await engine.conversations.tree("c1", user="ana")
    assert (only.message.erased, only.message.text, only.memories) == (True, "", ())


async def test_an_unknown_conversation_has_no_tree(engine: AsyncToldOnce) -> None:
    with pytest.raises(UnknownConversationError):
        await engine.conversations.tree("nothing", user="ana")
