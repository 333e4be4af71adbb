"""Keep what an agent notes of the owner of a memory as the fact that it states. Reads and writes the store.

A note that states one slot of its owner, such as where they live, is a fact of that slot: it strengthens the fact that
says the same, and takes the place of an older value, wherever that one came from. All others stay notes, and so does
what is said besides a known value.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from toldonce.concurrency import retry_while_stale
from toldonce.curation.new_notes import ManualNote
from toldonce.errors import StaleSubjectError
from toldonce.extraction.rules.kept_sentences import is_earnest, is_told
from toldonce.formation.runtime import Runtime
from toldonce.formation.telemetry import record_evictions
from toldonce.ids import new_id
from toldonce.maintenance.capacity import PlannedCommit
from toldonce.maintenance.eviction import plan_eviction
from toldonce.reading.heads import judge_alone
from toldonce.reading.sentences import sentences
from toldonce.reading.slots import StatedSlot, stated_slots
from toldonce.resolution.decide import resolve
from toldonce.resolution.planned_changes import MemoryFactory, to_changes
from toldonce.resolution.values import Claim, Neighbours, ResolvedCandidate, ResolveInputs
from toldonce.text import terms
from toldonce.text.slot_owner import bare_key, slot_owner
from toldonce.types import (
    NO_VECTORS,
    AddMemory,
    Candidate,
    ConversationId,
    Decision,
    Evidence,
    Memory,
    MemoryId,
    MemoryKind,
    Subject,
    Vector,
)

# Slots that say how the owner is called.
_NAMES = frozenset({"name", "full_name", "address_as"})
_NOWHERE = ConversationId("")


def owner_names(facts: Sequence[Memory]) -> tuple[str, ...]:
    """Return how the owner of some facts is called: their name, and the first word of it, as they stated it."""
    own = [fact.value for fact in facts if not slot_owner(fact.speaker) and bare_key(fact.key, fact.speaker) in _NAMES]
    return tuple(dict.fromkeys(name for value in own for name in (value, value.partition(" ")[0]) if name))


def stated_slot(statement: str) -> StatedSlot | None:
    """Return the one slot that a statement means, of one sentence that says nothing of another; None for any other.

    Args:
        statement: As the owner would say it.

    >>> [slot and slot.value for slot in map(stated_slot, ("I live in Oslo", "I live in Oslo and work as a nurse"))]
    ['Oslo', None]
    """
    pieces = sentences(statement)
    stated = stated_slots(pieces[0]) if len(pieces) == 1 else []
    if len(stated) != 1:
        return None
    [slot] = stated
    judged = judge_alone(statement)
    told = is_told(slot.part, pieces[0], judged, 0, is_order=slot.category in ("instruction", "preference"))
    return slot if told and is_earnest(judged, 0) else None


def says_more(statement: str, slot: StatedSlot, known: Memory) -> bool:
    """Return whether a statement says something besides its slot that a known memory lacks.

    Of a slot such as an allergy every word counts: 'severe'.

    Args:
        statement: As the owner would say it.
        slot: What `stated_slot` returned for it.
        known: The memory.
    """
    core = slot.core
    value = slot.value if slot.value in core.text else ""  # that of a diet is in English: "vegan"
    besides = statement if known.is_safety_critical else f"{statement[: core.start]} {value} {statement[core.end :]}"
    return not terms(besides).keys() <= terms(known.text).keys()


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerFact:
    """A note, and the slot that it states."""

    note: ManualNote
    slot: StatedSlot


async def add_owner_fact(runtime: Runtime, subject: Subject, wanted: OwnerFact) -> Memory:
    """Add a fact as it was noted, or strengthen the one that says the same; close what it takes the place of.

    One that was true from a day before that of the known value on is stored as ended. If the subject is at its
    capacity, memories are evicted in the same commit.

    Returns:
        The fact, or the known one.

    Raises:
        StaleSubjectError: The subject kept changing; nothing was added, and trying again is safe.
    """

    async def attempt() -> Memory:
        current = await runtime.for_subject(subject)
        memories = current.store.memories
        snapshot = await current.store.snapshots.snapshot(subject, current.embedder.space, vectors=NO_VECTORS)
        [vector] = await current.embedder.embed([wanted.note.text])
        decided = _decide(wanted, await memories.facts(subject), current)
        changes, decisions = to_changes([decided], _making(wanted, subject, vector, current))
        planned = PlannedCommit(subject=subject, profile=wanted.note.profile, snapshot=snapshot, changes=changes)
        further, room_made = await plan_eviction(replace(planned, ask=False), current)
        lines = [_explained(line, wanted.note) for line in decisions]
        await memories.apply(subject, [*changes, *further], [*lines, *room_made], subject_version=snapshot.version)
        record_evictions(subject, room_made, current)
        added = next((change.memory.id for change in changes if isinstance(change, AddMemory)), None)
        return (await memories.get_many(subject, [added or _known(decided)]))[0]

    failure = StaleSubjectError("the memories kept changing; nothing was added, try again")
    async with runtime.turns.hold(subject):  # else notes added meanwhile make every attempt stale
        return await retry_while_stale(attempt, failure=failure)


def _known(decided: ResolvedCandidate) -> MemoryId:
    assert decided.target is not None  # what is not added is known
    return decided.target.id


def _decide(wanted: OwnerFact, facts: Sequence[Memory], runtime: Runtime) -> ResolvedCandidate:
    """Weigh the fact against those known, as if the owner had said it now, or when the agent says that they did."""
    note, slot, now = wanted.note, wanted.slot, runtime.clock.now()
    said_at = note.valid_from or now
    if note.valid_from:  # what no message proves is as old as what it says
        facts = [fact if fact.evidence else replace(fact, known_from=fact.valid_from) for fact in facts]
    candidate = Candidate(
        kind=MemoryKind.FACT,
        text=note.text,
        category=slot.category,
        key=slot.key,
        value=slot.value,
        importance=slot.importance,
        speaker="user",
        seq=1,
        quote=note.text,
        valid_from=said_at,
    )
    said = Evidence(conversation=_NOWHERE, seq=1, hash=0, role="user", speaker="user", quote=note.text, said_at=said_at)
    policy = runtime.profiles.get(note.profile).resolve
    resolution = resolve(
        [Claim(candidate, said)], Neighbours(facts=facts), policy=policy, inputs=ResolveInputs(now=now)
    )
    return replace(resolution.resolved[0], evidence=())


def _making(wanted: OwnerFact, subject: Subject, vector: Vector, runtime: Runtime) -> MemoryFactory:
    return MemoryFactory(
        subject=subject,
        now=runtime.clock.now(),
        ids=partial(new_id, runtime.clock),
        profile=wanted.note.profile,
        version="",
        space=runtime.embedder.space,
        vectors=lambda _: (vector,) if vector.any() else (),
        terms=terms,
    )


def _explained(line: Decision, note: ManualNote) -> Decision:
    """Say who asked for a decision; no message did."""
    return replace(line, reason=note.reason if line.reason == "new" else f"{note.reason}: {line.reason}", seq=None)
