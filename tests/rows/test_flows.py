"""The flows of the five documents, as a user lives them: a model that fails in every way, two servers, a restart."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from urllib.parse import quote

import httpx
import pytest

from rows.scenes import CALENDAR, KIRA, SESSION, TIERED, USER
from sample_chats import assistant, user
from stores import DURABLE
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import ModelError
from toldonce.providers.protocols import ModelAnswer
from toldonce.server.app import build_app
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import MemoryKind, RequestScope

CHAT = "chats/2026 é #1"
"""A conversation's id as clients send them: with a slash, a blank, a sign and a letter that is not ASCII."""
FAULTS: tuple[object, ...] = (
    ModelError("I'm sorry, I can't help with that."),
    ModelAnswer(data={"memories": []}, usage=None, calls=1, broke_off=True),
    {"poem": "roses are red"},
    ModelError("no answer within 60 s"),
)
"""The model refuses, breaks off, answers nonsense and is late."""


@pytest.fixture(params=DURABLE)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Failing:
    """A model that fails in each way before it answers as the document expects."""

    def __init__(self, answer: Callable[[str, str], object]) -> None:
        self.left = list(FAULTS)
        self.model = ScriptedModel(lambda system, asked: self.left.pop(0) if self.left else answer(system, asked))


class Place:
    """Two servers of one database where the database allows that, else one; both can be started again."""

    def __init__(self, parts: Components, clock: FakeClock, model: ScriptedModel) -> None:
        self.parts, self.clock, self.model = parts, clock, model
        self.servers: list[AsyncToldOnce] = []

    async def start(self) -> None:
        """Open the servers, after closing those that run."""
        await self.close()
        for _ in range(2 if self.parts.settings.database_url.startswith("postgresql") else 1):
            store = await open_store(self.parts.settings.database_url, clock=self.clock)
            self.servers.append(AsyncToldOnce(replace(self.parts, store=store, model=self.model)))

    async def close(self) -> None:
        """Close the servers."""
        while self.servers:
            await self.servers.pop().close()

    def server(self, turn: int = 0) -> AsyncToldOnce:
        """Return the server that a load balancer sends a turn to."""
        return self.servers[turn % len(self.servers)]

    async def form(self) -> None:
        """Let the workers of all servers come round until everything is formed, however often the model fails."""
        for turn in range(3 * len(FAULTS)):
            await self.server(turn).form()
            self.clock.advance(hours=2)

    async def talk(self, scope: RequestScope, said: Mapping[str, str], *, conversation: str = CHAT) -> None:
        """Record turns on the servers in turn, and start them again in the middle."""
        for turn, (told, answered) in enumerate(said.items()):
            self.clock.advance(minutes=1)
            messages = [user(told), assistant(answered)]
            await self.server(turn).record(messages, user="ana", conversation=conversation, scope=scope)
            if turn == len(said) // 2:
                await self.start()

    def client(self, turn: int = 0, **headers: str) -> httpx.AsyncClient:
        """Return Ana's client of a server."""
        transport = httpx.ASGITransport(app=build_app(self.server(turn)))
        return httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers={"x-toldonce-user": "ana", **headers}
        )


@pytest.fixture
async def place(parts: Components, clock: FakeClock) -> AsyncIterator[Callable[[ScriptedModel], Place]]:
    opened: list[Place] = []

    def of(model: ScriptedModel) -> Place:
        opened.append(Place(parts, clock, model))
        return opened[-1]

    await parts.store.close()  # of one file there is one server
    yield of
    for each in opened:
        await each.close()


Places = Callable[[ScriptedModel], Place]


async def test_s_a_session_is_opened_talked_in_restarted_listed_and_emptied(place: Places) -> None:
    tea = {"type": "preference", "content": "Ana drinks green tea.", "importance": 0.9}
    model = Failing(lambda _, asked: [tea] if "green tea" in asked else [])
    here = place(model.model)
    await here.start()
    async with here.client() as api:
        made = await api.post("/api/sessions", json={"id": CHAT})
        assert made.status_code == 201, made.text
    await here.talk(
        SESSION, {"I drink green tea.": "Noted.", "What is a lagoon?": "Shallow water.", "Thanks!": "Sure."}
    )
    await here.form()
    async with here.client(1) as api:
        path = f"/api/sessions/{quote(CHAT, safe='')}/memories"
        [found] = (await api.get(path)).json()
        assert found["memoryContent"] == "Ana drinks green tea."
        shown = await here.server(1).context("Which tea?", user="ana", conversation=CHAT, scope=SESSION)
        assert "green tea" in shown.text
        assert (await api.delete(f"{path}/{found['id']}")).is_success
        assert (await api.get(path)).json() == []
    assert not model.left, "it failed in each way first"


