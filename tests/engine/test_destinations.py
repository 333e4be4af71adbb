"""Which memories go to which model: a profile's rules in prompts, searches, lists and tools."""

import json
from pathlib import Path
from typing import Any

import pytest

from factories import ANA
from own_profile import OWN, with_profile
from sample_chats import assistant, request, tell, user, written
from toldonce.chat.reply import Reply
from toldonce.chat.tools import SEARCH
from toldonce.engine import AsyncToldOnce, Components, PreparedTurn
from toldonce.engine.memory_tools import MemoryTools
from toldonce.engine.withheld import WITHHELD
from toldonce.errors import BadProfileError
from toldonce.hook.requests import answer_request
from toldonce.mcp_server.toolbox import Toolbox
from toldonce.testing import FakeClock
from toldonce.types import Destination, Identity, MemoryKind, RequestScope, Subject

LOCAL = Destination(upstream="localhost", model="llama-3", client="chat")
CLOUD = Destination(upstream="api.example.com", model="gpt-5", client="chat")
HEALTH_STAYS = """
[[destinations]]
memories = { topics = ["health"] }
only = [{ upstreams = ["localhost"] }]
"""
SAID = "I'm allergic to peanuts. I live in Oslo. I have migraines since my operation in May."
ASKED = "What do you know about me, where I live and my migraines?"


def to(destination: Destination, **more: Any) -> Identity:
    return Identity(subject=Subject("user", "ana"), scope=RequestScope(destination=destination), **more)


def text_of(turn: PreparedTurn) -> str:
    return json.dumps(json.loads(turn.body)["messages"])


@pytest.fixture
async def engine(parts: Components, tmp_path: Path) -> AsyncToldOnce:
    opened = with_profile(parts, tmp_path, HEALTH_STAYS)
    await tell(opened, SAID)
    return opened


async def test_what_is_about_health_goes_to_the_local_model_alone(engine: AsyncToldOnce) -> None:
    local = await engine.turns.prepare(request(user(ASKED)), to(LOCAL))
    assert "peanuts" in text_of(local)
    assert "operation" in text_of(local)
    cloud = await engine.turns.prepare(request(user(ASKED)), to(CLOUD))
    assert "Oslo" in text_of(cloud)
    assert "peanuts" not in text_of(cloud)
    assert "operation" not in text_of(cloud)


async def test_the_trace_says_what_was_withheld(engine: AsyncToldOnce) -> None:
    [peanuts] = [memory for memory in await engine.list(user="ana") if memory.key.startswith("allergy")]
    context = await engine.context(ASKED, user="ana", scope=RequestScope(destination=CLOUD))
    assert WITHHELD in {left.reason for left in context.left_out if left.id == peanuts.id}
    assert peanuts.id not in {item.memory.id for item in context.items}


async def test_an_unknown_destination_gets_nothing_that_is_for_some_only(engine: AsyncToldOnce) -> None:
    context = await engine.context(ASKED, user="ana")
    assert "Oslo" in context.text
    assert "peanuts" not in context.text


async def test_a_client_cannot_escape_the_servers_rules_by_another_profile(engine: AsyncToldOnce) -> None:
    for profile in ("default", "user", "tiered"):
        scope = RequestScope(profile=profile, destination=CLOUD)
        context = await engine.context(ASKED, user="ana", scope=scope)
        assert "peanuts" not in context.text, profile


async def test_another_model_in_the_same_chat_sees_no_earlier_block(engine: AsyncToldOnce) -> None:
    asked = request(user(ASKED))
    local = await engine.turns.prepare(asked, to(LOCAL, conversation="c"))
    await engine.turns.finish(asked, to(LOCAL, conversation="c"), Reply(text="A lot.", complete=True), local)
    await written(engine)
    history = [user(ASKED), assistant("A lot."), user("And where do I live?")]
    cloud = await engine.turns.prepare(request(*history), to(CLOUD, conversation="c"))
    assert "Oslo" in text_of(cloud)
    assert "peanuts" not in text_of(cloud)
    again = await engine.turns.prepare(request(*history), to(LOCAL, conversation="c"))
    assert "peanuts" in text_of(again)


async def test_a_search_for_a_model_fills_up_with_what_it_may_have(engine: AsyncToldOnce, clock: FakeClock) -> None:
    del clock
    for number in range(12):
        await engine.add(f"Ana's migraine diary, page {number}.", user="ana")
    await engine.add("Ana keeps a diary of birds.", user="ana")
    found = await engine.search("Ana's diary", user="ana", limit=3, destination=CLOUD)
    assert "Ana keeps a diary of birds." in {item.memory.text for item in found.items}
    assert not [item for item in found.items if "migraine" in item.memory.text]
    own = await engine.search("Ana's diary", user="ana", limit=3)
    assert [item for item in own.items if "migraine" in item.memory.text]


