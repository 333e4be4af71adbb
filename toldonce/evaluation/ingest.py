"""Records conversations turn by turn with their own dates, and measures the cost. Writes to the engine."""

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from toldonce.datasets.dataset import DatasetTurn
from toldonce.engine import AsyncToldOnce
from toldonce.evaluation.instrumentation import ConversationClock, MeteredModel
from toldonce.lazy_pattern import LazyPattern
from toldonce.text import bare, words
from toldonce.types import KIND_ORDER, Action, ConversationId, Memory, MemoryKind, Subject

_PAGE_SIZE = 1000
# Fewer words are not a statement: 'Ana rides'.
_MIN_WORDS = 3
# A memory with such a beginning lacks its referent.
_NO_REFERENT = LazyPattern(r"(?:it|its|it's|this|that|these|those|they|he|she|there)\b", re.IGNORECASE)

Names = dict[tuple[ConversationId, int], str]
"""Turn ids of the data by conversation and message number."""


@dataclass(slots=True)
class IngestCost:
    """Cost of recording and forming, summed over conversations."""

    messages: int = 0
    turns: int = 0
    """User messages with their answers."""
    unlogged: int = 0
    """Messages that the engine took for a resent history and did not log."""
    wall_s: float = 0.0
    """Time from recording to the memories, without the model."""
    cpu_s: float = 0.0
    """CPU time of the process."""
    model_s: float = 0.0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted: int = 0
    """Answers without token counts from the server."""
    undone: int = 0
    """Failed formations, pending or parked: their memories are missing."""
    memories: Counter[str] = field(default_factory=Counter)
    """Active memories at the end, by kind."""
    weighed: int = 0
    """Notes and facts among them."""
    duplicates: int = 0
    """Those that equal another one except for case, spacing and punctuation."""
    near: int = 0
    """Those that maintenance would merge into another one."""
    junk: Counter[str] = field(default_factory=Counter)
    """Those not worth keeping, by rule."""


class ModelCost(NamedTuple):
    """Cost of a model so far."""

    seconds: float = 0.0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted: int = 0


class Ingest:
    """Records one conversation."""

    def __init__(
        self, engine: AsyncToldOnce, clock: ConversationClock, model: MeteredModel | None, writing: IngestCost
    ) -> None:
        """Create one for an engine with its clock and model; costs are added to `writing`."""
        self._engine = engine
        self._clock = clock
        self._model = model
        self._writing = writing
        self.names: Names = {}

    async def exchange(self, user: Subject, said: Sequence[DatasetTurn]) -> None:
        """Record messages of one session, and form their memories before the next ones."""
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
        # Messages taken for a resent history come first; the rest is new.
        new = said[len(said) - len(recorded.appended) :]
        for seq, turn in zip(recorded.appended, new, strict=True):
            self.names[recorded.conversation, seq] = turn.id

    async def end_session(self, user: Subject, last: DatasetTurn) -> None:
        """End the session of a turn, and form what the profile forms at the end."""
        with self._timed():
            await self._engine.conversations.end(_name(user, last), user=user)
            await self._engine.form()

    @contextmanager
    def _timed(self) -> Iterator[None]:
        """Add the time spent inside, with the model's share separate."""
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
        """Add the model's cost since `before`; return its seconds."""
        now, writing = self._spent(), self._writing
        writing.model_s += now.seconds - before.seconds
        writing.calls += now.calls - before.calls
        writing.prompt_tokens += now.prompt_tokens - before.prompt_tokens
        writing.completion_tokens += now.completion_tokens - before.completion_tokens
        writing.uncounted += now.uncounted - before.uncounted
        return now.seconds - before.seconds

    async def finish(self, user: Subject) -> None:
        """Count the memories at the end."""
        writing = self._writing
        writing.undone += sum(
            formation.parked or formation.due_at is not None
            for formation in await self._engine.admin.formations(limit=_PAGE_SIZE)
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
    """Split a conversation into exchanges: user messages with the answers to them."""
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
    """Return the rule by which a memory is not worth keeping; empty if none.

    >>> junk_rule("Thank you!"), junk_rule("Where does Ana live?"), junk_rule("It was blue and old.")
    ('fragment', 'question', 'names no one')
    >>> junk_rule("The user lives in Oslo.")
    ''
    """
    if text.rstrip(" \"'”’)").endswith("?"):
        return "question"
    if len(words(text)) < _MIN_WORDS:
        return "fragment"
    return "names no one" if _NO_REFERENT.match(text) else ""


def _name(user: Subject, turn: DatasetTurn) -> str:
    """Return the external conversation id of a session."""
    return f"{user.name}/{turn.session}"


def _message(turn: DatasetTurn) -> dict[str, str]:
    return {"role": turn.role, "content": turn.text} | ({"name": turn.speaker} if turn.speaker else {})


async def _memories(engine: AsyncToldOnce, user: Subject) -> list[Memory]:
    found: list[Memory] = []
    while True:
        page = await engine.list(user=user, kinds=KIND_ORDER, after=found[-1].id if found else None, limit=_PAGE_SIZE)
        found += page
        if len(page) < _PAGE_SIZE:
            return found
