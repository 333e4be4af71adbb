"""Correct a memory by hand: another takes its place in one commit. Reads and writes the store."""

from dataclasses import dataclass

from recollect.concurrency import retry_while_stale
from recollect.curation.new_notes import ManualNote
from recollect.errors import BadRequestError, StaleSubjectError
from recollect.formation.forget import plan_ending
from recollect.formation.forgotten_words import CORRECTED
from recollect.formation.runtime import Runtime
from recollect.ids import new_id
from recollect.text import clean, squeeze, terms
from recollect.types import Action, AddMemory, Decision, Memory, MemoryId, MemoryKind, MemoryState


@dataclass(frozen=True, slots=True, kw_only=True)
class HandCorrection:
    """What holds in a memory's place."""

    note: ManualNote
    value: str | None = None
    """Of a fact: the value of its slot; None: what holds is a note."""


async def correct_memory(
    runtime: Runtime, memory: Memory, correction: HandCorrection, *, only_unchanged: bool = False
) -> Memory:
    """Close an active memory, with what else says the same, and store what holds in its place.

    The decision is logged as a replacement, so that undoing it brings the memory back. What is stored has no source:
    a person vouches for it.

    Args:
        runtime: What works on its subject.
        memory: The memory, as it was read.
        correction: What holds in its place.
        only_unchanged: Refuse if it has changed since it was read.

    Raises:
        BadRequestError: The memory is not active, a quotation or a summary; or a value is given for a note.
        ChangedMemoryError: It has changed since it was read.
        StaleSubjectError: The subject kept changing; nothing was done, and trying again is safe.
    """
    _require_correctable(memory, correction)

    async def attempt() -> Memory:
        current = await runtime.for_subject(memory.subject)
        fresh = _successor(memory, correction, current)
        ending = await plan_ending(current, memory, successor=fresh.id, only_unchanged=only_unchanged)
        is_fact = fresh.kind is MemoryKind.FACT
        vectors = () if is_fact else tuple(await current.embedder.embed([fresh.text]))
        vectors = tuple(vector for vector in vectors if vector.any())
        added = AddMemory(
            memory=fresh, space=current.embedder.space if vectors else "", vectors=vectors, terms=terms(fresh.text)
        )
        decision = Decision.of(fresh, Action.REPLACE, CORRECTED, clock=current.clock, target=memory.id, text=fresh.text)
        await current.store.memories.apply(
            memory.subject,
            [*ending.changes, added],
            [*ending.decisions, decision],
            subject_version=ending.version,
        )
        return (await current.store.memories.get_many(memory.subject, [fresh.id]))[0]

    failure = StaleSubjectError("the memories kept changing; nothing was corrected, try again")
    async with runtime.turns.hold(memory.subject):  # else notes added meanwhile make every attempt stale
        return await retry_while_stale(attempt, failure=failure)


def _require_correctable(memory: Memory, correction: HandCorrection) -> None:
    if memory.state is not MemoryState.ACTIVE:
        raise BadRequestError(f"memory {memory.id} is {memory.state.value}: only what is active can be corrected")
    if memory.kind not in (MemoryKind.NOTE, MemoryKind.FACT):
        raise BadRequestError(f"memory {memory.id} is of kind {memory.kind.value}: only notes and facts are corrected")
    if correction.value is not None and memory.kind is not MemoryKind.FACT:
        raise BadRequestError(f"memory {memory.id} is a note, which has no value", param="value")
    if correction.value is not None and not squeeze(clean(correction.value)):
        raise BadRequestError("the value is empty", param="value")


def _successor(memory: Memory, correction: HandCorrection, runtime: Runtime) -> Memory:
    now = runtime.clock.now()
    note, value = correction.note, correction.value
    return Memory(
        id=MemoryId(new_id(runtime.clock)),
        subject=memory.subject,
        kind=MemoryKind.NOTE if value is None else MemoryKind.FACT,
        text=note.text,
        type=clean(note.type),
        category="" if value is None else memory.category,
        key="" if value is None else memory.key,
        value="" if value is None else squeeze(clean(value)),
        importance=float(note.importance),
        speaker=memory.speaker,
        valid_from=now,
        known_from=now,
        profile=memory.profile,
    )
