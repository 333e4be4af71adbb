"""How often resolution asks a model, with the observations of a LoCoMo file as extracted notes. Reads the file.

Each conversation is recorded turn by turn, once with each speaker as the user, and formed after every turn, as in a
chat; with --batch a session is recorded whole, then formed, eight messages a formation. A stand-in model extracts what
the file's `observation` names of the messages it sees; what resolution asks, it answers with "add". `asked` counts the
formations that asked it to compare.
"""

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.dialogues import sessions
from benchmarks.quiet import errors_only
from toldonce.clock import SystemClock
from toldonce.engine import AsyncToldOnce
from toldonce.engine.components import open_components
from toldonce.formation.extract import MODEL_BATCH
from toldonce.providers.protocols import ModelAnswer
from toldonce.resolution.llm_judge import SCHEMA_NAME as JUDGING
from toldonce.settings import Settings

_SHOWN = re.compile(r'^\[(\d+)\] [^"\n]*"(?:[^"\\]|\\.)*": ("(?:[^"\\]|\\.)*")$', re.MULTILINE)
# Enough of a message to tell it from the others; prompts cut long ones.
_HEAD = 200
WHO = "replayed"


class Observer:
    """A model that extracts what the file observed, and takes everything for new."""

    name = "observer"

    def __init__(self, observed: Mapping[str, list[str]]) -> None:
        """Take the observations by the head of their message's text."""
        self._observed = observed
        self.calls: Counter[str] = Counter()
        self.prompt_characters = 0

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Answer as a model would, at once."""
        self.calls[schema_name] += 1
        self.prompt_characters += len(system) + len(user)
        if schema_name == JUDGING:
            asked = len(re.findall(r"(?m)^New statement ", user))
            decisions = [{"candidate": n, "action": "add", "target": None} for n in range(1, asked + 1)]
            return ModelAnswer(data={"decisions": decisions}, usage=None, calls=1)
        items = []
        for number, quoted in _SHOWN.findall(user):
            said = json.loads(quoted)
            items += [_item(text, int(number), said) for text in self._observed.get(said[:_HEAD], ())]
        return ModelAnswer(data={"memories": items}, usage=None, calls=1)

    async def close(self) -> None:
        """Hold nothing."""


def _item(text: str, message: int, said: str) -> dict[str, Any]:
    return {
        "kind": "note",
        "text": text,
        "category": "",
        "key": "",
        "value": "",
        "type": "fact",
        "importance": 0.6,
        "confidence": 0.9,
        "message": message,
        "quote": said[:80],
        "repeats": None,
        "updates": None,
        "ended": False,
        "valid_from": None,
    }


def observations(sample: dict[str, Any]) -> dict[str, list[str]]:
    """Collect the observations by the head of the message they rest on."""
    turns = {turn["dia_id"]: turn["text"] for _, turn in sessions(sample["conversation"])}
    found: dict[str, list[str]] = {}
    for held in sample["observation"].values():
        for speaker in held.values():
            for text, evidence in speaker:
                for name in [evidence] if isinstance(evidence, str) else evidence:
                    if name in turns:
                        found.setdefault(" ".join(turns[name].split())[:_HEAD], []).append(text)
                        break
    return found


class Replaying:
    """One conversation with one speaker as the user."""

    def __init__(self, engine: AsyncToldOnce, model: Observer) -> None:
        """Take an engine over an empty store."""
        self._engine = engine
        self._model = model
        self.counted: Counter[str] = Counter()

    async def run(self, sample: dict[str, Any], user: str, *, batch: bool) -> None:
        """Record and form, turn by turn or session by session."""
        waiting: list[dict[str, str]] = []
        last = None
        for held, turn in sessions(sample["conversation"]):
            role = "user" if turn["speaker"] == user else "assistant"
            if waiting and (held != last or (role == "user" and not batch)):
                await self._form(waiting, last)
                waiting = []
            waiting.append({"role": role, "content": " ".join(turn["text"].split()), "name": turn["speaker"]})
            last = held
        await self._form(waiting, last)
        for line in await self._engine.history.decisions(user=WHO, limit=10_000):
            self.counted[f"decision {line.action.value}"] += 1

    async def _form(self, messages: list[dict[str, str]], held: datetime | None) -> None:
        before = self._model.calls[JUDGING]
        await self._engine.record(messages, user=WHO, conversation=str(held), said_at=held)
        await self._engine.form()
        self.counted["formations"] += -(-len(messages) // MODEL_BATCH)
        self.counted["asked"] += self._model.calls[JUDGING] - before


async def replay(sample: dict[str, Any], user: str, *, batch: bool) -> Counter[str]:
    """Replay one conversation with one speaker as the user; return what was counted."""
    model = Observer(observations(sample))
    with tempfile.TemporaryDirectory() as folder:
        parts = await open_components(Settings.load(database_url=f"sqlite:///{folder}/judging.sqlite3"), SystemClock())
        async with AsyncToldOnce(replace(parts, model=model)) as engine:
            replaying = Replaying(engine, model)
            await replaying.run(sample, user, batch=batch)
    return replaying.counted + Counter({f"calls to {name}": count for name, count in model.calls.items()})


async def measure(samples: Sequence[dict[str, Any]], *, batch: bool) -> dict[str, Any]:
    """Replay all of them with each speaker; return the sums and the share of formations that asked."""
    counted: Counter[str] = Counter()
    for sample in samples:
        for user in (sample["conversation"]["speaker_a"], sample["conversation"]["speaker_b"]):
            counted += await replay(sample, user, batch=batch)
            print(f"{sample['sample_id']} {user}: {dict(counted)}", file=sys.stderr)
    return {**counted, "share that asked": round(counted["asked"] / max(1, counted["formations"]), 4)}


@errors_only()
def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="a file in LoCoMo's format")
    parser.add_argument("--batch", action="store_true", help="form whole sessions, eight messages a formation")
    given = parser.parse_args()
    samples = json.loads(given.path.read_text("utf-8"))
    print(json.dumps(asyncio.run(measure(samples, batch=given.batch)), indent=2))


if __name__ == "__main__":
    main()
