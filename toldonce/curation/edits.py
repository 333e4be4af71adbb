"""What people do to memories by hand: keep a sentence, close a memory. Reads and writes the store."""

import asyncio
import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from toldonce.concurrency import retry_while_stale, run_in_thread_if_large
from toldonce.curation.new_notes import MAX_PREPARED_NOTES, ManualNote, add_unknown, fold_wording, is_plain
from toldonce.errors import StaleSubjectError, StoreUnavailableError
from toldonce.formation.runtime import Runtime
from toldonce.formation.telemetry import record_evictions
from toldonce.ids import id_text, new_id
from toldonce.maintenance.capacity import PlannedCommit
from toldonce.maintenance.eviction import ASKING_ATTEMPTS, plan_eviction
from toldonce.maintenance.reembed import embed_missing
from toldonce.recall.same_terms import notes_by_any_terms, notes_by_terms
from toldonce.text import clean, legacy_terms, terms
from toldonce.types import (
    NO_DETAIL,
    NO_VECTORS,
    Action,
    AddMemory,
    Change,
    Decision,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    StrengthenMemory,
    Subject,
    SubjectSnapshot,
    Vector,
    Vectors,
)

# Pairs of a memory and a text whose terms are compared on the loop: some milliseconds.
_INLINE_PAIRS_THRESHOLD = 1_000_000
# Wordings looked up one after another; more are looked up at once.
_MAX_LOOKUPS = 16


async def add_note(runtime: Runtime, subject: Subject, wanted: ManualNote, *, home: Subject | None = None) -> Memory:
    """Add a note; if it is known but for case and punctuation, strengthen and return the known one.

    If the subject is at its capacity, memories are evicted in the same commit. If the note was folded into another
    memory thereby, that one is returned. `home` owns the log its evidence points into, if that is another subject.
    """
    return (await add_notes(runtime, subject, [wanted], home=home))[0]


async def add_notes(
    runtime: Runtime, subject: Subject, wanted: Sequence[ManualNote], *, home: Subject | None = None
) -> list[Memory]:
    """Add notes of one profile in one commit, as if they came one after another; return a memory for each.

    All texts are embedded in one call. Of two that are the same but for case and punctuation the first is kept and
    strengthened.
    """
    if not wanted:
        return []
    runtime = await runtime.for_cached_subject(subject)
    is_long = len(wanted) > MAX_PREPARED_NOTES
    if is_long:  # the caller has checked them, and an embedder may work on the event loop: others run in between
        await asyncio.sleep(0)
    vectors = await runtime.embedder.embed([note.text for note in wanted])
    if is_long:
        await asyncio.sleep(0)
    async with runtime.turns.hold(subject):
        if home in (None, subject) and all(map(is_plain, wanted)):
            added = await add_unknown(runtime, subject, wanted, vectors)
            if added is not None:
                return added
        return await _add(runtime, subject, wanted, vectors, home)


async def _add(
    runtime: Runtime, subject: Subject, wanted: Sequence[ManualNote], vectors: Vectors, home: Subject | None
) -> list[Memory]:
    fresh = [_note(runtime, subject, note) for note in wanted]
    attempts = itertools.count()

    async def attempt() -> list[Memory]:
        nonlocal runtime, vectors
        number = next(attempts)
        current = await runtime.for_subject(subject)
        if current is not runtime:  # the subject was re-embedded meanwhile
            runtime, vectors = current, await current.embedder.embed([note.text for note in wanted])
        snapshot = await runtime.store.snapshots.snapshot(subject, runtime.embedder.space, vectors=NO_VECTORS)
        kept = _kept(await _same(runtime, snapshot, wanted), wanted, fresh)
        changes = [
            _added(runtime, memory, vector) if memory is new else _strengthened(memory, note)
            for memory, new, note, vector in zip(kept, fresh, wanted, vectors, strict=True)
        ]
        planned = PlannedCommit(
            subject=subject, profile=wanted[0].profile, snapshot=snapshot, changes=changes, ask=number < ASKING_ATTEMPTS
        )
        further, room_made = await plan_eviction(planned, runtime)
        decisions = [
            Decision.of(memory, *_how(memory is not new, note), clock=runtime.clock, text=note.text)
            for memory, new, note in zip(kept, fresh, wanted, strict=True)
        ]
        try:
            await runtime.store.memories.apply(
                subject, [*changes, *further], [*decisions, *room_made], subject_version=snapshot.version, home=home
            )
        except StoreUnavailableError:
            # One retry, then without a model; whether the write took effect is read back first.
            if not further or number >= ASKING_ATTEMPTS:
                raise
            if not await runtime.store.memories.get_many(subject, [memory.id for memory in fresh]):
                raise StaleSubjectError("the write took no effect") from None
        record_evictions(subject, room_made, runtime)
        return kept if _is_as_made(kept, fresh, room_made) else await _as_kept(runtime, subject, kept, room_made)

    failure = StaleSubjectError("the memories kept changing; nothing was added, try again")
    return await retry_while_stale(attempt, failure=failure)


def _wordings(note: ManualNote) -> list[str]:
    return [fold_wording(text) for text in (clean(note.text), *note.alike)]


