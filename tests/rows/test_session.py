"""S: what one chat session should remember."""

from datetime import datetime
from urllib.parse import quote

import httpx
import pytest

from rows.scenes import SESSION
from sample_chats import assistant, user, with_model, written
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import ModelError, UnknownConversationError, UnknownMemoryError
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, MemoryKind

REMEMBERED = [
    {"type": "preference", "content": "Ana drinks green tea.", "importance": 0.9},
    {"type": "insight", "content": "Ana thinks best in the morning.", "importance": 0.6},
    {"type": "fact", "content": "The report is due on Friday.", "importance": 0.29},
]
SAID = [
    user("I drink green tea, and I think best in the morning."),
    assistant("The report is due on Friday, says the plan you sent."),
]


async def test_s1_s3_s4_a_session_remembers_what_a_model_found_worth_it(parts: Components) -> None:
    engine = with_model(parts, ScriptedModel([REMEMBERED]))
    await engine.record(SAID, user="ana", conversation="s", scope=SESSION)
    await engine.form()
    mine = await engine.conversations.subject(user="ana", conversation="s", scope=SESSION)
    kept = {(memory.type, memory.text) for memory in await engine.list(user=mine)}
    assert kept == {("preference", "Ana drinks green tea."), ("insight", "Ana thinks best in the morning.")}
    [ignored] = [line for line in await engine.history.decisions(user=mine) if line.action is Action.IGNORE]
    assert "0.29" in ignored.reason


async def test_s3_an_unknown_type_of_the_model_is_told_in_the_log(parts: Components) -> None:
    items = [REMEMBERED[0], REMEMBERED[1] | {"type": "MORNING PERSON"}]
    engine = with_model(parts, ScriptedModel([items]))
    await engine.record(SAID, user="ana", conversation="s", scope=SESSION)
    await engine.form()
    mine = await engine.conversations.subject(user="ana", conversation="s", scope=SESSION)
    reasons = {line.text: line.reason for line in await engine.history.decisions(user=mine)}
    assert reasons == {
        REMEMBERED[0]["content"]: "new",
        REMEMBERED[1]["content"]: "new; the extractor gives it no type of the profile: it counts as fact",
    }
    assert "fact" in {memory.type for memory in await engine.list(user=mine)}


async def test_s2_a_failure_behind_the_answer_is_counted_and_the_chat_goes_on(
    parts: Components, clock: FakeClock
) -> None:
    engine = with_model(parts, ScriptedModel([ModelError("no answer"), REMEMBERED[:1]]))
    await engine.record(SAID, user="ana", conversation="s", scope=SESSION)
    await engine.form()
    assert engine.metrics.extraction_errors == 1
    context = await engine.context("Which tea?", user="ana", conversation="s", scope=SESSION)
    assert context.text == ""
    await engine.record([user("Go on.")], user="ana", conversation="s", scope=SESSION)
    clock.advance(days=1)
    await engine.form()
    assert "green tea" in (await engine.context("Which tea?", user="ana", conversation="s", scope=SESSION)).text


async def test_s7_s8_what_is_relevant_comes_as_a_block_and_gets_its_time_of_use(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await engine.conversations.open("s", user="ana", scope=SESSION)
    mine = await engine.conversations.subject(user="ana", conversation="s", scope=SESSION)
    for number in range(7):
        await engine.add(f"Ana drinks tea number {number}.", user=mine, importance=0.9, type="fact", profile="session")
    clock.advance(hours=1)
    found = await engine.context("Which tea does Ana drink?", user="ana", conversation="s", scope=SESSION)
    rows = [line for line in found.text.splitlines() if line.startswith("- ")]
    assert len(rows) == 5
    assert all(row.startswith("- [FACT] Ana drinks tea number") and row.endswith("(importance: 0.9)") for row in rows)
    await written(engine)
    used = {memory.id for memory in await engine.list(user=mine) if memory.last_used_at == clock.now()}
    assert used == {item.memory.id for item in found.items}


async def test_s10_memories_are_added_by_hand_listed_read_and_deleted(engine: AsyncToldOnce) -> None:
    await engine.conversations.open("s", user="ana", scope=SESSION)
    mine = await engine.conversations.subject(user="ana", conversation="s", scope=SESSION)
    tea = await engine.add("Ana drinks green tea.", user=mine, type="preference", importance=0.8, profile="session")
    owl = await engine.add("Ana works at night.", user=mine, type="insight", profile="session")
    assert [memory.id for memory in await engine.list(user=mine)] == [owl.id, tea.id]
    assert await engine.get(tea.id, user=mine) == tea
    assert (tea.type, tea.importance) == ("preference", 0.8)
    await engine.erase(tea.id, user=mine)
    with pytest.raises(UnknownMemoryError):
        await engine.get(tea.id, user=mine)
    assert [memory.id for memory in await engine.list(user=mine, closed=True)] == [owl.id]


async def test_s12_an_unknown_session_or_memory_is_a_typed_error_and_404(
    engine: AsyncToldOnce, api: httpx.AsyncClient
) -> None:
    with pytest.raises(UnknownConversationError):
        await engine.conversations.get("nowhere", user="ana")
    assert (await api.get("/api/sessions/nowhere/memories")).status_code == 404
    await engine.conversations.open("s", user="ana", scope=SESSION)
    mine = await engine.conversations.subject(user="ana", conversation="s", scope=SESSION)
    foreign = await engine.add("Ana drinks tea.", user="ana")
    with pytest.raises(UnknownMemoryError):
        await engine.get(foreign.id, user=mine)
    assert (await api.get(f"/api/sessions/s/memories/{foreign.id}")).status_code == 404


PLAIN = (
    "The project deadline is March 15th.",
    "The ferry to Vardø leaves at six.",
    "Invoices go to the Lisbon office.",
    "The bridge was closed in 2019.",
)


@pytest.mark.parametrize("said", PLAIN)
@pytest.mark.parametrize("speaker", ["user", "assistant"])
async def test_s2_s3_plain_statements_of_either_speaker_reach_the_model(
    parts: Components, said: str, speaker: str
) -> None:
    model = ScriptedModel([[{"type": "fact", "content": said, "importance": 0.8}]])
    engine = with_model(parts, model)
    asked = [user(said), assistant("All right.")]
    if speaker == "assistant":
        asked = [user("What does the plan say?"), assistant(f"The plan you sent says: {said}")]
    await engine.record(asked, user="ana", conversation="s", scope=SESSION)
    await engine.form()
    [call] = model.calls
    assert said in str(call)
    mine = await engine.conversations.subject(user="ana", conversation="s", scope=SESSION)
    assert said in [memory.text for memory in await engine.list(user=mine)]


async def test_s3_an_unknown_interaction_mode_is_refused(api: httpx.AsyncClient) -> None:
    body = {"model": "toldonce/offline", "messages": [user("I drink green tea.")]}
    for mode, status in (("chat", 200), ("QA", 200), ("summary", 200), ("poem", 400), ("chat, qa", 400)):
        headers = {"x-toldonce-interaction": mode, "x-toldonce-profile": "session", "x-toldonce-session": "s"}
        answer = await api.post("/v1/chat/completions", json=body, headers=headers)
        assert answer.status_code == status, mode
    assert "chat, qa, summary" in answer.json()["error"]["message"]
    refused = await api.post("/api/sessions", json={"id": "t", "settings": {"interaction": "poem"}})
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "interaction")


