"""U: memories behind an OpenAI-compatible API."""

import asyncio
import base64
import json
import logging
from dataclasses import replace

import httpx
import numpy as np
import pytest

from patience import PATIENCE_S
from rows.plain import BESIDE, PLAIN, UPDATES
from rows.precomputed_embeddings import FiledEmbedder, made
from rows.scenes import USER
from sample_chats import asks, assistant, request, user
from server.asgi import DONE, EVENTS, JSON, Call, ScriptedBackend, chat, event, whole
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import UnknownConversationError, UnknownMemoryError
from toldonce.providers.static_embedder import StaticEmbedder
from toldonce.server.app import build_app
from toldonce.server.chat_completions import ChatProxy
from toldonce.testing import FakeClock, ScriptedModel, WordEmbedder
from toldonce.types import Action, MemoryKind, Subject

NOBODY = IdentityPolicy(default_user="", trusted=True, jwt_secret=None)
# Plain questions that find their sentence, of those in `PLAIN`.
FOUND = 24
# Updates that a prompt shows before what they change, of those in `UPDATES` whose older statement it shows.
NEWER_FIRST = 11
OF_USER = {"x-toldonce-profile": "user"}
ANA = {**OF_USER, "x-openwebui-user-id": "ana"}


async def passed(engine: AsyncToldOnce, call: Call, *parts: bytes, stream: bool = False) -> ScriptedBackend:
    """Serve one call with an upstream that answers so; return what upstream was asked."""
    way = ScriptedBackend([(200, EVENTS if stream else JSON, parts)])
    proxy = ChatProxy(OPENAI_CHAT, engine, way, NOBODY)
    await proxy(call.scope(), call.receive(), call.send())
    await proxy.close()
    return way


async def test_u1_without_the_users_header_nothing_is_read_and_nothing_formed(engine: AsyncToldOnce) -> None:
    said = "I like strong coffee in the morning."
    await passed(engine, Call(chat(said), ANA), whole("Noted."))
    await engine.form()
    assert [memory.text for memory in await engine.list(user="ana")] != []
    asked = Call(chat("I like strong coffee in the morning, don't I?"), OF_USER)
    way = await passed(engine, asked, whole("I cannot know."))
    assert way.asked[0].body == asked.body
    assert asked.answer_headers["x-toldonce-memory"] == "anonymous"
    assert [subject.text for subject in await engine.admin.subjects()] == ["user:ana"]
    assert await engine.form() == 0
    again = Call(chat("The user likes strong coffee in the morning?"), ANA)
    way = await passed(engine, again, whole("You do."))
    assert b"I like strong coffee in the morning." in way.asked[0].body


async def test_u3_chunks_leave_as_they_come_and_formation_runs_behind_the_record(engine: AsyncToldOnce) -> None:
    halfway = asyncio.Event()
    call = Call(chat("I like strong coffee in the morning.", stream=True), ANA)
    way = ScriptedBackend([(200, EVENTS, [event("No"), halfway, event("ted."), event("", "stop"), DONE])])
    proxy = ChatProxy(OPENAI_CHAT, engine, way, NOBODY)
    serving = asyncio.create_task(proxy(call.scope(), call.receive(), call.send()))
    await asyncio.wait_for(call.first_chunk.wait(), PATIENCE_S)
    assert b"No" in b"".join(call.chunks), "it is read while the rest is still being made"
    assert await engine.conversations.list(user="ana") == []
    assert await engine.admin.formations() == []
    halfway.set()
    await serving
    await proxy.close()
    assert call.text.endswith("data: [DONE]\n\n")
    assert len(await engine.admin.formations()) == 1, "the work was committed with the record, before [DONE]"
    assert await engine.list(user="ana") == []
    await engine.form()
    assert len(await engine.list(user="ana")) == 1


