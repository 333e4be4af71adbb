"""Scripted conversations of random clients: every prompt repeats the bytes of the earlier ones."""

import json
import os
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from append_only import NO_MEMORY, Message, ScriptedChat, tool_call, tool_result
from soak import SOAK
from stores import STORES
from toldonce.chat.formats.anthropic_messages import ANTHROPIC_MESSAGES
from toldonce.chat.formats.base import WireFormat
from toldonce.chat.formats.ollama_chat import OLLAMA_CHAT
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.formats.openai_responses import OPENAI_RESPONSES
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.context_builder import ContextBuilder
from toldonce.errors import StoreUnavailableError
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import Identity, MemoryId, MemoryMode, Subject

CHATS = SOAK or 1
"""Conversations for each store and kind of client."""
FIRST_SEED = int(os.environ.get("SOAK_SEED", "0"))
"""Another one makes other conversations."""

STATEMENTS = (
    "I live in Oslo.", "I moved to Bergen.", "I work as a baker.", "I am a nurse now.", "I'm allergic to peanuts.",
    "My sister Eva runs a restaurant in Lima.", "My cat is called Momo.", "I stopped eating meat last year.",
)  # fmt: skip
QUESTIONS = (
    "Where do I live?", "What may I not eat?", "Which restaurant does my sister run?", "What do I do for work?",
    "Hello", "Thanks!", "What is my cat called?", "Tell me more about that.", "Grüße aus Köln 🐝",
)  # fmt: skip
OPENINGS: tuple[list[dict[str, Any]], ...] = (
    [],
    [{"role": "system", "content": "Be kind."}],
    [{"role": "system", "content": ""}, {"role": "developer", "content": "Be brief."}],
    [{"role": "system", "content": [{"type": "text", "text": "Be kind."}]}],
    [{"role": "system", "content": None}],
    [{"role": "assistant", "content": "How can I help?"}],
)  # fmt: skip
WIRES = {"chat": OPENAI_CHAT, "messages": ANTHROPIC_MESSAGES, "responses": OPENAI_RESPONSES, "ollama": OLLAMA_CHAT}
IMAGES: dict[WireFormat, Message] = {
    OPENAI_CHAT: {"type": "image_url", "image_url": {"url": "data:,"}},
    ANTHROPIC_MESSAGES: {"type": "image", "source": {"type": "url", "url": "https://example.com/cat.png"}},
    OPENAI_RESPONSES: {"type": "input_image", "detail": "auto", "image_url": "data:,"},
}


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Outage:
    """Recall that fails while it lasts; the store answers otherwise."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lasts = False
        write = ContextBuilder.write

        async def fails(builder: ContextBuilder, *arguments: Any) -> Any:
            if self.lasts:
                raise StoreUnavailableError("the database does not answer")
            return await write(builder, *arguments)

        monkeypatch.setattr(ContextBuilder, "write", fails)


class Campaign:
    """One conversation in random steps."""

    def __init__(
        self, engines: list[AsyncToldOnce], chat: ScriptedChat, choices: random.Random, outage: Outage
    ) -> None:
        self.engines = engines
        self.chat = chat
        self.choices = choices
        self.outage = outage
        self.calls = 0
        self.steps: list[str] = []
        self.shown: set[MemoryId] = set()
        # What was only read is known to one process.
        self.reads = choices.random() < 0.3

    async def run(self) -> None:
        """Do eight steps after a first turn, which may have memory off."""
        steps = [self.turn, self.turn, self.turn, self.loop, self.lose, self.learn, self.edit, self.regenerate]
        steps += [self.off, self.off, self.fail, self.remove, self.choices.choice([self.turn, self.refuse])]
        steps += [self.read, self.read, self.restart] if self.reads else [self.move, self.restart]
        for _ in range(self.choices.randint(0, 3)):
            await self.learn()
        await self.choices.choice([self.turn, self.turn, self.turn, self.off, self.fail])()
        for _ in range(8):
            step = self.choices.choice(steps)
            self.steps.append(step.__name__)
            await step()

    async def ask(self, *said: Any, **how: Any) -> None:
        turn = await self.chat.ask(*said, **how)
        self.shown.update(item.memory.id for item in turn.items)

    async def turn(self) -> None:
        text = self.choices.choice(QUESTIONS)
        if self.choices.random() < 0.2:
            self.chat.messages.append(_with_image(text, self.chat.wire))
            await self.ask(answer=self._answer())
        else:
            await self.ask(text, self._answer())

    async def loop(self) -> None:
        """Ask, and run tools before the answer."""
        self.calls += 1
        await self.ask(self.choices.choice(QUESTIONS), tool_call(self.calls, self.chat.wire))
        for _ in range(self.choices.randint(1, 4)):
            self.chat.messages.append(tool_result(self.calls, self.chat.wire))
            self.calls += 1
            await self.ask(answer=tool_call(self.calls, self.chat.wire))
        self.chat.messages.append(tool_result(self.calls, self.chat.wire))
        await self.ask(answer=self._answer())

    async def edit(self) -> None:
        """Go back to one of the user's messages, and say it again, or something else."""
        places = [place for place in range(self._first, len(self.chat.messages)) if self._role(place) == "user"]
        if not places:
            return
        place = self.choices.choice(places)
        if self.choices.random() < 0.4:
            del self.chat.messages[place + 1 :]
            await self.ask(answer=self._answer())
        else:
            del self.chat.messages[place:]
            await self.turn()

    async def regenerate(self) -> None:
        """Ask for the last answer again."""
        last, before = len(self.chat.messages) - 1, ("user", "tool", "system")
        if last > self._first and self._role(last) == "assistant" and self._role(last - 1) in before:
            del self.chat.messages[-1]
            await self.ask(answer=self._answer())

    async def lose(self) -> None:
        """An answer that never came; the client tries again, or says something more."""
        await self.ask(self.choices.choice(QUESTIONS), None)
        # Where two messages of the user stand side by side, Anthropic takes no system message between them.
        if self.chat.wire is ANTHROPIC_MESSAGES or self.choices.random() < 0.5:
            await self.ask(answer=self._answer())

    async def off(self) -> None:
        mode = self.choices.choice([MemoryMode.OFF, MemoryMode.RECORD])
        await self.ask(self.choices.choice(QUESTIONS), self._answer(), mode=mode)

    async def read(self) -> None:
        await self.ask(self.choices.choice(QUESTIONS), self._answer(), mode=MemoryMode.READ)

    async def fail(self) -> None:
        self.outage.lasts = True
        await self.turn()
        self.outage.lasts = False

    async def refuse(self) -> None:
        """Upstream refuses the prompt, and accepts the client's own."""
        await self.ask(self.choices.choice(QUESTIONS), self._answer(), refused=True)

    async def remove(self) -> None:
        """A memory is erased or forgotten; prompts that showed it may change once."""
        known = await self.chat.engine.list(user=self.chat.identity.subject)
        if not known:
            return
        memory = self.choices.choice(known)
        if self.choices.random() < 0.5:
            await self.chat.engine.erase(memory.id, user=self.chat.identity.subject)
        else:
            await self.chat.engine.forget(memory.id, user=self.chat.identity.subject)
        if self.shown:
            self.chat.prompts.clear()

    async def learn(self) -> None:
        """Something is said elsewhere, and memories change."""
        await self.chat.engine.record(
            [{"role": "user", "content": self.choices.choice(STATEMENTS)}], user=self.chat.identity.subject
        )
        await self.chat.engine.form()

    async def move(self) -> None:
        """Another server on the same database answers next."""
        self.chat.engine = self.choices.choice(self.engines)

    async def restart(self) -> None:
        """The process ends, and another one answers next.

        With what was only read, it takes other branches than the one of the last turn that was recorded.
        """
        if self.reads:
            await self.turn()
            self.chat.prompts = self.chat.prompts[-1:]
        place = self.engines.index(self.chat.engine)
        self.chat.engine = self.engines[place] = AsyncToldOnce(self.chat.engine._components)

    @property
    def _first(self) -> int:
        """The first message that is taken back: without an id, a first question that is asked again is a new chat."""
        if self.chat.identity.conversation is not None and not self.chat.identity.append:
            return 0
        roles = [self._role(place) for place in range(len(self.chat.messages))]
        asked = roles.index("user") if "user" in roles else 0
        return roles.index("assistant", asked) + 1 if "assistant" in roles[asked:] else len(roles) + 1

    def _role(self, place: int) -> str:
        message = self.chat.messages[place]
        return "tool" if "tool_result" in str(message["content"]) else str(message["role"])

    def _answer(self) -> str:
        return self.choices.choice(["Yes.", "No.", "I see.", f"Answer {len(self.chat.prompts)}."])


