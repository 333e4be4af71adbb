"""What people decide on memories that were held: they hold after all, or not. Reads and writes the store."""

from toldonce.concurrency import retry_while_stale
from toldonce.errors import BadRequestError, StaleSubjectError, UnknownProfileError
from toldonce.formation.neighbours import gather_neighbours
from toldonce.formation.runtime import Runtime
from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.decide import resolve
from toldonce.resolution.values import Claim, EndedMemory, ResolvedCandidate, ResolveInputs
from toldonce.text import terms
from toldonce.types import (
    NO_VECTORS,
    Action,
    Candidate,
    Change,
    CloseMemory,
    ConversationId,
    Decision,
    Evidence,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    ReopenMemory,
    StrengthenMemory,
    SubjectSnapshot,
    Vectors,
)


async def approve_held(runtime: Runtime, memory: Memory) -> Memory:
    """Approve a held memory, as if it had not been held when it was formed; return the memory that is active now.

    What it replaces is closed. What is known already is strengthened and returned, and the held one closed.

    Raises:
        BadRequestError: it is not held, or what is known in its place is newer; nothing was changed.
        StaleSubjectError: the memories kept changing.
    """

    async def attempt() -> Memory:
        current = await runtime.for_subject(memory.subject)
        vectors = await current.embedder.embed([memory.text])
        stored = _require_held((await current.store.memories.get_many(memory.subject, [memory.id])), memory)
        snapshot = await current.store.snapshots.snapshot(memory.subject, current.embedder.space, vectors=NO_VECTORS)
        resolved = await _resolved(current, snapshot, stored, vectors)
        changes, decisions, holds = _approved(current, stored, resolved, vectors)
        await current.store.memories.apply(memory.subject, changes, decisions, subject_version=snapshot.version)
        return (await current.store.memories.get_many(memory.subject, [holds]))[0]

    failure = StaleSubjectError("the memories kept changing; nothing was approved, try again")
    async with runtime.turns.hold(memory.subject):  # else notes added meanwhile make every attempt stale
        return await retry_while_stale(attempt, failure=failure)


async def reject_held(runtime: Runtime, memory: Memory) -> Memory:
    """Close a held memory, which never becomes active.

    Raises:
        BadRequestError: it is not held.
    """
    _require_held([memory], memory)
    await runtime.store.memories.apply(
        memory.subject,
        [_closed(runtime, memory)],
        [_decision(runtime, memory, Action.REJECT, "rejected on review")],
    )
    return (await runtime.store.memories.get_many(memory.subject, [memory.id]))[0]


def _require_held(stored: list[Memory], asked: Memory) -> Memory:
    if not stored or stored[0].state is not MemoryState.HELD:
        state = stored[0].state.value if stored else "gone"
        raise BadRequestError(f"memory {asked.id} does not wait for review: it is {state}")
    return stored[0]


async def _resolved(runtime: Runtime, snapshot: SubjectSnapshot, memory: Memory, vectors: Vectors) -> ResolvedCandidate:
    """Weigh a held memory as a candidate of full confidence."""
    said = max(memory.evidence, key=lambda one: (one.said_at, one.seq), default=_by_hand(memory))
    candidate = Candidate(
        kind=memory.kind,
        text=memory.text,
        type=memory.type,
        category=memory.category,
        key=memory.key,
        value=memory.value,
        importance=memory.importance,
        confidence=1.0,
        speaker=memory.speaker,
        seq=said.seq,
        quote=said.quote,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
    )
    policy = _policy(runtime, memory)
    near = await gather_neighbours(snapshot, [candidate], vectors, runtime, limit=policy.neighbours)
    inputs = ResolveInputs(now=runtime.clock.now())
    [resolved] = resolve([Claim(candidate, said)], near, policy=policy, inputs=inputs).resolved
    if resolved.target and resolved.valid_to:
        raise BadRequestError(
            f"memory {memory.id} is older than what holds in its place, {resolved.target.id}: forget that first, or "
            "reject this one"
        )
    return resolved


def _policy(runtime: Runtime, memory: Memory) -> ResolvePolicy:
    """Return the rules that a memory was formed under; the built-in ones where its profile is no more."""
    try:
        return runtime.profiles.get(memory.profile).resolve
    except UnknownProfileError:
        return ResolvePolicy()


def _by_hand(memory: Memory) -> Evidence:
    """Return evidence for a memory that has none: said when it was stored."""
    return Evidence(
        conversation=ConversationId(""), seq=0, hash=0, role="", speaker="", quote="", said_at=memory.known_from
    )


def _approved(
    runtime: Runtime, memory: Memory, resolved: ResolvedCandidate, vectors: Vectors
) -> tuple[list[Change], list[Decision], MemoryId]:
    """Return what approving changes, why, and which memory is active then."""
    target = resolved.target
    if target is not None and not resolved.adds:
        reason = f"approved on review; {resolved.reason}"
        known = _decision(runtime, memory, Action.APPROVE, reason, target=target)
        raised = max(target.importance, memory.importance)
        return (
            [_closed(runtime, memory), StrengthenMemory(id=target.id, importance=raised, inherits=(memory.id,))],
            [known],
            target.id,
        )
    now = runtime.clock.now()
    embedded = memory.kind is not MemoryKind.FACT and vectors[0].any()
    changes: list[Change] = [
        *(CloseMemory(id=closing.memory.id, valid_to=closing.valid_to, closed_at=now) for closing in resolved.closes),
        ReopenMemory(
            id=memory.id,
            space=runtime.embedder.space if embedded else "",
            vectors=(vectors[0],) if embedded else (),
            terms=terms(memory.text),
        ),
    ]
    decisions = [
        _decision(runtime, memory, Action.APPROVE, "approved on review"),
        *(_ended(runtime, memory, closing, resolved.reason) for closing in resolved.closes),
    ]
    return changes, decisions, memory.id


def _ended(runtime: Runtime, memory: Memory, closing: EndedMemory, reason: str) -> Decision:
    """Say that another memory is replaced."""
    return _decision(runtime, memory, Action.REPLACE, reason, target=closing.memory)


def _closed(runtime: Runtime, memory: Memory) -> CloseMemory:
    now = runtime.clock.now()
    return CloseMemory(id=memory.id, valid_to=max(memory.valid_from, now), closed_at=now)


def _decision(
    runtime: Runtime, memory: Memory, action: Action, reason: str, *, target: Memory | None = None
) -> Decision:
    target_id = target.id if target else None
    return Decision.of(memory, action, reason, clock=runtime.clock, target=target_id, text=memory.text)
