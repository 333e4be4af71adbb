"""A key of one app or user reaches nothing else by a detour: a conversation that fits, an id, a link."""

from collections.abc import AsyncIterator

import pytest

from keyed_server import ANA, KeyedServer, keyed_server
from sample_chats import user
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.messages import log_messages
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError
from toldonce.types import ConversationSetup, RequestScope, Subject, Turn

OTHER = RequestScope(profile="app", app="notes")
PAIR = [user("Good morning, my friend."), {"role": "assistant", "content": "Good morning! How may I help?"}]


@pytest.fixture
async def server(engine: AsyncToldOnce) -> AsyncIterator[KeyedServer]:
    async with keyed_server(engine) as opened:
        yield opened


@pytest.mark.parametrize("messages", [[], [user("That is all.")]], ids=["plain", "with messages"])
@pytest.mark.parametrize("by_id", [False, True], ids=["own id", "our id"])
@pytest.mark.parametrize("verb", ["end", "save"])
async def test_an_apps_key_ends_and_saves_no_other_conversation(
    server: KeyedServer, engine: AsyncToldOnce, verb: str, by_id: bool, messages: list[object]
) -> None:
    for name, scope in (("c0", OTHER), ("c1", RequestScope(profile="user"))):
        recorded = await engine.record([user("Meetings are at nine.")], user=ANA, conversation=name, scope=scope)
        path = f"/conversations/{recorded.conversation if by_id else name}/{verb}"
        body = {"messages": messages} if verb == "end" else None
        answer = await server.ask("app", "POST", path, body, x_toldonce_user="ana")
        assert answer.status_code == 404, answer.text
        kept = await engine.conversations.get(recorded.conversation, user=ANA)
        assert kept.ended_at is None
        assert len(await engine.conversations.messages(kept.id, user=ANA)) == 1
    assert len(await engine.conversations.list(user=ANA)) == 2


@pytest.mark.parametrize("scope", [OTHER, RequestScope(profile="user")], ids=["another app", "no app"])
async def test_an_app_that_repeats_another_conversation_begins_its_own(
    server: KeyedServer, engine: AsyncToldOnce, scope: RequestScope
) -> None:
    """The history that a client sends finds its conversation; for an app's key, only among the app's own."""
    secret = [user("My bird is the heron."), {"role": "assistant", "content": "A fine bird!"}]
    recorded = await engine.record([*PAIR, *secret], user=ANA, scope=scope)
    body = {"model": "toldonce/offline", "messages": [*PAIR, user("I live in Oslo.")]}
    answer = await server.ask("app", "POST", "/v1/chat/completions", body, x_toldonce_user="ana")
    assert answer.status_code == 200, answer.text
    mine = next(chat for chat in await engine.conversations.list(user=ANA) if chat.app == "calendar")
    ended = await server.ask("app", "POST", f"/conversations/{mine.id}/end", x_toldonce_user="ana")
    assert ended.status_code == 202, ended.text
    await engine.form()
    calendar = Subject("app", "ana/calendar", "acme")
    known = [memory.text for memory in await engine.list(user=calendar)]
    assert any("Oslo" in text for text in known)
    assert "heron" not in str(known)
    assert len(await engine.conversations.messages(recorded.conversation, user=ANA)) == 4
    again = {
        "model": "toldonce/offline",
        "messages": [*body["messages"], _answer(answer.json()), user("I like jazz.")],
    }
    await server.ask("app", "POST", "/v1/chat/completions", again, x_toldonce_user="ana")
    assert len(await engine.conversations.list(user=ANA)) == 2  # it goes on with its own


def _answer(body: dict[str, object]) -> dict[str, object]:
    choices = body["choices"]
    assert isinstance(choices, list)
    return {"role": "assistant", "content": choices[0]["message"]["content"]}


async def test_an_app_names_no_conversation_of_another(engine: AsyncToldOnce) -> None:
    """Also if it was opened between the check and the record."""
    await engine.record([user("Meetings are at nine.")], user=ANA, conversation="c0", scope=OTHER)
    turn = await _turn_of(engine)
    with pytest.raises(BadRequestError, match="another app"):
        await engine.turns.record(turn)


async def _turn_of(engine: AsyncToldOnce) -> Turn:
    opening = ConversationSetup(profile="app", app="calendar", options={})
    log = log_messages(
        OPENAI_CHAT.read(b'{"messages": [{"role": "user", "content": "Hi."}]}'), said_at=engine.clock.now()
    )
    return Turn(
        subject=ANA,
        external_id="c0",
        append=True,
        messages=log,
        reply=None,
        said_at=engine.clock.now(),
        opening=opening,
        only_app=True,
    )


@pytest.mark.parametrize(("who", "status"), [("ana", 403), ("app", 403), ("any user", 200), ("tenant admin", 200)])
async def test_only_a_key_of_no_single_user_erases_everywhere(
    server: KeyedServer, engine: AsyncToldOnce, who: str, status: int
) -> None:
    """A memory that was shared with a user is another's, too."""
    bob = Subject("user", "bob", "acme")
    note = await engine.add("The team meets on Tuesday.", user=bob)
    mine = Subject("app", "ana/calendar", "acme") if who == "app" else ANA
    await engine.shared.link(note.id, to=mine, user=bob)
    name = "app:ana%2Fcalendar" if who == "app" else "user:ana"
    path = f"/v1/subjects/{name}/memories/{note.id}"
    answer = await server.ask(who, "DELETE", f"{path}?everywhere=true")
    assert answer.status_code == status, answer.text
    assert len(await engine.list(user=bob)) == (status != 200)
    if status != 200:
        assert (await server.ask(who, "DELETE", path)).status_code == 200
        assert len(await engine.list(user=bob)) == 1
