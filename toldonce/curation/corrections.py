"""Correct a memory by hand: it was wrong, or is no longer true. Reads and writes the store.

What was wrong was never true: it ends when it began, so that no look into the past finds it. What is no longer true
held until an instant. Another memory may take its place, in the same commit.
"""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime

from toldonce.concurrency import retry_while_stale
from toldonce.curation.new_notes import ManualNote
from toldonce.curation.owner_facts import owner_names, stated_slot
from toldonce.errors import BadRequestError, StaleSubjectError
from toldonce.formation.forget import NEVER, Ending, ending_decision, plan_ending
from toldonce.formation.forgotten_words import NO_LONGER_TRUE, WAS_WRONG
from toldonce.formation.runtime import Runtime
from toldonce.ids import new_id
from toldonce.reading.owner_voice import owners_statement
from toldonce.text import clean, squeeze, terms
from toldonce.text.slot_owner import slot_owner
from toldonce.types import Action, AddMemory, Change, Decision, Memory, MemoryId, MemoryKind, MemoryState


@dataclass(frozen=True, slots=True, kw_only=True)
class HandCorrection:
    """What a person says of a memory that does not hold."""

    note: ManualNote | None = None
    """What holds in its place; None: nothing does."""
    value: str | None = None
    """Of a fact: the value of its slot; None: what the note says of the slot. Without either, what holds is a note."""
    key: str = ""
    """Key of the slot; empty: that of the fact."""
    true_until: datetime | None = None
    """When it stopped being true (aware), which is when what holds began; None: it was wrong from the beginning."""

    @property
    def reason(self) -> str:
        """The reason that the decision logs."""
        return WAS_WRONG if self.true_until is None else NO_LONGER_TRUE


async def correct_memory(
    runtime: Runtime, memory: Memory, correction: HandCorrection, *, only_unchanged: bool = False
) -> Memory:
    """Close an active memory, with what else says the same, and store what holds in its place.

    The decision is logged as a replacement, or as a closing if nothing takes its place, so that undoing it brings the
    memory back. What is stored has no source: a person vouches for it.

    Args:
        runtime: What works on its subject.
        memory: The memory, as it was read.
        correction: Whether it was ever true, and what holds in its place.
        only_unchanged: Refuse if it has changed since it was read.

    Returns:
        The memory in its place; without one, the closed memory.

    Raises:
        BadRequestError: The memory is not active, a summary or not listed; a value is given for a note or without a
            text; or it would have ended in the future, or before it began.
        ChangedMemoryError: It has changed since it was read.
        StaleSubjectError: The subject kept changing; nothing was done, and trying again is safe.
    """
    _require_correctable(memory, correction, runtime.clock.now())

    correction = await _with_value(memory, correction, runtime)

    async def attempt() -> Memory:
        current = await runtime.for_subject(memory.subject)
        fresh = _successor(memory, correction, current)
        ending = await plan_ending(
            current,
            memory,
            successor=fresh.id if fresh else None,
            true_until=correction.true_until or NEVER,
            only_unchanged=only_unchanged,
        )
        added = [await _added(fresh, current)] if fresh else []
        await current.store.memories.apply(
            memory.subject,
            [*ending.changes, *added],
            [*ending.decisions, _decision(memory, fresh, correction.reason, ending, current)],
            subject_version=ending.version,
        )
        return (await current.store.memories.get_many(memory.subject, [fresh.id if fresh else memory.id]))[0]

    failure = StaleSubjectError("the memories kept changing; nothing was corrected, try again")
    async with runtime.turns.hold(memory.subject):  # else notes added meanwhile make every attempt stale
        return await retry_while_stale(attempt, failure=failure)


async def _with_value(memory: Memory, correction: HandCorrection, runtime: Runtime) -> HandCorrection:
    """Add to the correction of a fact what its note says of the slot, as the owner would or in the fact's words."""
    note = correction.note
    if note is None or correction.value is not None or memory.kind is not MemoryKind.FACT:
        return correction
    if not slot_owner(memory.speaker):
        facts = await runtime.store.memories.facts(memory.subject)
        slot = await asyncio.to_thread(stated_slot, owners_statement(note.text, owner_names(facts)).text)
        if slot and (slot.category, _bare(slot.key)) == (memory.category, _bare(memory.key)):
            is_free = all((fact.category, fact.key) != (slot.category, slot.key) for fact in facts)
            return replace(correction, value=slot.value, key=slot.key if is_free else "")
    return replace(correction, value=replaced_value(memory.text, memory.value, note.text))


