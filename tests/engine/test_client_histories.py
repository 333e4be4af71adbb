"""What clients with an id for their chat do to its history, and what is known afterwards: ambiguity closes nothing."""

import json
from collections.abc import Mapping, Sequence

import pytest

from sample_chats import assistant, request, slots, user
from stores import DIALECTS
from toldonce.chat.formats.openai_responses import OPENAI_RESPONSES
from toldonce.chat.reply import Reply
from toldonce.engine import AsyncToldOnce
from toldonce.types import Action, Identity, Subject

PEANUTS = "I'm allergic to peanuts."
OSLO = "I live in Oslo and work as a baker."
CATS = "My cat is called Momo."
WALNUTS = "I'm allergic to walnuts."


on_all_stores = pytest.mark.parametrize("kind", DIALECTS)
in_process = pytest.mark.near_only(reason="the engine decides: another test sends such histories over HTTP")


class Client:
    """A client of Open WebUI: an id for its chat, and a filter that decides what of the history is sent."""

    def __init__(self, engine: AsyncToldOnce) -> None:
        self._engine = engine
        self.history: list[Mapping[str, str]] = []

    async def say(self, text: str, *, kept: int = 100) -> None:
        """Say something; so many of the newest messages are sent, this one included."""
        self.history.append(user(text))
        await self.send(self.history[-kept:])

    async def send(self, messages: Sequence[Mapping[str, str]]) -> None:
        answer = f"Noted: {len(self.history)}."
        who = Identity(subject=Subject("user", "ana"), conversation="chat")
        await self._engine.turns.finish(request(*messages), who, Reply(text=answer, complete=True), None)
        self.history = [*self.history, assistant(answer)]
        await self._engine.form()


@pytest.fixture
def client(engine: AsyncToldOnce) -> Client:
    return Client(engine)


async def abandoned(engine: AsyncToldOnce) -> list[str]:
    return [line.text for line in await engine.history.decisions(user="ana") if line.action is Action.ABANDON]


@in_process
@pytest.mark.parametrize("kept", [1, 2, 3, 100])
async def test_a_filter_that_trims_the_history_takes_nothing_back(
    engine: AsyncToldOnce, client: Client, kept: int
) -> None:
    for text in (PEANUTS, OSLO, CATS, WALNUTS, "Yes.", "Yes."):
        await client.say(text, kept=kept)
    known = await slots(engine)
    assert {"peanuts", "walnuts", "Oslo"} <= set(known.values())
    assert await abandoned(engine) == []


@on_all_stores
async def test_a_history_cut_off_in_the_middle_of_a_chat_takes_nothing_back(
    engine: AsyncToldOnce, client: Client
) -> None:
    await client.say(PEANUTS)
    await client.say(CATS)
    await client.say(OSLO, kept=1)
    assert {"peanuts", "Oslo"} <= set((await slots(engine)).values())
    assert await abandoned(engine) == []


@in_process
@pytest.mark.parametrize("role", ["user", "assistant", "system"])
async def test_a_summary_of_the_history_takes_nothing_back(engine: AsyncToldOnce, client: Client, role: str) -> None:
    await client.say(PEANUTS)
    await client.say(CATS)
    await client.send([{"role": role, "content": "Summary of what was said before."}, user(OSLO)])
    assert {"peanuts", "Oslo"} <= set((await slots(engine)).values())
    assert await abandoned(engine) == []


@on_all_stores
@in_process
async def test_the_first_message_edited_takes_its_memories_back(engine: AsyncToldOnce, client: Client) -> None:
    await client.say(PEANUTS)
    await client.say(CATS)
    await client.send([user(WALNUTS)])
    assert "walnuts" in (await slots(engine)).values()
    assert "peanuts" not in (await slots(engine)).values()


@on_all_stores
async def test_a_message_in_the_middle_edited_takes_back_what_followed_it(
    engine: AsyncToldOnce, client: Client
) -> None:
    for text in (OSLO, PEANUTS, CATS):
        await client.say(text)
    await client.send([*client.history[:2], user("What is the weather like?")])
    assert "Oslo" in (await slots(engine)).values()
    assert "peanuts" not in (await slots(engine)).values()


@in_process
@pytest.mark.parametrize("turns", [1, 2, 3])
async def test_answers_asked_for_again_take_nothing_back(engine: AsyncToldOnce, client: Client, turns: int) -> None:
    for text in (PEANUTS, OSLO, CATS):
        await client.say(text)
    for _ in range(2):
        await client.send(client.history[: 2 * turns - 1])
    assert {"peanuts", "Oslo"} <= set((await slots(engine)).values())
    assert await abandoned(engine) == []


@in_process
@pytest.mark.parametrize("chat", [None, "chat"])
async def test_answers_sent_back_as_references_go_on_with_their_chat(engine: AsyncToldOnce, chat: str | None) -> None:
    who = Identity(subject=Subject("user", "ana"), conversation=chat)
    items: list[Mapping[str, str]] = []
    turns = []
    for number, text in enumerate((PEANUTS, OSLO, CATS)):
        items.append(user(text))
        body = OPENAI_RESPONSES.read(json.dumps({"input": items}).encode())
        said = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": f"Noted: {number}."}
        answer = OPENAI_RESPONSES.read_answer(json.dumps({"id": f"resp_{number}", "output": [said]}).encode())
        assert answer is not None
        turns.append(await engine.turns.finish(body, who, answer, None))
        items.append({"type": "item_reference", "id": f"msg_{number}"})
    assert [turn.appended for turn in turns if turn] == [(1, 2), (3, 4), (5, 6)]
    assert len({turn.conversation for turn in turns if turn}) == 1
