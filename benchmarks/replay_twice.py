"""Tell conversations twice with their sessions shuffled, and see what became of each fact. Reads the file it is given.

What the file observed of a turn is given as an extractor's answer each time the turn is told: first in all sessions in
a shuffled order, then in all of them once more, in another order and as new conversations. Both speakers' words form
memories of one user a conversation. Nothing is asked of a model beside that.

Facts are distinct where `resolve.compare.same` tells them apart: by more than case, spacing and punctuation. Each must
be an active memory exactly once, in its own words, and rest on every turn it was said in, in both rounds. What is not
so is listed with the decision that came of it; a fact that another memory says in other words counts as lost.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from benchmarks.quiet import errors_only
from toldonce.datasets.dataset import DatasetConversation, DatasetTurn, Observation
from toldonce.datasets.load import JSONL, KINDS, read_data
from toldonce.engine import AsyncToldOnce, Components, open_components
from toldonce.evaluation.extraction_modes import RecordedModel, ShapedProfiles
from toldonce.evaluation.ingest import Ingest, IngestCost, Names, exchanges
from toldonce.evaluation.instrumentation import ConversationClock
from toldonce.extraction.sources import readable_text
from toldonce.resolution.relation import same
from toldonce.settings import Settings
from toldonce.text import words
from toldonce.types import Action, Decision, Memory, MemoryKind, MemoryState, Subject

ROUNDS = ("first", "second")
_MAX_MEMORIES = 10_000
_FORMED = (MemoryKind.NOTE, MemoryKind.FACT)
Said = tuple[str, str]
"""Who speaks, and the words: turns that are alike in both are one to an extractor, and to this count."""


@dataclass(slots=True)
class Fact:
    """What was observed, however it was written, and where it was said."""

    texts: list[str]
    said: set[Said] = field(default_factory=set)

    def is_said_by(self, text: str) -> bool:
        """Whether a text says it in its own words."""
        return any(same(text, known) for known in self.texts)


@dataclass(slots=True)
class Figures:
    """What came of the facts of all conversations."""

    distinct: int = 0
    once: int = 0
    """Active exactly once."""
    lost: list[str] = field(default_factory=list)
    """Active nowhere in their own words: which, and what became of them."""
    doubled: list[str] = field(default_factory=list)
    sourced: int = 0
    """Of those that are active, the ones that rest on every turn they were said in, in both rounds."""
    unsourced: list[str] = field(default_factory=list)
    """The others, with the turns that they do not rest on."""
    astray: list[str] = field(default_factory=list)
    """Active memories whose source turn does not say it, or that match no observation."""
    parked: int = 0
    memories: int = 0
    decisions: Counter[str] = field(default_factory=Counter)

    @property
    def whole(self) -> bool:
        """Whether nothing is lost, doubled, or without its sources."""
        return not (self.lost or self.doubled or self.unsourced or self.astray or self.parked)


async def replay_twice(engine: AsyncToldOnce, conversation: DatasetConversation, user: Subject, *, seed: int) -> Names:
    """Tell all sessions in a shuffled order, and all of them in another one; return which turn each message is."""
    clock = engine.clock
    assert isinstance(clock, ConversationClock)
    clock.stand(conversation.turns[-1].said_at + timedelta(days=1))
    telling = Ingest(engine, clock, None, IngestCost())
    for told in ROUNDS:
        for session in shuffled(conversation.turns, Random(f"{seed} {told} {conversation.id}")):
            renamed = [replace(turn, session=f"{turn.session}, {told} time") for turn in session]
            for said in exchanges(renamed):
                await telling.exchange(user, said)
            await telling.end_session(user, renamed[-1])
    return telling.names


def shuffled(turns: Sequence[DatasetTurn], random: Random) -> list[list[DatasetTurn]]:
    """Return the sessions in a random order, each in its own."""
    sessions: defaultdict[str, list[DatasetTurn]] = defaultdict(list)
    for turn in turns:
        sessions[turn.session].append(turn)
    told = list(sessions.values())
    random.shuffle(told)
    return told


def each_time(conversation: DatasetConversation) -> DatasetConversation:
    """Let an observation be made at each turn that it rests on, not at the last of them."""
    alone = [
        Observation(text=observation.text, turns=(turn,))
        for observation in conversation.observations
        for turn in observation.turns
    ]
    return replace(conversation, observations=tuple(alone))


def facts_of(conversation: DatasetConversation) -> list[Fact]:
    """List the distinct facts, in the data's order."""
    said = {turn.id: _said(turn) for turn in conversation.turns}
    # Only texts of the same words, but for apostrophes, can be the same: not all pairs need be compared.
    alike: defaultdict[str, list[Fact]] = defaultdict(list)
    for observation in conversation.observations:
        beside = alike["".join(words(observation.text)).replace("'", "")]
        fact = next((known for known in beside if known.is_said_by(observation.text)), None)
        if fact is None:
            fact = Fact(texts=[])
            beside.append(fact)
        fact.texts.append(observation.text)
        fact.said |= {said[turn] for turn in observation.turns}
    return [fact for beside in alike.values() for fact in beside]


def _said(turn: DatasetTurn) -> Said:
    return turn.speaker or turn.role, readable_text(turn.text, quotations=turn.role == "assistant")


