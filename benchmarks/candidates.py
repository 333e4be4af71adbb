"""Whether what a message contradicts or updates is among the memories weighed against it. Reads BEAM's folders.

Each chat is told turn by turn, and an extractor with a script keeps a note of every message of the user, in its own
words. BEAM's questions on contradictions and on updates name two statements. Just before the later one is told, the
engine's own `work.neighbours.gather_neighbours` is asked for what a note of it would be weighed against; and the
extractor is asked with what the engine shows it. A pair counts as found where a memory of the earlier statement is
among them.

Pairs whose two statements are one message are left out: a message is not weighed against itself.
"""

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from benchmarks.quiet import errors_only
from toldonce.datasets.beam import QUESTIONS, numbers
from toldonce.datasets.dataset import DatasetConversation, DatasetTurn
from toldonce.datasets.load import read_data
from toldonce.engine import AsyncToldOnce, Components, open_components
from toldonce.evaluation.extraction_modes import emptiest, item
from toldonce.evaluation.ingest import Ingest, IngestCost, exchanges
from toldonce.evaluation.instrumentation import ConversationClock
from toldonce.extraction.llm import SCHEMA_NAME
from toldonce.extraction.redaction import redact
from toldonce.extraction.sources import readable_text
from toldonce.formation.neighbours import gather_neighbours
from toldonce.formation.runtime import Runtime
from toldonce.providers.chunker import chunks
from toldonce.providers.protocols import ModelAnswer
from toldonce.settings import Settings
from toldonce.types import Candidate, ConversationId, Memory, MemoryKind, Subject

KINDS = ("contradiction_resolution", "knowledge_update")
MIN_SIMILARITY = 0.82
"""What is promised of the candidates weighed."""
_LINE = re.compile(r"\[(\d+)\] (?:\w+ \d+ \w+ \d+, )?\"(?:[^\"\\]|\\.)*\": (\".*\")")
_KNOWN = re.compile(r"\[\d+\] (?:note|fact \"[^=]*\" = \".*?\"): (\".*\")")
_MAX_MEMORIES = 10_000
# As much of a known memory as a question shows for certain.
_HEAD = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What a question is about."""

    question: str
    kind: str
    earlier: frozenset[str]
    """Ids of the messages of the statement that was made first."""
    later: frozenset[str]


@dataclass(slots=True)
class Found:
    """Pairs of which the earlier statement was there, and all of them."""

    pairs: list[str] = field(default_factory=list)
    weighed: set[str] = field(default_factory=set)
    """Among the memories that the later note is weighed against."""
    shown: set[str] = field(default_factory=set)
    """Among the memories that an extractor is shown."""
    known: int = 0
    """Memories there were when a later statement was made, summed over the pairs."""


class Verbatim:
    """An extractor that keeps each message unchanged."""

    name = "verbatim"

    def __init__(self) -> None:
        """Show nothing yet."""
        self.shown: list[str] = []
        """The beginnings of the memories that it was shown last."""

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Answer the extractor with the messages; any other question with the emptiest value of its schema."""
        if schema_name != SCHEMA_NAME:
            return ModelAnswer(data=emptiest(schema), usage=None, calls=1)
        before, _, messages = user.partition("\nMessages:\n")
        known = before.partition("\nKnown memories:\n")[2].partition("\n\n")[0]
        self.shown = [json.loads(line[1])[:_HEAD] for line in _KNOWN.finditer(known)]
        told = [(int(found[1]), json.loads(found[2])) for found in _LINE.finditer(messages)]
        return ModelAnswer(data={"memories": [item(text, place, text) for place, text in told]}, usage=None, calls=1)

    async def close(self) -> None:
        """Hold nothing."""


def pairs_of(folder: Path, conversation: DatasetConversation) -> list[Pair]:
    """List the pairs of statements that BEAM's questions of a folder name, two messages or more each."""
    place = {turn.id: at for at, turn in enumerate(conversation.turns)}
    found = []
    asked = json.loads((folder / QUESTIONS).read_text("utf-8"))
    for kind in KINDS:
        for number, question in enumerate(asked.get(kind, ()), start=1):
            sides = [numbers(side) & place.keys() for side in question["source_chat_ids"].values()]
            if len(sides) != 2 or not all(sides) or sides[0] & sides[1]:
                continue
            earlier, later = sorted(sides, key=lambda side: min(place[id_] for id_ in side))
            name = f"{folder.name}/{kind}/{number}"
            found.append(Pair(question=name, kind=kind, earlier=frozenset(earlier), later=frozenset(later)))
    return found


