"""After an erasure no byte of it is left in the folder (E1): words, names, tool results, errors, term keys, vectors."""

import os
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from canaries import DenseEmbedder, canary, found, spellings, vector_parts
from sample_chats import ALL_KINDS, asks, assistant, request, with_model
from soak import SOAK
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import BadRequestError, ModelError
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import MemoryKind, Subject

# For `make soak` a tenth of its count: each has some ten canaries, and 1,000 are the release's measure.
CONVERSATIONS = max(4, SOAK // 10)
# Repetitions of three words: with the longest, a message fills more than one page of the file.
FILLERS = (0, 5, 60, 900 if SOAK else 450)


class Talk:
    """Conversations full of words that stand nowhere else."""

    def __init__(self, engine: AsyncToldOnce, parts: Components, seed: int) -> None:
        self.engine = engine
        self.parts = parts
        self.luck = random.Random(seed)
        self.words: dict[str, list[str]] = {}

    def word(self, who: str, where: str) -> str:
        made = canary(self.luck, accented=self.luck.random() < 0.3)
        self.words.setdefault(f"{who}/{where}", []).append(made)
        return made

    async def tell(self, who: str, number: int) -> str:
        """Record one conversation: facts and notes, a long page, a name, a tool's call and result, an answer."""
        where = f"{number}"

        def new() -> str:
            return self.word(who, where)

        filler = "and so on " * self.luck.choice(FILLERS)
        call = {"id": new(), "type": "function", "function": {"name": new(), "arguments": f'{{"of": "{new()}"}}'}}
        said: list[dict[str, Any]] = [
            {"role": "user", "name": new(), "content": f"I'm allergic to {new()}. I live in {new().title()}. {filler}"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": f"found {new()} {filler}"},
            assistant(f"Beware of {new()}. {filler}"),
            {"role": "user", "content": f"My sister {new().title()} keeps {new()} in the garden behind the house."},
        ]
        recorded = await self.engine.record(said, user=who, conversation=f"{who}-{number}")
        if self.luck.random() < 0.7:
            await self.engine.form()
        return recorded.conversation

    async def chat(self, who: str, number: int) -> None:
        """Ask, so that what is recalled is recorded with the answer."""
        asked = request({"role": "user", "content": f"What of {self.word(who, f'{number}')}?"})
        prepared = await self.engine.turns.prepare(asked, asks(who, conversation=f"{who}-{number}"), mode="split")
        assert prepared.body

    async def fail(self, who: str) -> None:
        """Let a model fail with words in its errors until the work is parked, and until the rules do it."""
        word = self.word(who, "error")
        clock = self.parts.clock
        assert isinstance(clock, FakeClock)
        for kind in (BadRequestError, ModelError):
            failing = with_model(self.parts, ScriptedModel(lambda *_, kind=kind: kind(f"cannot read {word}")))
            said = [{"role": "user", "content": f"I adore {word}, always."}]
            await failing.record(said, user=who, conversation=kind.__name__)
            for _ in range(12):
                await failing.form()
                clock.advance(seconds=1_000)
        parked = await failing.admin.formations(parked=True)
        assert any(word in (status.error or "") for status in parked)
        assert any(word in line.reason for line in await failing.history.decisions(user=who))

    async def patterns(self, who: str, wheres: list[str] | None = None) -> dict[bytes, str]:
        salts = [(await self.parts.store.snapshots.snapshot(Subject("user", name), "")).salt for name in ("ana", "ben")]
        chosen = [
            word
            for place, words in self.words.items()
            for word in words
            if place.startswith(f"{who}/") and (wheres is None or place.split("/")[1] in wheres)
        ]
        made = {pattern: f"{word} as {how}" for word in chosen for how, pattern in spellings(word, salts)}
        embedder = self.parts.embedder
        assert isinstance(embedder, DenseEmbedder)
        texts = sorted(text for text in embedder.seen if any(word.lower() in text.lower() for word in chosen))
        for text, row in zip(texts, await embedder.embed(texts), strict=True):
            made |= {part: f"the vector of {text[:40]!r}" for _, part in vector_parts(np.asarray(row))}
        return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
async def talk(folder: Path, clock: FakeClock, parts: Components) -> AsyncIterator[Talk]:
    store = await open_store(f"sqlite:///{folder / 'kept.sqlite3'}", clock=clock)
    mine = replace(parts, store=store, embedder=DenseEmbedder())
    async with AsyncToldOnce(mine) as engine:
        yield Talk(engine, mine, seed=int.from_bytes(os.urandom(4)))


async def conversations(talk: Talk, count: int) -> dict[str, list[str]]:
    made: dict[str, list[str]] = {"ana": [], "ben": []}
    for number in range(count):
        for who in made:
            made[who].append(await talk.tell(who, number))
        if number % 3 == 0:
            await talk.chat("ana", number)
    await talk.engine.form()
    return made


@pytest.mark.soak
async def test_i13_no_byte_of_erased_conversations_and_subjects_is_left_in_any_file(talk: Talk, folder: Path) -> None:
    made = await conversations(talk, CONVERSATIONS)
    await talk.fail("ana")
    assert found(folder, await talk.patterns("ana")), "else the search could not fail"
    some = list(range(0, len(made["ana"]), 2))
    for number in some:
        receipt = await talk.engine.erasure.conversation(made["ana"][number], user="ana")
        assert receipt.done
    left = found(folder, await talk.patterns("ana", [f"{number}" for number in some]))
    assert left == [], talk.luck
    receipt = await talk.engine.erasure.subject("ana")
    assert receipt.done
    patterns = await talk.patterns("ana")
    assert found(folder, patterns) == []
    assert found(folder, await talk.patterns("ben")), "strangers keep theirs"
    await talk.engine.close()
    assert found(folder, patterns) == []


@pytest.mark.soak
async def test_i13_no_byte_of_erased_memories_and_their_messages_is_left_in_any_file(talk: Talk, folder: Path) -> None:
    for number in range(CONVERSATIONS):
        for who in ("ana", "ben"):
            word = talk.word(who, f"{number}")
            filler = "and so on " * talk.luck.choice(FILLERS)
            await talk.engine.record(
                [{"role": "user", "content": f"I'm allergic to {word}. {filler}"}], user=who, conversation=f"c{number}"
            )
        await talk.engine.form()
    for number in range(0, CONVERSATIONS, 2):
        [word] = talk.words[f"ana/{number}"]
        [known, *_] = [
            memory for memory in await talk.engine.list(user="ana", limit=5_000) if word in memory.text.lower()
        ]
        assert (await talk.engine.erase(known.id, user="ana")).done
        assert not [
            memory for memory in await talk.engine.list(user="ana", kinds=ALL_KINDS, limit=5_000) if word in memory.text
        ]
    gone = [f"{number}" for number in range(0, CONVERSATIONS, 2)]
    assert found(folder, await talk.patterns("ana", gone)) == []
    kept = [f"{number}" for number in range(1, CONVERSATIONS, 2)]
    assert found(folder, await talk.patterns("ana", kept))


async def test_i13_a_resent_history_brings_no_byte_back(talk: Talk, folder: Path, clock: FakeClock) -> None:
    words = [talk.word("ana", "0") for _ in range(4)]
    history = [
        {"role": "user", "content": f"I'm allergic to {words[0]}."},
        assistant(f"I will avoid {words[1]}."),
        {"role": "user", "content": f"I moved to {words[2].title()}."},
        assistant(f"Welcome to {words[3]}."),
    ]
    first = await talk.engine.record(history, user="ana", conversation="chat")
    await talk.engine.form()
    assert (await talk.engine.erasure.conversation(first.conversation, user="ana")).done
    for days, name in ((0, "chat"), (0, "another"), (1, None), (30, None)):
        clock.advance(days=days)
        new = {"role": "user", "content": f"What is new on day {days}?"}
        await talk.engine.record([*history, new], user="ana", conversation=name)
        await talk.engine.form()
    patterns = await talk.patterns("ana")
    assert found(folder, patterns) == []
    assert (await talk.engine.erasure.subject("ana")).done
    await talk.engine.record([*history, {"role": "user", "content": "Anything new?"}], user="ana")
    await talk.engine.form()
    assert found(folder, patterns) == []
    kinds = {memory.kind for memory in await talk.engine.list(user="ana", kinds=ALL_KINDS)}
    assert kinds <= {MemoryKind.TURN}
