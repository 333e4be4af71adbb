"""A simple statement is one line in lists, over REST, on the dashboard and in prompts: its fact, which quotes it."""

import httpx
import pytest

from dashboard_client import dashboard_client
from sample_chats import assistant, user
from toldonce.engine import AsyncToldOnce
from toldonce.types import RequestScope

STATEMENTS = {
    "default": ("I live in Oslo.", "Ich bin allergisch gegen Nüsse.", "Je m'appelle Luc.", "私は東京に住んでいます。"),
    "tiered": ("I live in Oslo.", "Ich wohne in Bergen.", "Vivo en Madrid."),
    "user": ("I live in Oslo.", "Ich wohne in Bergen.", "Vivo en Madrid."),
}


@pytest.mark.parametrize(("profile", "said"), [(name, said) for name, all_ in STATEMENTS.items() for said in all_])
async def test_a_simple_statement_is_told_once(
    engine: AsyncToldOnce, api: httpx.AsyncClient, profile: str, said: str
) -> None:
    scope = RequestScope(profile=profile)
    await engine.record([user(said), assistant("Noted.")], user="ana", conversation="c", scope=scope)
    await engine.form()
    words = said.rstrip(".。")
    [listed] = await engine.list(user="ana")
    assert words in listed.text
    [row] = (await api.get("/v1/subjects/user:ana/memories")).json()["memories"]
    assert row["id"] == listed.id
    found = await engine.search(said, user="ana", profile=profile)
    assert len([item for item in found.items if words in item.memory.text]) <= 1
    context = await engine.context("What do you know about me?", user="ana", scope=scope)
    assert context.text.count(words) <= 1
    prompt = await engine.prompt("What do you know about me?", user="ana", conversation="d", scope=scope)
    in_system = [message["content"] for message in prompt if message["role"] == "system"]
    assert sum(text.count(words) for text in in_system) <= 1
    async with dashboard_client(engine) as browser:
        page = await browser.open("/dashboard/subjects/user%3Aana")
    assert page.count(f'memories/{listed.id}"') <= 2, "its line, and its link"