async def look(
    engine: AsyncToldOnce, conversation: DatasetConversation, user: Subject, names: Names, figures: Figures
) -> None:
    """Hold what is remembered against what was observed, and add it up."""
    memories = await engine.list(user=user, kinds=_FORMED, closed=True, limit=_MAX_MEMORIES)
    decisions = await engine.history.decisions(user=user, limit=_MAX_MEMORIES)
    turns = {turn.id: turn for turn in conversation.turns}
    active = [memory for memory in memories if memory.state is MemoryState.ACTIVE]
    figures.memories += len(active)
    figures.decisions.update(line.action.value for line in decisions)
    accounted: set[str] = set()
    for fact in facts_of(conversation):
        figures.distinct += 1
        own = [memory for memory in active if fact.is_said_by(memory.text)]
        accounted |= {memory.id for memory in own}
        if not own:
            figures.lost.append(f"{conversation.id}: {fact.texts[0]} — {_fate(fact, decisions, memories)}")
            continue
        if len(own) > 1:
            figures.doubled.append(f"{conversation.id}: {fact.texts[0]}: {len(own)} times")
        figures.once += len(own) == 1
        _weigh_sources(fact, own, {key: _said(turns[turn]) for key, turn in names.items()}, figures)
    figures.astray += [
        f"{conversation.id}: {memory.text}: no observation accounts for it"
        for memory in active
        if memory.id not in accounted
    ]


def _weigh_sources(fact: Fact, own: Iterable[Memory], said: Mapping[tuple[Any, int], Said], figures: Figures) -> None:
    """Say whether a fact rests on all messages that say it, of both rounds, and on no other."""
    expected = {key for key, words in said.items() if words in fact.said}
    found = {(source.conversation, source.seq) for memory in own for source in memory.evidence}
    missing = {said[key][1] for key in expected - found}
    figures.sourced += not missing
    figures.unsourced += [f"{fact.texts[0]}: not on {words[:60]!r}" for words in sorted(missing)]
    strange = {said.get(key, ("", "a message of another conversation"))[1] for key in found - expected}
    figures.astray += [f"{fact.texts[0]}: rests on {words[:60]!r}" for words in sorted(strange)]


def _fate(fact: Fact, decisions: Iterable[Decision], memories: Iterable[Memory]) -> str:
    """Say what came of a fact that is not there: the decisions on it, and what it was put to."""
    by_id: Mapping[str | None, Memory] = {memory.id: memory for memory in memories}
    lines = [line for line in decisions if fact.is_said_by(line.text)]
    ended = {memory.id for memory in memories if fact.is_said_by(memory.text)}
    lines += [line for line in decisions if line.target_id in ended and line.action is Action.REPLACE]
    told = dict.fromkeys(f"{line.action.value}: {line.reason}{_about(line, fact, by_id)}" for line in lines)
    return "; ".join(told) or "no decision on it"


def _about(line: Decision, fact: Fact, by_id: Mapping[str | None, Memory]) -> str:
    others = [by_id[memory_id].text for memory_id in (line.memory_id, line.target_id) if memory_id in by_id]
    named = next((text for text in others if not fact.is_said_by(text)), None)
    return f" [{named}]" if named else ""


async def measure(parts: Components, conversations: Sequence[DatasetConversation], *, seed: int) -> Figures:
    """Replay conversations into the database of `parts`, each as a user of its own; return what came of their facts."""
    figures = Figures()
    model = RecordedModel(parts.counter)
    profiles = ShapedProfiles(parts.settings.profiles, parts.settings.profile, "observations")
    engine = AsyncToldOnce(replace(parts, model=model, profiles=profiles))
    for conversation in conversations:
        user = Subject("user", conversation.id)
        model.learn(each_time(conversation))
        names = await replay_twice(engine, conversation, user, seed=seed)
        await look(engine, conversation, user, names, figures)
        print(f"{conversation.id}: {figures.distinct} facts, {figures.once} once", file=sys.stderr)
    figures.parked = len(await engine.admin.formations(parked=True, limit=_MAX_MEMORIES))
    return figures


async def _measured(given: argparse.Namespace) -> Figures:
    data = read_data(given.kind, given.file, ZoneInfo("UTC"))
    with tempfile.TemporaryDirectory() as folder:
        url = given.database or f"sqlite:///{folder}/twice.sqlite3"
        settings = Settings.load(database_url=url, worker="off")
        parts = await open_components(
            settings, ConversationClock(data.conversations[0].turns[0].said_at.astimezone(UTC))
        )
        try:
            return await measure(parts, data.conversations, seed=given.seed)
        finally:
            await parts.store.close()
            await parts.embedder.close()


def counts(figures: Figures) -> dict[str, Any]:
    """Return the figures without what they are about."""
    return {
        "distinct": figures.distinct,
        "once": figures.once,
        "lost": len(figures.lost),
        "doubled": len(figures.doubled),
        "with every source turn": figures.sourced,
        "without one": figures.distinct - len(figures.lost) - figures.sourced,
        "astray": len(figures.astray),
        "parked": figures.parked,
        "memories": figures.memories,
        "decisions": dict(figures.decisions.most_common()),
    }


@errors_only()
def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="conversations with observations")
    parser.add_argument("--kind", choices=[*KINDS, JSONL], default="locomo", help="the file's format")
    parser.add_argument("--database", help="an empty database; by default an SQLite file that goes with the run")
    parser.add_argument("--seed", type=int, default=0, help="of the shuffling")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    figures = asyncio.run(_measured(given))
    for what in ("lost", "doubled", "unsourced", "astray"):
        for line in getattr(figures, what):
            print(f"{what}: {line}")
    shown = counts(figures)
    for name, value in shown.items():
        print(f"{name:24}{value}")
    if given.json:
        given.json.write_text(json.dumps(shown, indent=2) + "\n", "utf-8")
    sys.exit(0 if figures.whole else 1)


if __name__ == "__main__":
    main()
