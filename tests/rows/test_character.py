"""C: two characters who remember each other."""

import json
from collections.abc import MutableMapping
from typing import Any

import httpx
import pytest

from rows.scenes import DIMS, KIRA, LIGHTHOUSE, story
from sample_chats import assistant, request, user, with_model
from server.asgi import DONE, EVENTS, JSON, Call, ScriptedBackend, broken, chat, event, whole
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce, Components
from toldonce.providers.model_output import read_json_answer
from toldonce.server.chat_completions import ChatProxy
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Identity, RequestScope, Subject

POLICY = IdentityPolicy(default_user="ana", trusted=True, jwt_secret=None)
CHARACTERS = {"x-toldonce-profile": "character", "x-toldonce-characters": "system=Kira; user=Marcus"}
ANA = Subject("user", "ana")
MARCUS = RequestScope(profile="character", characters=("Marcus", "Kira"))
TO_EVE = RequestScope(profile="character", characters=("Kira", "Eve"))
FOUND = "I learned that a silver key lies under the mossy stone number {} of the yard."


async def told(engine: AsyncToldOnce) -> Subject:
    """Let Kira and Marcus talk for five turns; return what Kira knows."""
    await engine.record(story(KIRA), user="ana", conversation="c", scope=KIRA)
    await engine.form()
    return await engine.conversations.subject(user="ana", conversation="c", scope=KIRA)


@pytest.mark.parametrize("dim", DIMS)
async def test_c3_what_kira_observed_is_not_marcus_memory(engine: AsyncToldOnce, parts: Components, dim: int) -> None:
    assert parts.embedder.dim == dim
    await told(engine)
    asked = request(user("Kira decided to leave the lighthouse before the first snow falls?"))
    hers = await engine.turns.prepare(asked, Identity(subject=ANA, scope=KIRA, conversation="d"))
    his = await engine.turns.prepare(asked, Identity(subject=ANA, scope=MARCUS, conversation="other"))
    assert [LIGHTHOUSE in item.memory.text for item in hers.items] == [True]
    assert his.items == ()
    to_eve = await engine.turns.prepare(asked, Identity(subject=ANA, scope=TO_EVE, conversation="e"))
    assert [LIGHTHOUSE in item.memory.text for item in to_eve.items] == [True], "it is near, whoever asks Kira"
    bye = await engine.turns.prepare(request(user("Bye!")), Identity(subject=ANA, scope=TO_EVE, conversation="e"))
    assert bye.items == (), "recent ones join for the same pair alone"


