"""Recall does not feed itself: rounds of recall, an answer that quotes what was recalled, and forming of it."""

import base64
import json
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from sample_chats import ALL_KINDS, note, request, user
from soak import SOAK, sampled
from toldonce.chat.reply import Reply
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Identity, Memory, MemoryKind, RequestScope, Subject

ROUNDS = 1000 if SOAK else 10
QUESTION = "Where does my sister live?"
SAID = "I'm allergic to peanuts. I live in Oslo. My sister Eva runs a restaurant in Lima."
ANSWERED = "I will remember that Eva keeps her restaurant in Lima open until midnight."
SCENES = {
    "default": RequestScope(profile="default"),
    "user": RequestScope(profile="user"),
    "tiered": RequestScope(profile="tiered"),
    "session": RequestScope(profile="session"),
    "app": RequestScope(profile="app", app="kitchen"),
    "character": RequestScope(profile="character", characters=("Kira", "Marcus")),
}


def whole(block: str) -> str:
    return block


def inner(block: str) -> str:
    return "\n".join(line for line in block.split("\n") if "toldonce-memory" not in line)


def spoken(block: str) -> str:
    """The words of the rows as an assistant says them, to the person."""
    rows = re.findall(r"(?m)^(?:- |\d+\. |   Summary: )(.+)$", block)
    plain = [re.sub(r"\[[^\]]*\]|\([^()]*\)|[“”\"]", "", row).strip() for row in rows]
    return " ".join(
        f"You told me: {row.replace('The user is', 'you are').replace('The user', 'you')}" for row in plain if row
    )


PASTED: Mapping[str, Callable[[str], str]] = {
    "whole": whole,
    "without tags": inner,
    "first half": lambda block: block[: len(block) // 2],
    "second half": lambda block: block[block.index(">") + 1 :],
    "other quotes": lambda block: inner(block).replace('"', "»"),
    "as a quotation": lambda block: textwrap.indent(block, "> "),
    "wrapped anew": lambda block: f"<erinnerung>\n{inner(block)}\n</erinnerung>",
    "base64": lambda block: base64.b64encode(block.encode()).decode(),
    "spoken": spoken,
}


def everything(system: str, asked: str) -> object:
    """Take every line of the new messages for a memory, in whatever shape is asked for."""
    lines = [
        (int(number), line.strip())
        for number, quoted in re.findall(r"(?m)^\[(\d+)\] .*?: (\"(?:[^\"\\]|\\.)*\")$", asked.rpartition("essages")[2])
        for line in re.split(r"\n|(?<=[.!?])\s", json.loads(quoted))
        if line.strip() not in ("", QUESTION)  # the person's own words, and no statement
    ]
    found = [
        note(
            line, line, message=number, content=line, summary=line, category="identity", key=f"said:{line}", value=line
        )
        for number, line in lines
    ]
    return {"memories": found, "text": " ".join(line for _, line in lines), "messages": [number for number, _ in lines]}


class Talk:
    """One person's chat under a profile, by way of the proxy's turn."""

    def __init__(self, engine: AsyncToldOnce, scope: RequestScope) -> None:
        self.engine = engine
        self.identity = Identity(subject=Subject("user", "ana"), conversation="chat", append=True, scope=scope)

    async def turn(self, said: str, answer: Callable[[str], str]) -> str:
        """Say something; the answer is made of the block that the model was shown. Return the block."""
        asked = request(user(said))
        prepared = await self.engine.turns.prepare(asked, self.identity)
        body = json.loads(prepared.body)
        shown = "\n".join(memory["content"] for memory in body["messages"])
        blocks = re.findall(r"(?s)<toldonce-memory.*?</toldonce-memory[^>]*>", shown)
        block = "\n".join(blocks)
        reply = Reply(text=answer(block) or "Well.", complete=True)
        recorded = await self.engine.turns.finish(asked, self.identity, reply, prepared)
        assert recorded is not None
        await self.settle(recorded.conversation)
        return block

    async def settle(self, conversation: str) -> None:
        """Form everything now, also where the profile would wait."""
        await self.engine.conversations.save("chat", user="ana", scope=self.identity.scope)
        await self.engine.form()

    async def known(self) -> list[Memory]:
        """Return all there is but episodes, which come with the turns, without what recall itself counts."""
        memory = await self.engine.conversations.subject(user="ana", conversation="chat", scope=self.identity.scope)
        kinds = tuple(kind for kind in ALL_KINDS if kind is not MemoryKind.EPISODE)
        found = await self.engine.list(user=memory, kinds=kinds, limit=1000)
        return [replace(memory, uses=0, last_used_at=None) for memory in found]


def parted(known: Sequence[Memory]) -> tuple[list[Memory], list[Memory]]:
    """Part what is formed of words from the summaries of turns, of which there is one for every so many turns."""
    episodes = [memory for memory in known if memory.kind is MemoryKind.EPISODE]
    return [memory for memory in known if memory not in episodes], episodes


WAYS = ["rules", "a model that takes everything"]
# Each profile with one of them, in a long run with both.
CASES = sampled([(way, name) for place, name in enumerate(SCENES) for way in WAYS[:: -1 if place % 2 else 1]], 2)


@pytest.fixture
def forming(request: pytest.FixtureRequest, parts: Components) -> AsyncToldOnce:
    model = None if request.param == "rules" else ScriptedModel(everything)
    # Somebody's model answers: what the built-in one says is never formed from at all.
    settings = parts.settings.model_copy(update={"upstream_url": "http://127.0.0.1:9/v1"})
    return AsyncToldOnce(replace(parts, model=model, settings=settings))


@pytest.mark.soak
@pytest.mark.parametrize(("forming", "name"), CASES, indirect=["forming"])
async def test_quoting_what_was_recalled_adds_no_memory(forming: AsyncToldOnce, clock: FakeClock, name: str) -> None:
    talk = Talk(forming, SCENES[name])
    for said in (SAID, QUESTION):
        await talk.turn(said, lambda block: ANSWERED)
    ways = [*PASTED.values()]
    before, _ = parted(await talk.known())
    block = ""
    for number in range(ROUNDS):
        clock.advance(hours=1)
        way, other = ways[number % len(ways)], ways[(number // len(ways)) % (len(ways) - 1)]  # people do not speak so
        pasted = f"{other(block)}\n\n{QUESTION}" if block and number % 2 else QUESTION
        block = await talk.turn(pasted, lambda shown, way=way: way(shown) if shown else "") or block  # type: ignore[misc]
        now, episodes = parted(await talk.known())
        # Turns leave the window as they come; what is told of those that only repeat is that they asked.
        assert not [memory for memory in episodes if memory.detail.first_turn > 2 and "Lima" in memory.text], number
        assert {memory.id: memory.text for memory in now} == {memory.id: memory.text for memory in before}, (
            number,
            pasted,
        )
    assert block, "something was recalled"
