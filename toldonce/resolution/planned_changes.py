"""Turn decisions into what the store is to change, and into the lines of the decision log. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from toldonce.resolution.plans import plan_key
from toldonce.resolution.slots import stored_key
from toldonce.resolution.values import ResolvedCandidate
from toldonce.types import (
    Action,
    AddMemory,
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
    StrengthenMemory,
    Subject,
    Vector,
)

# Recall fetches the most important facts before it can tell which are about health, so these are among the first,
# whatever importance an extractor gave them.
MIN_CRITICAL_IMPORTANCE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFactory:
    """What memories are made with."""

    subject: Subject
    now: datetime
    ids: Callable[[], str]
    """Makes a new UUIDv7 each time."""
    profile: str
    version: str
    """The extractor's."""
    conversation: ConversationId | None = None
    """Named in decisions whose candidate has no evidence."""
    space: str = ""
    """Of the vectors; empty where there are none."""
    vectors: Callable[[str], tuple[Vector, ...]]
    """The vectors of a text, computed beforehand."""
    terms: Callable[[str], Mapping[str, int]]
    """The terms of a text."""


def to_changes(resolved: Sequence[ResolvedCandidate], making: MemoryFactory) -> tuple[list[Change], list[Decision]]:
    """Write out what decisions change.

    What is closed comes before what takes its place. Facts that rest on messages get terms and no vector.

    Returns:
        The changes in the order in which they are to be applied, and one decision for each item of `resolved`,
        followed by one for each further memory that ends with it.
    """
    changes: list[Change] = []
    decisions: list[Decision] = []
    ids = [MemoryId(making.ids()) if decided.adds else None for decided in resolved]
    ended_here: dict[int, list[_Ended]] = {}
    for decided, made in zip(resolved, ids, strict=True):
        if made is not None and decided.successor is not None:
            ended = _Ended(made, decided.candidate.text)
            ended_here.setdefault(id(decided.successor), []).append(ended)
    for decided, made in zip(resolved, ids, strict=True):
        changes.extend(
            CloseMemory(
                id=closing.memory.id,
                valid_to=closing.valid_to,
                closed_at=making.now,
                forgotten=bool(decided.candidate.forgets),
            )
            for closing in decided.closes
        )
        if made is not None:
            changes.append(_added(decided, made, making))
        elif decided.strengthens and decided.target:
            changes.append(_strengthened(decided, decided.target, making))
        mine = ended_here.get(id(decided.candidate), [])
        target = decided.target.id if decided.target else next((each.id for each in mine), None)
        decisions.append(_decision(decided, made, target, making))
        beside = [*mine, *(_Ended(each.memory.id, each.memory.text) for each in decided.closes)]
        decisions.extend(_with_it(decided, each, made or target, making) for each in beside if each.id != target)
    return changes, decisions


@dataclass(frozen=True, slots=True)
class _Ended:
    """What a decision ends: an existing memory, or an earlier one of the batch."""

    id: MemoryId
    text: str


def _strengthened(one: ResolvedCandidate, target: Memory, making: MemoryFactory) -> StrengthenMemory:
    another = target.version not in ("", making.version) and target.profile == making.profile
    return StrengthenMemory(
        id=target.id,
        importance=one.importance,
        evidence=_further(one, target),
        version=making.version if another else "",
    )


def _raised(memory: Memory) -> Memory:
    """Return a memory with the importance that it needs to be in every prompt if it is safety-critical."""
    raised = max(memory.importance, MIN_CRITICAL_IMPORTANCE)
    return replace(memory, importance=raised) if memory.is_safety_critical else memory


def _further(one: ResolvedCandidate, target: Memory) -> tuple[Evidence, ...]:
    known = {(said.conversation, said.seq, said.quote) for said in target.evidence}
    return tuple(said for said in one.evidence if (said.conversation, said.seq, said.quote) not in known)


def _added(one: ResolvedCandidate, made: MemoryId, making: MemoryFactory) -> AddMemory:
    candidate = one.candidate
    fact = candidate.kind is MemoryKind.FACT
    vectors = () if fact and one.evidence else making.vectors(candidate.text)
    memory = Memory(
        id=made,
        subject=making.subject,
        kind=candidate.kind,
        text=candidate.text,
        type=candidate.type,
        category=candidate.category,
        key=stored_key(candidate.key, candidate.value, candidate.speaker) if fact else plan_key(candidate),
        value=candidate.value,
        importance=candidate.importance,
        confidence=candidate.confidence,
        speaker=candidate.speaker,
        valid_from=candidate.valid_from,
        valid_to=_until(one, candidate),
        known_from=making.now,
        closed_at=making.now if one.valid_to else None,
        state=_state(one),
        profile=making.profile,
        version=making.version,
        evidence=one.evidence,
        detail=candidate.detail,
    )
    return AddMemory(
        memory=_raised(memory),
        space=making.space if vectors else "",
        vectors=vectors,
        terms=making.terms(candidate.text),
    )


def _until(one: ResolvedCandidate, candidate: Candidate) -> datetime | None:
    ends = [when for when in (one.valid_to, candidate.valid_to) if when is not None]
    return max(min(ends), candidate.valid_from) if ends else None


def _state(one: ResolvedCandidate) -> MemoryState:
    if one.action is Action.HOLD:
        return MemoryState.HELD
    return MemoryState.CLOSED if one.valid_to else MemoryState.ACTIVE


def _decision(
    one: ResolvedCandidate, made: MemoryId | None, target: MemoryId | None, making: MemoryFactory
) -> Decision:
    touched = target if one.action in (Action.MERGE, Action.CLOSE) else made
    return Decision(
        id=making.ids(),
        subject=making.subject,
        at=making.now,
        action=one.action,
        memory_id=touched,
        target_id=target,
        reason=one.reason,
        text=one.candidate.text,
        profile=making.profile,
        conversation=one.evidence[0].conversation if one.evidence else making.conversation,
        seq=one.candidate.seq,
    )


def _with_it(one: ResolvedCandidate, ended: _Ended, target: MemoryId | None, making: MemoryFactory) -> Decision:
    """Say why a memory ends beside the target; what came in its place is named, or what ended."""
    return Decision(
        id=making.ids(),
        subject=making.subject,
        at=making.now,
        action=Action.CLOSE,
        memory_id=ended.id,
        target_id=target,
        reason="was corrected together with it",
        text=ended.text,
        profile=making.profile,
        conversation=one.evidence[0].conversation if one.evidence else making.conversation,
        seq=one.candidate.seq,
    )