async def test_c4_c9_the_weightier_and_nearer_comes_first_in_the_numbered_block(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    kira = await engine.conversations.subject(user="ana", conversation="c", scope=KIRA)
    await engine.add("The old lighthouse is empty.", user=kira, importance=0.2, type="NOTE", profile="character")
    await engine.add("The old lighthouse burned.", user=kira, importance=0.9, type="OUTCOME", profile="character")
    clock.advance(days=3)
    found = await engine.context("The old lighthouse", user="ana", conversation="c", scope=KIRA)
    rows = [line for line in found.text.splitlines() if line[:2] in ("1.", "2.")]
    assert rows == ["1. [OUTCOME, importance=9, 3 days ago]", "2. [NOTE, importance=2, 3 days ago]"]


async def test_c8_a_record_has_text_summary_source_context_conversation_and_tags(
    engine: AsyncToldOnce,
) -> None:
    kira = await told(engine)
    [record] = [memory for memory in await engine.list(user=kira) if LIGHTHOUSE in memory.text]
    conversation = await engine.conversations.get("c", user="ana")
    assert (record.type, record.importance > 0, bool(record.detail.summary)) == ("DECISION", True, True)
    assert record.detail.source_uri == f"toldonce://{conversation.id}/10"
    assert record.detail.source_context.startswith("Marcus and Kira")
    assert record.detail.tags == ("pair:kira+marcus",)
    assert record.evidence[0].conversation == conversation.id


async def test_c11_extraction_waits_until_the_stream_is_complete(engine: AsyncToldOnce) -> None:
    formed: list[int] = []
    call = Call(chat("I live in Oslo and I keep bees.", stream=True))
    send = call.send()

    async def watching(message: MutableMapping[str, Any]) -> None:
        if not call.text.endswith("[DONE]\n\n"):
            formed.append(await engine.form())
        await send(message)

    way = ScriptedBackend([(200, EVENTS, [event("No"), event("ted."), event("", "stop"), DONE])])
    proxy = ChatProxy(OPENAI_CHAT, engine, way, POLICY)
    await proxy(call.scope(), call.receive(), watching)
    await proxy.close()
    assert len(formed) > 3
    assert sum(formed[:3]) == 0, "nothing is due while the answer streams"
    await engine.form()
    assert "Oslo" in {fact.value for fact in await engine.list(user="ana")}


async def test_c11_an_answer_that_broke_off_is_recorded_as_it_came(engine: AsyncToldOnce) -> None:
    way = ScriptedBackend([(200, EVENTS, [event("No"), broken()])])
    proxy = ChatProxy(OPENAI_CHAT, engine, way, POLICY)
    call = Call(chat("I live in Oslo and I keep bees.", stream=True))
    await proxy(call.scope(), call.receive(), call.send())
    await proxy.close()
    [conversation] = await engine.conversations.list(user="ana")
    said = await engine.conversations.messages(conversation.id, user="ana")
    assert [(message.text, message.complete) for message in said] == [
        ("I live in Oslo and I keep bees.", True),
        ("No", False),
    ]
    await engine.form()
    assert "Oslo" in {fact.value for fact in await engine.list(user="ana")}


async def test_c12_what_is_remembered_is_found_by_meaning_by_tag_and_by_conversation(engine: AsyncToldOnce) -> None:
    kira = await told(engine)
    await engine.record(
        [message for n in range(5) for message in (user(FOUND.format(n)), assistant("Hm."))],
        user="ana",
        conversation="d",
        scope=TO_EVE,
    )
    await engine.form()
    near = await engine.search("leave the lighthouse before the snow", user=kira, profile="character")
    assert LIGHTHOUSE in near.items[0].memory.text
    for tag, conversation, word in (("pair:kira+marcus", "c", "lighthouse"), ("pair:kira+eve", "d", "silver key")):
        scope = KIRA if conversation == "c" else TO_EVE
        tagged = await engine.list(user=kira, tag=tag)
        left = await engine.conversations.memories(conversation, user="ana", scope=scope)
        assert tagged == left != []
        assert all(word in memory.text for memory in left)
    assert await engine.conversations.memories("c", user="ana", scope=KIRA, limit=1) == await engine.list(
        user=kira, tag="pair:kira+marcus", limit=1
    )


async def test_c12_memories_come_as_a_context_block_of_the_model_context_protocol(engine: AsyncToldOnce) -> None:
    await told(engine)
    found = await engine.context("The lighthouse, leave before the snow?", user="ana", conversation="c", scope=KIRA)
    [block] = found.as_mcp()
    resource = json.loads(json.dumps(block))["resource"]
    assert (block["type"], resource["mimeType"], resource["text"]) == ("resource", "text/plain", found.text)
    assert "lighthouse" in resource["text"]
    nothing = await engine.context("Hello?", user="ben", conversation="c", scope=KIRA)
    assert nothing.as_mcp() == ()


@pytest.mark.parametrize(
    "wrapped", ["{}", "```json\n{}\n```", "Here you are: {} I hope it helps."], ids=["plain", "fence", "talk"]
)
async def test_c12_what_a_model_returns_is_read_however_it_is_wrapped(parts: Components, wrapped: str) -> None:
    item = {"type": "OUTCOME", "content": "The lighthouse burned down.", "importance": 0.9, "summary": "It burned."}
    text = wrapped.replace("{}", json.dumps([item]))
    answer = read_json_answer(text, lambda value: isinstance(value, list))
    engine = with_model(parts, ScriptedModel([answer]))
    turns = [user(f"We talk of the weather, {n}.") for n in range(4)]
    await engine.record([*turns, user("The lighthouse burned down.")], user="ana", conversation="c", scope=KIRA)
    await engine.form()
    kira = await engine.conversations.subject(user="ana", conversation="c", scope=KIRA)
    assert {(memory.type, memory.detail.summary) for memory in await engine.list(user=kira)} == {
        ("OUTCOME", "It burned.")
    }


async def test_c1_characters_are_named_by_a_header_and_settings_by_their_names(
    engine: AsyncToldOnce, api: httpx.AsyncClient
) -> None:
    for n in range(5):
        body = {"model": "m", "messages": [user(FOUND.format(n))]}
        headers = {**CHARACTERS, "x-toldonce-session": "c"}
        answer = await api.post("/v1/chat/completions", json=body, headers=headers)
        assert answer.status_code == 200
    await engine.form()
    kira = await engine.conversations.subject(user="ana", conversation="c", scope=KIRA)
    assert len(await engine.list(user=kira)) >= 5
    off = await api.post(
        "/api/sessions",
        json={
            "id": "off",
            "profile": "character",
            "settings": {"systemCharacter": "Kira", "userCharacter": "Marcus", "useMemory": False},
        },
    )
    assert off.status_code == 201
    scope = await engine.turns.memory_scope(ANA, RequestScope(), "off")
    assert scope.writes is None


# ---- what did not hold


@pytest.mark.parametrize("mode", ["context_message", "user_prefix"])
async def test_c1_the_settings_of_a_conversation_that_is_there_change(
    engine: AsyncToldOnce, api: httpx.AsyncClient, mode: str
) -> None:
    names = {"systemCharacter": "Kira", "userCharacter": "Marcus"}
    opened = {"id": "c", "profile": "character", "settings": {**names, "useMemory": False, "maxMemoryContext": 3}}
    assert (await api.post("/api/sessions", json=opened)).status_code == 201
    assert (await engine.turns.memory_scope(ANA, RequestScope(), "c")).writes is None

    more = {"id": "c", "settings": {"useMemory": True, "memoryInjectionMode": mode}, "profile": "character"}
    changed = await api.post("/api/sessions", json=more)
    assert changed.status_code == 201
    wanted = {**names, "useMemory": True, "maxMemoryContext": 3, "memoryInjectionMode": mode}
    assert changed.json()["settings"] == (await api.get("/api/sessions/c")).json()["settings"] == wanted
    scope = await engine.turns.memory_scope(ANA, RequestScope(), "c")
    assert scope.writes == Subject("character", "ana/kira")
    assert (scope.profile.context.place, scope.profile.recall.limit) == (mode, 3)


async def test_c1_another_profile_for_a_conversation_that_is_there_is_a_conflict(api: httpx.AsyncClient) -> None:
    names = {"systemCharacter": "Kira", "userCharacter": "Marcus"}
    assert (await api.post("/api/sessions", json={"id": "c", "profile": "character", "settings": names})).is_success
    other = await api.post("/api/sessions", json={"id": "c", "profile": "session", "settings": {"context-limit": 3}})
    assert other.status_code == 409
    assert other.json()["error"]["param"] == "profile"
    assert (await api.get("/api/sessions/c")).json()["settings"] == names
    again = await api.post("/api/sessions", json={"id": "c"})
    assert (again.status_code, again.json()["settings"]) == (201, names)


GREETINGS = (
    "Good morning to you, dear Marcus, and welcome back to our little village by the sea!",
    "Greetings, traveler! I am so very glad that you have come to visit us today.",
    "Well met, stranger! May the sun shine upon your path and the wind be at your back.",
    "Thank you so much for coming by today, it was really great to see you again!",
    "See you tomorrow then, sleep well and have sweet dreams, my dear Marcus!",
    "Hi! I'm doing great, thanks for asking! And how about you, how have you been?",
    "Happy birthday, Kira! I wish you all the best and a wonderful year ahead!",
)
STATEMENTS = (
    "Hello Marcus, the old bridge collapsed last night and nobody could cross the river.",
    "Thank you for saving my brother from the flood that took the lower village.",
    "It was lovely to see you dance at the wedding of my sister Mira in Ghent.",
    "My dear old friend Ben died in March and left me his cottage by the lake.",
    "Great trip to Rome with my brother, where we ate figs on the Spanish steps.",
)


async def test_c7_greetings_of_any_length_are_never_worth_a_record(engine: AsyncToldOnce) -> None:
    said = [*GREETINGS, *STATEMENTS]
    turns = [message for text in said for message in (user("Go on."), assistant(text))]
    await engine.record(turns, user="ana", conversation="c", scope=KIRA)
    await engine.conversations.save("c", user="ana", scope=KIRA)
    await engine.form()
    kira = await engine.conversations.subject(user="ana", conversation="c", scope=KIRA)
    kept = [memory.text for memory in await engine.list(user=kira)]
    assert [text for text in GREETINGS if any(text in kept_text for kept_text in kept)] == []
    assert [text for text in STATEMENTS if not any(text in kept_text for kept_text in kept)] == []


async def test_c9_the_tags_stay_with_a_prefix_of_ones_own_and_the_age_is_in_weeks(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    settings = {"useMemory": True, "memoryContextPrefix": "Kira remembers:", "memoryContextSuffix": "That is all."}
    await engine.conversations.open("c", user="ana", scope=KIRA, options=settings)
    kira = await engine.conversations.subject(user="ana", conversation="c", scope=KIRA)
    await engine.add("The old lighthouse burned.", user=kira, importance=0.9, type="OUTCOME", profile="character")
    clock.advance(days=23)
    found = await engine.context("The old lighthouse burned.", user="ana", conversation="c", scope=KIRA)
    lines = [line for line in found.text.splitlines() if "toldonce-memory" not in line]
    assert lines[:3] == ["Kira remembers:", "<memories>", "1. [OUTCOME, importance=9, 3 weeks ago]"]
    assert lines[-2:] == ["</memories>", "That is all."]


async def test_c10_consolidation_never_merges_distinct_records(engine: AsyncToldOnce, clock: FakeClock) -> None:
    said = [
        "I decided to paint the old barn red with the miller before the winter comes.",
        "I decided to paint the old barn red with the miller's son before the winter comes.",
        "I decided to paint the old mill blue with the baker before the winter comes.",
        "I decided to paint the old mill blue with the baker before the summer comes.",
    ]
    for number, text in enumerate(said):
        clock.advance(hours=1)
        await engine.record([user("Go on."), assistant(text)], user="ana", conversation=f"c{number}", scope=KIRA)
        await engine.conversations.save(f"c{number}", user="ana", scope=KIRA)
        await engine.form()
    kira = await engine.conversations.subject(user="ana", conversation="c0", scope=KIRA)
    before = {memory.id for memory in await engine.list(user=kira)}
    assert len(before) == len(said)
    await engine.admin.maintain(user=kira)
    assert {memory.id for memory in await engine.list(user=kira)} == before


async def test_c12_a_characters_memories_are_listed_over_http_under_its_subject(
    engine: AsyncToldOnce, api: httpx.AsyncClient
) -> None:
    kira = await told(engine)
    answer = await api.get("/api/characters/Kira/memories")
    assert (answer.status_code, answer.json()["subject"]) == (200, "character:ana/kira")
    assert kira == Subject("character", "ana/kira")
    [record] = answer.json()["memories"]
    assert LIGHTHOUSE in record["content"]
    assert (record["memoryType"], 1 <= record["importance"] <= 10) == ("DECISION", True)
    assert record["tags"] == ["pair:kira+marcus"]
    assert record["conversationId"] == (await engine.conversations.get("c", user="ana")).id
    assert (await api.get("/api/characters/Kira/memories?tag=pair:kira%2Beve")).json()["memories"] == []
    assert (await api.get("/api/characters/Marcus/memories")).json()["memories"] == []
    others = await api.get("/api/characters/Kira/memories", headers={"x-toldonce-user": "ben"})
    assert others.json()["memories"] == [], "Ben's Kira is another one"


async def test_c1_settings_change_without_naming_the_profile_again(
    engine: AsyncToldOnce, api: httpx.AsyncClient
) -> None:
    names = {"systemCharacter": "Kira", "userCharacter": "Marcus"}
    opened = await api.post("/api/sessions", json={"id": "c", "profile": "character", "settings": names})
    assert (opened.status_code, opened.json()["profile"]) == (201, "character")
    more = await api.post("/api/sessions", json={"id": "c", "settings": {"useMemory": True, "maxMemoryContext": 3}})
    assert (more.status_code, more.json()["settings"]) == (201, {**names, "useMemory": True, "maxMemoryContext": 3})
    assert more.json() == (await api.get("/api/sessions/c")).json()
    assert more.json()["defaults"] == {
        "useMemory": False,
        "memoryInjectionMode": "system_append",
        "memoryExtractionMode": "periodic",
        "maxMemoryContext": 5,
        "maxMemoryTokens": 500,
        "memoryExtractionInterval": 5,
        "memorySearchThreshold": 0.7,
    }
    scope = await engine.turns.memory_scope(ANA, RequestScope(), "c")
    assert (scope.writes, scope.profile.recall.limit) == (Subject("character", "ana/kira"), 3)
    body = {"model": "toldonce/offline", "messages": [user("Hi.")]}
    await api.post("/v1/chat/completions", json=body, headers={**CHARACTERS, "x-toldonce-session": "d"})
    spoken = await api.post("/api/sessions", json={"id": "d", "settings": {"maxMemoryTokens": 90}})
    assert (spoken.status_code, spoken.json()["profile"]) == (201, "character")


@pytest.mark.parametrize("has_history", [True, False])
async def test_c6_a_request_that_is_sent_again_is_no_turn(
    engine: AsyncToldOnce, clock: FakeClock, has_history: bool
) -> None:
    proxy_headers = {**CHARACTERS, "x-toldonce-session": "c"}
    kira = await engine.conversations.subject(user="ana", conversation="c", scope=KIRA)
    history: list[dict[str, str]] = []

    async def send(said: str, answer: str) -> None:
        way = ScriptedBackend([(200, JSON, [whole(answer)])])
        proxy = ChatProxy(OPENAI_CHAT, engine, way, POLICY)
        asked = {"model": "m", "messages": [*(history if has_history else []), user(said)]}
        call = Call(json.dumps(asked).encode(), proxy_headers)
        await proxy(call.scope(), call.receive(), call.send())
        await proxy.close()
        await engine.form()

    for number in range(4):
        for attempt in range(3):  # a client that gave up waiting, although its answer was complete
            await send(FOUND.format(number), f"Answer {attempt} to {number}.")
            clock.advance(seconds=20)
        history += [user(FOUND.format(number)), assistant(f"Answer 2 to {number}.")]
        assert await engine.list(user=kira) == []
    await send(FOUND.format(4), "Answer.")
    texts = {memory.text for memory in await engine.list(user=kira)}
    assert all(any(FOUND.format(number) in text for text in texts) for number in range(5))