async def measure(parts: Components, conversation: DatasetConversation, pairs: Sequence[Pair], found: Found) -> None:
    """Tell a chat, and at each later statement see what it is weighed against."""
    model = Verbatim()
    engine = AsyncToldOnce(replace(parts, model=model))
    user = Subject("user", conversation.id)
    telling = Ingest(engine, _clock(parts), None, IngestCost())
    found.pairs += [pair.question for pair in pairs]
    for exchange in exchanges(conversation.turns):
        due = [(pair, turn) for turn in exchange for pair in pairs if turn.id in pair.later]
        for pair, turn in due:
            beside = await _weighed(parts, user, turn)
            sources = {telling.names[key] for memory in beside for key in _sources(memory)}
            found.weighed |= {pair.question} if sources & pair.earlier else set()
        before = await engine.list(user=user, limit=_MAX_MEMORIES) if due else []
        await telling.exchange(user, exchange)
        for pair, _ in due:
            found.known += len(before)
            shown = [memory for memory in before if redact(memory.text)[:_HEAD] in model.shown]
            sources = {telling.names[key] for memory in shown for key in _sources(memory)}
            found.shown |= {pair.question} if sources & pair.earlier else set()


def _sources(memory: Memory) -> list[tuple[ConversationId, int]]:
    return [(said.conversation, said.seq) for said in memory.evidence]


async def _weighed(parts: Components, user: Subject, turn: DatasetTurn) -> list[Memory]:
    """Return the memories that a note of a message would be weighed against."""
    tools = Runtime(
        store=parts.store,
        embedder=parts.embedder,
        model=None,
        clock=parts.clock,
        zone=ZoneInfo(parts.settings.time_zone),
    )
    policy = parts.profiles.get(parts.settings.profile).resolve
    text = readable_text(turn.text)
    candidate = Candidate(
        kind=MemoryKind.NOTE, text=text, speaker="user", seq=1, quote=text, valid_from=parts.clock.now()
    )
    hot = await parts.store.snapshots.snapshot(user, parts.embedder.space)
    vectors = await parts.embedder.embed((chunks(text) or [text])[:1])
    neighbours = await gather_neighbours(hot, [candidate], vectors, tools, limit=policy.neighbours)
    return [neighbour.memory for neighbour in neighbours.near[0]]


def _clock(parts: Components) -> ConversationClock:
    assert isinstance(parts.clock, ConversationClock)
    return parts.clock


async def measure_all(folder: Path) -> Found:
    """Measure every chat of a folder, each as a user of its own."""
    found = Found()
    data = read_data("beam", folder, ZoneInfo("UTC"))
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings.load(database_url=f"sqlite:///{scratch}/candidates.sqlite3", worker=False)
        parts = await open_components(settings, ConversationClock(data.conversations[0].turns[0].said_at))
        try:
            for conversation in data.conversations:
                _clock(parts).stand(conversation.turns[0].said_at)
                pairs = pairs_of(folder / conversation.id.removeprefix("beam-"), conversation)
                await measure(parts, conversation, pairs, found)
                print(f"{conversation.id}: {len(found.weighed)} of {len(found.pairs)}", file=sys.stderr)
        finally:
            await parts.store.close()
            await parts.embedder.close()
    return found


@errors_only()
def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder of BEAM's numbered conversations")
    given = parser.parse_args()
    found = asyncio.run(measure_all(given.folder))
    for name, there in (("weighed", found.weighed), ("shown to the extractor", found.shown)):
        print(f"{name}: {len(there)} of {len(found.pairs)} ({len(there) / len(found.pairs):.1%})")
        for pair in found.pairs:
            if pair not in there:
                print(f"  not {pair}")
    print(f"memories known by then: {found.known / len(found.pairs):.0f}")


if __name__ == "__main__":
    main()
