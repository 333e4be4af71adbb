"""Tells a story through `/v1/chat/completions` and keeps every prompt. Opens a store; the upstream is scripted."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from server.asgi import JSON, Call, ScriptedBackend, whole
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.identity import IdentityPolicy
from toldonce.engine import AsyncToldOnce, Components
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.model_factory import OpenedModel
from toldonce.providers.multilingual_embedder import MultilingualEmbedder
from toldonce.providers.token_counter import token_counter
from toldonce.server.chat_completions import ChatProxy
from toldonce.settings import Settings
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock
from toldonce.types import Memory

from .story import Story, StorySession, StoryTurn

IN_MEMORY = "sqlite:///:memory:"
_TAG = "toldonce-memory"
_ID_HEADERS = {"openwebui": ["x-openwebui-chat-id"], "session": ["x-toldonce-session"], "history": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTurn:
    """A follow-up, and the memory part of the prompt that went upstream for it."""

    session: int
    """Number of its session, from 1."""
    turn: StoryTurn
    lines: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldStory:
    """Result of a story."""

    story: Story
    asked: Sequence[AskedTurn]
    active: Sequence[Memory]
    """The active notes and facts after the last session."""


# Seconds that a turn waits for its memory and its log: a busy machine changes no prompt.
_PATIENCE_S = 600.0


async def tell(
    story: Story, embedder: MultilingualEmbedder, *, model: OpenedModel | None = None, url: str = IN_MEMORY
) -> ToldStory:
    """Send all messages through the proxy, in the profile `default`, and form memories between the sessions."""
    clock = FakeClock(story.session[0].said_at(0))
    parts = Components(
        settings=Settings(
            database_url=url,
            time_zone=story.time_zone,
            profile="default",
            upstream_url="http://upstream.test/v1",
            recall_timeout_s=_PATIENCE_S,
            commit_timeout_s=_PATIENCE_S,
        ),
        clock=clock,
        store=await open_store(url, clock=clock),
        embedder=embedder,
        model=model,
        counter=token_counter(),
        profiles=ProfileRegistry(),
    )
    asked: list[AskedTurn] = []
    async with AsyncToldOnce(parts) as engine:
        upstream = ScriptedBackend([])
        policy = IdentityPolicy(default_user=story.user, trusted=True, jwt_secret=None)
        proxy = ChatProxy(OPENAI_CHAT, engine, upstream, policy)
        for number, session in enumerate(story.session, start=1):
            clock.set(session.said_at(0))
            await engine.form()
            for place, turn in enumerate(session.turns):
                clock.set(session.said_at(place))
                lines = await _say(proxy, upstream, story, number, place)
                if turn.is_follow_up:
                    asked.append(AskedTurn(session=number, turn=turn, lines=lines))
                if story.every_turn:
                    await engine.form()
            await engine.form()
        active = await engine.list(user=story.user, limit=1000)
        await proxy.close()
    return ToldStory(story=story, asked=asked, active=active)


async def _say(proxy: ChatProxy, upstream: ScriptedBackend, story: Story, number: int, place: int) -> list[str]:
    """Send one message as a chat client does, with its history, and return the memory part of the prompt."""
    session = story.session[number - 1]
    messages = _messages(session, place)
    if story.client == "session":
        messages = messages[-1:]
    upstream.answers.append((200, JSON, [whole(session.turns[place].assistant)]))
    headers = {name: f"{story.name}-{number}" for name in _ID_HEADERS[story.client]}
    body = json.dumps({"model": "m", "messages": messages}).encode()
    call = Call(body, headers)
    await proxy(call.scope(), call.receive(), call.send())
    assert call.status == 200, f"{story.name}: {call.status} {call.text}"
    return memory_lines(json.loads(upstream.asked[-1].body)["messages"], messages)


def _messages(session: StorySession, place: int) -> list[dict[str, str]]:
    messages: list[dict[str, str]] = []
    if session.turns[place].system:
        messages.append({"role": "system", "content": session.turns[place].system})
    for turn in session.turns[:place]:
        messages.append({"role": "user", "content": turn.user})
        messages.append({"role": "assistant", "content": turn.assistant})
    messages.append({"role": "user", "content": session.turns[place].user})
    return messages


def memory_lines(sent: Sequence[Mapping[str, Any]], asked: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines that ToldOnce added to a request: what was sent upstream without the client's own words."""
    own = list(asked)
    lines: list[str] = []
    for message in sent:
        text = str(message["content"])
        if own and own[0]["role"] == message["role"] and own[0]["content"] in text:
            text = text.replace(own.pop(0)["content"], "", 1)
        lines += _statements(text)
    assert not own, "a message of the client did not reach upstream as it was"
    return lines


def _statements(text: str) -> list[str]:
    """Return the lines of a memory block without its tags and its first line, which says what the block is."""
    lines: list[str] = []
    before = ""
    for line in text.splitlines():
        if line.strip() and _TAG not in line and _TAG not in before:
            lines.append(line)
        before = line
    return lines
