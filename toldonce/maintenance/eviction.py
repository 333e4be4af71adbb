"""Plan evictions for what is about to be added, in the same commit. Reads the store, may ask a model."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import attrgetter

from toldonce.concurrency import run_in_thread_if_large
from toldonce.errors import BudgetSpentError, StoreFullError, StoreUnavailableError, TryAgainError
from toldonce.formation.budgeted_model import BudgetedModel, with_budget
from toldonce.formation.runtime import Runtime
from toldonce.ids import id_text, new_id
from toldonce.maintenance.capacity import (
    COUNTED_KINDS,
    MAX_QUESTIONS,
    PlannedCommit,
    capacity_for,
    count_places,
    counted_places,
)
from toldonce.maintenance.compaction import (
    CompactionChoice,
    CompactionQuestion,
    InvalidVerdictError,
    ask_what_to_compact,
)
from toldonce.maintenance.retention import Capacity, Eviction, find_evictions, fitting
from toldonce.text import terms
from toldonce.types import (
    NO_VECTORS,
    Action,
    AddMemory,
    Change,
    CloseMemory,
    CostPurpose,
    Decision,
    FormationResult,
    Lease,
    Memory,
    MemoryId,
    MemoryState,
    Subject,
)

logger = logging.getLogger(__name__)

# Tries of one formation in which a model may be asked: the first, and the one retry after a database error.
ASKING_ATTEMPTS = 2
# Memories closed in one commit beyond those that the new ones push out: who has far too many, since the room became
# smaller, loses the rest by and by. A commit of 500 holds the one writer for some 50 ms.
MAX_EVICTIONS = 500
# Memories from which ranking is left to a thread, and evicted at once: a few milliseconds.
_MANY = 200


@dataclass(slots=True)
class _Making:
    """The memories while room is made, and what was decided so far."""

    planned: PlannedCommit
    now: datetime
    runtime: Runtime
    memories: list[Memory]
    changes: list[Change] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    compactor: BudgetedModel | None = None
    questions: int = 0
    why_not: str = ""
    """Why no model is asked any more."""

    def decide(
        self, action: Action, memory: MemoryId, target: MemoryId | None, *, reason: str, text: str, profile: str = ""
    ) -> None:
        """Log a decision of the planned profile; `profile` is the memory's own, for a plan without one."""
        self.decisions.append(
            Decision(
                id=new_id(self.runtime.clock),
                subject=self.planned.subject,
                at=self.now,
                action=action,
                memory_id=memory,
                target_id=target,
                reason=reason,
                text=text,
                profile=self.planned.profile or profile,
                conversation=self.planned.conversation,
            )
        )

    def close(self, id_: MemoryId) -> Memory | None:
        place = next((place for place, memory in enumerate(self.memories) if memory.id == id_), None)
        memory = None if place is None else self.memories.pop(place)
        since = memory.valid_from if memory else self.now
        self.changes.append(CloseMemory(id=id_, valid_to=max(since, self.now), closed_at=self.now))
        return memory

    def evict(self, eviction: Eviction, new: MemoryId | None) -> None:
        memory = self.close(eviction.id)
        text, profile = (memory.text, memory.profile) if memory else ("", "")
        self.decide(Action.EVICT, eviction.id, new, reason=eviction.reason, text=text, profile=profile)