async def test_s6_summaries_of_the_chat_are_no_memories_of_its_list(
    engine: AsyncToldOnce, api: httpx.AsyncClient
) -> None:
    for number in range(32):
        said = [user(f"In spring {number} my garden had {number} rows of beans."), assistant(f"Row {number} noted.")]
        await engine.record(said, user="ana", conversation="s", scope=SESSION)
    await engine.form()
    mine = await engine.conversations.subject(user="ana", conversation="s", scope=SESSION)
    [summary, *_] = await engine.list(user=mine, kinds=(MemoryKind.EPISODE,))
    listed = (await api.get("/api/sessions/s/memories")).json()
    assert summary.id not in [row["id"] for row in listed]
    assert listed
    one = f"/api/sessions/s/memories/{summary.id}"
    assert [(await api.get(one)).status_code, (await api.delete(one)).status_code] == [404, 404]
    assert (await engine.get(summary.id, user=mine)).id == summary.id


async def test_s11_a_memory_was_last_accessed_when_it_was_made_until_it_is_used(api: httpx.AsyncClient) -> None:
    await api.post("/api/sessions", json={"id": "s"})
    memories = "/api/sessions/s/memories"
    made = (await api.post(memories, json={"content": "Ana drinks tea.", "type": "fact", "importance": 0.8})).json()
    assert made["lastAccessedAt"] == made["createdAt"]
    assert (await api.get(f"{memories}/{made['id']}")).json() == made
    for method, path in (("PUT", memories), ("PATCH", f"{memories}/{made['id']}"), ("DELETE", "/api/sessions")):
        refused = await api.request(method, path)
        assert refused.status_code == 405
        assert refused.json()["error"]["type"] == "invalid_request_error"


async def test_s7_a_search_in_a_session_is_a_use_and_one_in_a_users_memory_is_none(
    engine: AsyncToldOnce, api: httpx.AsyncClient, clock: FakeClock
) -> None:
    await engine.conversations.open("s", user="ana", scope=SESSION)
    mine = await engine.conversations.subject(user="ana", conversation="s", scope=SESSION)
    found = await engine.add("Ana drinks green tea.", user=mine, profile="session")
    other = await engine.add("Ana drinks green tea.", user="ana")
    clock.advance(hours=1)

    await engine.search("Which tea?", user=mine, profile="session")
    await engine.search("Which tea?", user="ana")

    assert (await engine.get(found.id, user=mine)).last_used_at == clock.now()
    assert (await engine.get(other.id, user="ana")).last_used_at is None

    clock.advance(hours=1)
    path = f"/v1/subjects/{quote(mine.text, safe='')}/search"
    assert (await api.post(path, json={"query": "Which tea?"})).status_code == 200, "it names no profile"
    [listed] = (await api.get("/api/sessions/s/memories")).json()
    assert datetime.fromisoformat(listed["lastAccessedAt"]) == clock.now()


@pytest.mark.parametrize("name", ["team/alpha", "a b", "日本語/?#%", "..", "%2F"])
async def test_s11_an_id_that_was_accepted_is_reachable(api: httpx.AsyncClient, name: str) -> None:
    del api.headers["x-toldonce-user"]
    assert (await api.post("/u/ana%2Flab/api/sessions", json={"id": name})).status_code == 201
    session = f"/api/sessions/{quote(name, safe='').replace('.', '%2E')}"
    memories = f"/u/ana%2Flab{session}/memories"
    made = await api.post(memories, json={"content": "Tea.", "type": "fact", "importance": 0.8})
    assert (made.status_code, made.json()["sessionId"]) == (201, name)

    assert (await api.get(memories)).json() == [made.json()]
    assert (await api.get(f"{memories}/{made.json()['id']}")).json() == made.json()
    assert (await api.get(f"/u/ana{session}/memories")).status_code == 404
    assert (await api.delete(f"{memories}/{made.json()['id']}")).json() == {"success": True}
