"""Tell the engine a conversation, turn by turn with its own dates, and count what it costs. Writes to the engine."""

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from recollect.datasets.dataset import DatasetTurn
from recollect.engine import AsyncRecollect
from recollect.evaluation.instrumentation import ConversationClock, MeteredModel
from recollect.extraction.speech_acts import is_small_talk
from recollect.text import bare, words
from recollect.types import KIND_ORDER, Action, ConversationId, Memory, MemoryKind, Subject

_PAGE = 1000
# Fewer words than this are no statement: 'Ana rides'.
_FRAGMENT = 3
# A memory that begins so does not say of whom or what it speaks.
_NAMELESS = re.compile(r"(?:it|its|it's|this|that|these|those|they|he|she|there)\b", re.IGNORECASE)

Names = dict[tuple[ConversationId, int], str]
"""Which turn of the data a message of the engine's log is."""


@dataclass(slots=True)
class IngestCost:
    """What telling cost, summed over conversations."""

    messages: int = 0
    turns: int = 0
    """A message of the user, and the answer to it."""
    unlogged: int = 0
    """Messages that the engine took for a resent history and did not log again."""
    wall_s: float = 0.0
    """From recording to the memories, beside the model."""
    cpu_s: float = 0.0
    """Of the whole process meanwhile."""
    model_s: float = 0.0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted: int = 0
    """Answers for which the model's server told no tokens."""
    undone: int = 0
    """Formations that failed, and wait or are parked: what they would have formed is not there."""
    memories: Counter[str] = field(default_factory=Counter)
    """Those that hold in the end, by kind."""
    weighed: int = 0
    """Notes and facts among them."""
    duplicates: int = 0
    """Of these, those whose words another one has, but for case, spacing and punctuation."""
    near: int = 0
    """Of these, those that the engine's own rules would fold into another one today."""
    junk: Counter[str] = field(default_factory=Counter)
    """Of these, those that no rule of sense would keep, by the rule."""


class ModelCost(NamedTuple):
    """What a model has cost so far."""

    seconds: float = 0.0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted: int = 0


class Ingest:
    """Tells one conversation."""

    def __init__(
        self, engine: AsyncRecollect, clock: ConversationClock, model: MeteredModel | None, writing: IngestCost
    ) -> None:
        """Take the engine, the clock it looks at, its model if there is one, and where costs are summed."""
        self._engine = engine
        self._clock = clock
        self._model = model
        self._writing = writing
        self.names: Names = {}

    async def exchange(self, user: Subject, said: Sequence[DatasetTurn]) -> None:
        """Record messages of one session and form their memories before anything else is said."""
        writing = self._writing
        self._clock.reach(said[-1].said_at)
        with self._timed():
            recorded = await self._engine.record(
                [_message(turn) for turn in said],
                user=user,
                conversation=_name(user, said[0]),
                said_at=[turn.said_at for turn in said],
            )
            await self._engine.form()
        writing.messages += len(said)
        writing.turns += 1
        writing.unlogged += len(said) - len(recorded.appended)
        # What it took for resent stands at the beginning: what follows is new.
        new = said[len(said) - len(recorded.appended) :]
        for seq, turn in zip(recorded.appended, new, strict=True):
            self.names[recorded.conversation, seq] = turn.id

    async def end_session(self, user: Subject, last: DatasetTurn) -> None:
        """End the session of a turn: what a profile forms at the end, or now and then, is formed by then."""
        with self._timed():
            await self._engine.conversations.end(_name(user, last), user=user)
            await self._engine.form()

    @contextmanager
    def _timed(self) -> Iterator[None]:
        """Add up what is spent within, the model's part apart."""
        before, began, used = self._spent(), time.perf_counter(), time.process_time()
        yield
        self._writing.cpu_s += time.process_time() - used
        model_s = self._settle(before)
        self._writing.wall_s += time.perf_counter() - began - model_s

    def _spent(self) -> ModelCost:
        model = self._model
        if model is None:
            return ModelCost()
        return ModelCost(model.seconds, model.calls, model.prompt_tokens, model.completion_tokens, model.uncounted)

    def _settle(self, before: ModelCost) -> float:
        """Add up what the model cost since; return its seconds."""
        now, writing = self._spent(), self._writing
        writing.model_s += now.seconds - before.seconds
        writing.calls += now.calls - before.calls
        writing.prompt_tokens += now.prompt_tokens - before.prompt_tokens
        writing.completion_tokens += now.completion_tokens - before.completion_tokens
        writing.uncounted += now.uncounted - before.uncounted
        return now.seconds - before.seconds

    async def finish(self, user: Subject) -> None:
        """Count what is there in the end."""
        writing = self._writing
        writing.undone += sum(
            formation.parked or formation.due_at is not None
            for formation in await self._engine.admin.formations(limit=_PAGE)
        )
        held = await _memories(self._engine, user)
        writing.memories.update(memory.kind.value for memory in held)
        formed = [memory for memory in held if memory.kind in (MemoryKind.NOTE, MemoryKind.FACT)]
        writing.weighed += len(formed)
        writing.duplicates += len(formed) - len({(memory.kind, memory.key, bare(memory.text)) for memory in formed})
        report = await self._engine.admin.maintain(user=user, dry_run=True)
        writing.near += sum(line.action is Action.MERGE for line in report.decisions)
        writing.junk.update(rule for memory in formed if (rule := junk_rule(memory.text)))


def exchanges(turns: Sequence[DatasetTurn]) -> Iterator[list[DatasetTurn]]:
    """Cut a conversation into what is said in one go: messages of the user, and the answers to them."""
    said: list[DatasetTurn] = []
    for turn in turns:
        new_session = said and said[-1].session != turn.session
        answered = said and said[-1].role == "assistant" and any(turn.role == "user" for turn in said)
        if new_session or (turn.role == "user" and answered):
            yield said
            said = []
        said.append(turn)
    if said:
        yield said


def junk_rule(text: str) -> str:
    """Say by which rule a memory's words are worth nothing by themselves; empty where by none.

    >>> junk_rule("Thanks a lot!"), junk_rule("Where does Ana live?"), junk_rule("It was blue and old.")
    ('small talk', 'question', 'names nobody')
    >>> junk_rule("The user lives in Oslo.")
    ''
    """
    if is_small_talk(text):
        return "small talk"
    if text.rstrip(" \"'”’)").endswith("?"):
        return "question"
    if len(words(text)) < _FRAGMENT:
        return "fragment"
    return "names nobody" if _NAMELESS.match(text) else ""


def _name(user: Subject, turn: DatasetTurn) -> str:
    """Name a session as a client names a conversation."""
    return f"{user.name}/{turn.session}"


def _message(turn: DatasetTurn) -> dict[str, str]:
    return {"role": turn.role, "content": turn.text} | ({"name": turn.speaker} if turn.speaker else {})


async def _memories(engine: AsyncRecollect, user: Subject) -> list[Memory]:
    found: list[Memory] = []
    while True:
        page = await engine.list(user=user, kinds=KIND_ORDER, after=found[-1].id if found else None, limit=_PAGE)
        found += page
        if len(page) < _PAGE:
            return found
