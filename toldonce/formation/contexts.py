"""Leave out of the contexts of records what no longer holds. Reads the store and embeds what is stored again."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from toldonce.concurrency import run_in_thread_if_large
from toldonce.formation.forgotten_words import without_forgotten
from toldonce.formation.inputs import LARGE_BATCH
from toldonce.formation.quotations import BATCH_SIZE
from toldonce.formation.runtime import Runtime
from toldonce.formation.stale import Outdated, stale_stretches
from toldonce.ids import id_text, new_id
from toldonce.lazy_pattern import LazyPattern
from toldonce.providers.chunker import chunks
from toldonce.text import squeeze, terms
from toldonce.types import (
    Action,
    AddMemory,
    Change,
    CloseMemory,
    ConversationId,
    Decision,
    Evidence,
    LoggedMessage,
    Memory,
    MemoryId,
    MemoryKind,
    Subject,
    SubjectSnapshot,
    Vector,
    message_address,
)

_ADDRESS = LazyPattern(r"toldonce://(?P<conversation>[^/]+)/(?P<seq>\d{1,18})")
_NOTE = MemoryKind.NOTE.number


async def shorten_contexts(
    outdated: Sequence[Outdated],
    snapshot: SubjectSnapshot,
    runtime: Runtime,
    *,
    gone: frozenset[MemoryId] = frozenset(),
) -> tuple[list[Change], list[Decision]]:
    """Take what no longer holds, or is to be forgotten, out of the contexts of a subject's records.

    A record is closed, so that searches as of an earlier time still find it. The same record without the quoted words
    takes its place.

    Args:
        outdated: What no longer holds.
        snapshot: The subject's active memories.
        runtime: Store, embedder and clock.
        gone: Memories that the same commit closes already.
    """
    if not outdated or not len(snapshot) or not _keeps_records(snapshot.subject, runtime):
        return [], []
    ids = [MemoryId(id_text(snapshot.ids[place])) for place in range(len(snapshot)) if snapshot.kinds[place] == _NOTE]
    ids = [id_ for id_ in ids if id_ not in gone]
    stale: list[Memory] = []
    for start in range(0, len(ids), BATCH_SIZE):
        read = await runtime.memories(snapshot.subject, ids[start : start + BATCH_SIZE])
        quoting = [memory for memory in read if memory.detail.context_source]
        size = sum(len(memory.detail.circumstance) for memory in quoting) * len(outdated)
        stale += await run_in_thread_if_large(size, partial(_stale, quoting, outdated), above=LARGE_BATCH)
    now = runtime.clock.now()
    fresh = [_without_circumstance(memory, runtime) for memory in stale]
    forgotten = any(old.is_forgotten for old in outdated)
    closes = [
        CloseMemory(id=memory.id, valid_to=max(memory.valid_from, now), closed_at=now, forgotten=forgotten)
        for memory in stale
    ]
    decisions = [_decision(memory, runtime) for memory in stale]
    return [*closes, *await _added(fresh, runtime)], decisions


async def without_stale_contexts(
    changes: Sequence[Change],
    outdated: Sequence[Outdated],
    messages: Sequence[LoggedMessage],
    runtime: Runtime,
    *,
    home: Subject,
) -> list[Change]:
    """Take what no longer holds, or was forgotten, out of the contexts of records that are about to be added.

    Args:
        changes: What is about to be stored.
        outdated: What no longer holds.
        messages: Those that contexts may quote.
        runtime: Store and clock.
        home: In whose log they are.
    """
    added = [change.memory for change in changes if isinstance(change, AddMemory)]
    quoting = {memory.id: memory for memory in added if memory.detail.context_source}
    if not quoting:
        return list(changes)
    sources = {memory.detail.context_source for memory in quoting.values()}
    quoted = [message for message in messages if message_address(message.conversation, message.seq) in sources]
    kept = await without_forgotten(quoted, next(iter(quoting.values())).subject, runtime, home=home)
    forgotten = {
        message_address(before.conversation, before.seq)
        for before, after in zip(quoted, kept, strict=True)
        if squeeze(before.text) != squeeze(after.text)
    }
    stale = {memory.id for memory in _stale(list(quoting.values()), outdated)}
    stale |= {id_ for id_, memory in quoting.items() if memory.detail.context_source in forgotten}
    return [
        replace(change, memory=replace(change.memory, detail=change.memory.detail.without_circumstance()))
        if isinstance(change, AddMemory) and change.memory.id in stale
        else change
        for change in changes
    ]


def _keeps_records(subject: Subject, runtime: Runtime) -> bool:
    """Return whether a profile writes records, whose contexts quote messages, into such a subject."""
    profiles = (runtime.profiles.get(name) for name in runtime.profiles.names())
    return any(profile.form.summary and profile.subject.kind == subject.kind for profile in profiles)


def _stale(records: Sequence[Memory], outdated: Sequence[Outdated]) -> list[Memory]:
    """Return the records whose context quotes what no longer holds."""
    return [record for record in records if _is_stale(record, outdated)]


def _is_stale(record: Memory, outdated: Sequence[Outdated]) -> bool:
    found = _ADDRESS.fullmatch(record.detail.context_source)
    if not found:
        return False
    speaker, _, words = record.detail.circumstance.partition(": ")
    said = Evidence(
        conversation=ConversationId(found["conversation"]),
        seq=int(found["seq"]),
        hash=0,
        role="user",
        speaker=speaker,
        quote="",
        said_at=record.valid_from,
    )
    # Characters have names: whose role the speaker had is not known here, and each reading finds what the other misses.
    return any(stale_stretches(words, replace(said, role=role), outdated) for role in ("user", "assistant"))


def _without_circumstance(record: Memory, runtime: Runtime) -> Memory:
    return replace(
        record,
        id=MemoryId(new_id(runtime.clock)),
        known_from=runtime.clock.now(),
        detail=record.detail.without_circumstance(),
    )


async def _added(records: Sequence[Memory], runtime: Runtime) -> list[AddMemory]:
    pieces = [chunks(record.text) or [record.text] for record in records]
    flat = [piece for each in pieces for piece in each]
    rows: Iterator[Vector] = iter(await runtime.embedder.embed(flat) if flat else ())
    return [
        AddMemory(
            memory=record,
            space=runtime.embedder.space,
            vectors=tuple(row for row in [next(rows) for _ in each] if row.any()),
            terms=terms(record.text),
        )
        for record, each in zip(records, pieces, strict=True)
    ]


def _decision(record: Memory, runtime: Runtime) -> Decision:
    reason = "its context quoted what is to be forgotten or no longer holds"
    return Decision.of(record, Action.CLOSE, reason, clock=runtime.clock)
