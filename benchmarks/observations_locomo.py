"""Replay a LoCoMo file with its observations as the model's answers, through the whole pipeline. Reads the file.

Each conversation is replayed twice, once with each speaker as the user, turn by turn: a message of the user and the
answer to it are recorded, and formed before the next. The model is a server of its own process which answers with what
the file's `observation` names for the messages it is shown. Reported are memories, duplicates, decisions, calls, prompt
tokens and our own time beside the model; and whether every distinct observation is kept once, with its turn as source.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.observer import MODEL, observations, speakers_of
from benchmarks.processes import child
from benchmarks.quiet import errors_only
from toldonce.clock import SystemClock
from toldonce.datasets.locomo import LocomoSample, locomo_samples, locomo_sessions, user_names
from toldonce.datasets.recordings import Recording
from toldonce.engine import AsyncToldOnce
from toldonce.engine.components import open_components
from toldonce.providers.model_factory import OpenedModel
from toldonce.providers.protocols import ModelAnswer
from toldonce.resolution.llm_judge import SCHEMA_NAME as JUDGING
from toldonce.settings import Settings
from toldonce.text import bare
from toldonce.types import Decision, Memory, MemoryKind, MemoryState

# What the design promises.
MAX_CALLS, MAX_TOKENS, MAX_OWN_MS = 1.0, 1_300, 3.0


class Watched:
    """A model that notes what asking it costs."""

    def __init__(self, model: OpenedModel) -> None:
        """Watch `model`."""
        self._model = model
        self.seconds = 0.0
        self.cpu_s = 0.0
        """Of this process, while a question was under way: making the request and reading the answer."""
        self.tokens: list[int] = []
        self.kinds: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Ask, and note how long it took and what it cost."""
        began, used = time.perf_counter(), time.process_time()
        answer = await self._model.answer(system=system, user=user, schema=schema, schema_name=schema_name)
        self.seconds += time.perf_counter() - began
        self.cpu_s += time.process_time() - used
        self.kinds[schema_name] += 1
        self.tokens.append(answer.usage.prompt_tokens if answer.usage else 0)
        return answer

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()


@dataclass(slots=True)
class Figures:
    """What a replay came to."""

    turns: int = 0
    """A message of the user, and the answer to it."""
    observations: int = 0
    """Distinct ones that rest on the user's own words."""
    stored: int = 0
    """Of these, the ones that are a memory with their turn as a source."""
    merged: int = 0
    """Of these, the ones that another memory says too, which has their turn as a source."""
    lost: list[str] = field(default_factory=list)
    """Turns of those that are neither."""
    memories: int = 0
    """Notes and facts that hold in the end."""
    closed: int = 0
    duplicates: int = 0
    """Notes that hold and have the words of another of the same user."""
    decisions: Counter[str] = field(default_factory=Counter)
    own_ms: list[float] = field(default_factory=list)
    """For each turn, from recording it to its memories, beside the model."""
    cpu_s: float = 0.0


def exchanges(recording: Recording) -> Iterator[tuple[list[Mapping[str, Any]], list[datetime]]]:
    """Cut a session into turns: what the user says, and the answer."""
    said: list[Mapping[str, Any]] = []
    dates: list[datetime] = []
    for message, when in zip(recording.messages, recording.dates, strict=True):
        answered = bool(said) and said[-1]["role"] == "assistant" and any(message["role"] == "user" for message in said)
        if message["role"] == "user" and answered:
            yield said, dates
            said, dates = [], []
        said.append(message)
        dates.append(when or datetime.now(UTC))
    if said:
        yield said, dates


async def replay(engine: AsyncToldOnce, watched: Watched, recordings: Sequence[Recording], figures: Figures) -> None:
    """Record sessions turn by turn and form each before the next."""
    for recording in recordings:
        for said, dates in exchanges(recording):
            asked, began = (watched.seconds, watched.cpu_s), (time.perf_counter(), time.process_time())
            await engine.record(said, user=recording.user, conversation=recording.id, said_at=dates)
            await engine.form()
            own = time.perf_counter() - began[0] - (watched.seconds - asked[0])
            figures.turns += 1
            figures.own_ms.append(1000 * own)
            figures.cpu_s += time.process_time() - began[1] - (watched.cpu_s - asked[1])


async def judge(engine: AsyncToldOnce, user: str, speaker: str, sample: dict[str, Any], figures: Figures) -> None:
    """Compare what is remembered of a speaker with what the file observed."""
    memories = await engine.list(user=user, kinds=(MemoryKind.NOTE, MemoryKind.FACT), closed=True, limit=10_000)
    decisions = await engine.history.decisions(user=user, limit=10_000)
    names = await _turn_names(engine, user, sample)
    holding = [memory for memory in memories if memory.state is MemoryState.ACTIVE]
    figures.memories += len(holding)
    figures.closed += len(memories) - len(holding)
    figures.duplicates += len(holding) - len({(memory.kind, bare(memory.text), memory.key) for memory in holding})
    figures.decisions.update(decision.action.value for decision in decisions)
    speakers = speakers_of(sample)
    distinct = {
        bare(observation.text): (
            observation.text,
            {turn for turn in observation.turns if speakers.get(turn) == speaker},
        )
        for observation in observations(sample)
        if any(speakers.get(turn) == speaker for turn in observation.turns)
    }
    by_id: dict[str | None, Memory] = {memory.id: memory for memory in memories}
    for words, (_, turns) in distinct.items():
        figures.observations += 1
        if any(bare(memory.text) == words and turns & _sources(memory, names) for memory in memories):
            figures.stored += 1
        elif any(turns & _sources(memory, names) for memory in _said_by(words, decisions, by_id)):
            figures.merged += 1
        else:
            figures.lost.append(f"{sample['sample_id']} {' '.join(sorted(turns))}")


