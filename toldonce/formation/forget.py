"""Forget a memory by hand: it is closed, with what says the same. Reads and writes the store."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from toldonce.concurrency import retry_while_stale, run_in_thread_if_large
from toldonce.errors import ChangedMemoryError, StaleSubjectError
from toldonce.formation.contexts import shorten_contexts
from toldonce.formation.forgotten_answers import find_forgotten
from toldonce.formation.forgotten_words import ENDED_BY_HAND, FORGOTTEN, SAYS_THE_SAME
from toldonce.formation.inputs import LARGE_BATCH
from toldonce.formation.quotations import withhold
from toldonce.formation.replays import mark_forgotten
from toldonce.formation.runtime import Runtime
from toldonce.formation.stale import Outdated, outdated_by_hand, stale_stretches
from toldonce.formation.summaries import shorten_episodes
from toldonce.ids import id_text
from toldonce.resolution.undo_plan import closes
from toldonce.text import bare, source_key
from toldonce.types import (
    NO_VECTORS,
    Action,
    Candidate,
    Change,
    CloseMemory,
    Decision,
    Evidence,
    FormationKey,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    Subject,
    SubjectSnapshot,
    is_same_but_for_uses,
)

NEVER = datetime.min.replace(tzinfo=UTC)
"""As the end of a memory: it was never true. The store lets nothing end before it began."""
# Memories in stored prompts that are looked through; the newest of them.
MAX_SHOWN = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What closing a memory by hand changes."""

    changes: tuple[Change, ...]
    decisions: tuple[Decision, ...]
    """Why; the decision on the memory itself is not among them."""
    at: datetime
    version: int | None
    """Version of the subject that this rests on; None if it rests on nothing read."""


async def forget_by_hand(
    runtime: Runtime, memory: Memory, *, because: str = "", only_unchanged: bool = False
) -> Memory:
    """Close a memory and what else would bring its words into a prompt.

    These are the notes and facts of the same message that say the same, and the clauses of quotations that do; of a
    quotation, all memories that rest on its message alone. The history stays. A closed memory stays as it is, but
    later prompts do not repeat its words.

    Args:
        runtime: What works on its subject.
        memory: The memory, as it was read.
        because: The reason given for it; empty without one.
        only_unchanged: Refuse if it has changed since.

    Raises:
        ChangedMemoryError: It has changed since it was read.
        StaleSubjectError: The subject kept changing; nothing was closed, and trying again is safe.
    """
    if memory.state is MemoryState.CLOSED:
        shown = await forget_shown(outdated_by_hand(memory), memory.subject, runtime)
        if shown:
            await runtime.store.memories.apply(memory.subject, shown, [])
        return memory

    async def attempt() -> Memory:
        current = await runtime.for_subject(memory.subject)
        ending = await plan_ending(current, memory, only_unchanged=only_unchanged)
        # What ended with the memory comes before it, and comes back with it.
        why = f"{FORGOTTEN}: {because}" if because else FORGOTTEN
        decisions = [*ending.decisions, ending_decision(memory, why, ending.at, current)]
        await current.store.memories.apply(memory.subject, ending.changes, decisions, subject_version=ending.version)
        return (await current.store.memories.get_many(memory.subject, [memory.id]))[0]

    failure = StaleSubjectError("the memories kept changing; nothing was forgotten, try again")
    async with runtime.turns.hold(memory.subject):  # else notes added meanwhile make every attempt stale
        return await retry_while_stale(attempt, failure=failure)


async def plan_ending(
    runtime: Runtime,
    memory: Memory,
    *,
    successor: MemoryId | None = None,
    true_until: datetime | None = None,
    only_unchanged: bool = False,
) -> Ending:
    """Plan to close a memory and what else would bring its words into a prompt: see `forget_by_hand`.

    Args:
        runtime: What works on its subject.
        memory: The memory, as it was read.
        successor: The memory that takes its place; what ends with it comes back when that one is undone.
        true_until: When it, and what says the same, stopped being true; `NEVER`: it never was. None: now.
        only_unchanged: Refuse if it has changed since it was read.

    Raises:
        ChangedMemoryError: It has changed since it was read.
    """
    snapshot = await runtime.store.snapshots.snapshot(memory.subject, runtime.embedder.space, vectors=NO_VECTORS)
    if only_unchanged:
        await _require_unchanged(memory, runtime)
    same = [other for other in await _of_the_same_messages(memory, snapshot, runtime) if _says_the_same(memory, other)]
    now = runtime.clock.now()
    ending = (memory, *same)
    closes = [
        CloseMemory(id=known.id, valid_to=max(known.valid_from, now), closed_at=now, forgotten=True) for known in ending
    ]
    target = successor or memory.id
    outdated = [old for known in ending for old in outdated_by_hand(known, cause=target)]
    forgotten = await find_forgotten(outdated, snapshot, runtime)
    outdated += forgotten.outdated
    gone = frozenset(known.id for known in ending)
    shortened, why = await withhold(outdated, snapshot, runtime, gone=gone)
    episodes, why_episodes = await shorten_episodes(outdated, snapshot, runtime, gone=gone)
    contexts, why_contexts = await shorten_contexts(outdated, snapshot, runtime, gone=gone)
    shown = await forget_shown(outdated, memory.subject, runtime)
    ends = [ending_decision(known, SAYS_THE_SAME, now, runtime, target=target) for known in same]
    changes = (*closes, *shortened, *episodes, *contexts)
    if true_until is not None:
        changes = tuple(
            replace(change, valid_to=true_until) if isinstance(change, CloseMemory) else change for change in changes
        )
    return Ending(
        changes=(*changes, *mark_forgotten(forgotten, runtime), *shown),
        decisions=(*(replace(line, at=now) for line in (*why, *why_episodes, *why_contexts)), *ends),
        at=now,
        version=snapshot.version if len(snapshot) else None,
    )


