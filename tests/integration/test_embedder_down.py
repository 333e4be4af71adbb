"""With an embeddings API that is down, hangs or answers nonsense, recall uses standing facts, words and dates."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from integration.test_embeddings_api import WORDS, by_words
from integration.test_openai_providers import Reply
from patience import PATIENCE_S
from server.asgi import JSON, Call, ScriptedBackend, chat, whole
from stores import DURABLE, url_of
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce
from toldonce.engine.components import open_components
from toldonce.engine.query_builder import NO_SIMILARITY, PAUSE_S
from toldonce.server.chat_completions import ChatProxy
from toldonce.settings import Settings
from toldonce.testing import NEW_YEAR, FakeClock
from toldonce.types import MemoryKind, RequestScope

POLICY = IdentityPolicy(default_user="ana", trusted=True, jwt_secret=None)
# A busy machine answers in this time while the server is well; in one trouble it is waited for.
RECALL_TIMEOUT_S = 10.0
TROUBLES = ("refuses", "hangs", "500", "503", "401", "nonsense", "other length")
SAID = (
    ("2025-11-03T10:00:00+00:00", "I'm allergic to peanuts. My name is Ana."),
    ("2025-12-24T10:00:00+00:00", "We baked gingerbread with Mira and hung lanterns in the garden."),
    ("2025-12-27T10:00:00+00:00", "My brother Tomas repairs accordions in Trieste."),
)


class Embeddings:
    """A real embeddings server on one port that can be in trouble of several kinds."""

    def __init__(self) -> None:
        self.trouble = ""
        self.asked = 0
        self._runner: web.AppRunner | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def start(self) -> None:
        app = web.Application()
        app.router.add_post("/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
        self._runner = None

    async def fall_into(self, trouble: str) -> None:
        self.trouble = trouble
        if trouble == "refuses":
            await self.stop()

    async def recover(self) -> None:
        self.trouble = ""
        if self._runner is None:
            await self.start()

    async def _handle(self, request: web.Request) -> Reply:
        self.asked += 1
        body: dict[str, Any] = await request.json()
        match self.trouble:
            case "":
                return await by_words(body)
            case "hangs":
                await asyncio.sleep(60)
                return web.Response()
            case "nonsense":
                return web.json_response({"data": "none"})
            case "other length":
                data = [{"index": place, "embedding": [0.5] * 7} for place, _ in enumerate(body["input"])]
                return web.json_response({"data": data})
            case status:
                return web.json_response({"error": {"message": "no"}}, status=int(status))


@pytest.fixture
async def embeddings() -> AsyncIterator[Embeddings]:
    server = Embeddings()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture(params=DURABLE)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def told(kind: str, tmp_path: Path, embeddings: Embeddings, clock: FakeClock) -> AsyncIterator[AsyncToldOnce]:
    """An engine with that embedder, and with memories formed while the embedder worked."""
    settings = Settings(
        database_url=url_of(kind, tmp_path),
        embed_url=embeddings.url,
        embed_model="words",
        embed_dim=WORDS.dim,
        recall_timeout_s=RECALL_TIMEOUT_S,
    )
    async with AsyncToldOnce(await open_components(settings, clock)) as engine:
        for number, (at, text) in enumerate(SAID):
            message, said_at = {"role": "user", "content": text}, datetime.fromisoformat(at)
            await engine.record([message], user="ana", conversation=f"chat-{number}", said_at=said_at)
        await engine.form()
        yield engine


async def asked(engine: AsyncToldOnce, text: str) -> tuple[str, str, float]:
    """Ask through the proxy; return the prompt that went upstream, the header, and how long it took."""
    way = ScriptedBackend([(200, JSON, [whole("Well.")])])
    proxy, call, before = ChatProxy(OPENAI_CHAT, engine, way, POLICY), Call(chat(text)), time.monotonic()
    await asyncio.wait_for(proxy(call.scope(), call.receive(), call.send()), PATIENCE_S)
    took = time.monotonic() - before
    await proxy.close()
    assert call.status == 200
    sent = json.loads(way.asked[0].body)
    return (
        "\n".join(message["content"] for message in sent["messages"]),
        call.answer_headers["x-toldonce-memory"],
        took,
    )


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_without_its_embedder_the_chat_still_gets_facts_words_and_dates(
    told: AsyncToldOnce, embeddings: Embeddings, clock: FakeClock, trouble: str
) -> None:
    prompt, header, _ = await asked(told, "What does my brother Tomas repair?")
    assert "accordions" in prompt
    assert NO_SIMILARITY not in header

    await embeddings.fall_into(trouble)
    prompt, header, took = await asked(told, "What should I cook for the feast?")
    assert "peanuts" in prompt, "a standing fact, whatever is asked"
    assert header.endswith("similarity is left out, the embedder failed")
    assert took < RECALL_TIMEOUT_S, "the chat did not wait as long as for a whole recall"
    prompt, _, _ = await asked(told, "Which town are the accordions in?")
    assert "Trieste" in prompt, "by words"
    prompt, _, _ = await asked(told, "What happened on 24 December 2025?")
    assert "gingerbread" in prompt, "by dates"

    await embeddings.recover()
    clock.advance(seconds=PAUSE_S)
    prompt, header, _ = await asked(told, "What does my brother Tomas repair?")
    assert "accordions" in prompt
    assert NO_SIMILARITY not in header, "it recovered by itself"


async def test_a_hanging_embedder_costs_one_chat_its_time_limit_and_no_more(
    told: AsyncToldOnce, embeddings: Embeddings, clock: FakeClock
) -> None:
    await embeddings.fall_into("hangs")
    before = embeddings.asked
    for _ in range(4):
        _, header, _ = await asked(told, "What does my brother Tomas repair?")
        assert NO_SIMILARITY in header
    assert embeddings.asked - before == 1
    clock.advance(seconds=PAUSE_S)
    await asked(told, "What does my brother Tomas repair?")
    assert embeddings.asked - before == 2, "asked again after the pause, whether it is well"


@pytest.mark.parametrize("trouble", ["refuses", "500", "other length"])
async def test_a_search_says_that_similarity_was_left_out_and_why(
    told: AsyncToldOnce, embeddings: Embeddings, trouble: str
) -> None:
    well = await told.search("accordions", user="ana")
    assert well.warning == ""
    assert well.items[0].similarity > 0
    await embeddings.fall_into(trouble)
    found = await told.search("accordions", user="ana")
    assert "Trieste" in found.items[0].memory.text
    assert found.items[0].similarity == 0
    assert found.items[0].reasons[0].startswith('shares the word "accordions"')
    why = {"refuses": "cannot be reached", "500": "answered 500", "other length": "vector has 7 numbers"}[trouble]
    assert found.warning.startswith(NO_SIMILARITY)
    assert why in found.warning
    context = await told.context("accordions", user="ana")
    assert "Trieste" in context.text
    assert context.warning == found.warning
    past = await told.search("accordions", user="ana", at=NEW_YEAR)
    assert "Trieste" in past.items[0].memory.text
    assert why in past.warning

    await embeddings.recover()
    again = await told.search("accordions", user="ana")
    assert again.warning == "", "a search by hand does not wait for the pause to end"
    assert [item.memory.id for item in again.items][:1] == [item.memory.id for item in well.items][:1]


@pytest.mark.parametrize("profile", ["user", "session", "app", "character"])
async def test_profiles_that_rank_by_similarity_find_by_words_meanwhile(
    told: AsyncToldOnce, embeddings: Embeddings, profile: str
) -> None:
    scenes = {
        "app": RequestScope(profile="app", app="kitchen"),
        "character": RequestScope(profile="character", characters=("Kira", "Marcus")),
    }
    scope = scenes.get(profile, RequestScope(profile=profile))
    message = {"role": "user", "content": "My brother Tomas repairs accordions in Trieste, for a living."}
    await told.record([message], user="ben", conversation="one", scope=scope)
    await told.conversations.save("one", user="ben", scope=scope)
    await told.form()
    memory = await told.conversations.subject(user="ben", conversation="one", scope=scope)
    kinds = (MemoryKind.NOTE, MemoryKind.FACT)
    assert any("accordions" in known.text for known in await told.list(user=memory, kinds=kinds))
    await embeddings.fall_into("500")
    context = await told.context("Who repairs accordions?", user="ben", conversation="one", scope=scope)
    assert "Trieste" in context.text
    assert context.warning.startswith(NO_SIMILARITY)


async def test_what_is_said_meanwhile_is_formed_once_the_embedder_is_back(
    told: AsyncToldOnce, embeddings: Embeddings, clock: FakeClock
) -> None:
    await embeddings.fall_into("503")
    await told.record([{"role": "user", "content": "I live in Ghent now."}], user="ana", conversation="later")
    await told.form()
    await embeddings.recover()
    clock.advance(hours=1)
    await told.form()
    facts = await told.list(user="ana", kinds=[MemoryKind.FACT])
    assert any("Ghent" in fact.text for fact in facts)