async def test_u4_u5_sentences_that_stand_alone_are_added_or_ignored(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for said in ("I like coffee.", "I like coffee.", "I don't like coffee.", "How is the weather?"):
        await engine.record([user(said), assistant("I live in Lima.")], user="ana", scope=USER)
        await engine.form()
        clock.advance(days=1)
    assert [memory.text for memory in await engine.list(user="ana")] == [
        'The user said: "I don\'t like coffee."',
        'The user said: "I like coffee."',
    ]
    decided = [(line.action, line.target_id is not None) for line in await engine.history.decisions(user="ana")]
    assert decided == [(Action.ADD, False), (Action.IGNORE, True), (Action.ADD, False)]


async def test_u5_what_a_model_corrects_takes_the_place_of_what_was_said(parts: Components, clock: FakeClock) -> None:
    said = ("I like coffee.", "I don't like coffee.")

    def note(system: str, asked: str) -> object:
        known, _, shown = asked.rpartition("\nMessages:\n")
        [text] = [each for each in said if f'"{each}"' in shown]
        updates = 1 if said[0] in known else None
        return {"memories": [{"text": text, "quote": text, "message": 1, "repeats": None, "updates": updates}]}

    engine = AsyncToldOnce(replace(parts, model=ScriptedModel(note)))
    for text in said:
        await engine.record([user(text), assistant("Noted.")], user="ana", scope=USER)
        await engine.form()
        clock.advance(days=1)
    assert [memory.text for memory in await engine.list(user="ana")] == [said[1]]
    decided = [line.action for line in await engine.history.decisions(user="ana")]
    assert decided == [Action.ADD, Action.REPLACE]


async def test_u7_parallel_requests_make_no_duplicates_and_old_ones_replace_none(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await asyncio.gather(
        *(engine.record([user("I like coffee.")], user="ana", conversation=f"c{n}", scope=USER) for n in range(8))
    )
    await asyncio.gather(engine.form(), engine.form())
    [coffee] = await engine.list(user="ana")
    late = clock.now().replace(year=2025)
    await engine.record([user("I don't like coffee.")], user="ana", conversation="old", said_at=late, scope=USER)
    await engine.form()
    assert coffee in await engine.list(user="ana")


@pytest.mark.parametrize("stream", [False, True])
async def test_u9_the_answer_carries_the_memories_that_were_used(engine: AsyncToldOnce, stream: bool) -> None:
    known = await engine.add("The user likes strong coffee in the morning.", user="ana", profile="user")
    call = Call(chat("The user likes strong coffee in the morning?", stream=stream), ANA)
    answer = [event("Yes."), event("", "stop"), DONE] if stream else [whole("Yes.")]
    await passed(engine, call, *answer, stream=stream)
    first = next(line for line in call.text.splitlines() if line.strip()) if stream else call.text
    [memory] = json.loads(first.removeprefix("data: "))["memories"]
    assert (memory["id"], memory["text"]) == (known.id, known.text)


async def test_u14_vectors_of_another_model_are_told_from_the_stored_ones(
    parts: Components, engine: AsyncToldOnce
) -> None:
    await engine.add("The user plays the cello.", user="ana")
    [own] = (await parts.embedder.embed(["The user plays the cello."])).tolist()
    other = AsyncToldOnce(replace(parts, embedder=WordEmbedder(384)))
    await other.add("The user keeps bees.", user="ana")
    for opened, length in ((engine, 256), (other, 384)):
        near = await opened.vectors.nearest(query="cello bees", user="ana")
        assert len(near) == 1, f"vectors of {length} numbers are compared with their like alone"
    assert (await engine.vectors.nearest(vector=own, user="ana"))[0].similarity == pytest.approx(1, abs=1e-5)


# ---- U15, with embeddings computed beforehand


@pytest.fixture
async def filed(parts: Components) -> AsyncToldOnce:
    """Ana and Ben, who told of themselves; whatever is embedded is in the file."""
    engine = AsyncToldOnce(replace(parts, embedder=FiledEmbedder()))
    for who, said in (
        ("ana", ("I play the cello in a quartet.", "My sister Mia is a nurse in Bergen.")),
        ("ben", ("I own a sailing boat called Wave.", "My brother Ole collects stamps from Peru.")),
    ):
        for text in said:
            await engine.record([user(text)], user=who, conversation=f"{who}'s", scope=USER)
        await engine.form()
    return engine


async def test_u15_the_filed_embeddings_are_those_of_the_built_in_embedder() -> None:
    fresh = await made()
    vectors = fresh["vectors"]
    assert isinstance(vectors, dict)
    embedder = FiledEmbedder()
    assert (fresh["space"], fresh["dim"]) == (embedder.space, embedder.dim)
    for text, packed in vectors.items():
        row = np.frombuffer(base64.b64decode(packed), dtype="<f2").astype(np.float32)
        assert (await embedder.embed([text]))[0] @ row == pytest.approx(1, abs=1e-2)


async def test_u15_one_user_sees_their_memories_only_at_every_layer(filed: AsyncToldOnce) -> None:
    ana, ben = await filed.list(user="ana"), await filed.list(user="ben")
    assert len(ana) == len(ben) == 2
    for question in ("Do I play the cello in a quartet?", "Which boat do I own?", "Who collects stamps from Peru?"):
        for who, mine in (("ana", ana), ("ben", ben), ("cleo", [])):
            allowed = {memory.id for memory in mine}
            assert {item.memory.id for item in (await filed.search(question, user=who)).items} <= allowed
            assert {item.memory.id for item in await filed.vectors.nearest(query=question, user=who)} == allowed
            prompt = await filed.turns.prepare(request(user(question)), asks(who, scope=USER))
            assert {item.memory.id for item in prompt.items} <= allowed
    for foreign in ben:
        with pytest.raises(UnknownMemoryError):
            await filed.get(foreign.id, user="ana")
        with pytest.raises(UnknownMemoryError):
            await filed.history.get(foreign.id, user="ana")
    with pytest.raises(UnknownConversationError):
        await filed.conversations.get("ben's", user="ana")
    said = " ".join(line.text for line in await filed.history.decisions(user="ana"))
    assert "stamps" not in said
    assert "cello" in said
    assert (await filed.admin.subject_totals(user="cleo")).memories == 0


async def test_u15_over_http_no_route_shows_another_users_memories(filed: AsyncToldOnce) -> None:
    transport = httpx.ASGITransport(app=build_app(filed))
    headers = {"x-toldonce-user": "ana", "x-toldonce-profile": "user"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        nearest = await client.post("/v1/vectors/query", json={"query": "Who collects stamps from Peru?"})
        assert {match["metadata"]["content"] for match in nearest.json()["matches"]} == {
            memory.text for memory in await filed.list(user="ana", kinds=(MemoryKind.NOTE,))
        }
        refused = await client.post(
            "/v1/vectors/query", json={"query": "Who collects stamps from Peru?", "userId": "ben"}
        )
        assert refused.status_code == 403
        body = {"model": "m", "messages": [user("Who collects stamps from Peru?")]}
        answer = await client.post("/v1/chat/completions", json=body)
        mine = (await client.get("/api/memory/stats")).json()
    assert mine["memory_total_count"] == 2
    for text in (nearest.text, answer.text, refused.text):
        assert "Ole" not in text


async def test_u2_what_is_near_by_the_calibrated_score_goes_into_the_system_prompt(filed: AsyncToldOnce) -> None:
    asked = request({"role": "system", "content": "Be brief."}, user("Do I play the cello in a quartet?"))
    prepared = await filed.turns.prepare(asked, asks("ana", scope=USER))
    [system, last] = json.loads(prepared.body)["messages"]
    assert "I play the cello in a quartet" in system["content"]
    assert "nurse" not in system["content"], "what is far stays out"
    assert last == user("Do I play the cello in a quartet?")


# ---- out of the box: the shipped embedder, no model


@pytest.fixture
def shipped(parts: Components) -> AsyncToldOnce:
    return AsyncToldOnce(replace(parts, embedder=StaticEmbedder()))


async def told(engine: AsyncToldOnce, *said: str) -> list[str]:
    """Tell the engine each sentence in a conversation of its own; return what it remembers."""
    for text in said:
        await engine.record([user(text), assistant("Noted.")], user="ana", conversation=text, scope=USER)
        await engine.form()
    return [memory.text for memory in await engine.list(user="ana", kinds=(MemoryKind.NOTE,))]


async def test_u2_with_the_shipped_embedder_plain_questions_find_what_answers_them(
    shipped: AsyncToldOnce, clock: FakeClock
) -> None:
    kept = {}
    for said, question in PLAIN:
        before = {memory.id for memory in await shipped.list(user="ana")}
        await told(shipped, said)
        kept[question] = {memory.id for memory in await shipped.list(user="ana")} - before
        clock.advance(hours=3)
    found, others = 0, 0
    for question, wanted in kept.items():
        context = await shipped.context(question, user="ana", scope=USER)
        shown = {item.memory.id for item in context.items}
        found += bool(shown & wanted)
        others += len(shown - wanted)
    assert found >= FOUND, f"{found} of {len(PLAIN)}"
    assert others <= 3 * len(PLAIN), "what is far stays out"


async def test_u5_without_a_model_both_stay_and_the_newer_one_stands_first(
    shipped: AsyncToldOnce, clock: FakeClock
) -> None:
    kept, first, shown = 0, 0, 0
    for number, (before, after) in enumerate((*BESIDE, *UPDATES)):
        name = f"ana{number}"
        for text in (before, after):
            held = {memory.id for memory in await shipped.list(user=name)}
            await shipped.record([user(text), assistant("Noted.")], user=name, conversation=text, scope=USER)
            await shipped.form()
            clock.advance(hours=3)
        kept += held <= {memory.id for memory in await shipped.list(user=name)}
        prompt = (await shipped.context(f"Is it so? {before}", user=name, scope=USER)).text
        if number >= len(BESIDE) and before in prompt:
            shown += 1
            first += -1 < prompt.find(after) < prompt.find(before)
    assert kept == len(BESIDE) + len(UPDATES), "nothing is closed by reading"
    assert first >= NEWER_FIRST, f"{first} of {shown}"


async def test_u2_a_question_on_the_world_gets_little_of_the_users_life(shipped: AsyncToldOnce) -> None:
    await told(shipped, *(said for said, _ in PLAIN))
    shown = 0
    for question in ("What is the capital of Mongolia?", "Who won the cup in 1998?", "Explain photosynthesis."):
        shown += len((await shipped.context(question, user="ana", scope=USER)).items)
    assert shown <= 6


async def test_u11_a_run_that_decides_nothing_logs_a_line_with_the_message_length(
    engine: AsyncToldOnce, caplog: pytest.LogCaptureFixture
) -> None:
    said = "How is the weather over there?"
    with caplog.at_level(logging.INFO, logger="toldonce"):
        await engine.record([user(said), assistant("I cannot see it from here.")], user="ana", scope=USER)
        await engine.form()
    [line] = [vars(record) for record in caplog.records if record.message == "memory_decision"]
    assert (line["user_id"], line["input_message_length"]) == (Subject("user", "ana").key, len(said))
    assert (line["extracted_count"], line["decisions"]) == (0, [])


NOTHING = (
    *("hi", "Hello there!", "Thanks a lot!", "ok great", "bonjour", "Guten Morgen!", "¡Hola!"),
    *("你好", "こんにちは", "привет"),
)


async def test_u2_what_is_near_to_nothing_gets_nothing(shipped: AsyncToldOnce) -> None:
    await told(shipped, "The rate limit of our API is 100 requests a minute.", *(said for said, _ in PLAIN))
    for said in NOTHING:
        asked = Call(chat(said), ANA)
        way = await passed(shipped, asked, whole("Hello."))
        assert json.loads(way.asked[0].body)["messages"] == [user(said)]
        assert json.loads(asked.text)["memories"] == []