async def _require_unchanged(memory: Memory, runtime: Runtime) -> None:
    stored = await runtime.store.memories.get_many(memory.subject, [memory.id])
    if not stored or not is_same_but_for_uses(stored[0], memory):
        raise ChangedMemoryError(memory.id)


async def forgotten_by_hand(key: FormationKey, runtime: Runtime) -> list[Memory]:
    """Read what was forgotten by hand of a conversation that another extractor had formed memories of.

    A request in the conversation is read again with it; one made outside of it has to be kept.
    """
    if not await runtime.store.formations.has_other_version(key):
        return []
    closed = [
        memory
        for memory in await runtime.store.memories.from_source(key.subject, key.conversation)
        if memory.state is MemoryState.CLOSED and memory.kind is not MemoryKind.EPISODE
    ]
    return [memory for memory in closed if await _is_forgotten(memory, runtime)]


async def _is_forgotten(memory: Memory, runtime: Runtime) -> bool:
    lines = await runtime.store.decisions.list(memory.subject, memory=memory.id)
    ends = [line for line in lines if closes(line, memory.id)]
    return bool(ends) and ends[-1].reason.startswith(ENDED_BY_HAND)


def repeats_forgotten(candidate: Candidate, said: Evidence, forgotten: Sequence[Memory]) -> bool:
    """Return whether a candidate would bring back what was forgotten of its message: the same value, or words."""
    for memory in forgotten:
        if memory.kind is MemoryKind.TURN and any(source.ref == said.ref for source in memory.evidence):
            return True
        quotes = [bare(source.quote) for source in memory.evidence if source.ref == said.ref]
        if not quotes:
            continue
        value, quote = bare(memory.value), bare(candidate.quote)
        overlap = any(quote and own and (quote in own or own in quote) for own in quotes)
        if overlap or (value and value in bare(candidate.text)):
            return True
    return False


async def _of_the_same_messages(memory: Memory, snapshot: SubjectSnapshot, runtime: Runtime) -> Sequence[Memory]:
    """Read the other active memories that rest on a message that this one rests on."""
    keys = [source_key(said.conversation, said.seq) for said in memory.evidence]
    touched = np.flatnonzero(np.isin(snapshot.source_key, np.array(keys, dtype=np.int64)))
    places = np.unique(np.searchsorted(snapshot.source_start, touched, side="right") - 1)
    ids = [MemoryId(id_text(snapshot.ids[place])) for place in places]
    return await runtime.store.memories.get_many(memory.subject, [id_ for id_ in ids if id_ != memory.id])


def _says_the_same(memory: Memory, other: Memory) -> bool:
    """Return whether a memory of the same message would bring the words of a forgotten one back."""
    sources = {said.ref for said in memory.evidence}
    if memory.kind is MemoryKind.TURN:
        return all(said.ref in sources for said in other.evidence)
    if other.kind in (MemoryKind.TURN, MemoryKind.EPISODE):  # of these a part alone is left out
        return False
    if memory.kind is MemoryKind.FACT or other.kind is MemoryKind.FACT:
        values = [bare(known.value) for known in (memory, other) if known.kind is MemoryKind.FACT and known.value]
        return bool(values) and all(value in bare(known.text) for value in values for known in (memory, other))
    return bare(memory.text) == bare(other.text)


def ending_decision(
    closed: Memory, reason: str, at: datetime, runtime: Runtime, *, target: MemoryId | None = None
) -> Decision:
    """Log why a memory was closed; `target` is what it ended with. The words of quotations are not logged."""
    text = closed.text if closed.kind is not MemoryKind.TURN else ""
    return replace(Decision.of(closed, Action.CLOSE, reason, clock=runtime.clock, target=target, text=text), at=at)


async def forget_shown(outdated: Sequence[Outdated], subject: Subject, runtime: Runtime) -> list[CloseMemory]:
    """Find closed memories in prompts that say what is to be forgotten, so that no later prompt repeats them.

    Args:
        outdated: What no longer holds; only what was forgotten counts.
        subject: Owner of the memories.
        runtime: Store and clock.
    """
    forgotten = [old for old in outdated if old.is_forgotten]
    if not forgotten:
        return []
    shown = await runtime.store.memories.shown_closed(subject, limit=MAX_SHOWN)
    size = sum(len(memory.text) for memory in shown) * len(forgotten)
    matching = await run_in_thread_if_large(
        size, lambda: [memory for memory in shown if _has_forgotten_words(memory, forgotten)], above=LARGE_BATCH // 4
    )
    now = runtime.clock.now()
    return [
        CloseMemory(
            id=memory.id,
            valid_to=memory.valid_to or max(memory.valid_from, now),
            closed_at=memory.closed_at or now,
            forgotten=True,
        )
        for memory in matching
    ]


def _has_forgotten_words(memory: Memory, forgotten: Sequence[Outdated]) -> bool:
    """Return whether a memory has words that are to be forgotten."""
    if any(old.is_everything or old.id == memory.id for old in forgotten):
        return True
    return any(stale_stretches(memory.text, said, forgotten) for said in memory.evidence)