def _kept(known: Mapping[str, Memory], wanted: Sequence[ManualNote], fresh: Sequence[Memory]) -> list[Memory]:
    """Return the memory of each sentence: the known one, or else the first of the new ones that say it."""
    standing = dict(known)
    kept = []
    for new, note in zip(fresh, wanted, strict=True):
        # A memory held for review has no effect on others yet.
        active = new.state is MemoryState.ACTIVE
        wording = next((said for said in _wordings(note) if said in standing), fold_wording(new.text))
        kept.append(standing.setdefault(wording, new) if active else standing.get(wording, new))
    return kept


def _is_as_made(kept: Sequence[Memory], fresh: Sequence[Memory], room_made: Sequence[Decision]) -> bool:
    """Return whether the new memories are stored as they are here, so that they need not be read back.

    An app's memories get their numbers when they are stored, and what rests on messages the texts of its sources.
    """
    return not room_made and all(
        memory is new and memory.subject.kind != "app" and not memory.evidence and memory.detail == NO_DETAIL
        for memory, new in zip(kept, fresh, strict=True)
    )


async def _as_kept(
    runtime: Runtime, subject: Subject, kept: Sequence[Memory], room_made: Sequence[Decision]
) -> list[Memory]:
    """Read the memories back; one that was folded into another is returned as that one."""
    folds = {line.target_id: line.memory_id for line in room_made if line.action is Action.FOLD}
    ids = []
    for memory in kept:
        id_ = memory.id
        while (whole := folds.get(id_)) is not None:
            id_ = whole
        ids.append(id_)
    by_id = {known.id: known for known in await runtime.store.memories.get_many(subject, list(dict.fromkeys(ids)))}
    return [by_id[id_] for id_ in ids]


def _strengthened(known: Memory, wanted: ManualNote) -> Change:
    importance = max(known.importance, wanted.importance)
    return StrengthenMemory(id=known.id, importance=importance, evidence=wanted.evidence)


def _added(runtime: Runtime, fresh: Memory, vector: Vector) -> Change:
    vectors = (vector,) if vector.any() else ()
    return AddMemory(memory=fresh, space=runtime.embedder.space, vectors=vectors, terms=terms(fresh.text))


def _how(again: bool, wanted: ManualNote) -> tuple[Action, str]:
    if again:
        return Action.MERGE, f"{wanted.reason} again"
    return (Action.HOLD, wanted.hold_reason) if wanted.hold_reason else (Action.ADD, wanted.reason)


async def link_memory(runtime: Runtime, memory: Memory, to: Subject) -> Memory:
    """Link a memory into another subject; return the row there."""
    made = Decision.of(
        replace(memory, subject=to), Action.LINK, "linked from another subject", clock=runtime.clock, text=memory.text
    )
    await runtime.store.memories.link(memory.subject, memory.id, to, terms=terms(memory.text), decision=made)
    await embed_missing(runtime, to)
    return (await runtime.store.memories.get_many(to, [memory.id]))[0]


async def unlink_memory(runtime: Runtime, memory: Memory) -> None:
    """Remove a memory from its subject; other subjects keep it."""
    made = Decision.of(memory, Action.UNLINK, "taken from this subject alone", clock=runtime.clock)
    await runtime.store.memories.unlink(memory.subject, memory.id, decision=made)


async def _same(runtime: Runtime, snapshot: SubjectSnapshot, wanted: Sequence[ManualNote]) -> dict[str, Memory]:
    """Find the notes that say what is wanted but for case and punctuation, by their wordings."""
    places = await run_in_thread_if_large(
        len(snapshot) * len(wanted), lambda: _alike(snapshot, wanted), above=_INLINE_PAIRS_THRESHOLD
    )
    ids = [MemoryId(id_text(snapshot.ids[place])) for place in places]
    known_memories: dict[str, Memory] = {}
    for known in await runtime.store.memories.get_many(snapshot.subject, ids) if ids else ():
        known_memories.setdefault(fold_wording(known.text), known)
    return known_memories


def _alike(snapshot: SubjectSnapshot, wanted: Sequence[ManualNote]) -> list[int]:
    """Find the places of notes that may be another spelling of one of some texts: they have the same terms."""
    spellings: set[frozenset[tuple[str, int]]] = set()
    for note in wanted:
        # A mark within a word may make other terms of it: "12:30" is "12" and "30" where it is a dash.
        said = (note.text, fold_wording(note.text), *note.alike, *map(fold_wording, note.alike))
        spellings |= {frozenset(terms(text).items()) for text in said}
        if snapshot.has_legacy_terms:
            former = Counter(chain.from_iterable(own for _, own in legacy_terms(note.text)))
            spellings.add(frozenset(former.items()))
    if len(spellings) > _MAX_LOOKUPS:
        places: list[int] = notes_by_any_terms(snapshot, list(map(dict, spellings))).tolist()
        return places
    return sorted({place for counted in spellings for place in notes_by_terms(snapshot, dict(counted)).tolist()})


def _note(runtime: Runtime, subject: Subject, wanted: ManualNote) -> Memory:
    now = runtime.clock.now()
    return Memory(
        id=MemoryId(new_id(runtime.clock)),
        subject=subject,
        kind=MemoryKind.NOTE,
        text=clean(wanted.text),
        type=clean(wanted.type),
        importance=float(wanted.importance),
        valid_from=wanted.valid_from or now,
        known_from=now,
        profile=wanted.profile,
        state=MemoryState.HELD if wanted.hold_reason else MemoryState.ACTIVE,
        speaker=wanted.evidence[0].speaker if wanted.evidence else "",
        evidence=wanted.evidence,
        detail=wanted.detail,
    )