async def test_c_two_characters_remember_across_servers_and_restarts(place: Places) -> None:
    decided = "I decided to leave the lighthouse before the first snow falls in the north."
    record = {"type": "DECISION", "content": decided, "summary": "Kira leaves the lighthouse.", "importance": 0.8}
    model = Failing(lambda _, asked: {"memories": [record] if decided in asked else []})
    here = place(model.model)
    await here.start()
    said = {f"Turn {number}, and nothing else.": "Hm." for number in range(4)} | {"What did you decide?": decided}
    await here.talk(KIRA, said)
    await here.form()
    asked = "Kira decided to leave the lighthouse before the first snow falls?"
    hers = await here.server(1).context(asked, user="ana", conversation=CHAT, scope=KIRA)
    marcus = RequestScope(profile="character", characters=("Marcus", "Kira"))
    his = await here.server().context(asked, user="ana", conversation="other", scope=marcus)
    assert "lighthouse" in hers.text
    assert "lighthouse" not in his.text
    assert not model.left


async def test_a_an_app_gets_one_paragraph_a_conversation_and_a_purge_leaves_nothing(place: Places) -> None:
    paragraph = {"text": "Ana asked for a dentist on 12 May.", "messages": [1, 2], "importance": 7, "tags": []}
    model = Failing(lambda *_: paragraph)
    here = place(model.model)
    await here.start()
    await here.talk(CALENDAR, {"I need a dentist on 12 May.": "It is at nine.", "Fine.": "Good."})
    await here.server(1).conversations.end(CHAT, user="ana", reason="closed", scope=CALENDAR)
    await here.form()
    # A creation that fails is skipped (A3): the next conversation makes a memory once the model answers.
    model.left.clear()
    await here.talk(CALENDAR, {"I need a dentist on 12 May.": "It is at nine.", "Fine.": "Good."}, conversation="b/2")
    await here.server().conversations.end("b/2", user="ana", reason="closed", scope=CALENDAR)
    await here.form()
    async with here.client(1) as api:
        assert "dentist" in (await api.get("/apps/calendar/memories")).text
        purged = (await api.delete("/apps/calendar", params={"purgeMemories": "true"})).json()
        assert purged["success"]
    await here.form()
    assert await here.server().apps.memories("calendar", user="ana") == []


async def test_u_a_users_sentences_are_corrected_and_stay_their_own(place: Places) -> None:
    homes = ("I live in Leeds.", "I live in Bath now, not in Leeds.")

    def answer(_system: str, asked: str) -> object:
        known, _, new = asked.rpartition("Messages:")
        return {
            "memories": [
                {"text": home, "quote": home, "updates": 1 if home == homes[1] and homes[0] in known else None}
                for home in homes
                if f'"{home}"' in new
            ]
        }

    model = Failing(answer)
    here = place(model.model)
    await here.start()
    await here.talk(USER, {homes[0]: "I see.", "What is a lagoon?": "Shallow water."})
    await here.form()
    await here.talk(USER, {homes[1]: "Nice.", "Thanks!": "Sure."})
    await here.form()
    assert [memory.text for memory in await here.server(1).list(user="ana")] == [homes[1]]
    assert await here.server().list(user="ben") == []
    shown = await here.server(1).context("Do I live in Bath?", user="ana", conversation="new", scope=USER)
    assert homes[1] in shown.text
    assert not model.left


async def test_t_a_users_turns_become_episodes_and_facts_across_chats_and_restarts(place: Places) -> None:
    fact = {"category": "identity", "key": "location", "value": "Bergen", "confidence": 1.0, "importance": 0.9}
    fact |= {"message": None, "quote": "I live in Bergen.", "updates": None}

    def answer(system: str, asked: str) -> object:
        if "I live in Bergen." in asked.rpartition("Messages:")[2]:
            return {"memories": [fact]}
        return {"memories": []} if "memories" in system else {"summary": "Ana visited towns."}

    here = place(Failing(answer).model)
    await here.start()
    for chat in range(3):
        said = {f"I visited town number {chat}-{turn}.": f"Noted: {turn}." for turn in range(8)}
        await here.talk(
            TIERED, said | ({"I live in Bergen.": "I see."} if not chat else {}), conversation=f"{CHAT}/{chat}"
        )
        await here.form()
    listed = await here.server(1).list(user="ana", kinds=(MemoryKind.EPISODE,), limit=100)
    ranges = sorted((memory.detail.first_turn, memory.detail.last_turn) for memory in listed)
    window = await here.server().conversations.window(f"{CHAT}/2", user="ana")
    assert ranges == [(1, 10)]
    assert sum(message.role == "user" for message in window) == 25 - 10
    facts = await here.server(1).list(user="ana", kinds=(MemoryKind.FACT,))
    assert ("location", "Bergen") in {(memory.key, memory.value) for memory in facts}