async def plan_eviction(planned: PlannedCommit, runtime: Runtime) -> tuple[list[Change], list[Decision]]:
    """Say what must go along with planned changes so that the subject holds no more than it has room for.

    The returned changes are applied after the planned ones, in the same transaction. It never fails for want of room:
    a model that does not answer, or not as it should, and memories that cannot be read, make the oldest go. Only where
    the energy for asking is spent the whole commit waits.

    Raises:
        BudgetSpentError: a compaction is needed, and its energy is spent.
    """
    new = _arriving(planned.changes)
    closing = {change.id for change in planned.changes if isinstance(change, CloseMemory)}
    room = await capacity_for(planned, count_places(planned.snapshot) + len(new), runtime) if new else None
    if room is None:
        return [], []
    places = counted_places(planned.snapshot)
    # Oldest first: ids are made in that order.
    known = [id_ for place in places if (id_ := MemoryId(id_text(planned.snapshot.ids[place]))) not in closing]
    if len(known) + len(new) <= room.policy.max_memories:
        return [], []
    read = await _read(planned.subject, known, runtime)
    now = runtime.clock.now()
    if read is None:
        making = _Making(planned=planned, now=now, runtime=runtime, memories=new)
        for id_ in [*known, *(memory.id for memory in new)][: len(known) + len(new) - room.policy.max_memories]:
            reason = f"the oldest: what is known could not be read; {fitting(room)}"
            making.evict(Eviction(id=id_, reason=reason), new[0].id if new else None)
    elif room.policy.policy == "compact":
        making = _Making(planned=planned, now=now, runtime=runtime, memories=sorted(read, key=attrgetter("id")))
        await _compact(making, new, room)
    else:
        making = _Making(planned=planned, now=now, runtime=runtime, memories=[*read, *new])
        fresh = frozenset(memory.id for memory in new)
        going = await run_in_thread_if_large(
            len(read), lambda: find_evictions(making.memories, fresh, room, now=now), above=_MANY
        )
        await _evict(making, going[: MAX_EVICTIONS + len(new)])
    return making.changes, making.decisions


async def with_evictions(
    result: FormationResult, lease: Lease, runtime: Runtime, *, ask: bool = True, compactor: BudgetedModel | None = None
) -> FormationResult:
    """Add the evictions that a formation's commit needs.

    What was tried twice and never committed (the database failed, or the worker was killed) asks no model again.

    Raises:
        BudgetSpentError: a compaction is needed, and its energy is spent.
    """
    if not _arriving(result.changes):
        return result
    key = lease.key
    snapshot = await runtime.store.snapshots.snapshot(key.subject, runtime.embedder.space, vectors=NO_VECTORS)
    planned = PlannedCommit(
        subject=key.subject,
        profile=key.profile,
        snapshot=snapshot,
        changes=result.changes,
        conversation=key.conversation,
        ask=ask and lease.attempts <= ASKING_ATTEMPTS,
        compactor=compactor,
    )
    changes, decisions = await plan_eviction(planned, runtime)
    # Where the subject changed between the stage's reading and ours, the stage's version makes the commit fail.
    return replace(
        result,
        changes=(*result.changes, *changes),
        decisions=(*result.decisions, *decisions),
        subject_version=snapshot.version if result.subject_version is None else result.subject_version,
    )


def _arriving(changes: Sequence[Change]) -> list[Memory]:
    closing = {change.id for change in changes if isinstance(change, CloseMemory)}
    added = [change.memory for change in changes if isinstance(change, AddMemory)]
    active = [memory for memory in added if memory.kind in COUNTED_KINDS and memory.state is MemoryState.ACTIVE]
    return [memory for memory in active if memory.id not in closing]


async def _read(subject: Subject, ids: Sequence[MemoryId], runtime: Runtime) -> list[Memory] | None:
    """Read memories, a second time where the database does not answer; None where it did not again."""
    for _ in range(2):
        try:
            return await runtime.store.memories.get_many(subject, ids)
        except StoreUnavailableError as error:
            logger.warning("room cannot be seen", extra={"error": type(error).__name__})
    return None


async def _compact(making: _Making, new: Sequence[Memory], room: Capacity) -> None:
    """Let a model name what goes for each new memory that does not fit, and the oldest go where it fails.

    Raises:
        BudgetSpentError: the energy for asking is spent. That is no failure: it waits.
    """
    await _evict(making, find_evictions(making.memories, frozenset(), room, now=making.now, oldest=True))
    for memory in new:
        if len(making.memories) < room.policy.max_memories:
            making.memories.append(memory)
            continue
        try:
            await _follow(making, await _verdict(making, memory, room), memory)
        except InvalidVerdictError as error:
            _oldest_goes(making, memory, room, str(error))
        except BudgetSpentError:
            raise
        except TryAgainError as error:
            making.why_not = _failure(error)
            _oldest_goes(making, memory, room, making.why_not)