def _with_image(text: str, wire: WireFormat) -> Message:
    """Return a message of the user with an image."""
    if wire is OLLAMA_CHAT:
        return {"role": "user", "content": text, "images": ["iVBORw0KGgo="]}
    kind = "input_text" if wire is OPENAI_RESPONSES else "text"
    return {"role": "user", "content": [{"type": kind, "text": text}, IMAGES[wire]]}


@pytest.mark.soak
@pytest.mark.parametrize("client", ["chat id", "session", "no id"])
@pytest.mark.parametrize("wire", WIRES)
async def test_prompts_of_random_conversations_only_grow(
    kind: str, client: str, wire: str, parts: Components, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = [parts]
    if kind != "memory":
        second = await open_store(parts.settings.database_url, clock=clock)
        both.append(replace(parts, store=second, embedder=WordEmbedder(64)))
    outage = Outage(monkeypatch)
    broken: list[str] = []
    for seed in range(FIRST_SEED, FIRST_SEED + CHATS):
        choices = random.Random(f"{kind} {client} {wire} {seed}")
        clock.advance(minutes=30)
        name = f"chat {seed}" if client != "no id" else None
        identity = Identity(subject=Subject("user", f"u{seed}"), conversation=name, append=client == "session")
        engines = [AsyncToldOnce(components) for components in both]
        chat = ScriptedChat(engines[0], identity, [*choices.choice(OPENINGS)])
        if wire == "messages":
            model = choices.choice(["claude-opus-5", "claude-opus-5", "claude-haiku-4-5", "qwen3"])
            has_notices = model == "claude-opus-5" and choices.random() < 0.5
            chat = ScriptedChat(engines[0], identity, wire=ANTHROPIC_MESSAGES, model=model, has_notices=has_notices)
        elif wire == "ollama":
            chat.wire = OLLAMA_CHAT
        elif wire == "responses":
            chat.wire, chat.has_string_input = OPENAI_RESPONSES, choices.random() < 0.5
        campaign = Campaign(engines, chat, choices, outage)
        await campaign.run()
        broken += [f"seed {seed}, {campaign.steps}: {problem}" for problem in chat.problems[:1]]
    assert broken == []
    for components in both[1:]:
        await components.store.close()


@pytest.mark.soak
@pytest.mark.parametrize("place", ["system_append", "system_message", "context_message", "user_prefix"])
async def test_other_placements_touch_no_earlier_message(place: str, parts: Components, clock: FakeClock) -> None:
    settings = parts.settings.model_copy(update={"injection": place})
    broken: list[str] = []
    for seed in range(FIRST_SEED, FIRST_SEED + CHATS):
        choices = random.Random(f"{place} {seed}")
        clock.advance(minutes=30)
        engine = AsyncToldOnce(replace(parts, settings=settings))
        subject = Subject("user", f"u{seed}")
        await engine.record([{"role": "user", "content": choices.choice(STATEMENTS)}], user=subject)
        await engine.form()
        chat = ScriptedChat(engine, Identity(subject=subject, conversation=f"chat {seed}"), [*choices.choice(OPENINGS)])
        for _ in range(8):
            mode = choices.choice(list(MemoryMode))
            chat.prompts.clear()  # they are not append-only
            turn = await chat.ask(choices.choice(QUESTIONS), "Yes.", mode=mode)
            touched = _touched(chat.messages[:-2], turn.body)
            if touched or turn.prefix is not None or (turn.injected and mode in NO_MEMORY):
                broken.append(f"seed {seed}, {mode.value}: {touched}")
        broken += [f"seed {seed}: {problem}" for problem in chat.problems]
    assert broken == []


def _touched(earlier: Sequence[Message], body: bytes) -> list[str]:
    """Return the client's earlier messages, without system messages, that are not in a prompt as they were."""
    sent = [json.dumps(message) for message in json.loads(body)["messages"]]
    own = [json.dumps(message) for message in earlier if message["role"] not in ("system", "developer")]
    return [message for message in own if sent.count(message) < own.count(message)]
