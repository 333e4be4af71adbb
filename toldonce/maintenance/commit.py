"""What maintenance changes in a subject, in small commits that check what they read. Reads and writes the store."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from toldonce.clock import Clock
from toldonce.concurrency import retry_while_stale
from toldonce.errors import StaleSubjectError, UnknownProfileError
from toldonce.formation.runtime import Runtime
from toldonce.ids import id_text
from toldonce.profiles.policies import Profile
from toldonce.types import (
    NO_VECTORS,
    Action,
    Change,
    CloseMemory,
    Decision,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    Subject,
    SubjectSnapshot,
    closed_memory,
)

# Memories closed, or pairs weighed, in one commit: it holds the one writer for some 5 ms, and live turns go between.
BATCH_SIZE = 50
# Memories read at once where all of a subject's are looked through.
PAGE = 200


@dataclass(slots=True, kw_only=True)
class Plan:
    """What one commit is to change."""

    subject: Subject
    clock: Clock
    changes: list[Change] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)

    def close(self, memory: Memory, valid_to: datetime) -> None:
        """Close a memory."""
        now = self.clock.now()
        self.changes.append(CloseMemory(id=memory.id, valid_to=max(valid_to, memory.valid_from), closed_at=now))

    def decide(
        self, memory: Memory, action: Action, reason: str, *, target: Memory | None = None, text: str | None = None
    ) -> None:
        """Log a decision on `memory`, with its text unless another is given."""
        shown = memory.text if text is None else text
        target_id = target.id if target else None
        self.decisions.append(Decision.of(memory, action, reason, clock=self.clock, target=target_id, text=shown))


class Commits:
    """The commits of one subject's maintenance, and what came of them."""

    def __init__(self, runtime: Runtime, subject: Subject, *, dry_run: bool) -> None:
        self.runtime = runtime
        self.subject = subject
        self.dry_run = dry_run
        self.decisions: list[Decision] = []
        self.closed_ids: set[MemoryId] = set()
        self.version = 0
        """The subject's version after the last commit."""

    def plan(self) -> Plan:
        """Begin a plan."""
        return Plan(subject=self.subject, clock=self.runtime.clock)

    async def commit(self, make: Callable[[], Awaitable[Plan]]) -> bool:
        """Plan and apply, again where the subject changed meanwhile; False where nothing was to be done.

        Raises:
            StaleSubjectError: the subject changed each time.
        """

        async def attempt() -> bool:
            version = await self.runtime.store.memories.version(self.subject)
            plan = await make()
            if not plan.decisions:
                return False
            if not self.dry_run:
                version = await self.runtime.store.memories.apply(
                    self.subject, plan.changes, plan.decisions, subject_version=version
                )
            self.version = version
            self.closed_ids |= {id_ for decision in plan.decisions if (id_ := closed_memory(decision))}
            self.decisions += plan.decisions
            return True

        problem = "kept changing while it was tended; try again"
        failure = StaleSubjectError(f"{self.subject.text} {problem}", logged=f"subject {self.subject.key} {problem}")
        return await retry_while_stale(attempt, failure=failure)

    async def page(self, kinds: Sequence[MemoryKind], after: MemoryId | None) -> list[Memory]:
        """Read the next of all memories of these kinds, newest first; empty where there are no more."""
        return await self.runtime.store.memories.list(self.subject, kinds=kinds, after=after, limit=PAGE)

    async def read(self, ids: Sequence[MemoryId]) -> list[Memory]:
        """Read those of some memories that are active."""
        return self.left(await self.runtime.store.memories.get_many(self.subject, ids))

    def left(self, memories: Sequence[Memory]) -> list[Memory]:
        """Leave out what is not active, or was closed here."""
        return [
            memory for memory in memories if memory.state is MemoryState.ACTIVE and memory.id not in self.closed_ids
        ]

    async def snapshot(self, *, vectors: bool = False) -> SubjectSnapshot:
        """Read the subject's arrays, with or without its vectors."""
        self.runtime = await self.runtime.for_subject(self.subject)
        sought = None if vectors else NO_VECTORS
        return await self.runtime.store.snapshots.snapshot(self.subject, self.runtime.embedder.space, vectors=sought)

    def profile(self, name: str) -> Profile | None:
        """Return a profile; None where it is not on the shelf any more, and rules nothing."""
        try:
            return self.runtime.profiles.get(name)
        except UnknownProfileError:
            return None


def id_at(snapshot: SubjectSnapshot, place: int) -> MemoryId:
    """Return the id of the memory at a place."""
    return MemoryId(id_text(snapshot.ids[place]))
