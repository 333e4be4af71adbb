"""S1: a secret of any shape stays in the message log: nothing derived, asked, logged, counted or exported holds one."""

import json
import logging
from collections.abc import Sequence
from dataclasses import replace

import pytest

from extraction.made_secrets import SECRETS, Luck
from sample_chats import answer, asks, note, request, user
from soak import SOAK
from toldonce.engine import AsyncToldOnce, Components
from toldonce.metrics import ProxyCounters
from toldonce.server.observability import exposition
from toldonce.testing import ScriptedModel, WordEmbedder
from toldonce.types import MemoryKind, Vectors

DERIVED = (MemoryKind.NOTE, MemoryKind.FACT, MemoryKind.EPISODE)
MADE = {name: make(Luck(len(name))) for name, make in SECRETS.items()}


class Listening(WordEmbedder):
    """An embedder that remembers what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed, and remember."""
        self.heard += texts
        return await super().embed(texts)


def leaky(system: str, asked: str) -> object:
    """A model that repeats the newest message, whole, as a memory."""
    shown = [line for line in asked.splitlines() if line.startswith("[")]
    text = json.loads(shown[-1].partition(": ")[2])[:600] if shown and ': "' in shown[-1] else "nothing"
    return answer(note(text, text), note(f"The user said {text}", text))


@pytest.fixture(params=["rules", "model"])
def listening(request: pytest.FixtureRequest, parts: Components) -> tuple[AsyncToldOnce, Listening, ScriptedModel]:
    embedder, model = Listening(), ScriptedModel(leaky)
    chosen = model if request.param == "model" else None
    return AsyncToldOnce(replace(parts, embedder=embedder, model=chosen)), embedder, model


# Shorter ones stand in any text by chance; that they are struck out is shown for each shape by itself.
TELLING = {name: secret for name, (_, secret) in MADE.items() if len(secret) >= 6}


def spilt(where: str) -> list[str]:
    """Return the names of the secrets that stand in a text, as they are or as JSON has them."""
    return [name for name, secret in TELLING.items() if secret in where or json.dumps(secret)[1:-1] in where]


def _told(record: logging.LogRecord) -> dict[str, object]:
    """Return what a log record says, without times and threads: they may have a code of six digits by chance."""
    return {name: value for name, value in vars(record).items() if not isinstance(value, float) and name != "thread"}


async def test_s1_no_secret_leaves_the_message_log(
    listening: tuple[AsyncToldOnce, Listening, ScriptedModel], caplog: pytest.LogCaptureFixture
) -> None:
    engine, embedder, model = listening
    caplog.set_level("DEBUG")
    made = list(MADE.values()) if SOAK else list(MADE.values())[model is not None :: 4]
    for number, (said, _) in enumerate(made):
        await engine.record([user(f"I live in Oslo and I like number {number}. {said}")], user="ana")
        await engine.form()

    derived = await engine.list(user="ana", kinds=DERIVED, closed=True, limit=2000)
    assert derived
    assert spilt(str(derived)) == []
    assert spilt(str(await engine.history.decisions(user="ana"))) == []
    assert spilt("\n".join(embedder.heard)) == []
    assert spilt("\n".join(f"{call.system}{call.user}" for call in model.calls)) == []
    assert spilt(caplog.text + str([_told(record) for record in caplog.records])) == []
    for said, _ in made:
        found = await engine.search(said, user="ana")
        assert spilt(str([(item.memory, item.reasons) for item in found.items])) == []
    turn = await engine.turns.prepare(request(user("What are my keys, cards and passwords?")), asks("ana"))
    assert spilt(turn.body.decode()) == []
    assert spilt("\n".join(embedder.heard)) == []
    totals = await engine.admin.totals()
    counted = exposition(engine.metrics, ProxyCounters(), {}, totals).decode()
    assert spilt(counted) == []
    assert 'memory_secrets_scrubbed_total{shape="card"}' in counted
    assert sum(engine.metrics.scrubbed.values()) >= len(made)