def _said_by(words: str, decisions: Sequence[Decision], by_id: Mapping[str | None, Memory]) -> list[Memory]:
    """Return the memories that candidates of these words were merged with."""
    return [
        by_id[known]
        for line in decisions
        if bare(line.text) == words
        for known in (line.memory_id, line.target_id)
        if known in by_id
    ]


def _sources(memory: Memory, names: Mapping[tuple[str, int], str]) -> set[str]:
    return {names.get((source.conversation, source.seq), "") for source in memory.evidence}


async def _turn_names(engine: AsyncToldOnce, user: str, sample: dict[str, Any]) -> dict[tuple[str, int], str]:
    names: dict[tuple[str, int], str] = {}
    for conversation in await engine.conversations.list(user=user, limit=1000):
        session = str(conversation.external_id).rpartition("/")[2]
        turns = [turn for turn in sample["conversation"][session] if turn["text"].strip() or turn.get("blip_caption")]
        names.update({(conversation.id, seq): turn["dia_id"] for seq, turn in enumerate(turns, start=1)})
    return names


async def measure(data: bytes, settings: Settings, model: OpenedModel | None = None) -> dict[str, Any]:
    """Replay a file and return the figures.

    Args:
        data: The file.
        settings: Where the database is, and the model.
        model: Asked instead of the settings' model.
    """
    parts = await open_components(settings, SystemClock())
    asked = model or parts.model
    if asked is None:
        raise SystemExit("there is no model to ask")
    watched = Watched(asked)
    figures = Figures()
    raw = {sample["sample_id"]: sample for sample in json.loads(data)}
    samples = [sample for sample in locomo_samples(data) if isinstance(sample, LocomoSample)]
    users = user_names(samples)
    async with AsyncToldOnce(replace(parts, model=watched)) as engine:
        for sample in samples:
            for speaker in sample.speakers:
                user = users[sample.id, speaker]
                sessions = locomo_sessions(sample, as_speaker=speaker, user=user, zone=UTC)
                await replay(
                    engine, watched, [session for session in sessions if isinstance(session, Recording)], figures
                )
                await judge(engine, user, speaker, raw[sample.id], figures)
        parked = len(await engine.admin.formations(parked=True))
    return _report(figures, watched) | {"parked": parked}


def _report(figures: Figures, watched: Watched) -> dict[str, Any]:
    turns, tokens = max(figures.turns, 1), watched.tokens or [0]
    shown = asdict(figures) | {"decisions": dict(figures.decisions.most_common())}
    shown.pop("own_ms")
    shown.pop("cpu_s")
    return shown | {
        "calls": dict(watched.kinds),
        "calls_per_turn": round(watched.kinds.total() / turns, 3),
        "judge_calls_per_turn": round(watched.kinds[JUDGING] / turns, 3),
        "prompt_tokens_per_turn": round(sum(tokens) / turns),
        "prompt_tokens_of_a_call": {"mean": round(statistics.fmean(tokens)), "most": max(tokens)},
        "own_ms_per_turn": {
            "cpu": round(1000 * figures.cpu_s / turns, 2),
            "wall_p50": round(statistics.median(figures.own_ms), 2),
            "wall_mean": round(statistics.fmean(figures.own_ms), 2),
            "cpu_of_asking": round(1000 * watched.cpu_s / turns, 2),
        },
        "model_ms_per_call": round(1000 * watched.seconds / len(tokens), 2),
    }


def bars(figures: Mapping[str, Any]) -> dict[str, bool]:
    """Say of each promise whether it was kept."""
    return {
        "every observation kept": not figures["lost"] and not figures["duplicates"],
        f"at most {MAX_CALLS:g} model calls a turn": figures["calls_per_turn"] <= MAX_CALLS,
        f"at most {MAX_TOKENS} prompt tokens a turn": figures["prompt_tokens_per_turn"] <= MAX_TOKENS,
        f"at most {MAX_OWN_MS:g} ms of CPU a turn": figures["own_ms_per_turn"]["cpu"] <= MAX_OWN_MS,
    }


@errors_only()
def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="a LoCoMo data file")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    with child("benchmarks.observer", str(given.file.resolve())) as port, tempfile.TemporaryDirectory() as folder:
        settings = Settings.load(
            database_url=f"sqlite:///{folder}/locomo.sqlite3",
            worker="off",
            form_url=f"http://127.0.0.1:{port}/v1",
            form_model=MODEL,
        )
        figures = asyncio.run(measure(given.file.read_bytes(), settings))
    for name, value in figures.items():
        shown = ", ".join(f"{key} {item}" for key, item in value.items()) if isinstance(value, dict) else value
        print(f"{name.replace('_', ' '):28}{shown if shown not in ([], '') else 'none'}")
    for name, held in bars(figures).items():
        print(f"{'✓' if held else '✗'} {name}")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
