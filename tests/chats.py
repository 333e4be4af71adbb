"""A client that keeps its history and edits it: sends all of it each time, as chat clients do."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sample_chats import assistant, request, user
from toldonce.chat.messages import log_messages
from toldonce.chat.reply import Reply
from toldonce.engine import AsyncToldOnce, Components
from toldonce.profiles.registry import ProfileRegistry
from toldonce.testing import NEW_YEAR
from toldonce.types import Identity, Memory, Subject

WINDOW, KEEP = 8, 4
"""Turns of a small window, and how many of them stay in it."""


@cache
def small_windows(window_of: str = "user") -> ProfileRegistry:
    """Return the shipped profiles with `tiered` of a small window, which few turns fill."""
    with TemporaryDirectory() as folder:
        toml = f'window = {WINDOW}\nkeep = {KEEP}\nwindow_of = "{window_of}"\n'
        (Path(folder) / "tiered.toml").write_text(f'extends = "tiered"\n[episodes]\n{toml}', "utf-8")
        return ProfileRegistry(Path(folder))


def tiered_parts(parts: Components, profile: str = "tiered") -> Components:
    """Return the same parts under another profile, with an upstream that answers."""
    changed = {"profile": profile, "upstream_url": "http://upstream.test/v1"}
    return replace(parts, settings=parts.settings.model_copy(update=changed))


def hashes_of(messages: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the hashes under which a history is logged."""
    return [message.hash for message in log_messages(request(*messages), said_at=NEW_YEAR)]


def ranges(episodes: Sequence[Memory]) -> list[tuple[int, int]]:
    """Return first and last turn of each episode."""
    return [(episode.detail.first_turn, episode.detail.last_turn) for episode in episodes]


class Chat:
    """One chat of a client with an id of its own; `messages` is its history as the client sees it."""

    def __init__(self, engine: AsyncToldOnce, *, who: str = "ana", conversation: str = "chat") -> None:
        """Begin a chat."""
        self.messages: list[dict[str, str]] = []
        self.began = engine.clock.now()
        self._engine = engine
        self._identity = Identity(subject=Subject("user", who), conversation=conversation)
        self._answers = 0

    def turn(self, text: str) -> list[dict[str, str]]:
        """Write a user message and an answer to it that no other turn has."""
        self._answers += 1
        return [user(text), assistant(f"Noted: {self._answers}.")]

    async def say(self, text: str) -> None:
        """Send a message below what the client shows, and record it with its answer."""
        await self._send([*self.messages, *self.turn(text)])

    async def say_all(self, texts: Iterable[str]) -> None:
        """Send messages with their answers as the history below the last: one request for each would take long."""
        await self._send([*self.messages, *(message for text in texts for message in self.turn(text))])

    async def edit(self, turn: int, text: str) -> None:
        """Send another message in the place of a turn's, counted from 1; what followed it is gone."""
        await self._send([*self.messages[: self.start(turn)], *self.turn(text)])

    async def regenerate(self, turn: int, answer: str) -> None:
        """Ask a turn's message again and get another answer; what followed it is gone."""
        await self._send([*self.messages[: self.start(turn) + 1], assistant(answer)])

    async def retry(self) -> None:
        """Send the last request again and get the same answer, as after a lost connection."""
        await self._send(self.messages)

    def start(self, turn: int) -> int:
        """Return the place of a turn's user message in the history."""
        places = [place for place, message in enumerate(self.messages) if message["role"] == "user"]
        return places[turn - 1]

    @property
    def turns(self) -> int:
        """How many turns the client shows."""
        return sum(message["role"] == "user" for message in self.messages)

    async def _send(self, messages: list[dict[str, str]]) -> None:
        asked = request(*messages[:-1])
        reply = Reply(text=messages[-1]["content"], complete=True)
        await self._engine.turns.finish(asked, self._identity, reply, None)
        self.messages = messages