async def _evict(making: _Making, going: Sequence[Eviction]) -> None:
    """Let memories go, and other requests in between."""
    for number, eviction in enumerate(going, start=1):
        making.evict(eviction, None)
        if number % _MANY == 0:
            await asyncio.sleep(0)


def _failure(error: TryAgainError) -> str:
    match error:
        case StoreUnavailableError() | StoreFullError():
            return "the database failed"
        case _:
            return "the model failed"


def _oldest_goes(making: _Making, new: Memory, room: Capacity, why: str) -> None:
    planned = making.planned
    of = {"app": planned.subject.app_name, "conversation": planned.conversation}
    logger.warning("the oldest makes room", extra={"why": why, "profile": planned.profile, **of})
    making.memories.append(new)
    for eviction in find_evictions(making.memories, frozenset({new.id}), room, now=making.now, oldest=True):
        making.evict(replace(eviction, reason=f"{eviction.reason}; {why}"), new.id)


async def _verdict(making: _Making, new: Memory, room: Capacity) -> CompactionChoice:
    """Ask the one question of a compaction, on the subject's budget; every model call of making room goes through here.

    Raises:
        TryAgainError: the model failed or is left alone, the budget is spent, or the database failed twice.
        InvalidVerdictError: its answer cannot be followed, or it is not to be asked.
    """
    profile = making.runtime.profiles.get(making.planned.profile)
    making.compactor = model = (
        making.compactor
        or making.planned.compactor
        or with_budget(making.runtime, CostPurpose.COMPACT, making.planned.subject, profile)
    )
    if model is None:
        raise InvalidVerdictError("no model is set to choose")
    if not making.planned.ask or making.why_not:
        raise InvalidVerdictError(making.why_not or "asking a model came to nothing before")
    if making.questions == MAX_QUESTIONS:
        raise InvalidVerdictError(f"a model is asked {MAX_QUESTIONS} times in one commit at most")
    making.questions += 1
    question = CompactionQuestion(memories=making.memories, new=new, max_characters=room.policy.max_characters)
    try:
        return await ask_what_to_compact(question, model)
    except (StoreUnavailableError, StoreFullError):  # nothing was booked, so nothing was asked
        return await ask_what_to_compact(question, model)


async def _follow(making: _Making, verdict: CompactionChoice, new: Memory) -> None:
    """Do what the model decided.

    Raises:
        ModelError: the edit cannot be embedded; nothing was changed.
    """
    if verdict.text is None:
        making.memories.append(new)
        making.evict(Eviction(id=verdict.target, reason=f"the model chose it: {verdict.reason}"), new.id)
        return
    [target] = [memory for memory in making.memories if memory.id == verdict.target]
    [vector] = await making.runtime.embedder.embed([verdict.text])
    folded = _folded(making, target, new, verdict.text)
    making.close(target.id)
    making.close(new.id)
    making.changes.append(
        AddMemory(
            memory=folded,
            space=making.runtime.embedder.space if vector.any() else "",
            vectors=(vector,) if vector.any() else (),
            terms=terms(verdict.text),
            inherits=(target.id, new.id),
        )
    )
    making.memories.append(folded)
    edited = f"the model edited it: {verdict.reason}"
    making.decide(Action.FOLD, folded.id, target.id, reason=edited, text=verdict.text)
    making.decide(Action.FOLD, folded.id, new.id, reason="went into the edited memory", text=new.text)


def _folded(making: _Making, target: Memory, new: Memory, text: str) -> Memory:
    """Make the memory that two are folded into, in place of the target."""
    detail = replace(target.detail, summary="", tags=tuple(dict.fromkeys((*target.detail.tags, *new.detail.tags))))
    return replace(
        target,
        id=MemoryId(new_id(making.runtime.clock)),
        text=text,
        importance=max(target.importance, new.importance),
        confidence=min(target.confidence, new.confidence),
        speaker=target.speaker if target.speaker == new.speaker else "",
        known_from=making.now,
        version=new.version,
        evidence=(),
        detail=detail,
    )