def _bare(key: str) -> str:
    """Return a slot's name without what tells its values apart: `allergy` of `allergy:nuts`."""
    return key.partition(":")[0]


def replaced_value(text: str, value: str, words: str) -> str | None:
    """Return what came in a value's place where nothing else of a text was changed; None where more was.

    >>> [replaced_value("I live in Oslo.", "Oslo", f"I live in {words}.") for words in ("Bergen", "Oslo no more")]
    ['Bergen', None]
    """
    if not value or text.count(value) != 1:
        return None
    head, _, tail = text.partition(value)
    found = words.removeprefix(head).removesuffix(tail)
    return found if words == f"{head}{found}{tail}" and found and value not in found else None


def _require_correctable(memory: Memory, correction: HandCorrection, now: datetime) -> None:
    if memory.state is not MemoryState.ACTIVE:
        raise BadRequestError(f"memory {memory.id} is {memory.state.value}: only what is active can be corrected")
    if memory.kind is MemoryKind.EPISODE or not memory.is_kept:
        raise BadRequestError(
            f"memory {memory.id} is of kind {memory.kind.value}: only what is listed is corrected, but for summaries"
        )
    if correction.value is not None and memory.kind is not MemoryKind.FACT:
        raise BadRequestError(f"memory {memory.id} is a note, which has no value", param="value")
    if correction.value is not None and correction.note is None:
        raise BadRequestError("a value needs the text that says it", param="value")
    if correction.value is not None and not squeeze(clean(correction.value)):
        raise BadRequestError("the value is empty", param="value")
    _require_end(memory, correction.true_until, now)


def _require_end(memory: Memory, true_until: datetime | None, now: datetime) -> None:
    if true_until is None:
        return
    if true_until.tzinfo is None:
        raise BadRequestError(f"true_until is {true_until.isoformat()}, it needs a time zone", param="true_until")
    if true_until > now:
        raise BadRequestError(f"true_until is {true_until.isoformat()}, which is still to come", param="true_until")
    if true_until <= memory.valid_from:
        raise BadRequestError(
            f"true_until is {true_until.isoformat()}, but the memory is true from {memory.valid_from.isoformat()} on; "
            "without true_until it counts as wrong from the beginning",
            param="true_until",
        )


def _successor(memory: Memory, correction: HandCorrection, runtime: Runtime) -> Memory | None:
    """Return what holds in a memory's place: since its end, or, if it was wrong, since its beginning."""
    note, value = correction.note, correction.value
    if note is None:
        return None
    return Memory(
        id=MemoryId(new_id(runtime.clock)),
        subject=memory.subject,
        kind=MemoryKind.NOTE if value is None else MemoryKind.FACT,
        text=note.text,
        type=clean(note.type),
        category="" if value is None else memory.category,
        key="" if value is None else correction.key or memory.key,
        value="" if value is None else squeeze(clean(value)),
        importance=float(note.importance),
        speaker=memory.speaker,
        valid_from=correction.true_until or memory.valid_from,
        known_from=runtime.clock.now(),
        profile=memory.profile,
    )


async def _added(fresh: Memory, runtime: Runtime) -> Change:
    vectors = tuple(vector for vector in await runtime.embedder.embed([fresh.text]) if vector.any())
    space = runtime.embedder.space if vectors else ""
    return AddMemory(memory=fresh, space=space, vectors=vectors, terms=terms(fresh.text))


def _decision(memory: Memory, fresh: Memory | None, reason: str, ending: Ending, runtime: Runtime) -> Decision:
    if fresh is None:
        return ending_decision(memory, reason, ending.at, runtime)
    return Decision.of(fresh, Action.REPLACE, reason, clock=runtime.clock, target=memory.id, text=fresh.text)