async def test_a_search_of_the_past_is_filtered_too(engine: AsyncToldOnce, clock: FakeClock) -> None:
    clock.advance(days=1)
    found = await engine.search("peanuts", user="ana", known_at=clock.now(), destination=CLOUD)
    assert not [item for item in found.items if "peanuts" in item.memory.text]


async def test_a_list_for_a_model_has_full_pages(engine: AsyncToldOnce) -> None:
    for number in range(5):
        await engine.add(f"Ana has asthma, entry {number}.", user="ana")
        await engine.add(f"Ana likes bird {number}.", user="ana")
    first = await engine.list(user="ana", kinds=(MemoryKind.NOTE,), limit=3, destination=CLOUD)
    assert [memory.text for memory in first] == [f"Ana likes bird {number}." for number in (4, 3, 2)]
    second = await engine.list(user="ana", kinds=(MemoryKind.NOTE,), limit=3, after=first[-1].id, destination=CLOUD)
    assert [memory.text for memory in second][:2] == [f"Ana likes bird {number}." for number in (1, 0)]


async def test_the_models_own_search_is_filtered(parts: Components, tmp_path: Path) -> None:
    tools = HEALTH_STAYS + '[trigger]\ntools = ["searchMemories"]\n'
    engine = with_profile(parts, tmp_path, tools)
    await tell(engine, SAID)
    for destination, is_shown in ((CLOUD, False), (LOCAL, True)):
        prepared = await engine.turns.prepare(request(user("Hello")), to(destination))
        assert isinstance(prepared.toolbox, MemoryTools)
        found = await prepared.toolbox.call(SEARCH, '{"query": "peanuts"}')
        assert ("peanuts" in found) is is_shown


async def test_a_quotation_is_kept_back_with_what_was_formed_of_it(parts: Components, tmp_path: Path) -> None:
    rule = '[[destinations]]\nmemories = { categories = ["identity"] }\nnever = [{ clients = ["chat"] }]\n'
    engine = with_profile(parts, tmp_path, rule)
    await tell(engine, "I live in Oslo. The tram at my stop is always late.")
    quotations = [memory.text for memory in await engine.list(user="ana", kinds=(MemoryKind.TURN,))]
    assert [text for text in quotations if "tram" in text]
    context = await engine.context("Is the tram in Oslo late?", user="ana", scope=RequestScope(destination=CLOUD))
    assert "Oslo" not in context.text


async def test_exceptions_and_globs(parts: Components, tmp_path: Path) -> None:
    rules = """
[[destinations]]
except = { categories = ["constraint"] }
never = [{ models = ["GPT-*"] }]
"""
    engine = with_profile(parts, tmp_path, rules)
    await tell(engine, "I live in Oslo. I am allergic to green peppers.")
    context = await engine.context("Where do I live?", user="ana", scope=RequestScope(destination=CLOUD))
    assert "Oslo" not in context.text
    assert "green" in context.text
    local = await engine.context("Where do I live?", user="ana", scope=RequestScope(destination=LOCAL))
    assert "Oslo" in local.text


async def test_a_hook_is_a_destination(parts: Components, tmp_path: Path) -> None:
    rule = '[[destinations]]\nmemories = { topics = ["health"] }\nnever = [{ clients = ["hook"] }]\n'
    engine = with_profile(parts, tmp_path, rule)
    await tell(engine, SAID)
    asked = {"event": "prompt", "conversation": "session", "text": ASKED, "app": "project"}
    added = await answer_request(engine, asked, user=Subject("user", "ana"))
    assert "Oslo" in added
    assert "peanuts" not in added


async def test_an_mcp_client_is_a_destination(engine: AsyncToldOnce) -> None:
    tools = Toolbox(engine=engine, reads=(ANA,), writes=ANA, via="MCP (test)")
    for name, arguments in (("recall_memory", {"query": ASKED}), ("list_memories", {})):
        answer = await tools.call(name, arguments)
        assert "Oslo" in answer.text
        assert "peanuts" not in answer.text
    assert "peanuts" not in await tools.profile()


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("memories = { topics = ['health'] }", "neither `only` nor `never`"),
        ("memories = { topics = ['weather'] }\nonly = [{ clients = ['mcp'] }]", "health"),
        ("memories = { topic = ['health'] }\nonly = [{ clients = ['mcp'] }]", "topic"),
        ("memories = { words = [] }\nonly = [{ clients = ['mcp'] }]", "words is empty"),
        ("only = [{ hosts = ['localhost'] }]", "hosts"),
    ],
)
def test_a_wrong_rule_is_refused_with_its_place(parts: Components, tmp_path: Path, rule: str, why: str) -> None:
    with pytest.raises(BadProfileError, match="destinations") as refused:
        with_profile(parts, tmp_path, f"[[destinations]]\n{rule}\n")
    assert why in str(refused.value)
    assert OWN in str(refused.value)
